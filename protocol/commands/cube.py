"""Questions about the cube: ``cube``, ``take``, ``resign`` and ``matrix``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeDecision, CubeResponse, CubeValue, DoublingAction
from engine.rules import cube_actions
from engine.rules.match import RESULT_NAMES, MatchState
from engine.rules.position import Position
from engine.search import SearchWatch
from engine.search.results import PositionEvaluation
from protocol.commands.command import CommandCall
from protocol.commands.evaluation import make_search_watch, make_stopped_values, read_eval_settings
from protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl
from protocol.state.offers import RESPONSE_WORDS
from protocol.state.settings import SEAT_NAMES

DEFAULT_MATRIX_AWAY = 9
"""How far the score matrix reaches unless the request says so."""

MAX_MATRIX_AWAY = 25
"""How far it can reach: the points of the shipped match equity table. Differences beyond it mean nothing."""

NO_RESIGNATION = "none"


@dataclass(frozen=True)
class CubeRequest:
    """What is asked about, captured when the request came.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: Score and cube, as before the roll and before any offer.
        settings: How deep; the cube counts.
        load_engine: Fetches who answers.
    """

    position: Position
    match: MatchState
    settings: EvalSettings
    load_engine: Callable[[], Engine]

    @classmethod
    def from_call(cls, call: CommandCall) -> CubeRequest:
        """Capture the question of a request.

        Raises:
            StateError: There is no position, or the game is over.
            PositionError: Value and owner of the cube do not fit together.
            ValueRangeError: The plies are out of range.
        """
        session = call.session
        depth = replace(read_eval_settings(call), is_cubeful=True)
        return cls(
            session.require_game(), session.require_evaluable_match(), depth, session.make_engine_loader()
        )

    def make_work(self, make_reply: Callable[[Engine, SearchWatch], Reply]) -> Work:
        """Return the work that answers it with one line."""

        def run(control: WorkControl) -> list[Reply]:
            return [make_reply(self.load_engine(), make_search_watch(control))]

        return Work(run, is_long=self.settings.plies > 0)


def handle_cube(call: CommandCall) -> Answer:
    """Say what to do with the cube before the roll."""
    question = CubeRequest.from_call(call)

    def answered(analyst: Engine, watch: SearchWatch) -> Reply:
        judged = analyst.evaluate(question.position, question.match, question.settings, watch)
        assert judged.decision is not None  # the cube counts and the game goes on
        return Reply("cube", values=decision_to_values(judged.decision) | _source_to_values(judged, analyst))

    return question.make_work(answered)


def format_action(decision: CubeDecision) -> str:
    """Write the proper cube action in the words of the wire: ``Double, drop``."""
    return decision.text.replace(", pass", ", drop")


def decision_to_values(decision: CubeDecision) -> dict[str, ReplyValue]:
    """Return a cube decision as keys; what is worth nothing where nobody may double is left out."""
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
    """Say how to answer a double that waits, or would come now; or a beaver that waits."""
    question, match = CubeRequest.from_call(call), call.session.game.match
    if match.beavered:
        return question.make_work(_make_beaver_answerer(question, match))
    if not match.doubled:
        cube_actions.double(question.match)

    def answered(analyst: Engine, watch: SearchWatch) -> Reply:
        judged = analyst.evaluate(question.position, question.match, question.settings, watch)
        decision = judged.decision
        assert decision is not None
        assert decision.response is not None  # the rules let the seat on roll double
        values = {
            "seat": SEAT_NAMES[1 - question.match.on_roll],
            "response": RESPONSE_WORDS[decision.response],
        }
        sides = {"take": decision.double_take, "drop": decision.double_pass}
        return Reply("take", values=values | _to_opponent_values(sides) | _source_to_values(judged, analyst))

    return question.make_work(answered)


def _to_opponent_values(choices: dict[str, CubeValue | None]) -> dict[str, ReplyValue]:
    """Return values of the doubler as keys that say what they are worth to the other seat."""
    known = {name: value for name, value in choices.items() if value is not None}
    values: dict[str, ReplyValue] = {name: -value.equity_points for name, value in known.items()}
    return values | {f"mwc_{name}": 1.0 - value.mwc for name, value in known.items() if value.mwc is not None}


def _make_beaver_answerer(request: CubeRequest, match: MatchState) -> Callable[[Engine, SearchWatch], Reply]:
    """Return what answers whether the doubler plays on after a beaver; the stake is what the cube shows."""

    def answered(analyst: Engine, watch: SearchWatch) -> Reply:
        beaver = analyst.evaluate_beaver(request.position, match, request.settings, watch)
        response = CubeResponse.TAKE if beaver.plays_on else CubeResponse.PASS
        values: dict[str, ReplyValue] = {
            "seat": SEAT_NAMES[match.on_roll],
            "response": RESPONSE_WORDS[response],
        }
        values |= {"take": beaver.equity, "drop": -1.0}
        return Reply("take", values=values | _source_to_values(beaver.evaluation, analyst))

    return answered


def handle_resign(call: CommandCall) -> Answer:
    """Say what the seat on roll can resign, or whether the other one accepts what is named."""
    question, named = CubeRequest.from_call(call), call.values["kind"]

    def answered(analyst: Engine, watch: SearchWatch) -> Reply:
        judged = analyst.evaluate(question.position, question.match, question.settings, watch)
        values: dict[str, ReplyValue]
        if named is None:
            kind = analyst.find_resignation(judged, question.match)
            values = {"offer": RESULT_NAMES[kind - 1] if kind else NO_RESIGNATION}
        else:
            kind = RESULT_NAMES.index(named) + 1
            values = {"offer": named, "accept": analyst.accepts_resignation(judged, question.match, kind)}
        if judged.cubeful is not None:
            values["cubeful"] = judged.cubeful
        if judged.mwc is not None:
            values["mwc"] = judged.mwc
        return Reply("resign", values=values | _source_to_values(judged, analyst))

    return question.make_work(answered)


def handle_matrix(call: CommandCall) -> Answer:
    """Say what to do with the cube at every score."""
    session, away, cube = call.session, call.values["away"], call.values["cube"]
    position, plies, find_analyst = (
        session.require_game(),
        read_eval_settings(call).plies,
        session.make_engine_loader(),
    )

    def run(control: WorkControl) -> list[Reply]:
        analyst, watch = find_analyst(), make_search_watch(control)
        watch.begin_depth(plies)
        matrix = analyst.compute_score_matrix(position, away, cube=cube, plies=plies, watch=watch)
        lines = [
            Reply(
                "row", values={"away": own, "actions": "".join(map(format_action_code, row))}, is_final=False
            )
            for own, row in enumerate(matrix.rows, 1)
        ]
        values: dict[str, ReplyValue] = {
            "away": away,
            "cube": cube,
            "money": format_action_code(matrix.money),
        }
        values |= {"plies": analyst.evaluator.plies + plies, "net": analyst.name}
        return [*lines, Reply("matrix", values=values)]

    return Work(run, is_long=True)


def format_action_code(decision: CubeDecision) -> str:
    """Write a cube decision as one letter.

    ``N`` no double, ``D`` double and take, ``P`` double and drop, ``T`` too good to double, ``-`` a double is
    not possible or never of use.
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
    return about | make_stopped_values(evaluation.effort.is_finished)
