"""The answers of commands that evaluate: hints, cube decisions, winning chances, the score matrix, levels."""

from __future__ import annotations

from typing import Any

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, LEVELS
from gammond.engine.errors import UnsupportedError
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.notation import format_plays as format_plays_as_text
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
from gammond.protocol.commands.evaluation import (
    ask,
    evaluation_to_values,
    plays_to_values,
    ranking_to_values,
    read_evaluation,
    read_ranking,
    source_to_values,
)
from gammond.protocol.commands.game import read_legal_plays
from gammond.protocol.commands.opinions import list_opinions, opinion_to_values, read_opinion
from gammond.protocol.commands.rollout_replies import list_rollout_rows
from gammond.protocol.commands.rollouts import plan_rollout, summarize_rollout
from gammond.protocol.commands.session_game import find_setting, put_setting
from gammond.protocol.core.requests import ReplyValue, WorkControl
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

ROLL_ACTION = "roll"
"""The action of a seat that rolls; all others are actions of ``play``."""

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
        return format_resignation(
            resignation_to_values(found) | source_to_values(found.evaluation.effort, engine)
        )
    if match.doubled:
        return _show_response(session, control, plies)
    if match.roll is None:
        advise = show_cube_decision if session.game.may_double else _advise_roll
        return advise(session, control, plies)
    settings = session.make_eval_settings(plies, filter)
    ranked, engine = ask(session, read_ranking(session, settings, n), control)
    moves = [{"rank": rank, **row} for rank, row in enumerate(plays_to_values(ranked, slice(0, n), match), 1)]
    return format_plays(moves, ranking_to_values(ranked, len(moves), engine))


def _show_response(session: Session, control: WorkControl, plies: int | None) -> list[str]:
    """Return the response to a pending double or beaver."""
    found, engine = ask(session, read_take(session, plies), control)
    return format_response(answer_to_values(found) | source_to_values(found.evaluation.effort, engine))


def _evaluate(
    session: Session, control: WorkControl, plies: int | None, cubeful: bool | None = None
) -> dict[str, ReplyValue]:
    """Return the value of the position before the roll, as keys."""
    settings = session.make_eval_settings(plies, cubeful=cubeful)
    evaluation, engine = ask(session, read_evaluation(session, settings), control)
    return evaluation_to_values(evaluation) | source_to_values(evaluation.effort, engine)


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
    chances = _evaluate(session, control, plies)
    return [f"    Roll: {reason}.", *describe_chances(chances), format_source(chances)]


def show_evaluation(
    session: Session, control: WorkControl, plies: int | None = None, cubeful: bool | None = None
) -> list[str]:
    """Return winning chances and equities before the roll."""
    evaluation = format_evaluation(_evaluate(session, control, plies, cubeful))
    return [*_note_roll(session), *evaluation]


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
    assert found.decision is not None  # it is cubeful and the game is not over
    decision = decision_to_values(found.decision) | source_to_values(found.effort, engine)
    chances = _evaluate(session, control, plies)
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
    away: int | None = None,
    plies: int | None = None,
    cube: int | None = None,
    equities: bool | None = None,
) -> list[str]:
    """Return the cube action at every score, for the arguments of ``matrix``."""
    given = {"away": away, "plies": plies, "cube": cube}
    question = read_matrix(session, **{name: value for name, value in given.items() if value is not None})
    found, engine = ask(session, question, control)
    rows = list_matrix_rows(found[0], has_equities=bool(equities))
    return format_matrix(rows, matrix_to_values(question, found, engine))


def show_opinion(session: Session, control: WorkControl, player: str | None, n: int) -> list[str]:
    """Return what a player thinks of the position, or of so many plays of the roll."""
    question = read_opinion(session, player)
    found = question.run(session.service.players, session.engine_settings.threads)
    moves = list_opinions(found, n)
    return format_opinion(moves, opinion_to_values(found, len(moves)))


def show_rollout(session: Session, control: WorkControl, **values: Any) -> list[str]:  # noqa: ANN401
    """Roll out the position on the table, or continue the last rollout, for the arguments of ``rollout``."""
    found, elapsed_ms = plan_rollout(session, values)(control)
    return format_rollout(list_rollout_rows(found), summarize_rollout(found, elapsed_ms))


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
