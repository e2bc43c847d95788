"""What the tests of rollouts roll out, and what they make of the trials."""

import numpy as np

from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rollout import RolloutEvaluators, RolloutState, TrialCubes
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

EVALUATOR = RacingEvaluator()
EVALUATORS = RolloutEvaluators(EvaluatorPruner(EVALUATOR), EVALUATOR)
RACE = boards.position({6: 3, 5: 2, 3: 2}, {21: 3, 20: 2, 19: 2})
CONTACT = boards.position({25: 1, 20: 2, 6: 3, 4: 2}, {2: 2, 7: 1, 19: 4, 21: 3})
BEAROFF = boards.position({6: 1, 4: 1, 2: 1}, {19: 2, 23: 1})
SHUT_OUT = boards.position({25: 2, 1: 5}, {point: 2 for point in range(19, 25)})


def make_state(*scores, scoring="cubeless", variance_reduction=True) -> RolloutState:
    """Make a state of several starts, with the scores of the trials of each."""
    starts, cubes = np.stack([Position.start().board] * len(scores)), TrialCubes.make_initial(len(scores))
    return RolloutState(starts, cubes, 0, 0, variance_reduction, ("evaluator",), scoring, scores)
