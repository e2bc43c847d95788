"""Endpoints of bgweb-api and of the Nodots engine protocol, whose clients work unchanged."""

from __future__ import annotations

import msgspec

from gammond.protocol.commands.readiness import ID_KERNELS
from gammond.protocol.core.requests import JsonReply
from gammond.protocol.dialects.bgweb import GetMoves, MovePlay, answer_get_moves, read_get_moves
from gammond.protocol.dialects.nodots import (
    DoubleHint,
    Health,
    HintRequest,
    MoveHint,
    ResignHint,
    TakeHint,
    answer_hint,
    describe_health,
    make_error,
)
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import BAD_REQUEST, JSON, WebAnswer, WebRequest, find_status, make_failure
from gammond.protocol.web.plans import ANY_MEDIA, API, SMALL_BODY_BYTES, Endpoint, WebTask, answer_query_of
from gammond.protocol.web.schemas import Operation, make_list

_NODOTS = "/nodots/v1"
_OPENING = "4HPwATDgc/ABMA"


def _ask_get_moves(session: Session, request: WebRequest) -> WebTask:
    work = answer_get_moves(session, read_get_moves(request.document))
    return answer_query_of(work, _make_moves_answer)


def _make_moves_answer(reply: JsonReply) -> WebAnswer:
    return WebAnswer(200, msgspec.json.encode(reply.document["moves"]) + b"\n")


def _fail_get_moves(error: Exception, status: int | None) -> WebAnswer:
    """Return the answer of an error; bgweb-api knows no other status for requests that are wrong."""
    status = find_status(error) if status is None else status
    return make_failure(error, BAD_REQUEST if status == 422 else status)


def _answer_health(_: Session, __: WebRequest) -> WebAnswer:
    return WebAnswer(200, msgspec.json.encode(describe_health()) + b"\n")


def _fail_hint(error: Exception, status: int | None) -> WebAnswer:
    own, document = make_error(error)
    return WebAnswer(own if status is None else status, msgspec.json.encode(document) + b"\n")


def _ask_hint(kind: str, summary: str, answer: str, content: type, description: str = "") -> Endpoint:
    """Return an endpoint of the Nodots protocol.

    Args:
        kind: One of `KINDS` of `gammond.protocol.dialects.nodots`.
        summary: What it does.
        answer: What the answer is.
        content: The type of that.
        description: What else there is to know.
    """

    def ask(session: Session, request: WebRequest) -> WebTask:
        return answer_query_of(answer_hint(session, kind, request.document))

    return Endpoint(
        *("POST", f"{_NODOTS}/{kind}", ask, (JSON,), SMALL_BODY_BYTES),
        takes_long=True,
        fail=_fail_hint,
        needs=ID_KERNELS,
        operation=Operation(
            name=f"nodots{kind.title()}",
            tag="dialects",
            summary=summary,
            description=description,
            body={"allOf": [HintRequest, {"required": ["dice"]}]} if kind == "move" else HintRequest,
            examples={"opening": _HINT},
            answer=answer,
            content={JSON: content},
            errors=(504,),
            error="HintError",
        ),
    )


_HINT = {
    "positionId": _OPENING,
    "positionIdConvention": "opponent-first",
    "dice": [3, 1],
    "activePlayerColor": "white",
    "activePlayerDirection": "clockwise",
    "cubeValue": 1,
    "cubeOwner": None,
    "matchScore": [0, 0],
    "matchLength": 0,
    "crawford": False,
    "jacoby": True,
    "beavers": False,
}
_CHECKERS = {"6": 5, "8": 3, "13": 5, "24": 2}

DIALECT_ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        *("POST", f"{API}/getmoves", _ask_get_moves, ANY_MEDIA, SMALL_BODY_BYTES),
        takes_long=True,
        allows_pages=True,
        fail=_fail_get_moves,
        operation=Operation(
            *("getMoves", "dialects", "Get the moves for a board and a roll, as bgweb-api does"),
            description="Each side's points are numbered from its own view. Fields that are unknown count "
            "for nothing, and bodies of any media type are read as JSON. Pages of other origins may use this "
            "endpoint if the server allows theirs.",
            body=GetMoves,
            examples={
                "smokeTest": {
                    "board": {"o": _CHECKERS, "x": _CHECKERS},
                    "cubeful": False,
                    "dice": [3, 1],
                    "max-moves": 3,
                    "player": "x",
                    "score-moves": True,
                }
            },
            answer="The plays, the best first.",
            content={JSON: make_list(MovePlay)},
            errors=(503,),
        ),
    ),
    Endpoint(
        *("GET", f"{_NODOTS}/health", _answer_health),
        fail=_fail_hint,
        operation=Operation(
            *("nodotsHealth", "dialects", "Name the engine, as the Nodots engine protocol has it"),
            answer="The engine.",
            content={JSON: Health},
            errors=(400,),
            error="HintError",
        ),
    ),
    _ask_hint(
        *("move", "Choose a play"),
        "The steps of the play, and the plays compared at the greatest depth.",
        MoveHint,
    ),
    _ask_hint(*("double", "Choose whether to double"), "The action of the player on roll.", DoubleHint),
    _ask_hint(
        *("take", "Choose the response to a double"),
        "The response, and the equities of the player who responds.",
        TakeHint,
        "The position is that of the player who responds; cube and owner are those before the double.",
    ),
    _ask_hint(
        *("resign", "Choose whether to resign"),
        "The resignation that costs no more than playing on.",
        ResignHint,
    ),
)
"""Their table."""
