"""JSON lines: queries for one or many positions, in the style of KataGo's analysis engine."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import msgspec
import numpy as np

from engine.dice import Roll, checked_roll
from engine.errors import FormatError, GammondError, LimitError, StateError, ValueRangeError
from engine.evaluator import Evaluator
from engine.formats.position_id import encode_position_id
from engine.formats.reading import read_position
from engine.notation import format_play
from engine.outcome import Outcome, Outcomes, cubeless_equity
from engine.position import Position
from engine.ranking import rank_plays
from protocol.handlers.judging import check_plies
from protocol.replies import DECIMALS, error_parts, outcome_values
from protocol.requests import Answer, AnyReply, Control, JsonReply, Stop, Work
from protocol.session import Session

CHUNK = 256
"""Positions evaluated in one call, and between two looks at the stop flag."""

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
    plies: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    net: str | None = None
    want: Annotated[tuple[Literal["eval", "moves"], ...], msgspec.Meta(min_length=1)] = ("eval",)
    max_moves: Annotated[int, msgspec.Meta(ge=1)] | None = None
    priority: Annotated[int, msgspec.Meta(ge=-100, le=100)] = 0
    progress_every: Annotated[int, msgspec.Meta(ge=1)] | None = None
    time_ms: Annotated[int, msgspec.Meta(ge=1, le=86_400_000)] | None = None


FIELDS: tuple[str, ...] = Query.__struct_fields__


def id_key(query_id: _Id) -> object:
    """Return the key under which the work of a query can be stopped."""
    return ("id", query_id)


def answer_query(session: Session, text: str) -> Answer:
    """Answer one line that begins with ``{``.

    Args:
        session: The client it came from.
        text: The line.

    Returns:
        The whole answer, or what is to be done for it. Errors are answers too: nothing is raised.
    """
    session.requests += 1
    head: dict[str, object] = {"id": None}
    try:
        document = _decoded(text)
        if isinstance(document.get("id"), str | int):
            head["id"] = document["id"]
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
        message, _, place = str(error).partition(" - at `$.")
        name = place.rstrip("`") or next((n for n in FIELDS if f"`{n}`" in message), "line")
        raise ValueRangeError(message, field=name) from error
    if query.dice is not None:
        checked_roll(*query.dice)
    return query


def _terminate(query: Query, head: dict[str, object]) -> Stop:
    target = query.id if query.terminate_id is None else query.terminate_id

    def answered(count: int) -> AnyReply:
        return JsonReply({**head, "action": "terminate", "final": True, "stopped": count})

    return Stop(id_key(target), answered)


def _evaluate(session: Session, query: Query, head: dict[str, object]) -> Work:
    if (query.position is None) == (query.positions is None):
        raise ValueRangeError("expected either 'position' or 'positions'", field="positions")
    texts = query.positions if query.positions is not None else [query.position or ""]
    cap = session.service.limits.query_positions
    if len(texts) > cap:
        raise LimitError(f"a query has at most {cap} positions, not {len(texts)}", field="positions")
    check_plies(query.plies)
    net = session.engine.net if query.net is None else session.service.check_judge(query.net)
    service = session.service

    def run(control: Control) -> Sequence[AnyReply]:
        items = [_read(number, text, query) for number, text in enumerate(texts)]
        return [_run(service.judge(net), query, items, control, head)]

    return Work(run, query.priority, id_key(query.id), lambda error: _error(head, error))


@dataclass
class _Item:
    """One position of a query, and what was found out about it."""

    position: Position
    roll: Roll | None
    result: dict[str, object] = field(default_factory=dict)


def _read(number: int, text: str, query: Query) -> _Item:
    name = "position" if query.positions is None else f"positions[{number}]"
    try:
        position, match = read_position(text)
    except GammondError as error:
        raise type(error)(error.message, field=name) from error
    roll = query.dice or (match.roll if match else None)
    if "moves" in query.want:
        if roll is None:
            raise StateError("'moves' needs 'dice', or a position that has them", field="dice")
        if position.is_over:
            raise StateError("'moves' needs a game that goes on", field=name)
    return _Item(position, roll, {"position": encode_position_id(position)})


def _run(
    judge: Evaluator, query: Query, items: list[_Item], control: Control, head: dict[str, object]
) -> JsonReply:
    deadline = None if query.time_ms is None else time.monotonic() + query.time_ms / 1000
    every = query.progress_every
    done = 0
    while done < len(items):
        if done and (control.is_stopped or (deadline is not None and time.monotonic() > deadline)):
            break
        count = min(CHUNK, len(items) - done)
        _judge_chunk(judge, query, items[done : done + count])
        if every and (done + count) // every > done // every and done + count < len(items):
            progress = {**head, "final": False, "done": done + count, "total": len(items)}
            control.report(JsonReply(progress, is_final=False))
        done += count
    results = [item.result for item in items[:done]]
    document = {**head, "final": True, "plies": judge.plies, "net": judge.name, "results": results}
    return JsonReply(document if done == len(items) else {**document, "stopped": True})


def _judge_chunk(judge: Evaluator, query: Query, items: list[_Item]) -> None:
    if "eval" in query.want:
        outcomes = judge.evaluate(np.stack([item.position.board for item in items]))
        for item, row, equity in zip(items, outcomes, cubeless_equity(outcomes), strict=True):
            item.result["eval"] = _numbers(row, float(equity))
    if "moves" in query.want:
        for item in items:
            if item.roll is not None:
                item.result["moves"] = _ranked(judge, item.position, item.roll, query.max_moves)


def _ranked(judge: Evaluator, position: Position, roll: Roll, limit: int | None) -> list[dict[str, object]]:
    return [
        {"play": format_play(ranked.play), **_numbers(np.array(ranked.outcome), ranked.equity)}
        for ranked in rank_plays(judge, position, roll)[:limit]
    ]


def _numbers(row: Outcomes, equity: float) -> dict[str, float]:
    values = outcome_values(Outcome(*map(float, row)), equity)
    return {name: round(float(value), DECIMALS) for name, value in values.items()}
