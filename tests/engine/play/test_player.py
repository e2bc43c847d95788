"""Players: choices are legal, and depend on position and roll alone."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.player import EvaluatorPlayer, RandomPlayer, ScorerPlayer
from gammond.engine.rules.moves import expand_rolls, legal_plays
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.evaluators import PipScorer, RacingEvaluator
from tests.support.naive_ranking import rank_plays


def _time_calls(count: int):
    return boards.played_boards(RacingEvaluator(), count, seed=1), boards.random_rolls(count, seed=2)


@pytest.mark.parametrize(
    "player", [RandomPlayer(1), EvaluatorPlayer(RacingEvaluator())], ids=lambda p: p.name
)
def test_choices_are_legal_and_do_not_depend_on_the_batch_or_its_order(player):
    sample, dice = _time_calls(200)
    chosen = player.choose(sample, dice)
    children, _, offsets = expand_rolls(sample, dice)
    for i, choice in enumerate(chosen):
        assert (children[offsets[i] : offsets[i + 1]] == choice).all(axis=(1, 2)).any()
    order = np.random.default_rng(3).permutation(200)
    assert np.array_equal(player.choose(sample[order], dice[order]), chosen[order])
    assert np.array_equal(player.choose(sample[:1], dice[:1]), chosen[:1])


def test_an_evaluator_player_plays_the_first_of_the_ranking():
    evaluator = RacingEvaluator()
    sample, dice = _time_calls(30)
    for board, roll, choice in zip(
        sample, dice, EvaluatorPlayer(evaluator).choose(sample, dice), strict=True
    ):
        best = rank_plays(evaluator, Position(board), (int(roll[0]), int(roll[1])))[0]
        assert np.array_equal(choice, best.play.result.board)


def test_random_players_of_other_seeds_play_otherwise():
    sample, dice = _time_calls(200)
    assert not np.array_equal(RandomPlayer(1).choose(sample, dice), RandomPlayer(2).choose(sample, dice))


def test_random_play_takes_all_plays_about_equally_often():
    start = Position.start().board[None]
    plays = [play.result.key for play in legal_plays(Position.start(), (2, 1))]
    dice = np.array([[2, 1]], np.int8)
    count = 150 * len(plays)
    taken = [RandomPlayer(seed).choose(start, dice)[0].tobytes() for seed in range(count)]
    frequencies = np.array([taken.count(play) for play in plays])
    chi_square = ((frequencies - 150) ** 2 / 150).sum()
    assert frequencies.sum() == count
    assert chi_square < 40  # 14 degrees of freedom: 40 is beyond the 99.9th percentile


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueRangeError, match="0 or more, got -1"):
        RandomPlayer(-1)


def test_a_scorer_player_makes_the_first_play_of_the_highest_score():
    sample, dice = boards.random_boards(300, seed=3), boards.random_rolls(300, seed=4)
    player = ScorerPlayer("pips", PipScorer())
    assert player.name == "pips"
    ties = 0
    for board, roll, chosen in zip(sample, dice, player.choose(sample, dice), strict=True):
        results = np.stack([play.result.board for play in legal_plays(Position(board), tuple(roll.tolist()))])
        scores = PipScorer().score_boards(results)
        ties += (scores == scores.max()).sum() > 1
        assert np.array_equal(chosen, results[int(np.argmax(scores))])
    assert ties > 100
