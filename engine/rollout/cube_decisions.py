"""Rollouts of cube decisions: not doubling and a double that is taken, with the same dice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.cubeful import CubeDecision, CubeGame, decide
from engine.errors import StateError
from engine.position import Position
from engine.rollout.cubeful import VALUE, Cubeful
from engine.rollout.results import Difference, Estimate, RolloutState
from engine.rollout.running import Progress, Rollout, roll_out
from engine.rollout.scoring import Cubes
from engine.rollout.settings import RolloutJudges, RolloutSettings
from engine.rollout.stopping import cube_rule


@dataclass(frozen=True)
class RolledOutCube:
    """A cube decision with what its rollout found, all for the side on roll.

    Attributes:
        decision: What both sides should do, by the means.
        no_double: The position without the double.
        take: The position after a double that is taken, in points for the present cube; None where there is
            no double.
        gain: By how much the take is worth more than not doubling; None where there is no double.
        rollout: The rollout.
    """

    decision: CubeDecision
    no_double: Estimate
    take: Estimate | None
    gain: Difference | None
    rollout: Rollout


def roll_out_cube(
    position: Position,
    game: CubeGame,
    judges: RolloutJudges,
    settings: RolloutSettings | None = None,
    *,
    resume: RolloutState | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> RolledOutCube:
    """Roll out a cube decision.

    Args:
        position: Of the player on roll.
        game: The cube, as that player sees it.
        judges: As `engine.rollout.roll_out`.
        settings: As there; ``stop_jsd`` stops when neither the double nor the answer is in doubt, see
            `engine.rollout.stopping.cube_rule`.
        resume: As there.
        progress: As there; start 0 is the position without the double, start 1 the one after a take.
        cancelled: As there.

    Raises:
        StateError: The game is over, or ``resume`` is of another rollout.
        GammondError: As `engine.rollout.roll_out`.
    """
    if position.is_over:
        raise StateError("there is nothing to double in a game that is over", field="position")
    scoring = Cubeful(game)
    taken = int(game.taken[0])
    cubes = Cubes.present(1)
    if taken >= 0:
        cubes = Cubes(np.array([0, taken], np.int8), np.array([1.0, game.stake_factor]))
    rollout = roll_out(
        [position] * len(cubes.states),
        judges,
        settings,
        scoring=scoring,
        cubes=cubes,
        rule=cube_rule,
        resume=resume,
        progress=progress,
        cancelled=cancelled,
    )
    state = rollout.state
    decision = decide(_values(state, game), game)
    if taken < 0:
        return RolledOutCube(decision, state.estimate(0, scoring), None, None, rollout)
    return RolledOutCube(
        decision,
        state.estimate(0, scoring),
        state.estimate(1, scoring),
        state.difference(0, 1, scoring),
        rollout,
    )


def _values(state: RolloutState, game: CubeGame) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """The mean values in the two states of the cube, ``float32[states]``, where a decision looks for them."""
    values = np.zeros(len(game.states), np.float32)
    for start, column in enumerate(state.cubes.states.tolist()):
        values[column] = state.scores[start][:, VALUE].mean() / state.cubes.stakes[start]
    return values
