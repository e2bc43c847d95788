"""Rollouts of a position, or of the plays of a roll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from engine.cubeful import CubeStateSpace
from engine.errors import PlayError, ValueRangeError
from engine.rollout.results import EquityDifference, RolloutEstimate
from engine.rollout.runner import Rollout, RolloutHandling, roll_out
from engine.rollout.settings import RolloutEvaluators, RolloutSettings
from engine.rollout.stop_rules import apply_candidate_rule, apply_decision_rule
from engine.rollout.trial_scoring import CubefulScoring, TrialScoring
from engine.rules.dice import Roll, format_roll
from engine.rules.moves import Play, legal_plays
from engine.rules.position import Position


@dataclass(frozen=True)
class PlayRollout:
    """A play with its rollout.

    Attributes:
        play: The play.
        estimate: The estimate after the play, for the player who makes it.
        difference_to_best: Loss against the best play, for that player; None for the best play itself.
        is_pruned: Whether a stop rule pruned it before all trials.
    """

    play: Play
    estimate: RolloutEstimate
    difference_to_best: EquityDifference | None
    is_pruned: bool


def roll_out_position(
    position: Position,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings | None = None,
    *,
    space: CubeStateSpace | None = None,
    **handling: Unpack[RolloutHandling],
) -> tuple[RolloutEstimate, Rollout]:
    """Roll out a position.

    Args:
        position: The position; a finished one has its exact outcome.
        evaluators: As for `roll_out`.
        settings: As there.
        space: The states of the cube, seen by the player on roll, who does not double on the first roll;
            cubeless if None.
        **handling: As there.

    Returns:
        The estimate, for the player on roll, and the rollout.

    Raises:
        GammondError: As `roll_out`.
    """
    scoring = make_scoring_before_roll(space)
    rollout = roll_out([position], evaluators, settings, scoring=scoring, **handling)
    return rollout.state.estimate(0, scoring), rollout


def roll_out_plays(
    position: Position,
    roll: Roll,
    evaluators: RolloutEvaluators,
    settings: RolloutSettings | None = None,
    *,
    plays: Sequence[Play] | None = None,
    space: CubeStateSpace | None = None,
    prunes: bool = True,
    **handling: Unpack[RolloutHandling],
) -> tuple[list[PlayRollout], Rollout]:
    """Roll out plays of one roll with the same dice, and rank them.

    Args:
        position: The position, the player on roll to move.
        roll: Two dice.
        evaluators: As for `roll_out`.
        settings: As there.
        plays: The plays; all legal ones if None.
        space: The states of the cube, seen by the player on roll; cubeless if None.
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
    scoring = make_scoring_after_plays(space)
    rollout = roll_out(
        [play.result for play in chosen],
        evaluators,
        settings,
        scoring=scoring,
        rule=apply_candidate_rule if prunes else apply_decision_rule,
        **handling,
    )
    return rank_by_rollout(chosen, rollout, scoring), rollout


def make_scoring_before_roll(space: CubeStateSpace | None) -> TrialScoring:
    """Make the scoring of `roll_out_position` and `roll_out_cube`: no double before the first roll."""
    return TrialScoring() if space is None else CubefulScoring(space)


def make_scoring_after_plays(space: CubeStateSpace | None) -> TrialScoring:
    """Make the scoring of `roll_out_plays`: for the next mover, who may double before its first roll.

    Args:
        space: The states of the cube, seen by the side that makes the plays; cubeless if None.
    """
    return TrialScoring() if space is None else CubefulScoring(space.opponent_view, may_double_at_start=True)


def rank_by_rollout(plays: Sequence[Play], rollout: Rollout, scoring: TrialScoring) -> list[PlayRollout]:
    """Rank plays by a rollout of the positions after them.

    Args:
        plays: The plays, in the order of the rollout's starts.
        rollout: The rollout.
        scoring: Its scoring.

    Returns:
        The plays, best first and pruned ones last.
    """
    state = rollout.state
    estimates = [state.estimate(one, scoring, for_opponent=True) for one in range(len(plays))]
    order = sorted(range(len(plays)), key=lambda one: (one not in rollout.survivors, -estimates[one].equity))
    return [
        PlayRollout(
            plays[one],
            estimates[one],
            state.estimate_difference(one, order[0], scoring) if place else None,
            one not in rollout.survivors,
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
