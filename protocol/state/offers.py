"""Pending offers and the responses to them: doubles, beavers, resignations; and impossible cubes."""

from __future__ import annotations

from gammond.engine.errors import PositionError, StateError
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.rules.match import MatchState

RESPONSE_WORDS = {CubeResponse.TAKE: "take", CubeResponse.PASS: "drop", CubeResponse.BEAVER: "beaver"}
"""Responses to a double in the words of the wire, on which `pass` is a play that moves no checker."""

RESIGNATION_RESPONSES = ("accept", "reject")
"""Responses to a resignation."""


def list_responses(match: MatchState) -> tuple[str, ...]:
    """List the responses to the pending offer; none if there is none."""
    if match.resigned:
        return RESIGNATION_RESPONSES
    if not match.doubled:
        return ()
    has_beaver = match.may_beaver and not match.beavered
    return tuple(
        word for response, word in RESPONSE_WORDS.items() if has_beaver or response is not CubeResponse.BEAVER
    )


def format_alternatives(words: tuple[str, ...]) -> str:
    """Write words, at least one, as a choice: ``'take', 'drop' or 'beaver'``."""
    *first, last = (f"'{word}'" for word in words)
    return f"{', '.join(first)} or {last}" if first else last


def check_no_offer(match: MatchState) -> None:
    """Check that no offer is pending.

    Raises:
        StateError: One is; the message has the responses.
    """
    words = tuple(f"play {word}" for word in list_responses(match))
    if match.resigned:
        raise StateError(
            "a resignation is pending",
            field="resigned",
            missing="answer",
            advice=f"{format_alternatives(words)} answers it",
        )
    if match.doubled:
        what = "beaver" if match.beavered else "double"
        raise StateError(
            f"a {what} is pending",
            field="doubled",
            missing="answer",
            advice=f"{format_alternatives(words)} answers it",
        )


def check_cube_owner(match: MatchState) -> None:
    """Make sure that value and owner of the cube can come up together in a game that is to be evaluated.

    Raises:
        PositionError: Somebody holds a cube at 1, or in a match nobody one above 1.
    """
    if match.cube == 1 and match.cube_owner is not None:
        raise PositionError(
            f"a cube at 1 has no owner: expected center, got p{match.cube_owner}", field="game.cube_owner"
        )
    if match.cube > 1 and match.cube_owner is None and not match.is_money:
        raise PositionError(
            f"in a match a cube at {match.cube} has an owner: expected p0|p1, got center",
            field="game.cube_owner",
        )
