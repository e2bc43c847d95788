"""JSON lines: queries for one or many positions, in the style of KataGo's analysis engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
from protocol.arguments import SHOWN, blaming
from protocol.handlers.judging import check_plies
from protocol.replies import DECIMALS, error_parts, outcome_values
from protocol.requests import Answer, AnyReply, Control, JsonReply, Stop, Work
from protocol.session import Session

CHUNK = 256
"""Positions evaluated in one call; between two looks at stop flag and clock unless plays are ranked."""

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


EXPECTED: dict[str, str] = {
    "id": "a string of 1 to 256 characters or an integer",
    "action": '"query" or "terminate"',
    "terminate_id": "a string or an integer",
    "position": "a string",
    "positions": "an array of strings, one at least",
    "dice": "an array of two integers",
    "plies": "an integer 0..99",
    "net": "a string",
    "want": 'an array of "eval" and "moves", one at least',
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
    if (query.position is None) == (query.positions is None):
        came = "neither" if query.position is None else "both"
        raise ValueRangeError(f"expected either 'position' or 'positions', got {came}", field="positions")
    texts = query.positions if query.positions is not None else [query.position or ""]
    cap = session.service.limits.query_positions
    if len(texts) > cap:
        raise LimitError(f"a query has at most {cap} positions, not {len(texts)}", field="positions")
    check_plies(query.plies)
    service = session.service
    with blaming("net"):
        net = session.engine.net if query.net is None else service.check_judge(query.net)
    deadline_s = None if query.time_ms is None else service.clock() + query.time_ms / 1000

    def run(control: Control) -> Sequence[AnyReply]:
        budget = _Budget(control, service.clock, deadline_s, service.limits.query_plays)
        items = [_read(number, text, query) for number, text in enumerate(texts) if not budget.is_spent]
        judge = service.judge(net)
        judging = _Judging(judge, query, budget, head)
        if len(items) == len(texts):
            judging.run(items)
        results = [item.result for item in items[: judging.done]]
        document = {**head, "final": True, "plies": judge.plies, "net": judge.name, "results": results}
        return [JsonReply(document if judging.done == len(texts) else {**document, "stopped": True})]

    return Work(run, query.priority, id_key(query.id), lambda error: _error(head, error))


@dataclass
class _Budget:
    """What a query may take, from the moment at which it came.

    Attributes:
        control: Stops it.
        clock: Seconds.
        deadline_s: When its time is over, by that clock.
        plays: How many plays it may still judge.
    """

    control: Control
    clock: Callable[[], float]
    deadline_s: float | None
    plays: int

    @property
    def is_spent(self) -> bool:
        """Whether the query is stopped or out of time."""
        is_late = self.deadline_s is not None and self.clock() > self.deadline_s
        return self.control.is_stopped or is_late

    def take_plays(self, count: int) -> None:
        """Count judged plays.

        Raises:
            LimitError: They are too many.
        """
        self.plays -= count
        if self.plays < 0:
            raise LimitError(
                "the plays of all positions are too many for one query: send several", field="positions"
            )


@dataclass
class _Item:
    """One position of a query, and what was found out about it."""

    position: Position
    roll: Roll | None
    result: dict[str, object]


def _read(number: int, text: str, query: Query) -> _Item:
    name = "position" if query.positions is None else f"positions[{number}]"
    with blaming(name):
        position, match = read_position(text)
    roll = query.dice or (match.roll if match else None)
    if "moves" in query.want:
        if roll is None:
            raise StateError("'moves' needs 'dice', or a position that has them", field="dice")
        if position.is_over:
            raise StateError("'moves' needs a game that goes on", field=name)
    return _Item(position, roll, {"position": encode_position_id(position)})


@dataclass
class _Judging:
    """Judges the positions of a query in their order, as far as its budget goes.

    Attributes:
        judge: The evaluator.
        query: What is wanted.
        budget: What it may take.
        head: What each object of its answer begins with.
        done: Positions that are done.
    """

    judge: Evaluator
    query: Query
    budget: _Budget
    head: dict[str, object]
    done: int = 0

    def run(self, items: list[_Item]) -> None:
        """Fill in results until all are there or the budget is spent."""
        for start in range(0, len(items), CHUNK):
            if self.budget.is_spent:
                return
            chunk = items[start : start + CHUNK]
            if "eval" in self.query.want:
                self._evaluate(chunk)
            if "moves" not in self.query.want:
                self._count(len(chunk), len(items))
                continue
            for item in chunk:
                if self.budget.is_spent:
                    return
                self._rank(item)
                self._count(1, len(items))

    def _count(self, more: int, total: int) -> None:
        """Count positions that are done, and report them when it is time to."""
        before, self.done = self.done, self.done + more
        every = self.query.progress_every
        if every and self.done // every > before // every and self.done < total:
            progress = {**self.head, "final": False, "done": self.done, "total": total}
            self.budget.control.report(JsonReply(progress, is_final=False))

    def _evaluate(self, items: list[_Item]) -> None:
        outcomes = self.judge.evaluate(np.stack([item.position.board for item in items]))
        for item, row, equity in zip(items, outcomes, cubeless_equity(outcomes), strict=True):
            item.result["eval"] = _numbers(row, float(equity))

    def _rank(self, item: _Item) -> None:
        """Add the ranked plays, as text already: as objects they would take ten times the memory."""
        assert item.roll is not None
        ranked = rank_plays(self.judge, item.position, item.roll)
        self.budget.take_plays(len(ranked))
        moves = [
            {"play": format_play(each.play), **_numbers(np.array(each.outcome), each.equity)}
            for each in ranked[: self.query.max_moves]
        ]
        item.result["moves"] = msgspec.Raw(msgspec.json.encode(moves))


def _numbers(row: Outcomes, equity: float) -> dict[str, float]:
    values = outcome_values(Outcome(*map(float, row)), equity)
    return {name: round(float(value), DECIMALS) for name, value in values.items()}
