"""``heuristic`` by name: its options, and that its factors decide how it plays."""

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
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

SAMPLE, DICE = boards.played_boards(RacingEvaluator(), 100, seed=1), boards.random_rolls(100, seed=2)


def _shares(first: str, second: str, games: int = 400) -> float:
    return float((play_games(load_player(first), load_player(second), games, seed=3).kinds > 0).mean())


def test_every_configuration_has_a_name_among_the_options():
    option = next(each for each in HeuristicSpec.list_options() if each.name == "config")
    assert set(option.choices) == set(HEURISTIC_CONFIGS)


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        *((f"config={name}", config.tables) for name, config in HEURISTIC_CONFIGS.items()),
        *((f"config={name},printed=true", each.tables_as_printed) for name, each in PRINTED_CONFIGS.items()),
    ],
)
def test_a_configuration_by_name_plays_as_its_factors_do(text, tables):
    by_name = load_player(f"heuristic:{text}")
    assert isinstance(by_name, HeuristicPlayer)
    by_factors = HeuristicPlayer("own", tables)
    assert np.array_equal(by_name.choose(SAMPLE, DICE), by_factors.choose(SAMPLE, DICE))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ("config=untrained,bf=1", "config"),
        ("printed=true,probability=true,bf=0", "bf"),
        ("config=untrained,printed=true,probability=true", "bf"),
    ],
)
def test_options_that_do_not_fit_together_are_refused_by_name(options, field):
    with pytest.raises(ValueRangeError) as caught:
        load_player(f"heuristic:{options}")
    assert caught.value.field == field


def test_without_factors_the_first_play_with_the_fewest_pips_is_made():
    sample, dice = boards.played_boards(RacingEvaluator(), 300, seed=4), boards.random_rolls(300, seed=5)
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


def test_ties_are_decided_by_the_option():
    assert _shares("heuristic:ties=first", "heuristic:ties=last") != 0.5


@pytest.mark.slow
def test_the_average_of_replies_plays_otherwise_and_as_well_as_the_score_alone_or_nearly():
    share = _shares("heuristic:probability=true", "heuristic", 60)
    assert 0.2 < share < 0.9


def test_the_average_of_replies_is_that_of_the_rules():
    player = load_player("heuristic:probability=true")
    assert player.is_deep
    rules = Rules(doubles=Doubles.TWO)
    sample = boards.played_boards(RacingEvaluator(), 600, seed=7)[::6]
    dice = np.tile(np.array([[3, 1]], np.int8), (100, 1))  # which is played alike by both rules
    assert (player.choose(sample, dice) != player.with_rules(rules).choose(sample, dice)).any()
