"""The Nodots engine protocol, version 1: plays, cube actions and resignations as JSON.

*Source:* SPEC.md of nodots/backgammon-engine-protocol. Its position IDs begin with the opponent's checkers
unless a request says ``on-roll-first``: so do those of GNU Backgammon, although SPEC.md says otherwise; the
conformance vectors of both orders and gnubg 1.07 agree in that. White is seat 0. ``matchLength`` 0 and 1 are
money play. The numbers that a request for a double may get beyond its equity are left out: the specification
does not define them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeDecision, CubeResponse, DoublingAction, choose_resignation
from engine.errors import (
    FormatError,
    GammondError,
    PositionError,
    StateError,
    UnsupportedError,
    ValueRangeError,
)
from engine.formats.position_id import decode_position_id
from engine.options import convert
from engine.rules.match import MAX_CUBE, MAX_MATCH_LENGTH, RESULT_NAMES, MatchState
from engine.rules.moves import Play
from engine.rules.position import BAR, OFF, Position, swap_sides
from engine.runtime.version import NAME, read_version
from engine.search import SearchWatch
from engine.search.results import PlayEvaluation, RankedPlays
from protocol.core.errors import INTERNAL_ERROR, BusyError
from protocol.core.replies import describe_error, round_value
from protocol.core.requests import JsonReply, Work, WorkControl
from protocol.state.offers import check_cube_owner
from protocol.state.session import Session

VERSION = "1"

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

    position_id: str
    position_id_convention: Literal["on-roll-first", "opponent-first"] = "opponent-first"
    dice: tuple[_Die, _Die] | msgspec.UnsetType = msgspec.UNSET
    active_player_color: Color
    active_player_direction: Literal["clockwise", "counterclockwise"]
    cube_value: Annotated[int, msgspec.Meta(ge=1, le=MAX_CUBE)]
    cube_owner: Color | None
    match_score: tuple[_Points, _Points]
    match_length: _Points
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

Answer = Callable[[Engine, SearchWatch], dict[str, object]]


def describe_health() -> dict[str, str]:
    """Return what ``health`` says."""
    return {
        "status": "ok",
        "engineName": NAME,
        "engineVersion": read_version(),
        "protocolVersion": VERSION,
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
        raise _explain(str(error)) from error
    answer = KINDS[kind](request, EvalSettings(PLIES, store=session.engine_settings.store))
    load_engine, service = session.make_engine_loader(), session.service
    deadline_s = service.clock() + TIME_S

    def run(control: WorkControl) -> Sequence[JsonReply]:
        watch = SearchWatch(lambda: control.is_cancelled() or service.clock() > deadline_s)
        return [JsonReply(answer(load_engine(), watch))]

    return Work(run, is_long=True, deadline_s=deadline_s)


def make_error(error: Exception) -> tuple[int, dict[str, object]]:
    """Return the status and the body of the answer to a request that failed."""
    code, field, message = describe_error(error)
    status, word = 400, "invalid_request"
    if code == INTERNAL_ERROR:
        status, word = 500, "internal"
    elif isinstance(error, InvalidIdError):
        word = "invalid_position_id"
    elif isinstance(error, UnsupportedError):
        status, word = 501, "unsupported"
    elif isinstance(error, BusyError) or code == "stopped":
        status, word = 504, "timeout"
    return status, {"error": {"code": word, "message": message, "field": field}}


def _explain(fault: str) -> FormatError:
    """Return an error that names the field, from what msgspec says."""
    message, _, place = fault.partition(" - at `$")
    place = place.strip(".`")
    quoted = message.partition("`")[2].partition("`")[0]
    field = place or (quoted if "missing required field" in message else "body")
    return FormatError(f"{message}{f' in {place}' if place else ''}", field=field)


def _read_move(request: HintRequest, settings: EvalSettings) -> Answer:
    if request.dice is msgspec.UNSET:
        raise FormatError("expected two dice for a play, but they are missing", field="dice")
    position, match, roll = request.read_position(), request.make_match(request.seat), request.dice

    def answer(engine: Engine, watch: SearchWatch) -> dict[str, object]:
        ranked = engine.rank_plays(position, roll, match, settings, watch)
        return {
            "moves": list_steps(ranked.best.play, request.active_player_color),
            "equity": round_value(_get_equity(ranked.best)),
            "candidates": _list_candidates(ranked, request.active_player_color),
        }

    return answer


def _read_double(request: HintRequest, settings: EvalSettings) -> Answer:
    position, match = request.read_position(), request.make_match(request.seat)

    def answer(engine: Engine, watch: SearchWatch) -> dict[str, object]:
        decision = engine.evaluate(position, match, settings, watch).decision
        assert decision is not None  # the evaluation is cubeful and the game is not over
        return {"action": _name_action(decision), "equity": round_value(decision.best.equity_points)}

    return answer


def _read_take(request: HintRequest, settings: EvalSettings) -> Answer:
    taker = request.seat
    position, match = Position(swap_sides(request.read_position().board)), request.make_match(1 - taker)
    if not match.may_double(match.on_roll):
        raise StateError(
            "expected a cube that the opponent of activePlayerColor may turn: its value and owner are those "
            "before the double",
            field="cubeOwner",
        )

    def answer(engine: Engine, watch: SearchWatch) -> dict[str, object]:
        decision = engine.evaluate(position, match, settings, watch).decision
        assert decision is not None
        assert decision.response is not None  # the other seat may double
        assert decision.double_take is not None
        assert decision.double_pass is not None
        return {
            "action": _RESPONSES[decision.response],
            "takeEquity": round_value(-decision.double_take.equity_points),
            "dropEquity": round_value(-decision.double_pass.equity_points),
        }

    return answer


def _read_resign(request: HintRequest, settings: EvalSettings) -> Answer:
    position, match = request.read_position(), request.make_match(request.seat)

    def answer(engine: Engine, watch: SearchWatch) -> dict[str, object]:
        found = engine.evaluate(position, match, settings, watch)
        kind = choose_resignation(found.mwc_or_equity, engine.make_cube_game(match))
        assert found.cubeful is not None
        return {"action": RESULT_NAMES[kind - 1] if kind else "none", "equity": round_value(found.cubeful)}

    return answer


KINDS: Mapping[str, Callable[[HintRequest, EvalSettings], Answer]] = {
    "move": _read_move,
    "double": _read_double,
    "take": _read_take,
    "resign": _read_resign,
}
"""The requests with a body; each is checked before any work is done."""

_RESPONSES = {CubeResponse.TAKE: "take", CubeResponse.PASS: "drop", CubeResponse.BEAVER: "beaver"}


def _name_action(decision: CubeDecision) -> str:
    if decision.doubling is DoublingAction.DOUBLE:
        return "redouble" if decision.is_redouble else "double"
    return "too-good" if decision.doubling is DoublingAction.TOO_GOOD else "no-double"


def _get_equity(evaluation: PlayEvaluation) -> float:
    assert evaluation.cubeful is not None  # settings are cubeful
    return evaluation.cubeful


def _list_candidates(ranked: RankedPlays, color: str) -> list[dict[str, object]]:
    """List the plays that were compared at the greatest depth, the best first."""
    candidates: list[dict[str, object]] = []
    best = _get_equity(ranked.best)
    for rank, each in enumerate(ranked.plays[:MAX_CANDIDATES], 1):
        if not each.survived:
            break
        outcome, equity = each.outcome, _get_equity(each)
        evaluation = {
            "win": outcome.win,
            "winGammon": outcome.win_g,
            "winBackgammon": outcome.win_bg,
            "loseGammon": outcome.lose_g,
            "loseBackgammon": outcome.lose_bg,
            "equity": each.equity,
            "cubefulEquity": equity,
        }
        candidates.append(
            {
                "moves": list_steps(each.play, color),
                "evaluation": {name: round_value(value) for name, value in evaluation.items()},
                "equity": round_value(equity),
                "rank": rank,
                "difference": round_value(equity - best),
            }
        )
    return candidates


def list_steps(play: Play, color: str) -> list[dict[str, object]]:
    """Return the steps of a play: points of who makes it, 0 for the bar and for off.

    Args:
        play: The play.
        color: Whose it is.
    """
    steps: list[dict[str, object]] = []
    for (source, target), is_hit in zip(play.moves, play.hits, strict=True):
        kind = "reenter" if source == BAR else "bear-off" if target == OFF else "point-to-point"
        steps.append(
            {
                "from": 0 if source == BAR else source,
                "to": target,
                "moveKind": kind,
                "isHit": is_hit,
                "player": color,
                "fromContainer": "bar" if source == BAR else "point",
                "toContainer": "off" if target == OFF else "point",
            }
        )
    return steps
