"""The answers of commands that evaluate: hints, cube decisions, winning chances, the score matrix, levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, LEVELS
from gammond.engine.errors import UnsupportedError
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.outcome import invert_outcomes
from gammond.engine.rules.rules import Feature
from gammond.protocol.commands.cube import (
    answer_to_values,
    decision_to_values,
    list_matrix_rows,
    matrix_to_values,
    read_cube,
    read_matrix,
    read_resignation,
    read_take,
    resignation_to_values,
)
from gammond.protocol.commands.decisions import ROLL_ACTION
from gammond.protocol.commands.evaluation import (
    ask,
    evaluation_to_values,
    plays_to_values,
    ranking_to_values,
    read_evaluation,
    read_ranking,
    source_to_values,
)
from gammond.protocol.commands.opinions import list_opinions, opinion_to_values, read_opinion
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.core.replies import format_value
from gammond.protocol.core.requests import ReplyValue, WorkControl
from gammond.protocol.questions.positions import Resignation
from gammond.protocol.repl.answers.replies import PreformattedLine, send_command
from gammond.protocol.repl.answers.tables import (
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
from gammond.protocol.state.offers import RESPONSE_WORDS
from gammond.protocol.state.player_registry import ENGINE_PLAYER, SESSION_PLAYERS
from gammond.protocol.state.session import CUSTOM_LEVEL, Session

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
        found, engine = _judge_resignation(session, values, control)
        return format_resignation(
            resignation_to_values(found) | source_to_values(found.evaluation.effort, engine)
        )
    if match.doubled:
        return _show_response(session, values, control)
    if match.roll is None:
        return (
            show_cube_decision(session, values, control)
            if session.game.may_double
            else _advise_roll(session, values, control)
        )
    shown, settings = values["n"], session.make_eval_settings(values.get("plies"), values.get("filter"))
    ranked, engine = ask(session, read_ranking(session, settings, shown), control)
    rows = plays_to_values(ranked, slice(0, shown), match)
    moves = [{"rank": rank, **row} for rank, row in enumerate(rows, 1)]
    return format_plays(moves, ranking_to_values(ranked, len(moves), engine))


def _show_response(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return the response to a pending double or beaver."""
    found, engine = ask(session, read_take(session, values.get("plies")), control)
    return format_response(answer_to_values(found) | source_to_values(found.evaluation.effort, engine))


def _evaluate(session: Session, values: Mapping[str, Any], control: WorkControl) -> dict[str, ReplyValue]:
    """Return the value of the position before the roll, as keys."""
    settings = session.make_eval_settings(values.get("plies"), cubeful=values.get("cubeful"))
    evaluation, engine = ask(session, read_evaluation(session, settings), control)
    return evaluation_to_values(evaluation) | source_to_values(evaluation.effort, engine)


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
    chances = _evaluate(session, {"plies": values.get("plies")}, control)
    return [f"    Roll: {reason}.", *describe_chances(chances), format_source(chances)]


def show_evaluation(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return winning chances and equities before the roll."""
    evaluation = format_evaluation(_evaluate(session, values, control))
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
        return _show_response(session, values, control)
    plies = values.get("plies")
    found, engine = ask(session, read_cube(session, plies), control)
    assert found.decision is not None  # it is cubeful and the game is not over
    decision = decision_to_values(found.decision) | source_to_values(found.effort, engine)
    chances = _evaluate(session, {"plies": plies}, control)
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
        return "accept" if _judge_resignation(session, {}, control)[0].is_accepted else "reject"
    if match.doubled:
        return RESPONSE_WORDS[ask(session, read_take(session), control)[0].response]
    if match.roll is not None:
        ranked, _ = ask(
            session, read_ranking(session, session.make_eval_settings(), DEFAULT_CANDIDATES), control
        )
        return format_play(ranked.best.play)
    if not session.game.may_double:
        return ROLL_ACTION
    evaluation, _ = ask(session, read_cube(session), control)
    assert evaluation.decision is not None  # it is cubeful and the game is not over
    return "double" if evaluation.decision.should_double else ROLL_ACTION


def show_legal_plays(session: Session, point: str | None, control: WorkControl) -> list[str]:
    """List the plays of the roll, all or those that move a checker from a point."""
    return format_legal_plays(send_command(session, "legal" if point is None else f"legal {point}", control))


def show_matrix(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return the cube action at every score."""
    given = {name: values[name] for name in ("away", "cube", "plies") if values.get(name) is not None}
    question = read_matrix(session, **given)
    found, engine = ask(session, question, control)
    rows = list_matrix_rows(found[0], has_equities=bool(values.get("equities")))
    return format_matrix(rows, matrix_to_values(question, found, engine))


def show_opinion(session: Session, values: Mapping[str, Any], control: WorkControl) -> list[str]:
    """Return what a player thinks of the position, or of the plays of the roll."""
    question = read_opinion(session, values.get("player"))
    found = question.run(session.service.players, session.engine_settings.threads)
    moves = list_opinions(found, values["n"])
    return format_opinion(moves, opinion_to_values(found, len(moves)))


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


def _judge_resignation(
    session: Session, values: Mapping[str, Any], control: WorkControl
) -> tuple[Resignation, Engine]:
    """Return whether to accept the pending resignation."""
    match = session.game.match
    if match.doubled:
        raise UnsupportedError("no hint for a resignation while a double is pending", field="hint")
    plies = values.get("plies")
    return ask(session, read_resignation(session, match.resigned, plies), control)


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
