"""The table of endpoints: paths, what they take, what answers them, and what the description says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Annotated, NotRequired, TypedDict

from msgspec import Meta

from gammond.engine.options import Field, TrueKey
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.dialects.json_fields import QUERIES, KeptAnswer, QueryAnswer
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import JSON, WebAnswer, WebRequest
from gammond.protocol.web.dialect_endpoints import DIALECT_ENDPOINTS
from gammond.protocol.web.plans import API, Endpoint, WebTask
from gammond.protocol.web.schemas import (
    ANALYSIS_PLIES,
    REPORT,
    TARGET,
    TEXT,
    Operation,
    Schema,
    make_list,
    make_object,
    name_schema,
    refer,
    require,
    say,
    select_fields,
)

YAML = "application/yaml"

MAX_BODY_BYTES = ClientLimits.line_bytes
"""The longest JSON body, but that with the text of a match: as long as a line of the line protocol."""

MATCH_MEDIA = (JSON, "application/octet-stream", "text/plain")
"""The media types of requests with a match: an object with its text, or the bytes of a file of any format."""

MAX_MATCH_BYTES = 4_000_000
"""The longest match file, or object with its text; a long analysed match has some 2 MB."""

_EITHER_POSITION = {"oneOf": [{"required": ["position"]}, {"required": ["positions"]}]}
_OPENING = "4HPwATDgc/ABMA"
_RACE = "2M7IATDgdw8GAA"
_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
_MATCH_TEXT = " 1 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5    65: 24/18 18/13\n"


def _import_questions() -> None:
    from gammond.protocol.web import matches, positions  # noqa: F401


_QUESTIONS = Readiness(_import_questions)
"""The modules that answer questions about positions and matches; a server starts without them."""


def _ask_positions(name: str, want: Sequence[str], fields: Sequence[str], operation: Operation) -> Endpoint:
    """Return an endpoint for questions about positions.

    Args:
        name: The last part of its path.
        want: The parts of its results.
        fields: What it takes beside the positions.
        operation: What is said of it.
    """

    def ask(session: Session, request: WebRequest) -> WebTask | WebAnswer:
        from gammond.protocol.web.positions import ask_positions

        return ask_positions(want, session, request)

    return Endpoint(
        *("POST", f"{API}/{name}", ask, (JSON,), MAX_BODY_BYTES),
        fields=select_fields("position", "positions", "variant", "net", "time_ms", *fields),
        takes_long=True,
        allows_pages=True,
        needs=_QUESTIONS,
        operation=replace(operation, content={JSON: _describe_results(*want)}, body=_EITHER_POSITION),
    )


def _describe_results(*parts: str) -> Schema:
    """Return the schema of the answer of a query whose results have some parts."""
    return {"allOf": [QueryAnswer, {"properties": {"results": {"items": require("position", *parts)}}}]}


def _ask_query(session: Session, request: WebRequest) -> WebTask | WebAnswer:
    from gammond.protocol.web.positions import ask_query

    return ask_query(session, request)


def _ask_kept(session: Session, request: WebRequest) -> WebTask:
    from gammond.protocol.web.positions import ask_kept

    return ask_kept(session, request)


def _ask_analyse(session: Session, request: WebRequest) -> WebTask:
    from gammond.protocol.web.matches import ask_analyse

    return ask_analyse(session, request)


def _ask_convert(session: Session, request: WebRequest) -> WebTask:
    from gammond.protocol.web.matches import ask_convert

    return ask_convert(session, request)


def _describe_analyses() -> type:
    from gammond.protocol.web.matches import MatchAnalyses

    return MatchAnalyses


def _describe_conversion() -> type:
    from gammond.protocol.web.matches import Conversion

    return Conversion


_ANALYSIS_SETTINGS = {
    "plies": ANALYSIS_PLIES,
    **{name: QUERIES.scalars[name] for name in ("deeper", "filter", "net", "store", "max_moves", "time_ms")},
}

ENDPOINTS: tuple[Endpoint, ...] = (
    _ask_positions(
        *("evaluate", ("eval",), ("plies", "store", "cubeful")),
        Operation(
            *("evaluate", "positions", "Evaluate positions"),
            answer="The evaluations, in the order of the positions.",
            examples={
                "opening": {"position": _OPENING},
                "deeper": {"positions": [_OPENING, _XGID], "plies": 1},
            },
        ),
    ),
    _ask_positions(
        *("plays", ("moves",)),
        ("plies", "store", "cubeful", "dice", "filter", "max_moves", "candidates"),
        Operation(
            *("rankPlays", "positions", "Rank the plays of a roll"),
            answer="The plays of each position, the best first.",
            examples={
                "opening": {"position": _OPENING, "dice": [3, 1], "max_moves": 2},
                "diceOfThePosition": {"position": _XGID, "plies": 2, "max_moves": 3},
            },
        ),
    ),
    _ask_positions(
        *("cube", ("cube",), ("plies", "store")),
        Operation(
            *("analyseCube", "positions", "Analyse the cube decision before the roll"),
            answer="The decision of the player on roll, the response to a double, and the equities.",
            examples={"race": {"position": _RACE, "plies": 1}},
        ),
    ),
    _ask_positions(
        *("rollout", ("rollout",), ("dice", "rollout")),
        Operation(
            *("rollOut", "positions", "Roll out plays, a position or its cube decision"),
            answer="Equities with their standard errors.",
            examples={
                "twoPlays": {
                    "position": _OPENING,
                    "dice": [3, 1],
                    "rollout": {"trials": 36, "truncate": 5, "play": ["8/5 6/5", "24/20"]},
                }
            },
        ),
    ),
    Endpoint(
        *("POST", f"{API}/query", _ask_query, (JSON,), MAX_BODY_BYTES),
        needs=_QUESTIONS,
        takes_long=True,
        allows_pages=True,
        operation=Operation(
            *("query", "positions", "Ask a JSON query about positions of any game"),
            description="The body is a JSON query of the line protocol without `id`, `action`, "
            "`terminate_id`, `priority` and `progress_every`: several parts at once, and those that have no "
            "endpoint of their own (`legal`, `resign`, `matrix`). Queries about Barca have the fields that "
            "Barca has there: `bestmove` is the move of `player`, a level (`easy`, `medium`, `hard`) or "
            "another player by name.",
            body={
                **make_object(
                    {},
                    {
                        "position": refer("Position"),
                        "positions": refer("Positions"),
                        "variant": say(TEXT, "The game, one of the values of `game.variant`."),
                        "want": {**make_list(TEXT), "minItems": 1},
                        "time_ms": refer("TimeMs"),
                    },
                ),
                **_EITHER_POSITION,
            },
            examples={
                "matrix": {"position": _RACE, "want": ["resign", "matrix"], "away": 3},
                "barca": {"variant": "barca", "position": "startpos", "want": ["legal"]},
                "move": {
                    "variant": "barca",
                    "position": "startpos",
                    "played": ["e2-e5"],
                    "want": ["bestmove"],
                    "player": "easy",
                },
            },
            answer="The answer of the query without `id` and `final`.",
            content={JSON: require("results")},
        ),
    ),
    Endpoint(
        *("GET", f"{API}/kept", _ask_kept),
        needs=_QUESTIONS,
        parameters={
            name: QUERIES.scalars.get(name, Field(name, str))
            for name in ("position", "variant", "net", "cubeful", "filter", "max_moves", "dice")
        },
        operation=Operation(
            *("findKept", "positions", "Show what the store of analyses has of a position"),
            description="Nothing is searched. With `dice` the plays, without them the evaluation and the "
            "cube decision.",
            required=("position",),
            described={
                **{name: refer(name_schema(name)) for name in ("position", "variant")},
                "dice": {**TEXT, "pattern": "^[1-6][1-6]$", "description": "The dice as two digits."},
            },
            examples={"opening": {"position": _OPENING, "dice": "31"}},
            answer="The depths that are kept, and the values of the deepest; no results where nothing is "
            "kept.",
            content={
                JSON: KeptAnswer,
            },
        ),
    ),
    Endpoint(
        *("POST", f"{API}/analyse", _ask_analyse, MATCH_MEDIA, MAX_MATCH_BYTES),
        needs=_QUESTIONS,
        parameters={**_ANALYSIS_SETTINGS, "report": REPORT},
        fields={
            **select_fields("match_text"),
            **_ANALYSIS_SETTINGS,
            "rollout": {
                "description": "Whether and how decisions that are close or wrong are rolled out.",
                "allOf": [refer("RolloutArguments")],
            },
            "report": REPORT,
        },
        takes_long=True,
        operation=Operation(
            *("analyse", "matches", "Analyse the matches of a file"),
            description="Every play, cube decision, resignation and roll is analysed, as `gammond analyse` "
            "does it. The body is a match file of any format, recognised by its content, or an object with "
            "the text of one. In an object the other fields may be there too; a field is given once.",
            body={"required": ["match_text"]},
            examples={"text": {"match_text": _MATCH_TEXT, "plies": 1, "max_moves": 1}},
            answer="A result for each match that was finished, as `gammond analyse --format json` writes it; "
            "or with `report=html` the page of the one match of the file, with `report=sgf` or `report=ogxm` "
            "the match with its analysis.",
            content={
                JSON: _describe_analyses,
                "text/html": {},
                "application/x-go-sgf": {},
                "application/octet-stream": {},
            },
        ),
    ),
    Endpoint(
        *("POST", f"{API}/convert", _ask_convert, MATCH_MEDIA, MAX_MATCH_BYTES),
        needs=_QUESTIONS,
        parameters={"to": TARGET},
        fields={**select_fields("match_text"), "to": TARGET},
        takes_long=True,
        operation=Operation(
            *("convert", "matches", "Write the match of a file in another format"),
            body={"required": ["match_text"]},
            examples={"toSgf": {"match_text": _MATCH_TEXT, "to": "json"}},
            answer="The match; as `json` all matches of the file, with every action, or the positions of a "
            "file that has no match.",
            headers={"X-Left-Out": {"description": "What the format has no place for.", "schema": TEXT}},
            content={
                JSON: _describe_conversion,
                "text/plain": {},
                "text/html": {},
                "application/x-go-sgf": {},
                "application/octet-stream": {},
            },
        ),
    ),
    *DIALECT_ENDPOINTS,
)
"""What every server has; paths that it answers by itself are in `REPORTS`."""


class _Compiling(TypedDict):
    done: Annotated[int, Meta(ge=0, description="Kernels that are compiled.")]
    elapsed_s: Annotated[int, Meta(ge=0, description="Seconds since it began.")]


class ServerHealth(TypedDict):
    """What the server says of itself."""

    ok: TrueKey
    version: str
    uptime_s: Annotated[float, Meta(ge=0)]
    compiling: NotRequired[
        Annotated[
            _Compiling,
            Meta(description="How far compiling is, while kernels are compiled on their first use."),
        ]
    ]


REPORTS = {
    "/healthz": Operation(
        *("health", "server", "Say that the server is up"),
        answer="It is.",
        content={
            JSON: ServerHealth,
        },
        errors=(),
    ),
    "/metrics": Operation(
        *("metrics", "server", "List figures of the server as Prometheus reads them"),
        answer="Lines of text.",
        content={"text/plain": {}},
        errors=(),
    ),
}
"""What the server tells about itself, by path."""


def add_description(endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """Return some endpoints with one more, that of the OpenAPI file of them all."""

    @cache
    def answer() -> WebAnswer:
        from gammond.protocol.web.openapi import describe, write

        return WebAnswer(200, write(describe(described, REPORTS)), YAML)

    own = Endpoint(
        *("GET", f"{API}/openapi.yaml", lambda *_: answer()),
        needs=Readiness(answer),
        operation=Operation(
            *("describe", "server", "This file", "This file."), content={YAML: {}}, errors=(422,)
        ),
    )
    described = (*endpoints, own)
    return described
