"""Analyses of the cube and of resignations: ``cube``, ``take``, ``resign`` and ``matrix``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.cubeful import ScoreMatrix
from gammond.engine.evaluation.results import CubeDecision, DoublingAction, Evaluation
from gammond.engine.rules import cube_actions
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Feature
from gammond.protocol.commands.command import Values
from gammond.protocol.commands.evaluation import (
    UNSCALED,
    make_search_watch,
    source_to_values,
)
from gammond.protocol.core.replies import format_value, round_value
from gammond.protocol.core.requests import Answer, Reply, ReplyValue, WorkControl
from gammond.protocol.questions.positions import (
    CubeAnswer,
    DecideCube,
    DecideTake,
    FindMatrix,
    Resign,
    Resignation,
)
from gammond.protocol.questions.question import make_work
from gammond.protocol.state.game_state import SEAT_NAMES
from gammond.protocol.state.offers import RESPONSE_WORDS
from gammond.protocol.state.session import Session

DEFAULT_MATRIX_AWAY = 9
"""The size of the score matrix by default."""

MAX_MATRIX_AWAY = 25
"""Its largest size: the points of the shipped match equity table. Differences beyond it mean nothing."""

NO_RESIGNATION = "none"


def read_cube(session: Session, plies: int | None = None) -> DecideCube:
    """Return the question for the cube decision before the roll.

    Args:
        session: Who asks about its game.
        plies: Look-ahead; None for the session's.

    Raises:
        ValueRangeError: The plies are out of range.
        StateError: There is no position, or the game is over.
        PositionError: Value and owner of the cube do not fit together.
        UnsupportedError: The rules do not support it.
    """
    return DecideCube(*_read_position(session, plies, Feature.CUBE))


def read_take(session: Session, plies: int | None = None) -> DecideTake:
    """Return the question for the answer to the pending double or beaver, or to a double offered now.

    Arguments and errors as `read_cube`; also raises StateError or UnsupportedError where a double may not be
    offered.
    """
    position, match, settings = _read_position(session, plies, Feature.CUBE)
    asked = session.game.match
    if asked.beavered:
        return DecideTake(position, asked, settings, is_beaver=True)
    if not asked.doubled:
        cube_actions.double(match)
    return DecideTake(position, match, settings)


def read_resignation(session: Session, kind: int | None = None, plies: int | None = None) -> Resign:
    """Return the question what the seat on roll can resign, or whether the opponent should accept it.

    Arguments and errors as `read_cube`.

    Args:
        session: Who asks about its game.
        kind: As `Resign.kind`.
        plies: Look-ahead; None for the session's.
    """
    return Resign(*_read_position(session, plies, Feature.RESIGNATION), kind=kind)


def read_matrix(
    session: Session, away: int = DEFAULT_MATRIX_AWAY, cube: int = 1, plies: int | None = None
) -> FindMatrix:
    """Return the question for the cube decision at every score.

    Args:
        session: Who asks about its game.
        away: As `FindMatrix.away`.
        cube: As `FindMatrix.cube`.
        plies: Look-ahead; None for the session's.

    Raises:
        GammondError: As `read_cube`.
    """
    position, settings = session.require_game(), session.make_eval_settings(plies)
    session.check_supports(Feature.CUBE)
    return FindMatrix(position, MatchState(), settings, away=away, cube=cube)


def _read_position(
    session: Session, plies: int | None, needs: Feature
) -> tuple[Position, MatchState, EvalSettings]:
    """Return what a question about the cube is about, by rules that support what it needs."""
    settings = replace(session.make_eval_settings(plies), is_cubeful=True)
    found = session.require_game(), session.require_evaluable_match(), settings
    session.check_supports(needs)
    return found


def handle_cube(session: Session, values: Values) -> Answer:
    """Analyse the cube decision before the roll."""
    question = read_cube(session, values["plies"])
    return make_work(session, question, _write_decision, make_search_watch)


def _write_decision(evaluation: Evaluation, engine: Engine, _: WorkControl) -> list[Reply]:
    assert evaluation.decision is not None  # the evaluation is cubeful and the game is not over
    values = decision_to_values(evaluation.decision) | source_to_values(evaluation.effort, engine)
    return [Reply("cube", values=values)]


def format_action(decision: CubeDecision) -> str:
    """Write the proper cube action in the words of the wire: ``Double, drop``."""
    return decision.text.replace(", pass", ", drop")


def decision_to_values(decision: CubeDecision) -> dict[str, ReplyValue]:
    """Return a cube decision as keys, without those that need a double where nobody may double."""
    values: dict[str, ReplyValue] = {"action": format_action(decision), "double": decision.should_double}
    if decision.response is not None:
        values["response"] = RESPONSE_WORDS[decision.response]
    return values | _list_choices(
        {
            "no_double": decision.no_double,
            "take": decision.double_take,
            "drop": decision.double_pass,
            "best": decision.best,
        }
    )


def _list_choices(
    choices: Mapping[str, Evaluation | None], *, for_opponent: bool = False
) -> dict[str, ReplyValue]:
    """Return what choices of the doubler are worth as keys, to it or to its opponent.

    Equities that are on no scale are left out: `UNSCALED` says that there are some.
    """
    known = {name: value for name, value in choices.items() if value is not None}
    points = {name: value.points for name, value in known.items() if value.points is not None}
    values: dict[str, ReplyValue] = {name: -each if for_opponent else each for name, each in points.items()}
    if len(points) < len(known):
        values[UNSCALED] = True
    chances = {f"mwc_{name}": value.mwc for name, value in known.items() if value.mwc is not None}
    return values | {name: 1.0 - each if for_opponent else each for name, each in chances.items()}


def handle_take(session: Session, values: Values) -> Answer:
    """Analyse the response to a pending double or beaver, or to a double offered now."""
    question = read_take(session, values["plies"])
    seat = question.match.on_roll if question.is_beaver else 1 - question.match.on_roll

    def write(found: CubeAnswer, engine: Engine, _: WorkControl) -> list[Reply]:
        values: dict[str, ReplyValue] = {"seat": SEAT_NAMES[seat]}
        values |= answer_to_values(found) | source_to_values(found.evaluation.effort, engine)
        return [Reply("take", values=values)]

    return make_work(session, question, write, make_search_watch)


def answer_to_values(found: CubeAnswer) -> dict[str, ReplyValue]:
    """Return the answer to a double or a beaver as keys, with what both answers are worth to who gives it.

    Equities are in units of the cube before the double, those of a beaver of the cube as it is.
    """
    values: dict[str, ReplyValue] = {"response": RESPONSE_WORDS[found.response]}
    decision = found.decision
    if decision is None:
        return values | {"take": found.evaluation.equity, "drop": -1.0}
    responses = {"take": decision.double_take, "drop": decision.double_pass}
    return values | _list_choices(responses, for_opponent=True)


def handle_resign(session: Session, values: Values) -> Answer:
    """Find what the seat on roll can resign, or whether the opponent should accept a resignation."""
    named = values["kind"]
    kind = None if named is None else RESULT_NAMES.index(named) + 1
    question = read_resignation(session, kind, values["plies"])
    return make_work(session, question, _write_resignation, make_search_watch)


def _write_resignation(found: Resignation, engine: Engine, _: WorkControl) -> list[Reply]:
    values = resignation_to_values(found) | source_to_values(found.evaluation.effort, engine)
    return [Reply("resign", values=values)]


def resignation_to_values(found: Resignation) -> dict[str, ReplyValue]:
    """Return a resignation as keys, with what playing on is worth."""
    evaluation = found.evaluation
    values: dict[str, ReplyValue] = {"offer": RESULT_NAMES[found.kind - 1] if found.kind else NO_RESIGNATION}
    if found.is_accepted is not None:
        values["accept"] = found.is_accepted
    if evaluation.cubeful is not None:
        values |= {"cubeful": evaluation.cubeful} if evaluation.is_scaled else {UNSCALED: True}
    if evaluation.mwc is not None:
        values["mwc"] = evaluation.mwc
    return values


def handle_matrix(session: Session, values: Values) -> Answer:
    """Analyse the cube decision at every score."""
    has_equities: bool = values["equities"]
    question = read_matrix(session, values["away"], values["cube"], values["plies"])

    def write(found: tuple[ScoreMatrix, bool], engine: Engine, _: WorkControl) -> list[Reply]:
        rows = map(_write_row, list_matrix_rows(found[0], has_equities=has_equities))
        return [*rows, Reply("matrix", values=matrix_to_values(question, found, engine))]

    return make_work(session, question, write, make_search_watch)


def matrix_to_values(
    question: FindMatrix, found: tuple[ScoreMatrix, bool], engine: Engine
) -> dict[str, ReplyValue]:
    """Return what a matrix is about as keys, and the decision of money play."""
    matrix, is_stored = found
    plies = engine.evaluator.plies + question.settings.plies
    values: dict[str, ReplyValue] = {"away": question.away, "cube": question.cube}
    values |= {"money": format_action_code(matrix.money), "plies": plies, "net": engine.name}
    return values | {"stored": True} if is_stored else values


def list_matrix_rows(matrix: ScoreMatrix, *, has_equities: bool) -> list[dict[str, object]]:
    """Return the decisions at each score of the side on roll as keys, equities as lists with None for none.

    Args:
        matrix: The decisions.
        has_equities: Whether the equities are wanted.
    """
    return [_row_to_values(own, row, has_equities=has_equities) for own, row in enumerate(matrix.rows, 1)]


def _row_to_values(away: int, row: Sequence[CubeDecision], *, has_equities: bool) -> dict[str, object]:
    values: dict[str, object] = {"away": away, "actions": "".join(map(format_action_code, row))}
    if not has_equities:
        return values
    return values | {
        "no_double": [_round_equity(decision.no_double) for decision in row],
        "double": [
            _round_doubled(each, each.double_take if each.should_take else each.double_pass) for each in row
        ],
        "take": [_round_doubled(each, each.double_take) for each in row],
        "drop": [_round_doubled(each, each.double_pass) for each in row],
    }


def _write_row(row: Mapping[str, object]) -> Reply:
    lists = {key: value for key, value in row.items() if isinstance(value, list)}
    joined = {key: ",".join(map(_format_equity, value)) for key, value in lists.items()}
    values = {**cast("Mapping[str, ReplyValue]", row), **joined}
    return Reply("row", values=values, is_final=False, fields=lists or None)


def _round_doubled(decision: CubeDecision, value: Evaluation | None) -> float | None:
    """Return the equity of a double of a decision; None where it is of no use, or on no scale."""
    return None if decision.doubling is DoublingAction.UNAVAILABLE else _round_equity(value)


def _round_equity(value: Evaluation | None) -> float | None:
    return None if value is None or value.points is None else round_value(value.points)


def _format_equity(equity: float | None) -> str:
    return "-" if equity is None else format_value(equity)


def format_action_code(decision: CubeDecision) -> str:
    """Write a cube decision as one letter.

    ``N`` no double, ``D`` double and take, ``P`` double and drop, ``T`` too good to double, ``-`` a double is
    not possible or never gains.
    """
    if decision.doubling is DoublingAction.UNAVAILABLE:
        return "-"
    if decision.doubling is DoublingAction.TOO_GOOD:
        return "T"
    if decision.doubling is DoublingAction.NO_DOUBLE:
        return "N"
    return "D" if decision.should_take else "P"
