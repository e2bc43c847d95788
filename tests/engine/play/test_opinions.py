import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.play.player import (
    EvaluatorPlayer,
    RandomPlayer,
    ScorerPlayer,
    form_opinion,
    rank_by_opinion,
)
from gammond.engine.rules.position import Position
from tests.support.boards import position
from tests.support.evaluators import RacingEvaluator

AHEAD = position({6: 5, 5: 5, 4: 5}, {19: 5, 20: 5, 13: 5})


class PipScorer:
    """Scores fewer pips for the side that has played, and shows them."""

    def score_boards(self, boards):
        return -boards[:, 1] @ np.arange(26).astype(np.float32)

    def list_features(self, board):
        return {"pips": float(board[1] @ np.arange(26)), "side": "own"}


def test_a_position_is_scored_as_if_the_side_on_roll_had_just_played():
    opinion = form_opinion(ScorerPlayer("pips", PipScorer()), AHEAD)
    assert (opinion.score, opinion.outcome) == (-75.0, None)
    assert opinion.features == {"pips": 75.0, "side": "own"}


def test_an_evaluator_says_its_outcome_and_the_equity_by_which_it_chooses():
    evaluator = RacingEvaluator()
    opinion = form_opinion(EvaluatorPlayer(evaluator), AHEAD)
    assert opinion.outcome == pytest.approx(evaluator.evaluate(AHEAD.board[None])[0].tolist())
    assert opinion.score == pytest.approx(2 * opinion.outcome.win - 1)
    assert opinion.features == {}


@pytest.mark.parametrize(
    "player", [EvaluatorPlayer(RacingEvaluator()), ScorerPlayer("pips", PipScorer())], ids=lambda p: p.name
)
def test_plays_come_best_first_and_the_first_is_the_one_that_is_played(player):
    ranked = rank_by_opinion(player, Position.start(), (3, 1))
    assert len(ranked) == 16
    scores = [opinion.score for _, opinion in ranked]
    assert scores == sorted(scores, reverse=True)
    chosen = player.choose_one(Position.start(), (3, 1))
    np.testing.assert_array_equal(ranked[0][0].result.board, chosen)


def test_a_player_without_numbers_has_no_opinion():
    with pytest.raises(UnsupportedError, match="random chooses plays without a number for each"):
        form_opinion(RandomPlayer(), Position.start())
