"""JSON lines: queries for one or many positions, in the style of KataGo's analysis engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Literal

import msgspec

from engine.dice import checked_roll
from engine.errors import FormatError, GammondError, LimitError, StateError, ValueRangeError
from engine.formats.position_id import encode_position_id
from engine.formats.reading import read_position
from engine.levels import Depth
from engine.match import MatchState
from engine.search import FILTERS, MAX_PLIES
from engine.search.filters import DEFAULT_FILTER
from protocol.arguments import SHOWN, blaming
from protocol.json_judging import Budget, Item, QueryJudging, Wanted
from protocol.offers import check_cube
from protocol.replies import error_parts
from protocol.requests import Answer, AnyReply, Control, JsonReply, Stop, Work
from protocol.session import Session

QUICK_POSITIONS = 64
"""A query for more positions is long work at any depth."""

_Id = str | int


class Query(msgspec.Struct, kw_only=True):
    """The fields of a query object; docs/protocol.md explains each.

    Raises:
        msgspec.ValidationError: On conversion, when a field has another type or range.
    """

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] | int
    action: Literal["query", "terminate"] = "query"
    terminate_id: _Id | None = None
    position: str | None = None
    positions: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    dice: tuple[int, int] | None = None
    plies: Annotated[int, msgspec.Meta(ge=0, le=MAX_PLIES)] = 0
    filter: str = DEFAULT_FILTER
    cubeful: bool = True
    net: str | None = None
    want: Annotated[tuple[Literal["eval", "moves", "cube"], ...], msgspec.Meta(min_length=1)] = ("eval",)
    max_moves: Annotated[int, msgspec.Meta(ge=1)] | None = None
    priority: Annotated[int, msgspec.Meta(ge=-100, le=100)] = 0
    progress_every: Annotated[int, msgspec.Meta(ge=1)] | None = None
    time_ms: Annotated[int, msgspec.Meta(ge=1, le=86_400_000)] | None = None


FIELDS: tuple[str, ...] = Query.__struct_fields__


EXPECTED: dict[str, str] = {
    "id": "a string of 1 to 256 characters or an integer",
    "action": '"query" or "terminate"',
    "terminate_id": "a string or an integer",
    "position": "a string",
    "positions": "an array of strings, one at least",
    "dice": "an array of two integers",
    "plies": f"an integer 0..{MAX_PLIES}",
    "filter": f"one of {', '.join(FILTERS)}",
    "cubeful": "true or false",
    "net": "a string",
    "want": 'an array of "eval", "moves" and "cube", one at least',
    "max_moves": "an integer from 1",
    "priority": "an integer -100..100",
    "progress_every": "an integer from 1",
    "time_ms": "an integer 1..86400000",
}
"""What each field may be, as messages say it."""


def id_key(query_id: _Id) -> object:
    """Return the key under which the work of a query can be stopped."""
    return ("id", query_id)


def answer_query(
    session: Session, text: str, is_in_use: Callable[[object], bool] = lambda key: False
) -> Answer:
    """Answer one line that begins with ``{``.

    Args:
        session: The client it came from.
        text: The line.
        is_in_use: Tells whether a key is that of unfinished work.

    Returns:
        The whole answer, or what is to be done for it. Errors are answers too: nothing is raised.
    """
    session.requests += 1
    head: dict[str, object] = {"id": None}
    try:
        document = _decoded(text)
        head["id"] = _answer_id(document, is_in_use)
        _check_id_is_free(document, is_in_use)
        query = _converted(document)
        unknown = sorted(set(document) - set(FIELDS))
        if unknown:
            head["warnings"] = [f"unknown field {name!r}" for name in unknown]
        if query.action == "terminate":
            return _terminate(query, head)
        return _evaluate(session, query, head)
    except Exception as error:
        session.errors += 1
        return [_error(head, error)]


def refuse_query(
    session: Session, text: str, is_in_use: Callable[[object], bool], error: GammondError
) -> Answer:
    """Answer one line that begins with ``{`` with an error, whatever it asks for.

    Args:
        session: The client it came from.
        text: The line.
        is_in_use: Tells whether a key is that of unfinished work.
        error: Why it is refused.
    """
    session.requests += 1
    session.errors += 1
    query_id: _Id | None = None
    with suppress(FormatError):
        query_id = _answer_id(_decoded(text), is_in_use)
    return [_error({"id": query_id}, error)]


def _answer_id(document: dict[str, object], is_in_use: Callable[[object], bool]) -> _Id | None:
    """Return the id that an error can carry: none while an unfinished query has it."""
    found = document.get("id")
    return found if isinstance(found, str | int) and not is_in_use(id_key(found)) else None


def _check_id_is_free(document: dict[str, object], is_in_use: Callable[[object], bool]) -> None:
    """Refuse an id in use, except that `terminate` may name the query by it."""
    found = document.get("id")
    names_query = document.get("action") == "terminate" and document.get("terminate_id") is None
    if isinstance(found, str | int) and is_in_use(id_key(found)) and not names_query:
        raise ValueRangeError(
            f"{_shown(found)} is the id of an unfinished query: choose another or wait for its answer",
            field="id",
        )


def _error(head: dict[str, object], error: Exception) -> JsonReply:
    code, name, message = error_parts(error)
    return JsonReply({**head, "final": True, "error": {"code": code, "field": name, "message": message}})


def _decoded(text: str) -> dict[str, object]:
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise FormatError(f"expected a JSON object on one line: {error}", field="line") from error
    if not isinstance(document, dict):
        raise FormatError("expected a JSON object on one line", field="line")
    return document


def _converted(document: dict[str, object]) -> Query:
    try:
        query = msgspec.convert(document, Query)
    except msgspec.ValidationError as error:
        raise _misfit(document, str(error)) from error
    if query.dice is not None:
        checked_roll(*query.dice)
    return query


def _misfit(document: dict[str, object], fault: str) -> ValueRangeError:
    """Say which field does not fit, from what msgspec says: ``... - at `$.want[0]` ``."""
    message, _, place = fault.partition(" - at `$.")
    name, _, index = place.rstrip("`]").partition("[")
    name = name or next((n for n in FIELDS if f"`{n}`" in message), "line")
    expected = EXPECTED.get(name, "a query")
    positions = document.get("positions")
    if name == "positions" and isinstance(positions, list) and index.isdigit():
        got = _shown(positions[int(index)])
        return ValueRangeError(f"expected a string, got {got}", field=f"positions[{index}]")
    got = _shown(document[name]) if name in document else "none"
    return ValueRangeError(f"expected {expected}, got {got}", field=name)


def _shown(value: object) -> str:
    """Write a value as JSON for a message, no more of it than a message shows."""
    return msgspec.json.encode(value).decode("utf-8")[:SHOWN]


def _terminate(query: Query, head: dict[str, object]) -> Stop:
    target = query.id if query.terminate_id is None else query.terminate_id

    def answered(count: int) -> AnyReply:
        return JsonReply({**head, "id": query.id, "action": "terminate", "final": True, "stopped": count})

    return Stop(id_key(target), answered)


def _evaluate(session: Session, query: Query, head: dict[str, object]) -> Work:
    texts = _texts(query, session.service.limits.query_positions)
    depth = _depth(query)
    service, engine = session.service, session.engine
    with blaming("net"):
        net = engine.net if query.net is None else service.check_judge(query.net)
    find_analyst = partial(service.analyst, net, engine.threads)
    deadline_s = None if query.time_ms is None else service.clock() + query.time_ms / 1000
    wanted = Wanted(query.want, depth, query.max_moves, query.progress_every)

    def run(control: Control) -> Sequence[AnyReply]:
        budget = Budget(control, service.clock, deadline_s, service.limits.query_plays)
        items = [_read(number, text, query) for number, text in enumerate(texts) if not budget.is_spent()]
        analyst = find_analyst()
        judging = QueryJudging(analyst, wanted, budget, head)
        if len(items) == len(texts):
            judging.run(items)
        results = [item.result for item in items[: judging.done]]
        about = {"plies": analyst.evaluator.plies + depth.plies, "net": analyst.name}
        is_cut = judging.is_cut or judging.done < len(texts)
        document = {**head, "final": True, **about, "results": results}
        return [JsonReply({**document, "stopped": True} if is_cut else document)]

    return Work(
        run,
        query.priority,
        id_key(query.id),
        lambda error: _error(head, error),
        is_long=depth.plies > 0 or len(texts) > QUICK_POSITIONS,
        deadline_s=deadline_s,
    )


def _texts(query: Query, cap: int) -> list[str]:
    """Return the positions of a query as they were sent.

    Raises:
        ValueRangeError: There are none, or they stand in two fields.
        LimitError: They are more than the cap.
    """
    if (query.position is None) == (query.positions is None):
        came = "neither" if query.position is None else "both"
        raise ValueRangeError(f"expected either 'position' or 'positions', got {came}", field="positions")
    texts = query.positions if query.positions is not None else [query.position or ""]
    if len(texts) > cap:
        raise LimitError(f"a query has at most {cap} positions, not {len(texts)}", field="positions")
    return texts


def _depth(query: Query) -> Depth:
    """Return how deep a query is answered.

    Raises:
        ValueRangeError: No filter has this name, or the cube is asked for and is not to count.
    """
    with blaming("filter"):
        depth = Depth(query.plies, query.filter, query.cubeful)
    if "cube" in query.want and not depth.is_cubeful:
        raise ValueRangeError("'cube' in 'want' needs the cube: expected true, got false", field="cubeful")
    return depth


def _read(number: int, text: str, query: Query) -> Item:
    name = "position" if query.positions is None else f"positions[{number}]"
    with blaming(name):
        position, match = read_position(text)
        match = match or MatchState()
        check_cube(match)
    roll = query.dice or match.roll
    if "moves" in query.want and roll is None:
        raise StateError("'moves' needs 'dice', or a position that has them", field="dice")
    if position.is_over and {"moves", "cube"} & set(query.want):
        raise StateError("'moves' and 'cube' need a game that goes on", field=name)
    return Item(position, match.before_roll(), roll, name, {"position": encode_position_id(position)})
