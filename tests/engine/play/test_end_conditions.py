"""When measured games stop, and what they count."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.play.lockstep import GAME_OVER, HOME_BOUND, PIPS_PER_ROLL, play_games
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer
from gammond.engine.rules.position import Phase, Position
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

RACER = EvaluatorPlayer(RacingEvaluator())
RANDOM = RandomPlayer(7)

RACE = boards.position({6: 5, 5: 5, 4: 5}, {24: 5, 20: 5, 19: 5})
"""x is to roll with 75 pips, o has 5 · (1 + 5 + 6) = 60."""


def test_a_race_counts_the_pips_that_the_side_which_has_moved_is_ahead_less_a_roll():
    assert HOME_BOUND.is_reached(RACE.board[None]).tolist() == [True]
    assert RACE.pips == (75, 60)
    assert HOME_BOUND.score_games(RACE.board[None])[0] == pytest.approx(75 - 60 - 8.166)


def test_the_pips_of_a_roll_are_the_average_of_all_36_cut_to_three_places():
    rolls = [(a + b) * (2 if a == b else 1) for a in range(1, 7) for b in range(1, 7)]
    assert 0 <= np.mean(rolls) - PIPS_PER_ROLL < 0.001


def test_games_with_contact_go_on():
    contact = boards.position({6: 14, 13: 1}, {12: 1, 19: 14})
    assert not HOME_BOUND.is_reached(contact.board[None]).any()
    assert not HOME_BOUND.is_reached(Position.start().board[None]).any()


def test_games_that_are_played_out_count_their_points():
    home = {19: 15}
    ended = [boards.position(home, {}), boards.position({6: 15}, {}), boards.position({1: 14}, {})]
    stack = np.stack([each.board for each in ended])
    assert GAME_OVER.is_reached(stack).all()
    assert GAME_OVER.score_games(stack).tolist() == [3, 2, 1]
    assert not GAME_OVER.is_reached(RACE.board[None]).any()


def test_home_bound_games_stop_at_the_first_position_without_contact():
    last = {}

    class Log:
        def add(self, games, seat, dice, after):
            for game, board in zip(games.tolist(), after, strict=True):
                last.setdefault(game, []).append((seat, Position(board)))

    results = play_games(RACER, RANDOM, 40, seed=3, ending=HOME_BOUND, log=Log())
    for game, turns in last.items():
        assert all(position.phase < Phase.RACE for _, position in turns[:-1])
        seat, position = turns[-1]
        assert position.phase >= Phase.RACE
        lead = position.pips[0] - position.pips[1] - PIPS_PER_ROLL
        assert results.points[game] == pytest.approx(lead if seat == 0 else -lead, abs=1e-4)


def test_a_player_leads_itself_by_nothing():
    results = play_games(RACER, RACER, 60, seed=1, ending=HOME_BOUND)
    assert (results.points.reshape(-1, 2).sum(axis=1) == 0).all()
    assert np.abs(results.points).min() > 0


def test_home_bound_tells_the_same_player_the_stronger():
    assert play_games(RACER, RANDOM, 60, seed=1, ending=HOME_BOUND).points_per_game > 30


def test_a_log_hears_every_turn_in_order_and_changes_nothing():
    heard = {}

    class Log:
        def add(self, games, seat, dice, after):
            for game, roll in zip(games.tolist(), dice.tolist(), strict=True):
                heard.setdefault(game, []).append((seat, tuple(roll)))

    plain = play_games(RACER, RANDOM, 20, seed=2, lockstep=7)
    logged = play_games(RACER, RANDOM, 20, seed=2, lockstep=7, log=Log())
    assert logged.points.tolist() == plain.points.tolist()
    for game, turns in heard.items():
        assert [seat for seat, _ in turns] == [(game + turn) % 2 for turn in range(len(turns))]
        other = heard[game ^ 1]
        assert [roll for _, roll in turns[: len(other)]] == [roll for _, roll in other[: len(turns)]]
