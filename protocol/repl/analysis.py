"""What the words that ask for a judgement answer: hints, cube decisions, the score matrix, the level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import UnsupportedError
from engine.levels import LEVELS
from engine.match import RESULTS
from protocol.commands import COMMANDS
from protocol.players import OWN
from protocol.repl.asking import ask
from protocol.repl.opponent import ROLL
from protocol.repl.tables import (
    answer_lines,
    counted,
    cube_lines,
    legal_lines,
    matrix_lines,
    plays_lines,
    resignation_lines,
    rollout_lines,
)
from protocol.repl.writing import Drawn
from protocol.replies import value_text
from protocol.requests import Control, Reply
from protocol.session import CUSTOM_LEVEL, Session

_LEVELS_HEAD = "  level         looks    loses  thousandths of a point in an unforced play"


def hint(session: Session, values: Mapping[str, Any], control: Control) -> list[str]:
    """Say what is best for the seat that is to act, whatever it is that it must decide.

    Args:
        session: The table.
        values: ``n``, how many plays to show, and what was said about ``plies`` and ``filter``.
        control: Stops and watches the search.

    Raises:
        GammondError: There is nothing to decide.
    """
    match = session.game.match
    session.need_game()
    if match.resigned:
        return resignation_lines(_judged_resignation(session, values, control).values)
    if match.doubled:
        return answer_lines(ask(session, "take" + _named(values, "plies"), control)[-1].values)
    if match.roll is None:
        return cube(session, values, control)
    return plays_lines(ask(session, f"moves {values['n']}" + _named(values, "plies", "filter"), control))


def cube(session: Session, values: Mapping[str, Any], control: Control) -> list[str]:
    """Say what the seat on roll should do with the cube before its roll, and how its chances are.

    While a beaver waits, say how to answer that.
    """
    if session.game.match.beavered and not session.game.match.resigned:
        return answer_lines(ask(session, "take" + _named(values, "plies"), control)[-1].values)
    depth = _named(values, "plies")
    decision = ask(session, "cube" + depth, control)[-1].values
    chances = ask(session, "eval" + depth, control)[-1].values
    same_depth = chances["plies"] == decision["plies"]  # not if either was stopped
    return cube_lines(decision, chances if same_depth else None)


def best_action(session: Session, control: Control) -> str:
    """Return what `hint` finds best for the seat that is to act: `ROLL`, or what ``play`` takes.

    Raises:
        GammondError: There is nothing to decide, or the table cannot say.
    """
    match = session.game.match
    session.need_game()
    if match.resigned:
        accepts = _judged_resignation(session, {}, control).values["accept"]
        return "accept" if accepts else "reject"
    if match.doubled:
        return str(ask(session, "take", control)[-1].values["response"])
    if match.roll is not None:
        return str(ask(session, "moves 1", control)[0].values["play"])
    doubles = session.game.may_double and ask(session, "cube", control)[-1].values["double"]
    return "double" if doubles else ROLL


def legal(session: Session, point: str | None, control: Control) -> list[str]:
    """List the plays of the roll, all or those that move a checker from a point."""
    return legal_lines(ask(session, "legal" if point is None else f"legal {point}", control))


def matrix(session: Session, values: Mapping[str, Any], control: Control) -> list[str]:
    """Draw the cube action at every score."""
    return matrix_lines(ask(session, "matrix" + _named(values, "away", "plies", "cube"), control))


def rollout(session: Session, values: Mapping[str, Any], control: Control) -> list[str]:
    """Roll out what is on the table, or go on with the last rollout."""
    what = "" if values["what"] is None else f" {values['what']}"
    named = [argument.name for argument in COMMANDS["rollout"].arguments if argument.is_named]
    return rollout_lines(ask(session, f"rollout{what}{_named(values, *named)}", control))


def level(session: Session, name: str | None, control: Control) -> list[str]:
    """Set the level, or list the levels with the present one marked.

    Raises:
        RefusedRequestError: There is no such level.
    """
    if name is not None:
        ask(session, f"set engine.level {name}", control)
        return [strength_text(session)]
    present = session.engine.level
    rows = [
        f"{'*' if each.name == present else ' '} {each.name:<13} {counted(each.plies, 'ply'):<7}"
        f" {each.error_rate:>6.1f}  {each.meaning}"
        for each in LEVELS.values()
    ]
    return [*map(Drawn, [_LEVELS_HEAD, *rows]), strength_text(session)]


def plies(session: Session, number: int | None, control: Control) -> list[str]:
    """Set how far the engine looks ahead, or say it."""
    if number is not None:
        ask(session, f"set engine.ply {number + 1}", control)
    return [strength_text(session)]


def strength_text(session: Session) -> str:
    """Say how well the engine plays, and how deep hints look; of another player, what it leaves to that."""
    engine = session.engine
    name = "A level of your own" if engine.level == CUSTOM_LEVEL else f"Level {engine.level}"
    errs = ", errs on purpose" if engine.noise else ""
    others = "" if engine.player == OWN else f" Plays are chosen by {engine.player} (engine.player)."
    return f"{name}: looks {counted(engine.plies, 'ply')} ahead, filter {engine.filter_name}{errs}.{others}"


def _judged_resignation(session: Session, values: Mapping[str, Any], control: Control) -> Reply:
    match = session.game.match
    if match.doubled:
        raise UnsupportedError("no hint for a resignation in answer to a double", field="hint")
    kind = RESULTS[match.resigned - 1]
    return ask(session, f"resign {kind}" + _named(values, "plies"), control)[-1]


def _named(values: Mapping[str, Any], *names: str) -> str:
    """Write the named arguments that were given, as they go on to the table."""
    return "".join(f" {name}={value_text(values[name])}" for name in names if values.get(name) is not None)
