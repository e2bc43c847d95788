"""The Nodots engine protocol, version 1: plays, cube actions and resignations as JSON.

*Source:* SPEC.md of nodots/backgammon-engine-protocol. Its position IDs begin with the opponent's checkers
unless a request says ``on-roll-first``: so do those of GNU Backgammon, although SPEC.md says otherwise; the
conformance vectors of both orders and gnubg 1.07 agree in that. White is seat 0. ``matchLength`` 0 and 1 are
money play. The numbers that a request for a double may get beyond its equity are left out: the specification
does not define them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import (
    FormatError,
    GammondError,
    PositionError,
    StateError,
    UnsupportedError,
    ValueRangeError,
)
from gammond.engine.evaluation.results import CubeDecision, DoublingAction, Evaluation
from gammond.engine.formats.position_id import decode_position_id
from gammond.engine.options import convert
from gammond.engine.rules.match import MAX_CUBE, MAX_MATCH_LENGTH, RESULT_NAMES, MatchState
from gammond.engine.rules.moves import Play
from gammond.engine.rules.position import BAR, OFF, Position, swap_sides
from gammond.engine.runtime.version import NAME, read_version
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.protocol.core.errors import INTERNAL_ERROR, BusyError
from gammond.protocol.core.replies import describe_error, round_value
from gammond.protocol.core.requests import JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_documents import split_fault
from gammond.protocol.questions.plays import Rank
from gammond.protocol.questions.positions import CubeAnswer, DecideCube, DecideTake, Resign, Resignation
from gammond.protocol.questions.question import EngineQuestion, make_work
from gammond.protocol.state.offers import RESPONSE_WORDS, check_cube_owner
from gammond.protocol.state.session import Session

PLIES = 2
"""The look-ahead; the protocol wants an answer in 2 s, and gives up after 10."""

TIME_S = 8.0
"""When an answer comes at the latest, by the deepest search that is finished by then."""

MAX_CANDIDATES = 10

Color = Literal["white", "black"]
_COLORS: tuple[Color, Color] = ("white", "black")
"""Those of seats 0 and 1."""

_Die = Annotated[int, msgspec.Meta(ge=1, le=6)]
_Points = Annotated[int, msgspec.Meta(ge=0, le=MAX_MATCH_LENGTH)]
_FEWEST_MATCH_POINTS = 2


class InvalidIdError(FormatError):
    """A position ID that cannot be decoded: correct it."""


class HintRequest(msgspec.Struct, rename="camel", kw_only=True):
    """The body of a request. Only the order of the ID may be missing, and dice where none are used."""

    position_id: Annotated[str, msgspec.Meta(description="A GNU position ID of the player who is to decide.")]
    position_id_convention: Annotated[
        Literal["on-roll-first", "opponent-first"],
        msgspec.Meta(description="Whose checkers are first in the ID; gnubg's own IDs are `opponent-first`."),
    ] = "opponent-first"
    dice: Annotated[tuple[_Die, _Die], msgspec.Meta(description="For a move.")] | msgspec.UnsetType = (
        msgspec.UNSET
    )
    active_player_color: Color
    active_player_direction: Literal["clockwise", "counterclockwise"]
    cube_value: Annotated[int, msgspec.Meta(ge=1, le=MAX_CUBE)]
    cube_owner: Color | None
    match_score: Annotated[tuple[_Points, _Points], msgspec.Meta(description="Points of white and of black.")]
    match_length: Annotated[_Points, msgspec.Meta(description="Points of the match; 0 and 1 for money play.")]
    crawford: bool
    jacoby: bool
    beavers: bool

    @property
    def seat(self) -> int:
        """The seat that is to decide."""
        return _COLORS.index(self.active_player_color)

    def read_position(self) -> Position:
        """Return the checkers, those of the seat that is to decide first.

        Raises:
            InvalidIdError: The ID cannot be decoded.
            StateError: The game is over.
        """
        try:
            position = decode_position_id(self.position_id)
        except GammondError as error:
            raise InvalidIdError(error.message, field="positionId") from error
        if self.position_id_convention == "on-roll-first":
            position = Position(swap_sides(position.board))
        if position.is_over:
            raise StateError("the game is over: there is nothing to decide", field="positionId")
        return position

    def make_match(self, on_roll: int) -> MatchState:
        """Return the match state with a seat on roll.

        Raises:
            GammondError: Score, length and cube do not fit together.
        """
        length = self.match_length if self.match_length >= _FEWEST_MATCH_POINTS else 0
        owner = None if self.cube_owner is None else _COLORS.index(self.cube_owner)
        try:
            match = MatchState(
                length=length,
                score=self.match_score,
                crawford=self.crawford and length > 0,
                cube=self.cube_value,
                cube_owner=owner,
                on_roll=on_roll,
                jacoby=self.jacoby,
                beavers=self.beavers,
            )
            check_cube_owner(match)
        except (PositionError, ValueRangeError) as error:
            name = (error.field or "").rpartition(".")[2]
            raise error.with_field(_FIELDS.get(name, "matchScore")) from error
        return match


_FIELDS = {
    "score": "matchScore",
    "length": "matchLength",
    "crawford": "crawford",
    "cube": "cubeValue",
    "cube_owner": "cubeOwner",
}
"""The fields of requests for those of match states."""


class Health(TypedDict):
    """The engine."""

    status: Literal["ok"]
    engineName: str
    engineVersion: str
    protocolVersion: Literal["1"]


_Place = Annotated[int, msgspec.Meta(ge=0, le=BAR - 1)]

Step = TypedDict(
    "Step",
    {
        "from": _Place,
        "to": _Place,
        "moveKind": Literal["point-to-point", "reenter", "bear-off"],
        "isHit": bool,
        "player": Color,
        "fromContainer": Literal["bar", "point"],
        "toContainer": Literal["point", "off"],
    },
)
"""A step of a play: points of who makes it, 0 for the bar and for off."""


class _HintValues(TypedDict):
    win: float
    winGammon: float
    winBackgammon: float
    loseGammon: float
    loseBackgammon: float
    equity: float
    cubefulEquity: float


class HintPlay(TypedDict):
    """A play that was compared at the greatest depth."""

    moves: list[Step]
    evaluation: _HintValues
    equity: float
    rank: int
    difference: float


class MoveHint(TypedDict):
    """The answer about a play."""

    moves: Annotated[list[Step], msgspec.Meta(max_length=4)]
    equity: float
    candidates: list[HintPlay]


_DoubleWord = Literal["double", "no-double", "too-good", "redouble"]


class DoubleHint(TypedDict):
    """The answer about a double."""

    action: _DoubleWord
    equity: float


class TakeHint(TypedDict):
    """The answer about the response to a double."""

    action: Annotated[str, msgspec.Meta(extra_json_schema={"enum": [*RESPONSE_WORDS.values()]})]
    takeEquity: float
    dropEquity: float


class ResignHint(TypedDict):
    """The answer about a resignation."""

    action: Annotated[str, msgspec.Meta(extra_json_schema={"enum": ["none", *RESULT_NAMES]})]
    equity: float


_FaultWord = Literal["invalid_position_id", "invalid_request", "unsupported", "timeout", "internal"]


class _HintFault(TypedDict):
    code: _FaultWord
    message: str
    field: NotRequired[str]


class HintFailure(TypedDict):
    """The answer to a request that failed."""

    error: _HintFault


Asked = tuple[EngineQuestion[Any], Callable[[Any], Mapping[str, object]]]
"""A question, and what makes the body of the answer from its result."""


def describe_health() -> Health:
    """Return what ``health`` says."""
    return {
        "status": "ok",
        "engineName": NAME,
        "engineVersion": read_version(),
        "protocolVersion": "1",
    }


def answer_hint(session: Session, kind: str, document: object) -> Work:
    """Return the work of a request, whose reply is the body of the answer.

    Args:
        session: For its service and settings.
        kind: One of `KINDS`.
        document: The body.

    Raises:
        GammondError: The request is wrong.
    """
    try:
        request = convert(document, HintRequest)
    except msgspec.ValidationError as error:
        raise _explain(error) from error
    question, write = KINDS[kind](request, EvalSettings(PLIES, store=session.engine_settings.store))
    clock = session.service.clock
    deadline_s = clock() + TIME_S

    def make_watch(control: WorkControl) -> SearchWatch:
        return SearchWatch(lambda: control.is_cancelled() or clock() > deadline_s)

    def reply(found: object, _: Engine, __: WorkControl) -> Sequence[JsonReply]:
        return [JsonReply(write(found))]

    return make_work(session, question, reply, make_watch, deadline_s=deadline_s)


def make_error(error: Exception) -> tuple[int, HintFailure]:
    """Return the status and the body of the answer to a request that failed."""
    code, field, message = describe_error(error)
    status = 400
    word: _FaultWord = "invalid_request"
    if code == INTERNAL_ERROR:
        status, word = 500, "internal"
    elif isinstance(error, InvalidIdError):
        word = "invalid_position_id"
    elif isinstance(error, UnsupportedError):
        status, word = 501, "unsupported"
    elif isinstance(error, BusyError) or code == "stopped":
        status, word = 504, "timeout"
    return status, {"error": {"code": word, "message": message, "field": field}}


def _explain(fault: msgspec.ValidationError) -> FormatError:
    """Return an error that names the field."""
    message, place = split_fault(fault)
    quoted = message.partition("`")[2].partition("`")[0]
    field = place or (quoted if "missing required field" in message else "body")
    return FormatError(f"{message}{f' in {place}' if place else ''}", field=field)


def _ask_move(request: HintRequest, settings: EvalSettings) -> Asked:
    if request.dice is msgspec.UNSET:
        raise FormatError("expected two dice for a play, but they are missing", field="dice")
    position, match, roll = request.read_position(), request.make_match(request.seat), request.dice

    def write(ranked: RankedPlays) -> MoveHint:
        return {
            "moves": list_steps(ranked.best.play, request.active_player_color),
            "equity": round_value(ranked.best.evaluation.equity),
            "candidates": _list_candidates(ranked, request.active_player_color),
        }

    return Rank(position, match, settings, roll), write


def _ask_double(request: HintRequest, settings: EvalSettings) -> Asked:
    question = DecideCube(request.read_position(), request.make_match(request.seat), settings)

    def write(evaluation: Evaluation) -> DoubleHint:
        decision = evaluation.decision
        assert decision is not None  # the evaluation is cubeful and the game is not over
        return {"action": _name_action(decision), "equity": round_value(decision.best.equity)}

    return question, write


def _ask_take(request: HintRequest, settings: EvalSettings) -> Asked:
    taker = request.seat
    position, match = Position(swap_sides(request.read_position().board)), request.make_match(1 - taker)
    if not match.may_double(match.on_roll):
        raise StateError(
            "expected a cube that the opponent of activePlayerColor may turn: its value and owner are those "
            "before the double",
            field="cubeOwner",
        )

    def write(found: CubeAnswer) -> TakeHint:
        decision = found.decision
        assert decision is not None  # it is about a double
        assert decision.double_take is not None
        assert decision.double_pass is not None
        return {
            "action": RESPONSE_WORDS[found.response],
            "takeEquity": round_value(-decision.double_take.equity),
            "dropEquity": round_value(-decision.double_pass.equity),
        }

    return DecideTake(position, match, settings), write


def _ask_resign(request: HintRequest, settings: EvalSettings) -> Asked:
    question = Resign(request.read_position(), request.make_match(request.seat), settings)

    def write(found: Resignation) -> ResignHint:
        action = RESULT_NAMES[found.kind - 1] if found.kind else "none"
        return {"action": action, "equity": round_value(found.evaluation.equity)}

    return question, write


KINDS: Mapping[str, Callable[[HintRequest, EvalSettings], Asked]] = {
    "move": _ask_move,
    "double": _ask_double,
    "take": _ask_take,
    "resign": _ask_resign,
}
"""The requests with a body; each is checked before any work is done."""


def _name_action(decision: CubeDecision) -> _DoubleWord:
    if decision.doubling is DoublingAction.DOUBLE:
        return "redouble" if decision.is_redouble else "double"
    return "too-good" if decision.doubling is DoublingAction.TOO_GOOD else "no-double"


def _list_candidates(ranked: RankedPlays, color: Color) -> list[HintPlay]:
    """List the plays that were compared at the greatest depth, the best first."""
    candidates: list[HintPlay] = []
    best = ranked.best.evaluation.equity
    for rank, each in enumerate(ranked[:MAX_CANDIDATES], 1):
        if not each.survived:
            break
        outcome, equity = each.evaluation.outcome, each.evaluation.equity
        assert outcome is not None  # a search has it
        evaluation: _HintValues = {
            "win": round_value(outcome.win),
            "winGammon": round_value(outcome.win_g),
            "winBackgammon": round_value(outcome.win_bg),
            "loseGammon": round_value(outcome.lose_g),
            "loseBackgammon": round_value(outcome.lose_bg),
            "equity": round_value(outcome.equity),
            "cubefulEquity": round_value(equity),
        }
        candidates.append(
            {
                "moves": list_steps(each.play, color),
                "evaluation": evaluation,
                "equity": round_value(equity),
                "rank": rank,
                "difference": round_value(equity - best),
            }
        )
    return candidates


def list_steps(play: Play, color: Color) -> list[Step]:
    """Return the steps of a play.

    Args:
        play: The play.
        color: Whose it is.
    """
    steps: list[Step] = []
    for (source, target), is_hit in zip(play.moves, play.hits, strict=True):
        steps.append(
            {
                "from": 0 if source == BAR else source,
                "to": target,
                "moveKind": "reenter" if source == BAR else "bear-off" if target == OFF else "point-to-point",
                "isHit": is_hit,
                "player": color,
                "fromContainer": "bar" if source == BAR else "point",
                "toContainer": "off" if target == OFF else "point",
            }
        )
    return steps
