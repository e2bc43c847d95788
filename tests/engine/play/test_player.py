"""Players of the engine: what they choose, and what they think of positions."""

import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError, ValueRangeError
from gammond.engine.play.player import (
    EvaluatorPlayer,
    RandomPlayer,
    ScorerPlayer,
    form_opinion,
    rank_by_opinion,
)
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.evaluators import PipScorer, RacingEvaluator
from tests.support.naive_ranking import rank_plays

AHEAD = boards.position({6: 5, 5: 5, 4: 5}, {19: 5, 20: 5, 13: 5})


class ShowingScorer(PipScorer):
    """Shows the pips that it counts."""

    def list_features(self, board):
        return {"pips": float(board[1] @ np.arange(26)), "side": "own"}


def list_decisions(count, seed):
    dice = boards.random_rolls(count, seed=seed + 1)
    return boards.random_boards(count, seed=seed), dice


def test_an_evaluator_player_plays_the_first_of_the_ranking():
    evaluator = RacingEvaluator()
    sample, dice = list_decisions(30, seed=1)
    for board, roll, choice in zip(
        sample, dice.tolist(), EvaluatorPlayer(evaluator).choose(sample, dice), strict=True
    ):
        best = rank_plays(evaluator, Position(board), tuple(roll))[0]
        assert np.array_equal(choice, best.play.result.board)


def test_random_play_takes_all_plays_about_equally_often_by_the_seed():
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
    sample, dice = list_decisions(300, seed=3)
    player = ScorerPlayer("pips", PipScorer())
    assert player.name == "pips"
    ties = 0
    for board, roll, chosen in zip(sample, dice, player.choose(sample, dice), strict=True):
        results = np.stack([play.result.board for play in legal_plays(Position(board), tuple(roll.tolist()))])
        scores = PipScorer().score_boards(results)
        ties += (scores == scores.max()).sum() > 1
        assert np.array_equal(chosen, results[int(np.argmax(scores))])
    assert ties > 100


def test_a_position_is_scored_as_if_the_side_on_roll_had_just_played():
    opinion = form_opinion(ScorerPlayer("pips", ShowingScorer()), AHEAD)
    assert (opinion.score, opinion.outcome) == (-75.0, None)
    assert opinion.features == {"pips": 75.0, "side": "own"}


def test_an_evaluator_says_its_outcome_and_the_equity_by_which_it_chooses():
    evaluator = RacingEvaluator()
    opinion = form_opinion(EvaluatorPlayer(evaluator), AHEAD)
    assert opinion.outcome == pytest.approx(evaluator.evaluate(AHEAD.board[None])[0].tolist())
    assert opinion.score == pytest.approx(2 * opinion.outcome.win - 1)
    assert opinion.features == {}


@pytest.mark.parametrize(
    "player",
    [EvaluatorPlayer(RacingEvaluator()), ScorerPlayer("pips", ShowingScorer())],
    ids=lambda p: p.name,
)
def test_plays_come_best_first_and_the_first_is_the_one_that_is_played(player):
    ranked = rank_by_opinion(player, Position.start(), (3, 1))
    assert len(ranked) == 16
    scores = [opinion.score for _, opinion in ranked]
    assert scores == sorted(scores, reverse=True)
    np.testing.assert_array_equal(ranked[0][0].result.board, player.choose_one(Position.start(), (3, 1)))
    best = ranked[0][1].features
    assert best == ({} if player.scorer is None else player.list_features(ranked[0][0].result.board))


def test_a_player_without_numbers_has_no_opinion():
    with pytest.raises(UnsupportedError, match="random chooses plays without a number for each"):
        form_opinion(RandomPlayer(), Position.start())
