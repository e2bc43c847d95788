"""``heuristic`` by name: its options, and that its factors decide how it plays."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.rules import Doubles, Rules
from gammond.nets.catalogue import load_player
from gammond.nets.heritage.heuristic_engine.heuristic import (
    HEURISTIC_CONFIGS,
    PRINTED_CONFIGS,
    HeuristicPlayer,
    HeuristicSpec,
)
from tests.support import boards
from tests.support.evaluators import RacingEvaluator


def _shares(first: str, second: str, games: int = 400) -> float:
    return float((play_games(load_player(first), load_player(second), games, seed=3).points > 0).mean())


def test_every_configuration_has_a_name_among_the_options():
    option = next(each for each in HeuristicSpec.list_options() if each.name == "config")
    assert set(option.choices) == set(HEURISTIC_CONFIGS)


@pytest.mark.parametrize("name", HEURISTIC_CONFIGS)
def test_a_configuration_by_name_plays_as_its_factors_do(name):
    factors = HEURISTIC_CONFIGS[name]
    sample, dice = (
        boards.played_boards(RacingEvaluator(), 100, seed=1),
        boards.random_rolls(100, seed=2),
    )
    by_name = load_player(f"heuristic:config={name}")
    assert isinstance(by_name, HeuristicPlayer)
    by_factors = HeuristicPlayer("own", factors.tables)
    assert np.array_equal(by_name.choose(sample, dice), by_factors.choose(sample, dice))


@pytest.mark.parametrize("name", PRINTED_CONFIGS)
def test_as_printed_a_configuration_has_the_factors_that_divide(name):
    sample, dice = (
        boards.played_boards(RacingEvaluator(), 100, seed=1),
        boards.random_rolls(100, seed=2),
    )
    by_factors = HeuristicPlayer("own", PRINTED_CONFIGS[name].tables_as_printed)
    chosen = load_player(f"heuristic:config={name},printed=true").choose(sample, dice)
    assert np.array_equal(chosen, by_factors.choose(sample, dice))


def test_a_name_has_the_options_that_are_not_the_default():
    assert load_player("heuristic").name == "heuristic"
    assert load_player("heuristic:bt=7,bf=0.25,ties=last").name == "heuristic:bf=0.25,bt=7,ties=last"
    assert load_player("heuristic:probability=true").is_deep


@pytest.mark.parametrize(
    ("text", "error", "field"),
    [
        ("heuristic:bf=-1", ValueRangeError, "bf"),
        ("heuristic:bt=25", ValueRangeError, "bt"),
        ("heuristic:config=best", ValueRangeError, "config"),
        ("heuristic:config=untrained,bf=1", ValueRangeError, "config"),
        ("heuristic:printed=true,probability=true,bf=0", ValueRangeError, "bf"),
        ("heuristic:config=untrained,printed=true,probability=true", ValueRangeError, "bf"),
        ("heuristic:printed=yes", FormatError, "printed"),
        ("heuristic:blots=1", FormatError, "player"),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(text, error, field):
    with pytest.raises(error) as caught:
        load_player(text)
    assert caught.value.field == field


def test_without_factors_the_first_play_with_the_fewest_pips_is_made():
    sample, dice = (
        boards.played_boards(RacingEvaluator(), 300, seed=4),
        boards.random_rolls(300, seed=5),
    )
    children, _, offsets = expand_rolls(sample, dice)
    leads = (children[:, 0].astype(int) - children[:, 1]) @ np.arange(26)
    chosen = load_player("heuristic:config=untrained").choose(sample, dice)
    contact = 0
    for i, board in enumerate(sample):
        if np.flatnonzero(board[0])[-1] + np.flatnonzero(board[1])[-1] > 25:
            own = slice(offsets[i], offsets[i + 1])
            assert np.array_equal(chosen[i], children[own][np.argmax(leads[own])])
            contact += 1
    assert contact > 100


def test_factors_are_worth_a_lot():
    assert _shares("heuristic", "heuristic:config=untrained") > 0.85
    assert _shares("heuristic", "random") > 0.9


def test_ties_are_decided_by_the_option():
    share = _shares("heuristic:ties=first", "heuristic:ties=last")
    assert share != 0.5


@pytest.mark.slow
def test_the_average_of_replies_plays_otherwise_and_as_well_as_the_score_alone_or_nearly():
    share = _shares("heuristic:probability=true", "heuristic", 60)
    assert 0.2 < share < 0.9


def test_the_average_of_replies_is_that_of_the_rules():
    player = load_player("heuristic:probability=true")
    rules = Rules(doubles=Doubles.TWO)
    sample = boards.played_boards(RacingEvaluator(), 600, seed=7)[::6]
    dice = np.tile(np.array([[3, 1]], np.int8), (100, 1))  # which is played alike by both rules
    assert (player.choose(sample, dice) != player.with_rules(rules).choose(sample, dice)).any()
