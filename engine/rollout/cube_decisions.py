"""Rollouts of cube decisions: no double and double/take, with the same dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np

from engine.cubeful import CubeDecision, CubeStateSpace, decide_from_values
from engine.errors import StateError
from engine.rollout.results import EquityDifference, RolloutEstimate, RolloutState
from engine.rollout.runner import Rollout, RolloutHandling, roll_out
from engine.rollout.settings import RolloutEvaluators, RolloutSettings
from engine.rollout.stop_rules import apply_cube_rule
from engine.rollout.trial_scoring import VALUE_COLUMN, CubefulScoring, TrialCubes
from engine.rules.position import Position


@dataclass(frozen=True)
class CubeRollout:
    """A cube decision with its rollout, all for the side on roll.

    Attributes:
        decision: The best cube action of both sides, by the means.
        no_double: The estimate without the double.
        take: The estimate after double/take, in points for the present cube; None if a double is impossible.
        gain: Equity of double/take minus that of no double; None if a double is impossible.
        rollout: The rollout.
    """

    decision: CubeDecision
    no_double: RolloutEstimate
    take: RolloutEstimate | None
    gain: EquityDifference | None
    rollout: Rollout


def roll_out_cube(
    position: Position,
    space: CubeStateSpace,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings | None = None,
    **handling: Unpack[RolloutHandling],
) -> CubeRollout:
    """Roll out a cube decision.

    Args:
        position: The position of the player on roll.
        space: The states of the cube, seen by that player.
        evaluators: As for `engine.rollout.roll_out`.
        settings: As there; ``stop_jsd`` stops when neither the double nor the response is in doubt, see
            `engine.rollout.stop_rules.apply_cube_rule`.
        **handling: As there; start 0 is the position without the double, start 1 the one after a take.

    Raises:
        StateError: The game is over, or ``resume`` is of another rollout.
        GammondError: As `engine.rollout.roll_out`.
    """
    if position.is_over:
        raise StateError(
            "expected a game in progress for a cube decision, got a finished one", field="position"
        )
    scoring = CubefulScoring(space)
    taken = int(space.state_after_take[0])
    cubes = TrialCubes.make_initial(1)
    if taken >= 0:
        cubes = TrialCubes(np.array([0, taken], np.int8), np.array([1.0, space.stake_factor]))
    rollout = roll_out(
        [position] * len(cubes.states),
        evaluators,
        settings,
        scoring=scoring,
        cubes=cubes,
        rule=apply_cube_rule,
        **handling,
    )
    state = rollout.state
    decision = decide_from_values(_compute_mean_values(state, space), space)
    if taken < 0:
        return CubeRollout(decision, state.estimate(0, scoring), None, None, rollout)
    return CubeRollout(
        decision,
        state.estimate(0, scoring),
        state.estimate(1, scoring),
        state.estimate_difference(0, 1, scoring),
        rollout,
    )


def _compute_mean_values(
    state: RolloutState, space: CubeStateSpace
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Compute the mean values of both starts at their states of the cube, ``float32[states]``."""
    values = np.zeros(len(space.states), np.float32)
    for start, column in enumerate(state.cubes.states.tolist()):
        values[column] = state.scores[start][:, VALUE_COLUMN].mean() / state.cubes.stakes[start]
    return values
