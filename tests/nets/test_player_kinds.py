"""Kinds of players, and all that lie in the folder."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest
from msgspec import Meta

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.play.player import RandomPlayer
from gammond.engine.rules.moves import expand_rolls
from gammond.nets.catalogue import (
    DEFAULT_EVALUATOR,
    SHIPPED,
    collect_net_hashes,
    load_player,
)
from gammond.nets.manifest import find_kind_loaders
from gammond.nets.player_specs import FILE_WORDS, KindSpec
from gammond.protocol.state.player_registry import SESSION_PLAYERS
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

KINDS = SHIPPED.list_kinds()
SAMPLE = boards.played_boards(RacingEvaluator(), 2000, seed=3)[:4]
DICE = boards.random_rolls(4, seed=4)


def test_every_name_of_a_kind_is_that_of_the_kind():
    assert {"pubeval", "random", "bev"} <= set(find_kind_loaders())
    assert [kind.name for kind in KINDS] == sorted(find_kind_loaders().keys() - set(FILE_WORDS))


def test_no_kind_has_the_name_of_something_else():
    taken = {DEFAULT_EVALUATOR, *SHIPPED.list_evaluators(), *SESSION_PLAYERS, "gnubg", "run", "wildbg"}
    assert taken.isdisjoint(find_kind_loaders().keys() - set(FILE_WORDS))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_is_described_and_its_options_are_bounded(kind):
    assert kind.__struct_config__.frozen
    assert kind.summary[-1] != "."
    for parameter in kind.list_options():
        assert parameter.meaning, parameter.name
        assert parameter.allowed_values, parameter.name
        if parameter.kind in ("int", "number"):
            assert parameter.bounds.low <= parameter.default <= parameter.bounds.high < float("inf")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_plays_legally_and_by_its_own_position_alone(kind):
    player = load_player(kind.name)
    chosen = player.choose(SAMPLE, DICE)
    children, _, offsets = expand_rolls(SAMPLE, DICE)
    for i, choice in enumerate(chosen):
        assert (children[offsets[i] : offsets[i + 1]] == choice).all(axis=(1, 2)).any()
    again = load_player(kind.name)
    assert np.array_equal(again.choose(SAMPLE[::-1].copy(), DICE[::-1].copy())[::-1], chosen)
    assert np.array_equal(again.choose(SAMPLE[2:3], DICE[2:3]), chosen[2:3])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_defaults_written_out_change_nothing(kind):
    written = ",".join(f"{each.name}={each.default_text}" for each in kind.list_options())
    text = f"{kind.name}:{written}" if written else kind.name
    assert kind.parse(text) == kind.parse(kind.name) == kind()
    assert collect_net_hashes(text) == collect_net_hashes(kind.name)


@pytest.mark.parametrize("name", ["", "Random", "random.py", "../options", "__init__", "nobody"])
def test_other_names_are_no_kinds(name):
    assert SHIPPED.find(name) is None


def test_unknown_options_and_values_name_the_kind_and_the_option():
    with pytest.raises(FormatError, match=r"an option of random \(seed\), got 'sed' \(did you mean 'seed'"):
        load_player("random:sed=3")
    with pytest.raises(FormatError, match="expected no option for pubeval, got 'plies'"):
        collect_net_hashes("pubeval:plies=1")
    with pytest.raises(ValueRangeError, match=r"expected a whole number 0.* for seed") as caught:
        load_player("random:seed=-1")
    assert caught.value.field == "seed"


def test_an_unknown_player_is_refused_with_all_names_and_the_nearest():
    with pytest.raises(
        ValueRangeError, match=r"expected a player \(default, .*\), got 'pubevl' \(did you mean 'pubeval'\?\)"
    ):
        load_player("pubevl")


class Sample(KindSpec, frozen=True):
    name = "sample"
    seed: Annotated[int, Meta(ge=0)] = 0

    def make(self):
        return RandomPlayer(self.seed)

    def collect_net_hashes(self):
        return {"net": str(self.seed)}


def test_a_player_is_made_of_its_options_and_has_the_hashes_of_its_nets(monkeypatch):
    monkeypatch.setattr(SHIPPED, "find", lambda name: Sample)
    player = load_player("sample:seed=4")
    assert player.name == "random:seed=4"
    assert player.nets == {"net": "4"}
    assert collect_net_hashes("sample:seed=5") == {"net": "5"}


def test_a_kind_that_takes_free_text_is_refused():
    class Named(KindSpec, frozen=True):
        name = "named"
        file: str = ""

    with pytest.raises(TypeError, match="the option file of named is free text"):
        Named.parse("named:file=/etc/passwd")
