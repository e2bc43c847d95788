"""Questions about the cube: ``cube``, ``take``, ``resign`` and ``matrix``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine import cube_actions
from engine.analyst import Analyst
from engine.cubeful import CubeDecision, CubeValue, Doubling, Response
from engine.judged import JudgedPosition
from engine.levels import Depth
from engine.match import RESULTS, MatchState
from engine.position import Position
from engine.search import SearchWatch
from protocol.command import Call
from protocol.handlers.judging import stopped_values, wanted_depth
from protocol.handlers.watching import search_watch
from protocol.requests import Answer, Control, Reply, Value, Work
from protocol.settings import SEATS

MATRIX_AWAY = 9
"""How far the score matrix reaches unless the request says so."""

MAX_MATRIX_AWAY = 25
"""How far it can reach: the points of the shipped match equity table. Differences beyond it mean nothing."""

NO_RESIGNATION = "none"

RESPONSE_WORDS = {Response.TAKE: "take", Response.PASS: "drop", Response.BEAVER: "beaver"}
"""Answers to a double as `play` takes them; a `pass` on the wire is a play that moves nothing."""


@dataclass(frozen=True)
class CubeQuestion:
    """What is asked about, captured when the request came.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: Score and cube, as before the roll and before any offer.
        depth: How deep; the cube counts.
        find_analyst: Fetches who answers.
    """

    position: Position
    match: MatchState
    depth: Depth
    find_analyst: Callable[[], Analyst]

    @classmethod
    def of(cls, call: Call) -> CubeQuestion:
        """Capture the question of a request.

        Raises:
            StateError: There is no position, or the game is over.
            PositionError: Value and owner of the cube do not fit together.
            ValueRangeError: The plies are out of range.
        """
        session = call.session
        depth = replace(wanted_depth(call), is_cubeful=True)
        return cls(session.need_game(), session.match_to_judge(), depth, session.analyst_source())

    def work(self, answered: Callable[[Analyst, SearchWatch], Reply]) -> Work:
        """Return the work that answers it with one line."""

        def run(control: Control) -> list[Reply]:
            return [answered(self.find_analyst(), search_watch(control))]

        return Work(run, is_long=self.depth.plies > 0)


def handle_cube(call: Call) -> Answer:
    """Say what to do with the cube before the roll."""
    question = CubeQuestion.of(call)

    def answered(analyst: Analyst, watch: SearchWatch) -> Reply:
        judged = analyst.judge(question.position, question.match, question.depth, watch)
        assert judged.decision is not None  # the cube counts and the game goes on
        return Reply("cube", values=decision_values(judged.decision) | _about(judged, analyst))

    return question.work(answered)


def action_text(decision: CubeDecision) -> str:
    """Write the proper cube action in the words of the wire: ``Double, drop``."""
    return decision.text.replace(", pass", ", drop")


def decision_values(decision: CubeDecision) -> dict[str, Value]:
    """Return a cube decision as keys; what is worth nothing where nobody may double is left out."""
    values: dict[str, Value] = {"action": action_text(decision), "double": decision.should_double}
    if decision.response is not None:
        values["response"] = RESPONSE_WORDS[decision.response]
    choices = {
        "no_double": decision.no_double,
        "take": decision.take,
        "drop": decision.passed,
        "best": decision.best,
    }
    known = {name: value for name, value in choices.items() if value is not None}
    values |= {name: value.equity_points for name, value in known.items()}
    return values | {f"mwc_{name}": value.mwc for name, value in known.items() if value.mwc is not None}


def handle_take(call: Call) -> Answer:
    """Say how to answer a double that waits, or would come now; or a beaver that waits."""
    question, match = CubeQuestion.of(call), call.session.game.match
    if match.beavered:
        return question.work(_beaver_answer(question, match))
    if not match.doubled:
        cube_actions.double(question.match)

    def answered(analyst: Analyst, watch: SearchWatch) -> Reply:
        judged = analyst.judge(question.position, question.match, question.depth, watch)
        decision = judged.decision
        assert decision is not None
        assert decision.response is not None  # the rules let the seat on roll double
        values = {"seat": SEATS[1 - question.match.on_roll], "response": RESPONSE_WORDS[decision.response]}
        sides = {"take": decision.take, "drop": decision.passed}
        return Reply("take", values=values | _other_view(sides) | _about(judged, analyst))

    return question.work(answered)


def _other_view(choices: dict[str, CubeValue | None]) -> dict[str, Value]:
    """Return values of the doubler as keys that say what they are worth to the other seat."""
    known = {name: value for name, value in choices.items() if value is not None}
    values: dict[str, Value] = {name: -value.equity_points for name, value in known.items()}
    return values | {f"mwc_{name}": 1.0 - value.mwc for name, value in known.items() if value.mwc is not None}


def _beaver_answer(question: CubeQuestion, match: MatchState) -> Callable[[Analyst, SearchWatch], Reply]:
    """Return what answers whether the doubler plays on after a beaver; the stake is what the cube shows."""

    def answered(analyst: Analyst, watch: SearchWatch) -> Reply:
        beaver = analyst.judge_beaver(question.position, match, question.depth, watch)
        response = Response.TAKE if beaver.plays_on else Response.PASS
        values: dict[str, Value] = {"seat": SEATS[match.on_roll], "response": RESPONSE_WORDS[response]}
        values |= {"take": beaver.worth, "drop": -1.0}
        return Reply("take", values=values | _about(beaver.judged, analyst))

    return answered


def handle_resign(call: Call) -> Answer:
    """Say what the seat on roll can resign, or whether the other one accepts what is named."""
    question, named = CubeQuestion.of(call), call.values["kind"]

    def answered(analyst: Analyst, watch: SearchWatch) -> Reply:
        judged = analyst.judge(question.position, question.match, question.depth, watch)
        values: dict[str, Value]
        if named is None:
            kind = analyst.resignation(judged, question.match)
            values = {"offer": RESULTS[kind - 1] if kind else NO_RESIGNATION}
        else:
            kind = RESULTS.index(named) + 1
            values = {"offer": named, "accept": analyst.accepts_resignation(judged, question.match, kind)}
        if judged.cubeful is not None:
            values["cubeful"] = judged.cubeful
        if judged.mwc is not None:
            values["mwc"] = judged.mwc
        return Reply("resign", values=values | _about(judged, analyst))

    return question.work(answered)


def handle_matrix(call: Call) -> Answer:
    """Say what to do with the cube at every score."""
    session, away, cube = call.session, call.values["away"], call.values["cube"]
    position, plies, find_analyst = session.need_game(), wanted_depth(call).plies, session.analyst_source()

    def run(control: Control) -> list[Reply]:
        analyst, watch = find_analyst(), search_watch(control)
        watch.begin_depth(plies)
        matrix = analyst.score_matrix(position, away, cube=cube, plies=plies, watch=watch)
        lines = [
            Reply("row", values={"away": own, "actions": "".join(map(action_code, row))}, is_final=False)
            for own, row in enumerate(matrix.rows, 1)
        ]
        values: dict[str, Value] = {"away": away, "cube": cube, "money": action_code(matrix.money)}
        values |= {"plies": analyst.evaluator.plies + plies, "net": analyst.name}
        return [*lines, Reply("matrix", values=values)]

    return Work(run, is_long=True)


def action_code(decision: CubeDecision) -> str:
    """Write a cube decision as one letter.

    ``N`` no double, ``D`` double and take, ``P`` double and drop, ``T`` too good to double, ``-`` a double is
    not possible or never of use.
    """
    if decision.doubling is Doubling.UNAVAILABLE:
        return "-"
    if decision.doubling is Doubling.TOO_GOOD:
        return "T"
    if decision.doubling is Doubling.NO_DOUBLE:
        return "N"
    return "D" if decision.should_take else "P"


def _about(judged: JudgedPosition, analyst: Analyst) -> dict[str, Value]:
    about: dict[str, Value] = {"plies": judged.plies, "net": analyst.name}
    return about | stopped_values(judged.is_finished)
