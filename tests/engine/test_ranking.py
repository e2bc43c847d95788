"""Ranking: all legal plays, best first, seen by the player who makes them."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import StateError
from engine.moves import legal_plays
from engine.outcome import Outcome
from engine.position import Position
from engine.ranking import rank_plays
from tests import boards
from tests.boards import RacingJudge, position

JUDGE = RacingJudge()


class EvenJudge:
    """A judge who sees no difference, two plies deep."""

    name = "even"
    plies = 2

    def evaluate(self, boards):
        """Give the same outcome for all ``int8[n, 2, 26]`` boards."""
        return np.tile(np.array([[0.25, 0.125, 0.0, 0.5, 0.0625]], np.float32), (len(boards), 1))


def test_every_legal_play_is_ranked_once_and_best_first():
    for board, dice in zip(boards.random_boards(50, seed=1), boards.random_rolls(50, seed=2), strict=True):
        roll = int(dice[0]), int(dice[1])
        ranked = rank_plays(JUDGE, Position(board), roll)
        equities = [one.equity for one in ranked]
        assert equities == sorted(equities, reverse=True)
        assert {one.play for one in ranked} == set(legal_plays(Position(board), roll))


def test_numbers_are_for_the_player_who_makes_the_play():
    ranked = rank_plays(EvenJudge(), Position.start(), (3, 1))
    assert ranked[0].outcome == Outcome(win=0.75, win_g=0.5, win_bg=0.0625, lose_g=0.125, lose_bg=0.0)
    assert ranked[0].equity == pytest.approx(ranked[0].outcome.equity) == 0.9375


def test_every_play_says_the_plies_of_its_judge():
    assert {one.plies for one in rank_plays(EvenJudge(), Position.start(), (6, 6))} == {2}


def test_equal_plays_keep_the_order_of_legal_plays():
    ranked = rank_plays(EvenJudge(), Position.start(), (2, 1))
    assert [one.play for one in ranked] == legal_plays(Position.start(), (2, 1))


def test_a_play_that_wins_at_once_comes_first_with_its_exact_outcome():
    ranked = rank_plays(JUDGE, position({2: 1, 1: 1}, {24: 14, 23: 1}), (6, 1))
    assert ranked[0].play.result.is_over
    assert ranked[0].outcome == Outcome(1.0, 1.0, 0.0, 0.0, 0.0)
    assert ranked[0].equity == 2.0


def test_no_play_at_all_is_ranked_as_one_pass():
    (only,) = rank_plays(JUDGE, position({24: 2}, {18: 2, 19: 2}), (6, 5))
    assert only.play.is_pass


def test_nothing_is_ranked_when_the_game_is_over():
    with pytest.raises(StateError):
        rank_plays(JUDGE, position({}, {24: 1}), (6, 5))
