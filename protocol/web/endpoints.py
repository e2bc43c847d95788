"""The table of endpoints: paths, what they take, and what answers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import msgspec

from protocol.core.limits import ClientLimits
from protocol.core.requests import AnyReply, JsonReply
from protocol.dialects.bgweb import answer_get_moves, read_get_moves
from protocol.dialects.nodots import KINDS, answer_hint, describe_health, make_error
from protocol.state.session import Session
from protocol.web.answers import BAD_REQUEST, JSON, WebAnswer, WebRequest, find_status, make_failure
from protocol.web.bodies import decode_body, read_parameters
from protocol.web.plans import ANY_MEDIA, Endpoint, NamedAsk, Question

API = "/api/v1"
NODOTS = "/nodots/v1"
YAML = "application/yaml"

MAX_BODY_BYTES = ClientLimits.line_bytes
"""The longest JSON body, but that with the text of a match: as long as a line of the line protocol."""

MATCH_MEDIA = (JSON, "application/octet-stream", "text/plain")
"""The media types of requests with a match: an object with its text, or the bytes of a file of any format."""

MAX_MATCH_BYTES = 4_000_000
"""The longest match file, or object with its text; a long analysed match has some 2 MB."""

_SMALL_BODY_BYTES = 16 * 1024
"""The longest body of dialects, whose requests are for one position."""

_DESCRIPTION_FILE = Path(__file__).with_name("openapi.yaml")


@cache
def read_description() -> bytes:
    """Read the OpenAPI file of all endpoints."""
    return _DESCRIPTION_FILE.read_bytes()


def _answer_description(_: Session, request: WebRequest) -> WebAnswer:
    read_parameters(request, {})
    return WebAnswer(200, read_description(), YAML)


def _ask_get_moves(session: Session, request: WebRequest) -> Question:
    return Question(answer_get_moves(session, read_get_moves(decode_body(request))), _make_moves_answer)


def _make_moves_answer(replies: Sequence[AnyReply]) -> WebAnswer:
    moves = cast("JsonReply", replies[-1]).document["moves"]
    return WebAnswer(200, msgspec.json.encode(moves) + b"\n")


def _fail_get_moves(error: Exception, status: int | None) -> WebAnswer:
    """Return the answer of an error; bgweb-api knows no other status for requests that are wrong."""
    status = find_status(error) if status is None else status
    return make_failure(error, BAD_REQUEST if status == 422 else status)


def _answer_health(_: Session, request: WebRequest) -> WebAnswer:
    read_parameters(request, {})
    return WebAnswer(200, msgspec.json.encode(describe_health()) + b"\n")


@dataclass(frozen=True)
class _HintQuestion:
    """What an endpoint of the Nodots protocol does with requests of a kind: an `Ask`."""

    kind: str

    def __call__(self, session: Session, request: WebRequest) -> Question:
        return Question(answer_hint(session, self.kind, decode_body(request)))


def _fail_hint(error: Exception, status: int | None) -> WebAnswer:
    own, document = make_error(error)
    return WebAnswer(own if status is None else status, msgspec.json.encode(document) + b"\n")


def _ask_positions(name: str) -> NamedAsk:
    return NamedAsk(f"protocol.web.positions:ask_{name}")


def _ask_matches(name: str) -> NamedAsk:
    return NamedAsk(f"protocol.web.matches:ask_{name}")


ENDPOINTS: tuple[Endpoint, ...] = (
    *(
        Endpoint(
            *("POST", f"{API}/{name}", _ask_positions(name), (JSON,), MAX_BODY_BYTES),
            takes_long=True,
            allows_pages=True,
        )
        for name in ("evaluate", "plays", "cube", "rollout", "query")
    ),
    *(
        Endpoint("POST", f"{API}/{name}", _ask_matches(name), MATCH_MEDIA, MAX_MATCH_BYTES, takes_long=True)
        for name in ("analyse", "convert")
    ),
    Endpoint("GET", f"{API}/kept", NamedAsk("protocol.web.kept:ask_kept")),
    Endpoint("GET", f"{API}/openapi.yaml", _answer_description),
    Endpoint(
        *("POST", f"{API}/getmoves", _ask_get_moves, ANY_MEDIA, _SMALL_BODY_BYTES),
        takes_long=True,
        allows_pages=True,
        fail=_fail_get_moves,
    ),
    Endpoint("GET", f"{NODOTS}/health", _answer_health, fail=_fail_hint),
    *(
        Endpoint(
            *("POST", f"{NODOTS}/{kind}", _HintQuestion(kind), (JSON,), _SMALL_BODY_BYTES),
            takes_long=True,
            fail=_fail_hint,
        )
        for kind in KINDS
    ),
)
"""All of them; paths that a server answers by itself (the page, ``/healthz``) are not among them."""
