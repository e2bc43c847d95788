"""Games in lockstep: pairs, dice, when they stop, what they count, however many run at once."""

import itertools
import math

import numpy as np
import pytest

from gammond.engine.errors import CancelledWork, LimitError, ValueRangeError
from gammond.engine.play.lockstep import GAME_OVER, HOME_BOUND, PIPS_PER_ROLL, play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.play.player import EvaluatorPlayer, Player, RandomPlayer
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.position import Phase, Position, classify_phases
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

RACER = EvaluatorPlayer(RacingEvaluator())
RANDOM = RandomPlayer(7)

RACE = boards.position({6: 5, 5: 5, 4: 5}, {24: 5, 20: 5, 19: 5})
"""x is to roll with 75 pips, o has 5 · (1 + 5 + 6) = 60."""


def play_by_hand(first, second, seed, number, dice_number, ending=GAME_OVER):
    """Return the turns of a game, and its points for the first player, who begins those of even numbers."""
    board, turns = Position.start().board[None].copy(), []
    for turn in itertools.count():
        seat = (number + turn) % 2
        dice = draw_paired_dice(seed, np.array([dice_number]), np.array([turn]))
        board = (first, second)[seat].choose(board, dice)
        turns.append((seat, *dice[0].tolist(), board.tobytes()))
        if ending is HOME_BOUND and classify_phases(board)[0] >= Phase.RACE:
            own, other = Position(board[0]).pips
            points = np.float32(own - other - PIPS_PER_ROLL)
        elif ending is GAME_OVER and board[0, 1, 0] == 15:
            loser = board[0, 0]
            points = 1 if loser[0] else 3 if loser[19:].any() else 2
        else:
            continue
        return turns, points if seat == 0 else -points


class Log(dict):
    """The turns of each game."""

    def add(self, games, seat, dice, after):
        for game, roll, board in zip(games.tolist(), dice.tolist(), after, strict=True):
            self.setdefault(game, []).append((seat, *roll, board.tobytes()))


@pytest.mark.parametrize("ending", [GAME_OVER, HOME_BOUND], ids=["over", "home bound"])
@pytest.mark.parametrize(
    ("games", "seed", "options"),
    [
        (24, 2, {}),
        (24, 2, {"lockstep": 1}),
        (24, 2, {"lockstep": 7}),
        (10, 3, {"first_pair": 15}),
        (12, 1, {"has_pairs": False}),
        (10, 1, {"has_pairs": False, "first_pair": 50, "lockstep": 3}),
    ],
)
def test_games_are_those_that_are_played_by_hand(games, seed, options, ending):
    """Both games of a pair have the same dice, or each its own; all are numbered from the first pair on."""
    log, first = Log(), options.get("first_pair", 0)
    found = play_games(RACER, RANDOM, games, seed, ending=ending, log=log, **options)
    for game in range(games):
        number = first + game // 2 if options.get("has_pairs", True) else 2 * first + game
        turns, points = play_by_hand(RACER, RANDOM, seed, game, number, ending)
        assert found.values[game] == pytest.approx(points, abs=1e-4)
        assert log[game] == turns


@pytest.mark.parametrize("ending", [GAME_OVER, HOME_BOUND], ids=["over", "home bound"])
def test_a_player_scores_exactly_nothing_against_itself_and_with_dice_for_each_game_something(ending):
    results = play_games(RACER, RACER, 400, seed=1, ending=ending)
    assert (results.values.reshape(-1, 2).sum(axis=1) == 0).all()
    assert np.abs(results.values).min() > 0
    assert results.score.error == 0
    assert results.count_wins(0) == results.count_wins(1)
    own = play_games(RACER, RACER, 40, seed=1, ending=ending, has_pairs=False)
    assert (own.values.reshape(-1, 2).sum(axis=1) != 0).any()


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
    assert (draw_paired_dice(2, pairs, np.full(36_000, 5)) != later).any()


def test_a_race_counts_the_pips_that_the_side_which_has_moved_is_ahead_less_a_roll():
    assert HOME_BOUND.is_reached(RACE.board[None]).tolist() == [True]
    assert RACE.pips == (75, 60)
    assert HOME_BOUND.score_games(RACE.board[None])[0] == pytest.approx(75 - 60 - 8.166)
    rolls = [(a + b) * (2 if a == b else 1) for a in range(1, 7) for b in range(1, 7)]
    assert 0 <= np.mean(rolls) - PIPS_PER_ROLL < 0.001


def test_games_that_are_played_out_count_their_points():
    home = {19: 15}
    ended = [boards.position(home, {}), boards.position({6: 15}, {}), boards.position({1: 14}, {})]
    stack = np.stack([each.board for each in ended])
    assert GAME_OVER.is_reached(stack).all()
    assert GAME_OVER.score_games(stack).tolist() == [3, 2, 1]
    assert not GAME_OVER.is_reached(RACE.board[None]).any()


def test_home_bound_tells_the_same_player_the_stronger():
    assert play_games(RACER, RANDOM, 60, seed=1, ending=HOME_BOUND).score.value > 30


def test_results_are_counted_for_each_side():
    results = PairedScores(np.array([1.0, -2, 3, -3, 2, 1]), np.array([1, -2, 3, -3, 2, 1], np.int8))
    assert results.games == 6
    assert results.count_wins(0) == (4, 2, 1)
    assert results.count_wins(1) == (2, 2, 1)
    assert results.score.value == pytest.approx(2 / 6)
    assert results.score.error == pytest.approx(np.std([-0.5, 0, 1.5], ddof=1) / np.sqrt(3))


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
    endless = np.flatnonzero(np.isnan(cut.values))
    assert 0 < cut.endless == len(endless) < 30
    assert seen[-1] == cut.games == 40
    ended = np.setdiff1d(np.arange(40), endless)
    assert cut.kinds[ended].tolist() == cut.values[ended].tolist() == whole.kinds[ended].tolist()
    assert not cut.kinds[endless].any()
    counted = [2 * pair + game for pair in range(20) if pair not in endless // 2 for game in range(2)]
    alone = PairedScores(whole.values[counted], whole.kinds[counted])
    assert cut.counted.games == len(counted)
    assert (cut.score.value, cut.score.error) == (alone.score.value, alone.score.error)
    assert (cut.win_share, cut.counted.count_wins(0)) == (alone.win_share, alone.count_wins(0))
    twice = cut.concatenate(cut)
    assert np.flatnonzero(np.isnan(twice.values)).tolist() == [*endless, *(40 + endless)]


def test_where_no_game_ends_nothing_is_known():
    results = PairedScores(np.full(2, np.nan), np.zeros(2, np.int8))
    assert results.counted.games == 0
    assert all(math.isnan(each) for each in (results.score.value, results.score.error))
