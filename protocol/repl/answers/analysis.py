"""The answers of commands that evaluate: hints, cube decisions, winning chances, the score matrix, levels."""

from __future__ import annotations

from typing import Any

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, LEVELS
from gammond.engine.errors import UnsupportedError
from gammond.engine.evaluation.results import Evaluation
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.notation import format_plays as format_plays_as_text
from gammond.engine.rules.rules import Feature
from gammond.protocol.commands.cube import (
    list_matrix_rows,
    matrix_to_values,
    read_cube,
    read_matrix,
    read_resignation,
    read_take,
)
from gammond.protocol.commands.decisions import ROLL_ACTION
from gammond.protocol.commands.evaluation import ask, read_evaluation, read_ranking
from gammond.protocol.commands.game import read_legal_plays
from gammond.protocol.commands.opinions import read_opinion
from gammond.protocol.commands.rollouts import plan_rollout
from gammond.protocol.commands.session_game import find_setting, put_setting
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.questions.positions import Resignation
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.repl.answers.tables import (
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
from gammond.protocol.state.player_registry import ENGINE_PLAYER
from gammond.protocol.state.session import CUSTOM_LEVEL, Session

_LEVELS_HEADER = "  level         depth   loss  strength"
_LEVELS_LEGEND = "  loss: thousandths of a point per unforced play"


def show_hint(
    session: Session, control: WorkControl, n: int, plies: int | None = None, filter: str | None = None
) -> list[str]:
    """Return the best action of the seat to act, whatever it must decide.

    Args:
        session: The table.
        control: Stops and watches the search.
        n: How many plays to show.
        plies: The look-ahead; None for the session's.
        filter: The move filter; None for the session's.

    Raises:
        GammondError: There is nothing to decide.
    """
    match = session.game.match
    session.require_game()
    if match.resigned:
        found, engine = _assess_resignation(session, control, plies)
        return format_resignation(found, engine.name)
    if match.doubled:
        return _show_response(session, control, plies)
    if match.roll is None:
        advise = show_cube_decision if session.game.may_double else _advise_roll
        return advise(session, control, plies)
    question = read_ranking(session, session.make_eval_settings(plies, filter), n)
    ranked, engine = ask(session, question, control)
    count, searched = len(ranked), ranked.survivors
    return format_plays(ranked[:n], ranked.effort, engine.name, count=count, searched=searched)


def _show_response(session: Session, control: WorkControl, plies: int | None) -> list[str]:
    """Return the response to a pending double or beaver."""
    found, engine = ask(session, read_take(session, plies), control)
    return format_response(found, engine.name)


def _evaluate(
    session: Session, control: WorkControl, plies: int | None, cubeful: bool | None = None
) -> tuple[Evaluation, Engine]:
    """Return the value of the position before the roll, and the engine that found it."""
    settings = session.make_eval_settings(plies, cubeful=cubeful)
    return ask(session, read_evaluation(session, settings), control)


def _advise_roll(session: Session, control: WorkControl, plies: int | None) -> list[str]:
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
    found, engine = _evaluate(session, control, plies)
    source = format_source(found.effort, engine.name)
    return [f"    Roll: {reason}.", *describe_chances(found.outcome), source]


def show_evaluation(
    session: Session, control: WorkControl, plies: int | None = None, cubeful: bool | None = None
) -> list[str]:
    """Return winning chances and equities before the roll."""
    found, engine = _evaluate(session, control, plies, cubeful)
    return [*_note_roll(session), *format_evaluation(found, engine.name)]


def _note_roll(session: Session) -> list[str]:
    """Return that the dice that are out do not count, for what is about the position before the roll."""
    roll = session.game.match.roll
    if roll is None:
        return []
    return [f"    before the roll: the {format_roll(roll)} does not count ('hint' takes it)"]


def show_cube_decision(session: Session, control: WorkControl, plies: int | None = None) -> list[str]:
    """Return the cube decision before the roll with winning chances; for a pending beaver, the response."""
    if session.game.match.beavered and not session.game.match.resigned:
        return _show_response(session, control, plies)
    found, engine = ask(session, read_cube(session, plies), control)
    before, _ = _evaluate(session, control, plies)
    assert found.decision is not None  # it is cubeful and the game is not over
    assert found.effort is not None
    assert before.effort is not None
    is_same_depth = before.effort.plies == found.effort.plies  # not if either was stopped
    outcome = before.outcome if is_same_depth else None
    decided = format_cube_decision(found.decision, found.effort, engine.name, outcome)
    return [*_note_roll(session), *decided]


def find_best_action(session: Session, control: WorkControl) -> str:
    """Return the action that `show_hint` ranks first: `ROLL_ACTION`, or what ``play`` takes.

    Raises:
        GammondError: There is nothing to decide, or the evaluation failed.
    """
    match = session.game.match
    session.require_game()
    if match.resigned:
        return "accept" if _assess_resignation(session, control)[0].is_accepted else "reject"
    if match.doubled:
        return RESPONSE_WORDS[ask(session, read_take(session), control)[0].response]
    if match.roll is not None:
        settings = session.make_eval_settings()
        ranked, _ = ask(session, read_ranking(session, settings, DEFAULT_CANDIDATES), control)
        return format_play(ranked.best.play)
    if not session.game.may_double:
        return ROLL_ACTION
    evaluation, _ = ask(session, read_cube(session), control)
    assert evaluation.decision is not None  # it is cubeful and the game is not over
    return "double" if evaluation.decision.should_double else ROLL_ACTION


def show_legal_plays(session: Session, control: WorkControl, point: int | None) -> list[str]:
    """List the plays of the roll, all or those that move a checker from a point."""
    return format_legal_plays(format_plays_as_text(read_legal_plays(session, point)()))


def show_matrix(
    session: Session,
    control: WorkControl,
    away: int,
    cube: int,
    plies: int | None = None,
    equities: bool | None = None,
) -> list[str]:
    """Return the cube action at every score, for the arguments of ``matrix``."""
    question = read_matrix(session, away, cube, plies)
    found, engine = ask(session, question, control)
    rows = list_matrix_rows(found[0], has_equities=bool(equities))
    return format_matrix(rows, matrix_to_values(question, found, engine))


def show_opinion(session: Session, control: WorkControl, player: str | None, n: int) -> list[str]:
    """Return what a player thinks of the position, or of so many plays of the roll."""
    question = read_opinion(session, player)
    found = question.run(session.service.players, session.engine_settings.threads)
    return format_opinion(found, n)


def show_rollout(session: Session, control: WorkControl, **values: Any) -> list[str]:  # noqa: ANN401
    """Roll out the position on the table, or continue the last rollout, for the arguments of ``rollout``."""
    return format_rollout(*plan_rollout(session, values)(control))


def set_or_list_levels(session: Session, control: WorkControl, name: str | None) -> list[str]:
    """Set the level, or list the levels with the present one marked."""
    if name is not None:
        put_setting(session, find_setting(session, "engine.level"), name)
        return [describe_strength(session)]
    present = session.engine_settings.level
    rows = [
        f"{'*' if each.name == present else ' '} {each.name:<13} {each.plies}-ply"
        f" {each.error_rate:>6.1f}  {each.meaning}"
        for each in LEVELS.values()
    ]
    table = map(PreformattedLine, [_LEVELS_HEADER, *rows])
    return [*table, _LEVELS_LEGEND, describe_strength(session)]


def set_or_show_plies(session: Session, control: WorkControl, n: int | None) -> list[str]:
    """Set the look-ahead of the engine, or show it."""
    if n is not None:
        put_setting(session, find_setting(session, "engine.ply"), str(n + 1))
    return [describe_strength(session)]


def describe_strength(session: Session) -> str:
    """Describe the strength of the engine and the depth of hints, and who chooses the plays."""
    engine = session.engine_settings
    name = "Custom level" if engine.level == CUSTOM_LEVEL else f"Level {engine.level}"
    noise = ", with noise" if engine.noise else ""
    others = "" if engine.player == ENGINE_PLAYER else f" {engine.player} chooses the plays (engine.player)."
    return f"{name}: {engine.plies}-ply, filter {engine.filter_name}{noise}.{others}"


def _assess_resignation(
    session: Session, control: WorkControl, plies: int | None = None
) -> tuple[Resignation, Engine]:
    """Return whether to accept the pending resignation."""
    match = session.game.match
    if match.doubled:
        raise UnsupportedError("no hint for a resignation while a double is pending", field="hint")
    return ask(session, read_resignation(session, match.resigned, plies), control)
