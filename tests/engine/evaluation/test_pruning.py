import numpy as np
import pytest

from gammond.engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

EVALUATOR = RacingEvaluator()
BOARDS = boards.played_boards(EVALUATOR, 60, seed=5)
DICE = boards.random_rolls(60, seed=6)


class _Opposite(RacingEvaluator):
    """Prefers the plays that the racing evaluator ranks last."""

    name = "opposite"

    def evaluate(self, positions):
        outcomes = super().evaluate(positions)
        outcomes[:, 0] = 1 - outcomes[:, 0]
        return outcomes


def _fields(replies):
    return replies.children.tolist(), replies.moves.tolist(), replies.offsets.tolist()


@pytest.mark.parametrize(("keep", "margin"), [(1, 0.0), (4, 0.1), (1000, 9.0)])
def test_a_list_of_all_plays_leaves_the_choice_to_the_evaluator(keep, margin):
    shortlisted = ShortlistPruner(EvaluatorPruner(_Opposite()), EVALUATOR, shortlist_size=4000, margin=9.0)
    found = shortlisted.prune_plays(BOARDS, DICE, keep, margin)
    expected = EvaluatorPruner(EVALUATOR).prune_plays(BOARDS, DICE, keep, margin)
    if keep == 1:
        chosen = [EVALUATOR.evaluate(each.children)[:, 0] for each in (found, expected)]
        assert np.array_equal(*chosen)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert np.array_equal(found.equities, expected.equities)


def test_a_list_of_one_leaves_the_choice_to_the_pruner():
    pruner = EvaluatorPruner(_Opposite())
    found = ShortlistPruner(pruner, EVALUATOR, shortlist_size=1).prune_plays(BOARDS, DICE, 1, 0.0)
    assert _fields(found) == _fields(pruner.prune_plays(BOARDS, DICE, 1, 0.0))


def test_each_choice_depends_on_its_own_position_and_roll():
    shortlisted = ShortlistPruner(EvaluatorPruner(_Opposite()), EVALUATOR, shortlist_size=3, margin=0.5)
    whole = shortlisted.prune_plays(BOARDS, DICE, 1, 0.0)
    for row in (0, 17, 59):
        alone = shortlisted.prune_plays(BOARDS[row : row + 1], DICE[row : row + 1], 1, 0.0)
        assert np.array_equal(alone.children[0], whole.children[row])


def test_the_evaluator_chooses_between_two_listed_plays():
    pruner = EvaluatorPruner(_Opposite())
    listed = pruner.prune_plays(BOARDS, DICE, 2, 9.0)
    found = ShortlistPruner(pruner, EVALUATOR, shortlist_size=2, margin=9.0).prune_plays(BOARDS, DICE, 1, 0.0)
    for row in range(len(BOARDS)):
        plays = listed.children[listed.offsets[row] : listed.offsets[row + 1]]
        best = np.argmin(EVALUATOR.evaluate(plays)[:, 0])
        assert np.array_equal(found.children[row], plays[best])
