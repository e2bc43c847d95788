"""Cube actions and resignations: double, take, pass, beaver, raccoon, resign, accept, reject.

The seat `MatchState.to_act` acts. Each function returns the following match state, or the result of the game.
"""

from __future__ import annotations

from dataclasses import replace

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.rules.match import MAX_CUBE, RESULT_NAMES, GameResult, MatchState


def double(match: MatchState) -> MatchState:
    """Offer a double, before the roll. The rules allow it even when a higher cube gains nothing.

    Returns:
        The state with the double pending; the cube has not been turned yet.

    Raises:
        StateError: The dice have been rolled, an offer is pending, the other seat owns the cube, the cube is
            at `MAX_CUBE`, or it is the Crawford game.
    """
    _check_no_resignation(match)
    if match.doubled:
        raise StateError("a double is pending", field="doubled", missing="answer", advice="take or drop")
    if match.roll is not None:
        raise StateError("doubling is allowed only before the roll: play the dice first", field="dice")
    if match.crawford:
        raise StateError("no doubling in the Crawford game", field="crawford")
    if match.cube >= MAX_CUBE:
        raise StateError(f"the cube is at {match.cube}, its highest value", field="cube")
    if not match.has_cube_access(match.on_roll):
        raise StateError("the opponent owns the cube: only its owner may double", field="cube")
    return replace(match, doubled=True)


def name_double(match: MatchState) -> str:
    """Return what turning the cube is called: ``double``, ``redouble``, ``beaver`` or ``raccoon``."""
    if match.doubled:
        return "raccoon" if match.beavered else "beaver"
    return "double" if match.cube_owner is None else "redouble"


def name_cube_action(words: str, match: MatchState) -> str:
    """Return words of a first double, ``double, take``, as of a redouble where the cube has an owner."""
    return words if match.cube_owner is None else words.replace("double", "redouble")


def take(match: MatchState) -> MatchState:
    """Take the pending double or beaver: the cube is doubled and owned by the seat that is not on roll.

    Raises:
        StateError: No double is pending, or a resignation must be answered first.
    """
    _check_double_pending(match, "take")
    return replace(match.without_offers(), cube=2 * match.cube, cube_owner=1 - match.on_roll)


def beaver(match: MatchState) -> MatchState:
    """Beaver the pending double: take it, redouble at once and keep the cube.

    Returns:
        The state with the beaver pending, the cube at the value of the double. A take turns it once more; a
        pass loses its present value.

    Raises:
        StateError: No double is pending or it has been beavered, a resignation must be answered first,
            beavers are off, or the cube would be too high.
    """
    _check_double_pending(match, "beaver")
    if match.beavered:
        raise StateError("a beaver cannot be beavered: take or drop", field="doubled")
    if not match.is_money:
        raise StateError("beavers are for money play, this is a match", field="beavers")
    if not match.beavers:
        raise StateError("beavers are off", field="beavers")
    if 4 * match.cube > MAX_CUBE:
        raise StateError(f"a beaver would turn the cube to {4 * match.cube}, above {MAX_CUBE}", field="cube")
    return replace(match, cube=2 * match.cube, cube_owner=1 - match.on_roll, beavered=True)


def raccoon(match: MatchState) -> MatchState:
    """Turn a beavered cube once more; the seat that beavered holds it and cannot refuse.

    Raises:
        StateError: No beaver is pending, a resignation must be answered first, or the cube would be too high.
    """
    if 4 * match.cube > MAX_CUBE:
        raise StateError(f"a raccoon would turn the cube to {4 * match.cube}, above {MAX_CUBE}", field="cube")
    taken = take(match)
    return replace(taken, cube=2 * taken.cube)


def pass_double(match: MatchState) -> GameResult:
    """Pass the pending double, which loses the cube's value before it; or pass the beaver.

    Raises:
        StateError: No double is pending, or a resignation must be answered first.
    """
    _check_double_pending(match, "drop")
    return GameResult(1 - match.to_act, 1, match.cube)


def resign(match: MatchState, kind: int) -> MatchState:
    """Offer to resign: 1 a single game, 2 a gammon, 3 a backgammon.

    Raises:
        ValueRangeError: The kind is out of range.
        StateError: A resignation is pending already.
    """
    if not 1 <= kind <= len(RESULT_NAMES):
        raise ValueRangeError(
            f"expected a resignation of 1 to {len(RESULT_NAMES)}, got {kind}", field="resigned"
        )
    _check_no_resignation(match)
    return replace(match, resigned=kind)


def accept(match: MatchState) -> GameResult:
    """Accept the pending resignation.

    Raises:
        StateError: None is pending.
    """
    _check_resigned(match, "accept")
    return match.game_result(match.to_act, match.resigned)


def reject(match: MatchState) -> MatchState:
    """Reject the pending resignation: the game goes on.

    Raises:
        StateError: None is pending.
    """
    _check_resigned(match, "reject")
    return replace(match, resigned=0)


def _check_no_resignation(match: MatchState) -> None:
    if match.resigned:
        raise StateError(
            "a resignation is pending", field="resigned", missing="answer", advice="accept or reject"
        )


def _check_double_pending(match: MatchState, action: str) -> None:
    _check_no_resignation(match)
    if not match.doubled:
        raise StateError(f"no double to {action}", field="doubled")


def _check_resigned(match: MatchState, action: str) -> None:
    if not match.resigned:
        raise StateError(f"no resignation to {action}", field="resigned")
