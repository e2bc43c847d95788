"""Games in lockstep: pairs, dice, scores, and independence of how many run at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gammond.engine.errors import CancelledWork, LimitError, ValueRangeError
from gammond.engine.play.lockstep import PairedGameResults, play_games
from gammond.engine.play.player import EvaluatorPlayer, Player, RandomPlayer
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.position import Position
from tests.support.evaluators import RacingEvaluator

RACER = EvaluatorPlayer(RacingEvaluator())
RANDOM = RandomPlayer(7)


def test_a_player_scores_exactly_nothing_against_itself():
    results = play_games(RACER, RACER, 400, seed=1)
    assert (results.points.reshape(-1, 2).sum(axis=1) == 0).all()
    assert results.standard_error == 0
    assert results.count_wins(0) == results.count_wins(1)


def test_results_do_not_depend_on_how_many_games_run_at_once():
    expected = play_games(RACER, RANDOM, 24, seed=2).points.tolist()
    for lockstep in (1, 7, 23, 1000):
        assert play_games(RACER, RANDOM, 24, seed=2, lockstep=lockstep).points.tolist() == expected


def test_a_range_of_a_series_is_the_series_cut():
    whole = play_games(RACER, RANDOM, 60, seed=3).points
    assert play_games(RACER, RANDOM, 20, seed=3, first_pair=15).points.tolist() == whole[30:50].tolist()


def test_swapped_players_swap_the_points_in_each_pair():
    forth = play_games(RACER, RANDOM, 60, seed=4).points.reshape(-1, 2)
    back = play_games(RANDOM, RACER, 60, seed=4).points.reshape(-1, 2)
    assert np.array_equal(forth, -back[:, ::-1])


def test_other_seeds_give_other_games():
    assert (
        play_games(RACER, RANDOM, 60, seed=4).points.tolist()
        != play_games(RACER, RANDOM, 60, seed=5).points.tolist()
    )


class _Recorder(Player):
    """Plays like another player and records its positions."""

    def __init__(self, player) -> None:
        self.player = player
        self.name = player.name
        self.asked = []

    def choose(self, positions, dice):
        self.asked.append((positions.copy(), dice.copy()))
        return self.player.choose(positions, dice)


def test_both_players_start_one_game_of_a_pair_with_the_same_roll_and_no_double():
    first, second = _Recorder(RACER), _Recorder(RANDOM)
    play_games(first, second, 200, seed=6, lockstep=200)
    starts = Position.start().board
    assert (first.asked[0][0] == starts).all()
    assert (second.asked[0][0] == starts).all()
    assert np.array_equal(first.asked[0][1], second.asked[0][1])
    assert (first.asked[0][1][:, 0] != first.asked[0][1][:, 1]).all()


def test_without_pairs_all_games_have_their_own_dice_in_a_series_that_can_be_cut():
    own = play_games(RACER, RACER, 400, seed=1, has_pairs=False)
    assert (own.points.reshape(-1, 2).sum(axis=1) != 0).any()
    cut = play_games(RACER, RACER, 100, seed=1, first_pair=50, has_pairs=False)
    assert cut.points.tolist() == own.points[100:200].tolist()
    first, second = _Recorder(RACER), _Recorder(RANDOM)
    play_games(first, second, 200, seed=6, lockstep=200, has_pairs=False)
    assert not np.array_equal(first.asked[0][1], second.asked[0][1])


def _one_game(player, opponent, seed):
    """Play one game by hand, the player to start, and return its points."""
    board, turn, players = Position.start().board[None].copy(), 0, (player, opponent)
    while True:
        dice = draw_paired_dice(seed, np.array([0]), np.array([turn]))
        board = players[turn % 2].choose(board, dice)
        turn += 1
        if board[0, 1, 0] == 15:
            loser = board[0, 0]
            points = 1 if loser[0] else 3 if loser[19:].any() else 2
            return points if turn % 2 else -points


def test_points_are_those_of_games_played_by_hand():
    for seed in range(12):
        expected = [_one_game(RACER, RANDOM, seed), -_one_game(RANDOM, RACER, seed)]
        assert play_games(RACER, RANDOM, 2, seed=seed).points.tolist() == expected


def test_dice_are_fair_and_openings_have_no_doubles():
    pairs = np.arange(36_000)
    openings = draw_paired_dice(1, pairs, np.zeros(36_000, np.int64))
    later = draw_paired_dice(1, pairs, np.full(36_000, 5))
    assert (openings[:, 0] > openings[:, 1]).all()
    for dice, faces, chances in ((openings, 15, 2400), (later, 36, 1000)):
        counts = np.bincount(dice[:, 0].astype(int) * 7 + dice[:, 1])
        counts = counts[counts > 0]
        assert len(counts) == faces
        assert ((counts - chances) ** 2 / chances).sum() < 75  # 35 degrees of freedom: the 99.99th percentile


def test_results_are_counted_for_each_side():
    results = PairedGameResults(np.array([1, -2, 3, -3, 2, 1], np.int8))
    assert results.games == 6
    assert results.count_wins(0) == (4, 2, 1)
    assert results.count_wins(1) == (2, 2, 1)
    assert results.points_per_game == pytest.approx(2 / 6)
    assert results.standard_error == pytest.approx(np.std([-0.5, 0, 1.5], ddof=1) / np.sqrt(3))


def test_progress_grows_to_the_number_of_games():
    seen = []
    play_games(RACER, RANDOM, 40, seed=1, lockstep=10, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 40


def test_work_stops_when_cancelled():
    with pytest.raises(CancelledWork, match="of 40 games"):
        play_games(RACER, RANDOM, 40, cancelled=iter([False, False, True]).__next__)


def test_no_games_have_no_results():
    assert play_games(RACER, RANDOM, 0).games == 0


@pytest.mark.parametrize(
    "wrong", [{"games": 3}, {"games": -2}, {"games": 2, "seed": -1}, {"games": 2, "lockstep": 0}]
)
def test_impossible_numbers_are_refused(wrong):
    with pytest.raises(ValueRangeError):
        play_games(RACER, RANDOM, **wrong)


class _Idler(Player):
    """A player who never moves."""

    name = "idler"

    def choose(self, positions, dice):
        return positions[:, ::-1].copy()


def test_a_game_that_never_ends_is_an_error(monkeypatch):
    monkeypatch.setattr("gammond.engine.play.lockstep.MAX_TURNS", 500)
    with pytest.raises(LimitError, match="over 500 turns"):
        play_games(_Idler(), _Idler(), 2)


def test_games_that_never_end_are_counted_where_they_may_be_and_the_others_keep_their_results(monkeypatch):
    whole = play_games(RACER, RANDOM, 40, seed=1)
    monkeypatch.setattr("gammond.engine.play.lockstep.MAX_TURNS", 70)
    seen = []
    cut = play_games(RACER, RANDOM, 40, seed=1, lockstep=8, may_be_endless=True, progress=seen.append)
    assert 0 < len(cut.endless) < 30
    assert seen[-1] == 40
    ended = np.setdiff1d(np.arange(40), cut.endless)
    assert cut.points[ended].tolist() == whole.points[ended].tolist()
    assert not cut.points[cut.endless].any()
    counted = [2 * pair + game for pair in range(20) if pair not in cut.endless // 2 for game in range(2)]
    alone = PairedGameResults(whole.points[counted])
    assert cut.games == alone.games == len(counted)
    assert (cut.points_per_game, cut.standard_error) == (alone.points_per_game, alone.standard_error)
    assert (cut.win_share, cut.count_wins(0)) == (alone.win_share, alone.count_wins(0))
    twice = cut.concatenate(cut)
    assert twice.endless.tolist() == [*cut.endless, *(40 + cut.endless)]
    assert twice.games == 2 * cut.games


def test_where_no_game_ends_nothing_is_known():
    results = PairedGameResults(np.zeros(2, np.int8), np.array([0, 1]))
    assert results.games == 0
    assert all(math.isnan(each) for each in (results.points_per_game, results.standard_error))
