"""The best play of many positions at once is the best of each."""

from gammond.engine.evaluation.evaluator import choose_best_children
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.evaluators import RacingEvaluator
from tests.support.naive_ranking import rank_plays

SAMPLE = boards.played_boards(RacingEvaluator(), 60, seed=1)
DICE = boards.random_rolls(60, seed=2)


def test_the_best_child_is_the_first_of_the_ranked_plays():
    children, places = choose_best_children(RacingEvaluator(), SAMPLE, DICE)
    for board, dice, child, place in zip(SAMPLE, DICE, children, places, strict=True):
        position, roll = Position(board), (int(dice[0]), int(dice[1]))
        best = rank_plays(RacingEvaluator(), position, roll)[0].play
        assert Position(child) == best.result == legal_plays(position, roll)[place].result
