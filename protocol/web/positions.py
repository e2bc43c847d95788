"""Questions about positions: JSON queries of the line protocol, each alone in a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from engine.errors import FormatError, ValueRangeError
from engine.rules.rules import VARIANTS
from protocol.core.arguments import error_field
from protocol.core.kept_answers import EncodedAnswer
from protocol.core.requests import Work
from protocol.dialects.json_backgammon import answer_positions
from protocol.dialects.json_documents import quote_json
from protocol.dialects.json_fields import QUERIES
from protocol.dialects.json_query import GameQueries
from protocol.games import find_entry, load_part
from protocol.state.session import Session
from protocol.web.answers import WebAnswer, WebRequest
from protocol.web.bodies import check_names, decode_body
from protocol.web.plans import Question, strip_document

_LINE_FIELDS = frozenset(("id", "action", "terminate_id", "priority", "progress_every"))
"""Fields of queries that are for several of them on one connection."""

_POSITION_FIELDS = ("position", "positions", "variant", "net", "time_ms")
_SEARCH_FIELDS = (*_POSITION_FIELDS, "plies", "store")

EVALUATION_FIELDS = (*_SEARCH_FIELDS, "cubeful")
PLAY_FIELDS = (*_SEARCH_FIELDS, "cubeful", "dice", "filter", "max_moves", "candidates")
CUBE_FIELDS = _SEARCH_FIELDS
ROLLOUT_FIELDS = (*_POSITION_FIELDS, "dice", "rollout")
QUERY_FIELDS = tuple(name for name in QUERIES.names if name not in _LINE_FIELDS and name != "match_text")


@dataclass(frozen=True)
class PositionQuestion:
    """What an endpoint asks about positions: an `Ask`.

    Attributes:
        want: The parts of each result.
        names: The fields that its requests may have, those of JSON queries.
    """

    want: Sequence[str]
    names: Sequence[str]

    def __call__(self, session: Session, request: WebRequest) -> Question | WebAnswer:
        """Return the work for a request.

        Raises:
            GammondError: The request is wrong.
        """
        document = decode_body(request)
        check_names(document, self.names)
        check_backgammon(session, document)
        return plan_query(session, {**document, "want": self.want}, answer_positions)


def ask_query(session: Session, request: WebRequest) -> Question | WebAnswer:
    """Return the work for a request that is a JSON query about positions of any game: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    document = decode_body(request)
    answer = _find_queries(session, document)
    if answer is answer_positions:
        check_names(document, QUERY_FIELDS)
    elif name := next((each for each in document if each in _LINE_FIELDS), None):
        raise FormatError(f"expected a query of its own, got {name}: a request has one answer", field=name)
    return plan_query(session, document, answer)


ask_evaluate = PositionQuestion(("eval",), EVALUATION_FIELDS)
ask_plays = PositionQuestion(("moves",), PLAY_FIELDS)
ask_cube = PositionQuestion(("cube",), CUBE_FIELDS)
ask_rollout = PositionQuestion(("rollout",), ROLLOUT_FIELDS)


def plan_query(session: Session, document: dict[str, object], answer: GameQueries) -> Question | WebAnswer:
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
        return Question(found)
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
        queries: GameQueries = load_part(find_entry(variant).queries)
    return queries
