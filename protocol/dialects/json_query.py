"""JSON lines: queries for one or many positions, in the style of KataGo's analysis engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Annotated, Literal

import msgspec

from engine.analysis.levels import EvalSettings
from engine.errors import FormatError, GammondError, LimitError, StateError, ValueRangeError
from engine.formats.position_id import encode_position_id
from engine.formats.position_text import parse_position
from engine.options import MAX_QUOTED_CHARS, Bounds, Field, convert
from engine.rules.dice import validate_roll
from engine.rules.match import MatchState
from engine.search import FILTERS, MAX_PLIES
from engine.search.filters import DEFAULT_FILTER
from protocol.commands.evaluation import MAX_SHORT_PLAYS
from protocol.core.arguments import error_field
from protocol.core.replies import describe_error
from protocol.core.requests import (
    Answer,
    AnyReply,
    BatchItem,
    JsonReply,
    StopRequest,
    Work,
    WorkControl,
)
from protocol.dialects.json_analysis import (
    EvaluationQueries,
    QueryAnalysis,
    QueryBudget,
    QueryOptions,
    QueryPosition,
    TextQuery,
    estimate_play_count,
    make_final_reply,
)
from protocol.state.offers import check_cube_owner
from protocol.state.session import Session

MAX_QUICK_POSITIONS = 64
"""A query for more positions is long work at any depth."""

_Id = str | int


SCALAR_FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("action", str, choices=("query", "terminate")),
        Field("position", str),
        Field("plies", int, Bounds(0, MAX_PLIES)),
        Field("filter", str, choices=tuple(FILTERS)),
        Field("cubeful", bool),
        Field("net", str),
        Field("max_moves", int, Bounds(1)),
        Field("priority", int, Bounds(-100, 100)),
        Field("progress_every", int, Bounds(1)),
        Field("time_ms", int, Bounds(1, 86_400_000)),
    )
}
LIST_FIELDS: dict[str, str] = {
    "id": "a string of 1 to 256 characters or a whole number",
    "terminate_id": "a string or a whole number",
    "positions": "a list of one or more strings",
    "dice": "a list of two whole numbers",
    "want": 'a list of one or more of "eval", "moves" and "cube"',
}
"""The values of ids and lists, as messages name them."""


class Query(msgspec.Struct, kw_only=True):
    """The fields of a query object, explained in docs/reference/protocol.md; `SCALAR_FIELDS` has bounds.

    Raises:
        msgspec.ValidationError: On conversion, when a field has another type.
    """

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] | int
    action: str = "query"
    terminate_id: _Id | None = None
    position: str | None = None
    positions: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    dice: tuple[int, int] | None = None
    plies: int = 0
    filter: str = DEFAULT_FILTER
    cubeful: bool = True
    net: str | None = None
    want: Annotated[tuple[Literal["eval", "moves", "cube"], ...], msgspec.Meta(min_length=1)] = ("eval",)
    max_moves: int | None = None
    priority: int = 0
    progress_every: int | None = None
    time_ms: int | None = None


_QUERY_DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(Query)}
QUERY_FIELDS: tuple[str, ...] = tuple(_QUERY_DEFAULTS)


def make_id_key(query_id: _Id) -> object:
    """Return the key under which the work of a query can be stopped."""
    return ("id", query_id)


def answer_query(
    session: Session, text: str, is_in_use: Callable[[object], bool] = lambda key: False
) -> Answer:
    """Answer one line that begins with ``{``.

    Args:
        session: The client it came from.
        text: The line.
        is_in_use: Returns whether a key is that of unfinished work.

    Returns:
        The whole answer, or what is to be done for it. Errors are answers too: nothing is raised.
    """
    session.request_count += 1
    head: dict[str, object] = {"id": None}
    try:
        document = _decode_object(text)
        head["id"] = _find_reply_id(document, is_in_use)
        _check_id_is_free(document, is_in_use)
        query = _convert_query(document)
        unknown = sorted(set(document) - set(QUERY_FIELDS))
        if unknown:
            head["warnings"] = [f"unknown field {name!r}" for name in unknown]
        if query.action == "terminate":
            return _terminate(query, head)
        return _evaluate(session, query, head)
    except Exception as error:
        session.error_count += 1
        return [_make_error_reply(head, error)]


def refuse_query(
    session: Session, text: str, is_in_use: Callable[[object], bool], error: GammondError
) -> Answer:
    """Answer one line that begins with ``{`` with an error, whatever it asks for.

    Args:
        session: The client it came from.
        text: The line.
        is_in_use: Returns whether a key is that of unfinished work.
        error: Why it is refused.
    """
    session.request_count += 1
    session.error_count += 1
    query_id: _Id | None = None
    with suppress(FormatError):
        query_id = _find_reply_id(_decode_object(text), is_in_use)
    return [_make_error_reply({"id": query_id}, error)]


def _find_reply_id(document: dict[str, object], is_in_use: Callable[[object], bool]) -> _Id | None:
    """Return the id that an error can carry: none while an unfinished query has it."""
    found = document.get("id")
    return found if isinstance(found, str | int) and not is_in_use(make_id_key(found)) else None


def _check_id_is_free(document: dict[str, object], is_in_use: Callable[[object], bool]) -> None:
    """Refuse an id in use, except that `terminate` may name the query by it."""
    found = document.get("id")
    names_query = document.get("action") == "terminate" and document.get("terminate_id") is None
    if isinstance(found, str | int) and is_in_use(make_id_key(found)) and not names_query:
        raise ValueRangeError(
            f"{_quote_json(found)} is the id of an unfinished query: choose another or wait for its answer",
            field="id",
        )


def _make_error_reply(head: dict[str, object], error: Exception) -> JsonReply:
    code, name, message = describe_error(error)
    return JsonReply({**head, "final": True, "error": {"code": code, "field": name, "message": message}})


def _decode_object(text: str) -> dict[str, object]:
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise FormatError(f"expected a JSON object on one line: {error}", field="line") from error
    if not isinstance(document, dict):
        raise FormatError("expected a JSON object on one line", field="line")
    return document


def _convert_query(document: dict[str, object]) -> Query:
    for name, field in SCALAR_FIELDS.items():
        if name in document and not (document[name] is None and _QUERY_DEFAULTS[name] is None):
            field.check(document[name])
    try:
        query = convert(document, Query)
    except msgspec.ValidationError as error:
        raise _explain_validation_error(document, str(error)) from error
    if query.dice is not None:
        validate_roll(*query.dice)
    return query


def _explain_validation_error(document: dict[str, object], fault: str) -> FormatError:
    """Return an error that names the field, from what msgspec says: ``... - at `$.want[0]` ``."""
    message, _, place = fault.partition(" - at `$.")
    name, _, index = place.rstrip("`]").partition("[")
    name = name or next((n for n in QUERY_FIELDS if f"`{n}`" in message), "line")
    expected = LIST_FIELDS.get(name, "a query")
    positions = document.get("positions")
    if name == "positions" and isinstance(positions, list) and index.isdigit():
        name = f"positions[{index}]"
        return FormatError(
            f"expected a string for {name}, got {_quote_json(positions[int(index)])}", field=name
        )
    got = _quote_json(document[name]) if name in document else "none"
    return FormatError(f"expected {expected} for {name}, got {got}", field=name)


def _quote_json(value: object) -> str:
    """Write a value as JSON for a message, no more of it than a message shows."""
    return msgspec.json.encode(value).decode("utf-8")[:MAX_QUOTED_CHARS]


def _terminate(query: Query, head: dict[str, object]) -> StopRequest:
    target = query.id if query.terminate_id is None else query.terminate_id

    def answered(count: int) -> AnyReply:
        return JsonReply({**head, "id": query.id, "action": "terminate", "final": True, "stopped": count})

    return StopRequest(make_id_key(target), answered)


def _evaluate(session: Session, query: Query, head: dict[str, object]) -> Work:
    texts = _list_position_texts(query, session.service.limits.query_positions)
    depth = _make_eval_settings(query)
    service, engine = session.service, session.engine_settings
    with error_field("net"):
        net = engine.net if query.net is None else service.check_evaluator_name(query.net)
    load_engine = partial(service.get_engine, net, engine.threads)
    deadline_s = None if query.time_ms is None else service.clock() + query.time_ms / 1000
    wanted = QueryOptions(query.want, depth, query.max_moves, query.progress_every)
    texts_only = TextQuery(head, texts, query.positions is not None)
    plays = 0
    if "moves" in wanted.analyses:
        plays = min(estimate_play_count(texts, query.dice), service.limits.query_plays)
    is_evaluation = wanted.analyses == ("eval",) and depth.plies == 0

    def run(control: WorkControl) -> Sequence[AnyReply]:
        budget = QueryBudget(control, service.clock, deadline_s, service.limits.query_plays)
        loaded = load_engine()
        analysis = QueryAnalysis(loaded, wanted, budget, head)
        if is_evaluation:
            with service.time_evaluation(loaded) if len(texts) == 1 else nullcontext():
                results = analysis.evaluate_texts(texts_only)
        else:
            items = [
                _read_query_position(text, texts_only.name_position(number), query)
                for number, text in enumerate(texts)
                if not budget.is_spent()
            ]
            if len(items) == len(texts):
                analysis.run(items)
            results = [item.result for item in items[: analysis.done_count]]
        is_cut = analysis.is_partial or analysis.done_count < len(texts)
        return [make_final_reply(head, loaded, depth, results, is_cut=is_cut)]

    quick = service.find_quick_engine(net, engine.threads)
    is_batched = is_evaluation and len(texts) <= MAX_QUICK_POSITIONS and deadline_s is None
    item = None
    if quick is not None and is_batched and query.progress_every is None and query.priority == 0:
        item = BatchItem(EvaluationQueries(quick, depth), texts_only)
    return Work(
        run,
        query.priority,
        make_id_key(query.id),
        lambda error: _make_error_reply(head, error),
        is_long=depth.plies > 0 or len(texts) > MAX_QUICK_POSITIONS or plays > MAX_SHORT_PLAYS,
        deadline_s=deadline_s,
        is_quick=item is not None,
        batch_item=item,
        size=len(texts),
        answer_bytes=wanted.estimate_bytes(len(texts), plays),
    )


def _list_position_texts(query: Query, cap: int) -> list[str]:
    """Return the positions of a query as they were sent.

    Raises:
        ValueRangeError: There are none, or two fields have them.
        LimitError: They are more than the cap.
    """
    if (query.position is None) == (query.positions is None):
        came = "neither" if query.position is None else "both"
        raise ValueRangeError(f"expected either 'position' or 'positions', got {came}", field="positions")
    texts = query.positions if query.positions is not None else [query.position or ""]
    if len(texts) > cap:
        raise LimitError(
            f"expected at most {cap} positions, got {len(texts)}: send several queries", field="positions"
        )
    return texts


def _make_eval_settings(query: Query) -> EvalSettings:
    """Return the evaluation settings of a query.

    Raises:
        ValueRangeError: No filter has this name, or the cube is asked for and is not to count.
    """
    with error_field("filter"):
        depth = EvalSettings(query.plies, query.filter, query.cubeful)
    if "cube" in query.want and not depth.is_cubeful:
        raise ValueRangeError("expected true for cubeful with 'cube' in 'want', got false", field="cubeful")
    return depth


def _read_query_position(text: str, name: str, query: Query) -> QueryPosition:
    with error_field(name):
        position, match = parse_position(text)
        match = match or MatchState()
        check_cube_owner(match)
    roll = query.dice or match.roll
    if "moves" in query.want and roll is None:
        raise StateError("no dice: 'moves' needs 'dice', or a position with dice", field="dice")
    if position.is_over and {"moves", "cube"} & set(query.want):
        raise StateError("the game is over: 'moves' and 'cube' need an unfinished game", field=name)
    return QueryPosition(
        position, match.before_roll(), roll, name, {"position": encode_position_id(position)}
    )
