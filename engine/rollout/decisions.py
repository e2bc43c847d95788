"""Rollouts of a position, of the plays of a roll, or of a cube decision: no double and double/take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from gammond.engine.cubeful import CUBELESS_GAME, CubeGame
from gammond.engine.errors import PlayError, StateError, ValueRangeError
from gammond.engine.evaluation.results import CubeDecision, Evaluation, MeanEquity, RankedPlay
from gammond.engine.rollout.results import VALUE_COLUMN, RolloutState, TrialCubes
from gammond.engine.rollout.runner import Rollout, RolloutHandling, roll_out
from gammond.engine.rollout.settings import RolloutEvaluators, RolloutSettings
from gammond.engine.rules.dice import Roll, format_roll
from gammond.engine.rules.moves import Play, legal_plays
from gammond.engine.rules.position import Position


def roll_out_position(
    position: Position,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings | None = None,
    *,
    game: CubeGame = CUBELESS_GAME,
    **handling: Unpack[RolloutHandling],
) -> tuple[Evaluation, Rollout]:
    """Roll out a position.

    Args:
        position: The position; a finished one has its exact outcome.
        evaluators: As for `roll_out`.
        settings: As there.
        game: The game, seen by the player on roll, who does not double on the first roll.
        **handling: As there.

    Returns:
        The estimate, for the player on roll, and the rollout.

    Raises:
        GammondError: As `roll_out`.
    """
    rollout = roll_out([position], evaluators, settings, game=game, **handling)
    return rollout.state.estimate(0, game), rollout


def roll_out_plays(
    position: Position,
    roll: Roll,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings | None = None,
    *,
    plays: Sequence[Play] | None = None,
    game: CubeGame = CUBELESS_GAME,
    prunes: bool = True,
    **handling: Unpack[RolloutHandling],
) -> tuple[list[RankedPlay], Rollout]:
    """Roll out plays of one roll with the same dice, and rank them.

    Args:
        position: The position, the player on roll to move.
        roll: Two dice.
        evaluators: As for `roll_out`.
        settings: As there.
        plays: The plays; all legal ones if None.
        game: The game, seen by the player on roll; the next mover may double before its first roll.
        prunes: Whether ``stop_jsd`` prunes single plays; else all have the same trials, and it ends the
            rollout once all but the best would have been pruned.
        **handling: As there; the starts are the positions after the plays, in their order.

    Returns:
        The plays, best first and pruned ones last, and the rollout.

    Raises:
        StateError: The game is over, or ``resume`` is of another rollout.
        PlayError: A play is not legal here, or is given twice.
        ValueRangeError: A die is not 1..6, or the list of plays is empty.
        GammondError: As `roll_out`.
    """
    chosen = _check_plays(position, roll, plays)
    rollout = roll_out(
        [play.result for play in chosen],
        evaluators,
        settings,
        game=game.other,
        prunes=prunes,
        **handling,
    )
    return rank_by_rollout(chosen, rollout, game.other), rollout


def rank_by_rollout(plays: Sequence[Play], rollout: Rollout, game: CubeGame) -> list[RankedPlay]:
    """Rank plays by a rollout of the positions after them.

    Args:
        plays: The plays, in the order of the rollout's starts.
        rollout: The rollout.
        game: Its game, seen by the next mover.

    Returns:
        The plays, best first and pruned ones last.
    """
    state = rollout.state
    estimates = [state.estimate(one, game, for_opponent=True) for one in range(len(plays))]
    order = sorted(range(len(plays)), key=lambda one: (one not in rollout.survivors, -estimates[one].equity))
    return [
        RankedPlay(
            plays[one],
            estimates[one],
            one in rollout.survivors,
            state.estimate_difference(one, order[0], game) if place else None,
        )
        for place, one in enumerate(order)
    ]


def _check_plays(position: Position, roll: Roll, plays: Sequence[Play] | None) -> list[Play]:
    """Return the plays to roll out, as the legal plays with the same results."""
    legal = {play.result: play for play in legal_plays(position, roll)}
    if plays is None:
        return list(legal.values())
    if not plays:
        raise ValueRangeError("expected at least 1 play to roll out, got none", field="plays")
    results = [play.result for play in plays]
    for place, result in enumerate(results):
        if result not in legal:
            raise PlayError(f"play {place + 1} is not legal with the roll {format_roll(roll)}", field="plays")
        if result in results[:place]:
            raise PlayError(f"play {place + 1} leads to the same position as an earlier one", field="plays")
    return [legal[result] for result in results]


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
    no_double: Evaluation
    take: Evaluation | None
    gain: MeanEquity | None
    rollout: Rollout


def roll_out_cube(
    position: Position,
    game: CubeGame,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings | None = None,
    **handling: Unpack[RolloutHandling],
) -> CubeRollout:
    """Roll out a cube decision.

    Args:
        position: The position of the player on roll.
        game: The game, seen by that player.
        evaluators: As for `gammond.engine.rollout.roll_out`.
        settings: As there; ``stop_jsd`` stops when neither the double nor the response is in doubt, see
            `gammond.engine.rollout.stop_rules.StopRule.cube_test`.
        **handling: As there; start 0 is the position without the double, start 1 the one after a take.

    Raises:
        StateError: The game is over, or ``resume`` is of another rollout.
        GammondError: As `gammond.engine.rollout.roll_out`.
    """
    if position.is_over:
        raise StateError(
            "expected a game in progress for a cube decision, got a finished one", field="position"
        )
    cubes = TrialCubes.make_decision(game)
    rollout = roll_out(
        [position] * len(cubes.states),
        evaluators,
        settings,
        game=game,
        cubes=cubes,
        is_cube=True,
        **handling,
    )
    state = rollout.state
    decision = game.decide(_compute_mean_values(state, game))
    if len(cubes.states) == 1:
        return CubeRollout(decision, state.estimate(0, game), None, None, rollout)
    return CubeRollout(
        decision,
        state.estimate(0, game),
        state.estimate(1, game),
        state.estimate_difference(0, 1, game),
        rollout,
    )


def _compute_mean_values(state: RolloutState, game: CubeGame) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Compute the mean values of both starts at their states of the cube, ``float32[states]``."""
    values = np.zeros(len(game.states), np.float32)
    for start, column in enumerate(state.cubes.states.tolist()):
        values[column] = state.scores[start][:, VALUE_COLUMN].mean() / state.cubes.stakes[start]
    return values
