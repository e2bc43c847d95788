"""Changes of factors, and their acceptance: above a share of games won, or by a sequential test."""

import msgspec
import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.options import list_fields
from gammond.engine.play.paired_scores import PairedScores
from gammond.nets.heritage.heuristic_engine.heuristic import HEURISTIC_CONFIGS, HeuristicConfig
from gammond.tools.heritage.heuristic_engine.command import (
    STEP_SIZES,
    WHOLE_NUMBER_FACTORS,
    FactorChange,
    draw_change,
)
from gammond.tools.heritage.heuristic_engine.trials import ChangeDecision, FixedRule, SequentialRule
from gammond.tools.tournament.statistics.sprt import SequentialTest


def _games(wins: int, games: int) -> PairedScores:
    kinds = np.full(games, -1, np.int8)
    kinds[:wins] = 1
    return PairedScores(kinds.astype(float), np.random.default_rng(1).permutation(kinds))


def test_more_than_the_share_is_kept_and_the_share_itself_is_not():
    rule = FixedRule(3000, 0.51)
    assert rule.decide(_games(1531, 3000)) == ChangeDecision(True, 3000)
    assert rule.decide(_games(1530, 3000)) == ChangeDecision(False, 3000)
    assert rule.decide(_games(2998, 2998)) is None
    assert rule.decide(_games(0, 3000).concatenate(_games(900, 900))) == ChangeDecision(False, 3000)


def test_a_sequential_test_ends_before_its_last_game_and_turns_down_what_it_cannot_tell():
    rule = SequentialRule(SequentialTest(0, 40), 4000)
    assert rule.decide(_games(1400, 2000)).is_accepted
    assert rule.decide(_games(1400, 2000)).games < 2000
    assert not rule.decide(_games(600, 2000)).is_accepted
    assert SequentialRule(SequentialTest(0, 7), 1002).decide(_games(515, 1000)) is None
    assert SequentialRule(SequentialTest(0, 7), 1000).decide(_games(515, 1000)) == ChangeDecision(False, 1000)


def test_pairs_that_are_all_split_turn_a_change_down_when_an_improvement_would_have_shown():
    kinds = np.tile(np.array([1, -1], np.int8), 300)
    split = PairedScores(kinds.astype(float), kinds)
    rule = SequentialRule(SequentialTest(0, 7))
    assert rule.decide(split.take_first(200)) is None
    assert rule.decide(split) == ChangeDecision(False, 300)


def test_an_odd_number_of_games_is_refused():
    with pytest.raises(ValueRangeError, match="even number of games, got 3001"):
        FixedRule(3001)


def test_a_change_is_of_one_factor_and_within_its_bounds():
    start = HEURISTIC_CONFIGS["untrained"]
    bounds = {each.name: each.bounds for each in list_fields(HeuristicConfig)}
    seen = set()
    for trial in range(300):
        change = draw_change(start, 1, trial, scale=5.0)
        changed = msgspec.structs.asdict(change.apply_to(start))
        before = msgspec.structs.asdict(start)
        differing = [name for name in before if before[name] != changed[name]]
        assert differing == [change.factor]
        assert bounds[change.factor].low <= change.after <= bounds[change.factor].high
        if change.factor in WHOLE_NUMBER_FACTORS:
            assert change.after == int(change.after)
        seen.add(change.factor)
    assert seen == set(STEP_SIZES)


def test_the_seed_and_the_trial_decide_it():
    start = HEURISTIC_CONFIGS["author"]
    assert draw_change(start, 1, 7) == draw_change(start, 1, 7)
    assert len({msgspec.structs.astuple(draw_change(start, seed, 7)) for seed in range(9)}) > 5


def test_a_change_at_a_bound_goes_inwards():
    top = msgspec.structs.replace(HEURISTIC_CONFIGS["author"], cb=5.0)
    changes = [draw_change(top, 2, trial) for trial in range(200)]
    assert all(each.after < 5.0 for each in changes if each.factor == "cb")


def test_a_change_says_what_it_was():
    start = HEURISTIC_CONFIGS["untrained"]
    assert FactorChange("bf", 0.0, 0.3).apply_to(start) == msgspec.structs.replace(start, bf=0.3)
