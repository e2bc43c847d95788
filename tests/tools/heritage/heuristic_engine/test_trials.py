"""Acceptance of a change: above a share of games won, or by a sequential test."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.paired_scores import PairedScores
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
