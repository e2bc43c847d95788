"""What the seats do with the cube, and with a game that is decided: offers, and the answers to them.

Each action is that of the seat `MatchState.to_act`. It returns the state that follows, or how the game ended.
"""

from __future__ import annotations

from dataclasses import replace

from engine.errors import StateError, ValueRangeError
from engine.rules.match import MAX_CUBE, RESULT_NAMES, GameResult, MatchState


def double(match: MatchState) -> MatchState:
    """Double, before the roll. The rules let a side turn a cube too that can win it no more, to no use.

    Returns:
        The double waiting for its answer, the cube as it was.

    Raises:
        StateError: The dice are out, an offer waits, the other seat holds the cube, it shows `MAX_CUBE`, or
            it is the Crawford game.
    """
    _check_no_resignation(match)
    if match.doubled:
        raise StateError("a double waits for its answer: take or drop", field="doubled")
    if match.roll is not None:
        raise StateError("a double comes before the roll, and dice are on the board", field="dice")
    if match.crawford:
        raise StateError("there is no doubling in the Crawford game", field="crawford")
    if match.cube >= MAX_CUBE:
        raise StateError(f"the cube shows {match.cube}, which is the highest", field="cube")
    if not match.has_cube_access(match.on_roll):
        raise StateError("the other side holds the cube, only that one may double", field="cube")
    return replace(match, doubled=True)


def take(match: MatchState) -> MatchState:
    """Take the double that waits, or the beaver.

    Returns:
        The state before the roll: the cube twice as high, and with the seat that is not on roll.

    Raises:
        StateError: No double waits, or a resignation is to be answered first.
    """
    _check_double_pending(match, "take")
    return replace(match.without_offers(), cube=2 * match.cube, cube_owner=1 - match.on_roll)


def beaver(match: MatchState) -> MatchState:
    """Take the double that waits, turn the cube at once, and keep it.

    Returns:
        The beaver waiting for its answer, the cube at the value of the double: taken, it is turned once more;
        dropped, it loses what it shows.

    Raises:
        StateError: No double waits or it has been beavered, a resignation is to be answered first, beavers
            are not played, or the cube would be too high.
    """
    _check_double_pending(match, "beaver")
    if match.beavered:
        raise StateError("a beaver is taken or dropped, not beavered again", field="doubled")
    if not match.is_money:
        raise StateError("there are beavers in money play only, and this is a match", field="beavers")
    if not match.beavers:
        raise StateError("beavers are not played here", field="beavers")
    if 4 * match.cube > MAX_CUBE:
        raise StateError(f"a beaver would turn the cube to {4 * match.cube}, over {MAX_CUBE}", field="cube")
    return replace(match, cube=2 * match.cube, cube_owner=1 - match.on_roll, beavered=True)


def pass_double(match: MatchState) -> GameResult:
    """Drop the double that waits, and lose the cube as it was before it; or drop the beaver.

    Raises:
        StateError: No double waits, or a resignation is to be answered first.
    """
    _check_double_pending(match, "drop")
    return GameResult(1 - match.to_act, 1, match.cube)


def resign(match: MatchState, kind: int) -> MatchState:
    """Offer to lose.

    Args:
        match: The match state.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.

    Raises:
        ValueRangeError: The kind is none of these.
        StateError: A resignation waits already.
    """
    if not 1 <= kind <= len(RESULT_NAMES):
        raise ValueRangeError(f"a resignation is 1 to {len(RESULT_NAMES)}, not {kind}", field="resigned")
    _check_no_resignation(match)
    return replace(match, resigned=kind)


def accept(match: MatchState) -> GameResult:
    """Accept the resignation that waits.

    Raises:
        StateError: There is none.
    """
    _check_resigned(match, "accept")
    return match.game_result(match.to_act, match.resigned)


def reject(match: MatchState) -> MatchState:
    """Reject the resignation that waits: the game goes on.

    Raises:
        StateError: There is none.
    """
    _check_resigned(match, "reject")
    return replace(match, resigned=0)


def _check_no_resignation(match: MatchState) -> None:
    if match.resigned:
        raise StateError("a resignation waits for its answer: accept or reject", field="resigned")


def _check_double_pending(match: MatchState, action: str) -> None:
    _check_no_resignation(match)
    if not match.doubled:
        raise StateError(f"there is no double to {action}", field="doubled")


def _check_resigned(match: MatchState, action: str) -> None:
    if not match.resigned:
        raise StateError(f"there is no resignation to {action}", field="resigned")
