"""Analyses of the cube and of resignations: ``cube``, ``take``, ``resign`` and ``matrix``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.analysis.engine import Engine, take_beaver
from engine.analysis.levels import EvalSettings
from engine.analysis.score_matrix import search_score_matrix
from engine.cubeful import (
    CubeDecision,
    CubeResponse,
    CubeValue,
    DoublingAction,
    choose_resignation,
    should_accept_resignation,
)
from engine.rules import cube_actions
from engine.rules.match import RESULT_NAMES, MatchState
from engine.rules.position import Position
from engine.rules.rules import Feature
from engine.search import SearchWatch
from engine.search.results import PositionEvaluation
from protocol.commands.command import CommandCall
from protocol.commands.evaluation import (
    DECISION_SIZE,
    effort_to_values,
    make_decision_kind,
    make_search_watch,
    read_eval_settings,
)
from protocol.core.replies import format_value, round_value
from protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl
from protocol.state.game_state import SEAT_NAMES
from protocol.state.offers import RESPONSE_WORDS
from protocol.state.session import Session

DEFAULT_MATRIX_AWAY = 9
"""The size of the score matrix by default."""

MAX_MATRIX_AWAY = 25
"""Its largest size: the points of the shipped match equity table. Differences beyond it mean nothing."""

NO_RESIGNATION = "none"


@dataclass(frozen=True)
class CubeRequest:
    """The position and settings of a request, captured when it arrived.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state before the roll and without offers.
        settings: Look-ahead; cubeful.
        session: The session, for its service and its engine.
        load_engine: Returns the engine; may block.
    """

    position: Position
    match: MatchState
    settings: EvalSettings
    session: Session
    load_engine: Callable[[], Engine]

    @classmethod
    def from_call(cls, call: CommandCall, needs: Feature = Feature.CUBE) -> CubeRequest:
        """Capture a request.

        Args:
            call: The request.
            needs: What the rules of the game must support.

        Raises:
            UnsupportedError: They do not.
            StateError: There is no position, or the game is over.
            PositionError: Value and owner of the cube do not fit together.
            ValueRangeError: The plies are out of range.
        """
        session = call.session
        depth = replace(read_eval_settings(call), is_cubeful=True)
        return cls(
            session.require_game(),
            session.require_evaluable_match(),
            depth,
            session,
            session.make_engine_loader(needs),
        )

    def make_work(
        self, make_reply: Callable[[Engine, SearchWatch], Reply], match: MatchState | None = None
    ) -> Work:
        """Return the work that answers with one line.

        Args:
            make_reply: Makes it, from one evaluation of the position.
            match: The match state of that; None for the request's own.
        """
        match = match or self.match
        service, kind = self.session.service, make_decision_kind("cube", match, self.settings)
        kept = self.session.recall(kind, self.position, match, self.settings)
        is_long = self.settings.plies > 0 and kept is None

        def run(control: WorkControl) -> list[Reply]:
            engine = self.load_engine()
            with service.time_evaluation(engine, kind):
                return [make_reply(engine, make_search_watch(control))]

        is_quick = not is_long and self.session.find_quick_engine(kind) is not None
        sources = () if kept is None else (kept,)
        return Work(run, is_long=is_long, is_quick=is_quick, size=DECISION_SIZE, sources=sources)


def handle_cube(call: CommandCall) -> Answer:
    """Analyse the cube decision before the roll."""
    request = CubeRequest.from_call(call)

    def make_reply(engine: Engine, watch: SearchWatch) -> Reply:
        evaluation = engine.evaluate(request.position, request.match, request.settings, watch)
        assert evaluation.decision is not None  # the evaluation is cubeful and the game is not over
        return Reply(
            "cube", values=decision_to_values(evaluation.decision) | _source_to_values(evaluation, engine)
        )

    return request.make_work(make_reply)


def format_action(decision: CubeDecision) -> str:
    """Write the proper cube action in the words of the wire: ``Double, drop``."""
    return decision.text.replace(", pass", ", drop")


def decision_to_values(decision: CubeDecision) -> dict[str, ReplyValue]:
    """Return a cube decision as keys, without those that need a double where nobody may double."""
    values: dict[str, ReplyValue] = {"action": format_action(decision), "double": decision.should_double}
    if decision.response is not None:
        values["response"] = RESPONSE_WORDS[decision.response]
    choices = {
        "no_double": decision.no_double,
        "take": decision.double_take,
        "drop": decision.double_pass,
        "best": decision.best,
    }
    known = {name: value for name, value in choices.items() if value is not None}
    values |= {name: value.equity_points for name, value in known.items()}
    return values | {f"mwc_{name}": value.mwc for name, value in known.items() if value.mwc is not None}


def handle_take(call: CommandCall) -> Answer:
    """Analyse the response to a pending double or beaver, or to a double offered now."""
    request, match = CubeRequest.from_call(call), call.session.game.match
    if match.beavered:
        return request.make_work(_make_beaver_answerer(request, match), take_beaver(match))
    if not match.doubled:
        cube_actions.double(request.match)

    def make_reply(engine: Engine, watch: SearchWatch) -> Reply:
        evaluation = engine.evaluate(request.position, request.match, request.settings, watch)
        decision = evaluation.decision
        assert decision is not None
        assert decision.response is not None  # the rules let the seat on roll double
        values = {
            "seat": SEAT_NAMES[1 - request.match.on_roll],
            "response": RESPONSE_WORDS[decision.response],
        }
        sides = {"take": decision.double_take, "drop": decision.double_pass}
        return Reply(
            "take", values=values | _to_opponent_values(sides) | _source_to_values(evaluation, engine)
        )

    return request.make_work(make_reply)


def _to_opponent_values(choices: dict[str, CubeValue | None]) -> dict[str, ReplyValue]:
    """Return values of the doubler as keys from the view of the opponent."""
    known = {name: value for name, value in choices.items() if value is not None}
    values: dict[str, ReplyValue] = {name: -value.equity_points for name, value in known.items()}
    return values | {f"mwc_{name}": 1.0 - value.mwc for name, value in known.items() if value.mwc is not None}


def _make_beaver_answerer(request: CubeRequest, match: MatchState) -> Callable[[Engine, SearchWatch], Reply]:
    """Return what answers whether the doubler takes a beaver; equities are in units of the current cube."""

    def make_reply(engine: Engine, watch: SearchWatch) -> Reply:
        beaver = engine.evaluate_beaver(request.position, match, request.settings, watch)
        response = CubeResponse.TAKE if beaver.plays_on else CubeResponse.PASS
        values: dict[str, ReplyValue] = {
            "seat": SEAT_NAMES[match.on_roll],
            "response": RESPONSE_WORDS[response],
        }
        values |= {"take": beaver.equity, "drop": -1.0}
        return Reply("take", values=values | _source_to_values(beaver.evaluation, engine))

    return make_reply


def handle_resign(call: CommandCall) -> Answer:
    """Find what the seat on roll can resign, or whether the opponent should accept a resignation."""
    request, named = CubeRequest.from_call(call, Feature.RESIGNATION), call.values["kind"]

    def make_reply(engine: Engine, watch: SearchWatch) -> Reply:
        evaluation = engine.evaluate(request.position, request.match, request.settings, watch)
        value, space = evaluation.mwc_or_equity, engine.make_cube_game(request.match)
        values: dict[str, ReplyValue]
        if named is None:
            kind = choose_resignation(value, space)
            values = {"offer": RESULT_NAMES[kind - 1] if kind else NO_RESIGNATION}
        else:
            kind = RESULT_NAMES.index(named) + 1
            values = {"offer": named, "accept": should_accept_resignation(value, kind, space)}
        if evaluation.cubeful is not None:
            values["cubeful"] = evaluation.cubeful
        if evaluation.mwc is not None:
            values["mwc"] = evaluation.mwc
        return Reply("resign", values=values | _source_to_values(evaluation, engine))

    return request.make_work(make_reply)


def handle_matrix(call: CommandCall) -> Answer:
    """Analyse the cube decision at every score."""
    session, away, cube = call.session, call.values["away"], call.values["cube"]
    has_equities = call.values["equities"]
    position, settings = session.require_game(), read_eval_settings(call)
    load_engine = session.make_engine_loader(Feature.CUBE)

    def run(control: WorkControl) -> list[Reply]:
        engine, watch = load_engine(), make_search_watch(control)
        watch.begin_depth(settings.plies)
        matrix, is_stored = search_score_matrix(
            engine, position, away, cube=cube, settings=settings, watch=watch
        )
        lines = [_make_row(own, row, has_equities=has_equities) for own, row in enumerate(matrix.rows, 1)]
        values: dict[str, ReplyValue] = {
            "away": away,
            "cube": cube,
            "money": format_action_code(matrix.money),
        }
        values |= {"plies": engine.evaluator.plies + settings.plies, "net": engine.name}
        if is_stored:
            values["stored"] = True
        return [*lines, Reply("matrix", values=values)]

    return Work(run, is_long=True)


def _make_row(away: int, row: Sequence[CubeDecision], *, has_equities: bool) -> Reply:
    """Return the line with the decisions at one score of the side on roll."""
    values: dict[str, ReplyValue] = {"away": away, "actions": "".join(map(format_action_code, row))}
    if not has_equities:
        return Reply("row", values=values, is_final=False)
    lists = {
        "no_double": [_round_equity(decision.no_double) for decision in row],
        "double": [
            _round_doubled(each, each.double_take if each.should_take else each.double_pass) for each in row
        ],
        "take": [_round_doubled(each, each.double_take) for each in row],
        "drop": [_round_doubled(each, each.double_pass) for each in row],
    }
    joined = {key: ",".join(map(_format_equity, equities)) for key, equities in lists.items()}
    return Reply("row", values=values | joined, is_final=False, fields=lists)


def _round_doubled(decision: CubeDecision, value: CubeValue | None) -> float | None:
    """Return the equity of a double of a decision; None where it is not possible or of no use."""
    return None if decision.doubling is DoublingAction.UNAVAILABLE else _round_equity(value)


def _round_equity(value: CubeValue | None) -> float | None:
    return None if value is None else round_value(value.equity_points)


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


def _source_to_values(evaluation: PositionEvaluation, engine: Engine) -> dict[str, ReplyValue]:
    about: dict[str, ReplyValue] = {"plies": evaluation.effort.plies, "net": engine.name}
    return about | effort_to_values(evaluation.effort)
