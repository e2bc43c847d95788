"""Questions about positions: JSON queries of the line protocol, each alone in a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.rules.rules import VARIANTS
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.kept_answers import EncodedAnswer
from gammond.protocol.core.requests import Work
from gammond.protocol.dialects.json_backgammon import answer_positions
from gammond.protocol.dialects.json_documents import quote_json
from gammond.protocol.dialects.json_fields import QUERIES
from gammond.protocol.dialects.json_query import GameQueries
from gammond.protocol.games import find_entry
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import WebAnswer, WebRequest
from gammond.protocol.web.plans import WebJob, check_names, strip_document

_LINE_FIELDS = frozenset(("id", "action", "terminate_id", "priority", "progress_every"))
"""Fields of queries that are for several of them on one connection."""

QUERY_NAMES = tuple(name for name in QUERIES.names if name not in _LINE_FIELDS and name != "match_text")


def ask_positions(want: Sequence[str], session: Session, request: WebRequest) -> WebJob | WebAnswer:
    """Return the work for a request about positions of backgammon: with the first argument, an `Ask`.

    Args:
        want: The parts of each result.
        session: A session of its own.
        request: The request.

    Raises:
        GammondError: The request is wrong.
    """
    check_backgammon(session, request.document)
    return plan_query(session, {**request.document, "want": want}, answer_positions)


def ask_query(session: Session, request: WebRequest) -> WebJob | WebAnswer:
    """Return the work for a request that is a JSON query about positions of any game: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    document = {**request.document}
    answer = _find_queries(session, document)
    if answer is answer_positions:
        check_names(document, QUERY_NAMES)
    elif name := next((each for each in document if each in _LINE_FIELDS), None):
        raise FormatError(f"expected a query of its own, got {name}: a request has one answer", field=name)
    return plan_query(session, document, answer)


def plan_query(session: Session, document: dict[str, object], answer: GameQueries) -> WebJob | WebAnswer:
    """Return the work of a query, or its answer.

    Args:
        session: A session of its own.
        document: The query, without what tells queries of one connection apart.
        answer: The part of a game that answers it.

    Raises:
        GammondError: The query is wrong.
    """
    found = answer(session, {"id": 0, **document}, {"id": 0})
    if isinstance(found, Work):
        return WebJob(found)
    assert isinstance(found, EncodedAnswer)
    kept = msgspec.json.decode(found.data, type=dict[str, msgspec.Raw])
    return WebAnswer(200, msgspec.json.encode(strip_document(kept)) + b"\n")


def check_backgammon(session: Session, document: Mapping[str, object]) -> None:
    """Check that a question is about a variant of backgammon.

    Raises:
        GammondError: It is about another game, or there is no such variant.
    """
    if _find_queries(session, document) is not answer_positions:
        raise ValueRangeError(
            f"expected one of {'|'.join(VARIANTS)} for variant, got {document['variant']}: /api/v1/query "
            "answers for other games",
            field="variant",
        )


def _find_queries(session: Session, document: Mapping[str, object]) -> GameQueries:
    """Return what answers queries of the variant that a document names.

    Raises:
        GammondError: There is no such variant.
    """
    variant = document.get("variant", session.game.rules.variant.name)
    if not isinstance(variant, str):
        raise FormatError(f"expected a string for variant, got {quote_json(variant)}", field="variant")
    with error_field("variant"):
        queries: GameQueries = find_entry(variant).load_queries()
    return queries
