"""Questions about positions: JSON queries alone in a request, and what the store has of a position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from gammond.engine.errors import FormatError, PositionError, ValueRangeError
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import VARIANTS
from gammond.engine.search import MAX_PLIES
from gammond.protocol.core.requests import AnyReply, JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_analysis import QueryAnalysis, make_final_reply
from gammond.protocol.dialects.json_backgammon import answer_positions
from gammond.protocol.dialects.json_fields import QUERIES, Query, find_net, read_query
from gammond.protocol.dialects.json_query import GameQueries, find_queries
from gammond.protocol.state.offers import check_cube_owner
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import WebAnswer, WebRequest
from gammond.protocol.web.plans import WebTask, answer_query_of, check_names, strip_document

_LINE_FIELDS = frozenset(("id", "action", "terminate_id", "priority", "progress_every"))
"""Fields of queries that are for several of them on one connection."""

QUERY_NAMES = tuple(name for name in QUERIES.names if name not in _LINE_FIELDS and name != "match_text")


def ask_positions(want: Sequence[str], session: Session, request: WebRequest) -> WebTask | WebAnswer:
    """Return the work for a request about positions of backgammon: with the first argument, an `Ask`.

    Args:
        want: The parts of each result.
        session: A session of its own.
        request: The request.

    Raises:
        GammondError: The request is wrong.
    """
    queries = check_backgammon(session, request.document)
    return plan_query(session, {**request.document, "want": want}, queries)


def ask_query(session: Session, request: WebRequest) -> WebTask | WebAnswer:
    """Return the work for a request that is a JSON query about positions of any game: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    document = {**request.document}
    queries = find_queries(session, document)
    if queries.answer is answer_positions:
        check_names(document, QUERY_NAMES)
    elif name := next((each for each in document if each in _LINE_FIELDS), None):
        raise FormatError(f"expected a query of its own, got {name}: a request has one answer", field=name)
    return plan_query(session, document, queries)


def plan_query(session: Session, document: dict[str, object], queries: GameQueries) -> WebTask | WebAnswer:
    """Return the work of a query, or its answer.

    Args:
        session: A session of its own.
        document: The query, without what tells queries of one connection apart.
        queries: The part of a game that answers it.

    Raises:
        GammondError: The query is wrong.
    """
    found = queries.answer(session, {"id": 0, **document}, {"id": 0})
    if isinstance(found, Work):
        return answer_query_of(found)
    kept = msgspec.json.decode(found, type=dict[str, msgspec.Raw])
    return WebAnswer(200, msgspec.json.encode(strip_document(kept)) + b"\n")


def check_backgammon(session: Session, document: Mapping[str, object]) -> GameQueries:
    """Check that a question is about a variant of backgammon; return what answers its queries.

    Raises:
        GammondError: It is about another game, or there is no such variant.
    """
    queries = find_queries(session, document)
    if queries.answer is not answer_positions:
        raise ValueRangeError(
            f"expected one of {'|'.join(VARIANTS)} for variant, got {document['variant']}: /api/v1/query "
            "answers for other games",
            field="variant",
        )
    return queries


def ask_kept(session: Session, request: WebRequest) -> WebTask:
    """Return the work of looking a position up: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    values = {**request.values}
    if "position" not in values:
        raise FormatError("expected a position, but it is missing", field="position")
    check_backgammon(session, values)
    if "dice" in values:
        values["dice"] = _read_dice(values["dice"])
    want = ["moves"] if "dice" in values else ["eval", "cube"]
    if not values.get("cubeful", True):
        want = want[:1]
    head: dict[str, object] = {"id": 0}
    query = read_query({**values, "id": 0, "want": want, "store": "on", "plies": MAX_PLIES}, head)
    net = find_net(query, session)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        return [_look_up(session, net, query, control)]

    return answer_query_of(Work(run, is_long=True))


def _read_dice(text: str) -> list[int]:
    """Return the dice of a text such as ``31``; their numbers are checked with the query."""
    if len(text) != 2 or not (text.isascii() and text.isdigit()):
        raise FormatError(f"expected two digits for dice, such as 31, got {text[:10]!r}", field="dice")
    return [int(digit) for digit in text]


def _look_up(session: Session, net: str, query: Query, control: WorkControl) -> JsonReply:
    """Return the depths that are kept, and what the deepest found: nothing is searched."""
    service = session.service
    engine = service.get_engine(net, session.engine_settings.threads).with_rules(query.rules)
    parsed = parse_positions(query.texts, check_cube_owner, query.rules.variant)
    for error in parsed.errors.values():
        raise error.with_field("position")
    position, match = Position.from_valid_board(parsed.boards[0]), parsed.matches[0]
    if position.is_over:
        raise PositionError("the game is over: nothing is kept of it", field="position")
    depths = engine.list_kept_depths(position, match, query.settings, query.dice)
    head: dict[str, object] = {"id": 0, "depths": depths}
    if not depths:
        return JsonReply({**head, "final": True, "net": engine.name, "results": []})
    deepest = msgspec.structs.replace(query, plies=depths[-1])
    analysis = QueryAnalysis(
        engine, service, session.engine_settings, deepest, head, control, None, parsed=parsed
    )
    return make_final_reply(head, engine, deepest.settings, analysis.run())
