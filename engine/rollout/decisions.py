"""Rollouts of what people ask about: a position, or the plays of a roll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.cubeful import CubeGame
from engine.dice import Roll
from engine.errors import PlayError, ValueRangeError
from engine.moves import Play, legal_plays
from engine.position import Position
from engine.rollout.cubeful import Cubeful
from engine.rollout.results import Difference, Estimate, RolloutState
from engine.rollout.running import Progress, Rollout, roll_out
from engine.rollout.scoring import Cubeless, Scoring
from engine.rollout.settings import RolloutJudges, RolloutSettings


@dataclass(frozen=True)
class RolledOutPlay:
    """A play with what its rollout found.

    Attributes:
        play: The play.
        estimate: After the play, for the player who made it.
        behind: How far it is behind the best play, for that player; None for the best play itself.
        given_up: Whether it was too far behind to get all trials.
    """

    play: Play
    estimate: Estimate
    behind: Difference | None
    given_up: bool


def roll_out_position(
    position: Position,
    judges: RolloutJudges,
    settings: RolloutSettings | None = None,
    *,
    game: CubeGame | None = None,
    resume: RolloutState | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Estimate, Rollout]:
    """Roll out a position.

    Args:
        position: Any; a finished one has its exact outcome.
        judges: As `roll_out`, like all that follow.
        settings: As there.
        game: The cube, as the player on roll sees it, who does not double at once; without a cube if None.
        resume: As `roll_out`.
        progress: As there.
        cancelled: As there.

    Returns:
        The estimate, for the player on roll, and the rollout.

    Raises:
        GammondError: As `roll_out`.
    """
    scoring = scoring_before_roll(game)
    rollout = roll_out(
        [position],
        judges,
        settings,
        scoring=scoring,
        resume=resume,
        progress=progress,
        cancelled=cancelled,
    )
    return rollout.state.estimate(0, scoring), rollout


def roll_out_plays(
    position: Position,
    roll: Roll,
    judges: RolloutJudges,
    settings: RolloutSettings | None = None,
    *,
    plays: Sequence[Play] | None = None,
    game: CubeGame | None = None,
    resume: RolloutState | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[list[RolledOutPlay], Rollout]:
    """Roll out plays of one roll with the same dice, and rank them.

    Args:
        position: Where the player on roll moves from.
        roll: Two dice.
        judges: As `roll_out`.
        settings: As there.
        plays: Which plays; all legal ones if None.
        game: The cube, as the player on roll sees it; without a cube if None.
        resume: As `roll_out`.
        progress: As there; the starts of the states are the positions after the plays, in their order.
        cancelled: As there.

    Returns:
        The plays, best first and those that were given up last, and the rollout.

    Raises:
        StateError: The game is over, or ``resume`` is of another rollout.
        PlayError: A play is not legal here, or comes twice.
        ValueRangeError: A die is not 1..6, or the list of plays is empty.
        GammondError: As `roll_out`.
    """
    chosen = _checked_plays(position, roll, plays)
    scoring = scoring_after_plays(game)
    rollout = roll_out(
        [play.result for play in chosen],
        judges,
        settings,
        scoring=scoring,
        resume=resume,
        progress=progress,
        cancelled=cancelled,
    )
    return ranked_plays(chosen, rollout, scoring), rollout


def scoring_before_roll(game: CubeGame | None) -> Scoring:
    """How `roll_out_position` and `roll_out_cube` score: the side on roll does not double at once."""
    return Cubeless() if game is None else Cubeful(game)


def scoring_after_plays(game: CubeGame | None) -> Scoring:
    """How `roll_out_plays` scores: for the next mover, who may double at once.

    Args:
        game: The cube, as the side sees it that makes the plays; None for none.
    """
    return Cubeless() if game is None else Cubeful(game.other, doubles_at_once=True)


def ranked_plays(plays: Sequence[Play], rollout: Rollout, scoring: Scoring) -> list[RolledOutPlay]:
    """Rank plays by a rollout of the positions after them.

    Args:
        plays: In the order of the rollout's starts.
        rollout: The rollout.
        scoring: What its scores are.

    Returns:
        The plays, best first and those that were given up last.
    """
    state = rollout.state
    estimates = [state.estimate(one, scoring, turned=True) for one in range(len(plays))]
    order = sorted(range(len(plays)), key=lambda one: (one not in rollout.survivors, -estimates[one].equity))
    return [
        RolledOutPlay(
            plays[one],
            estimates[one],
            state.difference(one, order[0], scoring) if place else None,
            one not in rollout.survivors,
        )
        for place, one in enumerate(order)
    ]


def _checked_plays(position: Position, roll: Roll, plays: Sequence[Play] | None) -> list[Play]:
    """The plays to roll out; their checker moves are those of the legal plays with the same results."""
    legal = {play.result: play for play in legal_plays(position, roll)}
    if plays is None:
        return list(legal.values())
    if not plays:
        raise ValueRangeError("expected at least 1 play to roll out, got none", field="plays")
    results = [play.result for play in plays]
    for place, result in enumerate(results):
        if result not in legal:
            raise PlayError(f"play {place + 1} is not legal with the roll {roll[0]}-{roll[1]}", field="plays")
        if result in results[:place]:
            raise PlayError(f"play {place + 1} leads to the same position as one before it", field="plays")
    return [legal[result] for result in results]
