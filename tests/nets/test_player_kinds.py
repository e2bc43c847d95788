"""Kinds of players, and all that lie in the folder."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import FormatError, ValueRangeError
from engine.rules.moves import expand_rolls
from nets.catalogue import (
    DEFAULT_EVALUATOR,
    collect_net_hashes,
    list_evaluator_names,
    load_player,
)
from nets.player_kinds import (
    PlayerKind,
    find_kind,
    list_kind_names,
    load_player_kinds,
)
from protocol.state.player_registry import SESSION_PLAYERS
from tests import boards

KINDS = load_player_kinds()
SAMPLE = boards.played_boards(boards.RacingEvaluator(), 2000, seed=3)[:4]
DICE = boards.random_rolls(4, seed=4)


def test_every_module_of_the_folder_is_a_kind_of_its_name():
    assert {"pubeval", "random"} <= set(list_kind_names())
    assert [kind.name for kind in KINDS] == list_kind_names()


def test_no_kind_has_the_name_of_something_else():
    taken = {DEFAULT_EVALUATOR, *list_evaluator_names(), *SESSION_PLAYERS, "gnubg", "run", "wildbg"}
    assert taken.isdisjoint(list_kind_names())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_is_described_and_its_options_are_bounded(kind):
    assert kind.options.__struct_config__.frozen
    assert kind.summary[-1] != "."
    for parameter in kind.fields:
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
    written = ",".join(f"{each.name}={each.default_text}" for each in kind.fields)
    text = f"{kind.name}:{written}" if written else kind.name
    assert kind.parse_options(text) == kind.parse_options(kind.name) == kind.options()
    assert collect_net_hashes(text) == collect_net_hashes(kind.name)


@pytest.mark.parametrize("name", ["", "Random", "random.py", "../options", "__init__", "nobody"])
def test_other_names_are_no_kinds(name):
    assert find_kind(name) is None


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


def test_an_evaluator_goes_before_a_kind_of_its_name(monkeypatch):
    monkeypatch.setattr("nets.player_specs.find_kind", lambda name: pytest.fail(name))
    assert load_player(list_evaluator_names()[0]).name == list_evaluator_names()[0]


def test_make_gets_the_options_and_the_manifest(tmp_path, monkeypatch):
    random = find_kind("random")
    made = []

    def make(options, manifest_file):
        made.append((options.seed, manifest_file))
        return load_player()

    kind = PlayerKind(
        "sample", "a sample", random.options, make, net_hashes=lambda options, _: {"net": str(options.seed)}
    )
    monkeypatch.setattr("nets.player_specs.find_kind", lambda name: kind)
    manifest = tmp_path / "manifest.toml"
    manifest.write_text("")
    load_player("sample:seed=4", manifest)
    assert made == [(4, manifest)]
    assert collect_net_hashes("sample:seed=5", manifest) == {"net": "5"}
