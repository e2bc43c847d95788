"""The answers of commands that evaluate: hints, cube decisions, winning chances, the score matrix, levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.analysis.levels import DEFAULT_CANDIDATES, LEVELS
from engine.errors import UnsupportedError
from engine.evaluation.evaluator import Evaluator
from engine.rules.dice import format_roll
from engine.rules.match import RESULT_NAMES
from engine.rules.outcome import invert_outcomes
from engine.rules.rules import Feature
from protocol.commands.table import COMMANDS
from protocol.core.replies import format_value
from protocol.core.requests import Reply, WorkControl
from protocol.repl.answers.replies import PreformattedLine, send_command
from protocol.repl.answers.tables import (
    CHANCE_KEYS,
    describe_chances,
    format_cube_decision,
    format_evaluation,
    format_legal_plays,
    format_matrix,
    format_opinion,
    format_plays,
    format_resignation,
    format_response,
    format_rollout,
    format_source,
)
from protocol.state.player_registry import ENGINE_PLAYER, SESSION_PLAYERS
from protocol.state.session import CUSTOM_LEVEL, Session

ROLL_ACTION = "roll"
"""The action of a seat that rolls; all others are actions of ``play``."""

_LEVELS_HEADER = "  level         depth   loss  strength"
_LEVELS_LEGEND = "  loss: thousandths of a point per unforced play"


def show_hint(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return the best action of the seat to act, whatever it must decide.

    Args:
        session: The table.
        values: ``n``, the number of plays to show; ``plies`` and ``filter``, if given.
        control: Stops and watches the search.

    Raises:
        GammondError: There is nothing to decide.
    """
    match = session.game.match
    session.require_game()
    if match.resigned:
        return format_resignation(_evaluate_resignation(session, values, control).values)
    if match.doubled:
        return format_response(
            send_command(session, "take" + _format_named(values, "plies"), control)[-1].values
        )
    if match.roll is None:
        return (
            show_cube_decision(session, values, control)
            if session.game.may_double
            else _advise_roll(session, values, control)
        )
    return format_plays(
        send_command(session, f"moves {values['n']}" + _format_named(values, "plies", "filter"), control)
    )


def _advise_roll(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return why there is nothing to decide before the roll, with winning chances."""
    match, seat = session.game.match, session.game.match.on_roll
    if match.crawford:
        reason = "nobody doubles in the Crawford game"
    elif match.cube_owner == 1 - seat:
        reason = "the opponent holds the cube"
    elif not session.game.rules.supports(Feature.CUBE):
        reason = "these rules have no cube"
    else:
        reason = "a double would gain nothing"
    chances = send_command(session, "eval" + _format_named(values, "plies"), control)[-1].values
    return [f"    Roll: {reason}.", *describe_chances(chances), format_source(chances)]


def show_evaluation(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return winning chances and equities before the roll."""
    named = _format_named(values, "plies", "cubeful")
    evaluation = format_evaluation(send_command(session, "eval" + named, control)[-1].values)
    return [*_note_roll(session), *evaluation]


def _note_roll(session: Session) -> list[str]:
    """Return that the dice that are out do not count, for what is about the position before the roll."""
    roll = session.game.match.roll
    if roll is None:
        return []
    return [f"    before the roll: the {format_roll(roll)} does not count ('hint' takes it)"]


def show_cube_decision(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return the cube decision before the roll with winning chances; for a pending beaver, the response."""
    if session.game.match.beavered and not session.game.match.resigned:
        return format_response(
            send_command(session, "take" + _format_named(values, "plies"), control)[-1].values
        )
    depth = _format_named(values, "plies")
    decision = send_command(session, "cube" + depth, control)[-1].values
    chances = send_command(session, "eval" + depth, control)[-1].values
    same_depth = chances["plies"] == decision["plies"]  # not if either was stopped
    return [*_note_roll(session), *format_cube_decision(decision, chances if same_depth else None)]


def find_best_action(session: Session, control: WorkControl) -> str:
    """Return the action that `show_hint` ranks first: `ROLL_ACTION`, or what ``play`` takes.

    Raises:
        GammondError: There is nothing to decide, or the evaluation failed.
    """
    match = session.game.match
    session.require_game()
    if match.resigned:
        accepts = _evaluate_resignation(session, {}, control).values["accept"]
        return "accept" if accepts else "reject"
    if match.doubled:
        return str(send_command(session, "take", control)[-1].values["response"])
    if match.roll is not None:
        return str(send_command(session, f"moves {DEFAULT_CANDIDATES}", control)[0].values["play"])
    doubles = session.game.may_double and send_command(session, "cube", control)[-1].values["double"]
    return "double" if doubles else ROLL_ACTION


def show_legal_plays(session: Session, point: str | None, control: WorkControl) -> list[str]:
    """List the plays of the roll, all or those that move a checker from a point."""
    return format_legal_plays(send_command(session, "legal" if point is None else f"legal {point}", control))


def show_matrix(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return the cube action at every score."""
    named = _format_named(values, "away", "plies", "cube", "equities")
    return format_matrix(send_command(session, f"matrix{named}", control))


def show_opinion(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return what a player thinks of the position, or of the plays of the roll."""
    named = _format_named({"player": values.get("player")}, "player")
    return format_opinion(send_command(session, f"opinion {values['n']}{named}", control))


def show_rollout(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Roll out the position on the table, or continue the last rollout."""
    what = "" if values["what"] is None else f" {values['what']}"
    named = [argument.name for argument in COMMANDS["rollout"].arguments if argument.is_named]
    return format_rollout(send_command(session, f"rollout{what}{_format_named(values, *named)}", control))


def set_or_list_levels(session: Session, name: str | None, control: WorkControl) -> list[str]:
    """Set the level, or list the levels with the present one marked.

    Raises:
        RefusedRequestError: There is no such level.
    """
    if name is not None:
        send_command(session, f"set engine.level {name}", control)
        return [describe_strength(session)]
    present = session.engine_settings.level
    rows = [
        f"{'*' if each.name == present else ' '} {each.name:<13} {each.plies}-ply"
        f" {each.error_rate:>6.1f}  {each.meaning}"
        for each in LEVELS.values()
    ]
    table = map(PreformattedLine, [_LEVELS_HEADER, *rows])
    return [*table, _LEVELS_LEGEND, describe_strength(session)]


def set_or_show_plies(session: Session, number: int | None, control: WorkControl) -> list[str]:
    """Set the look-ahead of the engine, or show it."""
    if number is not None:
        send_command(session, f"set engine.ply {number + 1}", control)
    return [describe_strength(session)]


def describe_strength(session: Session) -> str:
    """Describe the strength of the engine and the depth of hints, and who chooses the plays."""
    engine = session.engine_settings
    name = "Custom level" if engine.level == CUSTOM_LEVEL else f"Level {engine.level}"
    noise = ", with noise" if engine.noise else ""
    others = "" if engine.player == ENGINE_PLAYER else f" {engine.player} chooses the plays (engine.player)."
    return f"{name}: {engine.plies}-ply, filter {engine.filter_name}{noise}.{others}"


def _evaluate_resignation(session: Session, values: Mapping[str, Any], control: WorkControl) -> Reply:
    match = session.game.match
    if match.doubled:
        raise UnsupportedError("no hint for a resignation while a double is pending", field="hint")
    kind = RESULT_NAMES[match.resigned - 1]
    return send_command(session, f"resign {kind}" + _format_named(values, "plies"), control)[-1]


def _format_named(values: Mapping[str, Any], *names: str) -> str:
    """Format the named arguments that were given, for the session."""
    given = [(name, values[name]) for name in names if values.get(name) is not None]
    texts = [
        (name, f'"{text}"' if isinstance(text, str) else format_value(text))
        for name, value in given
        for text in (value if isinstance(value, tuple) else (value,))
    ]
    return "".join(f" {name}={text}" for name, text in texts)


class WinningChances:
    """Shows winning chances during a game, once switched on.

    The evaluator is that of the opponent; in a variant that is solved, the solution.

    Args:
        session: The table.

    Attributes:
        is_shown: Whether they are switched on.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.is_shown = False

    def set_shown(self, is_shown: bool) -> str:
        """Switch them on or off, and return a sentence that says so.

        Raises:
            DataFileError: A file of the evaluator is missing or damaged.
        """
        source = self._find_evaluator().name if is_shown else ""
        self.is_shown = is_shown
        return (
            f"Showing winning chances by {source} after each play."
            if is_shown
            else "Winning chances are no longer shown."
        )

    def describe_source(self) -> list[str]:
        """Name the evaluator, if they are shown.

        Raises:
            DataFileError: As for `set_shown`.
        """
        return [f"Winning chances by {self._find_evaluator().name}."] if self.is_shown else []

    def format_lines(self, seat: int) -> list[str]:
        """Format a seat's winning chances before the next roll, at 0-ply, if they are shown.

        Args:
            seat: The seat.

        Raises:
            StateError: No game goes on.
            DataFileError: As for `set_shown`.
        """
        if not self.is_shown:
            return []
        outcomes = self._find_evaluator().evaluate(self._session.require_game().board[None])
        if self._session.game.match.on_roll != seat:
            outcomes = invert_outcomes(outcomes)
        return describe_chances(dict(zip(CHANCE_KEYS, map(float, outcomes[0]), strict=True)))

    def _find_evaluator(self) -> Evaluator:
        """Return the opponent's evaluator, or the session's for one without and where all is solved.

        It may have to be loaded.
        """
        engine, rules = self._session.engine_settings, self._session.game.rules
        if engine.player not in SESSION_PLAYERS and not rules.variant.is_solved:
            player = self._session.service.players.find(engine.player, engine.threads)
            if player.evaluator is not None:
                return player.evaluator
        return self._session.make_engine_loader(needs=None)().evaluator
