"""JSON queries, whatever game they are about: objects decoded, their fields read, ids, errors."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from gammond.engine.errors import FormatError, LimitError, ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, Field, convert, did_you_mean, list_fields
from gammond.protocol.core.limits import MAX_MOVETIME_MS
from gammond.protocol.core.replies import describe_error
from gammond.protocol.core.requests import JsonReply
from gammond.protocol.state.service import Service

QueryId = str | int

MAX_FIELDS = 256
"""Fields of one object; those that there are number some 30."""

MAX_TEXTS = 16_384
"""Texts in one object, the names of its fields among them."""

_ANY_BYTES = 8 * 1024
"""How much of an object may be anything: some 2 ms at worst, of numbers with many digits."""

_ID_VALUES = "a string of 1 to 256 characters or a whole number"

MAX_WANTS = 32
"""Parts of an answer that may be asked for; there are fewer."""

_MAX_WARNINGS = 8
"""Unknown fields that are named."""


_FIELDS_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_PLAIN_DECODER = msgspec.json.Decoder(str | list[str | int | bool | None])


def decode_object(text: str) -> dict[str, object]:
    """Decode a line that begins with ``{``, as `decode_fields` does.

    Raises:
        FormatError: It is no JSON object.
        LimitError: It has too many fields or texts.
    """
    try:
        return decode_fields(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise FormatError(f"expected a JSON object on one line: {error}", field="line") from error


def decode_fields(data: str | bytes) -> dict[str, object]:
    """Decode a JSON object in a time that its length alone bounds: half a megabyte takes 2 ms.

    Returns:
        The fields. A long value that is neither a text nor a list of texts and the like is left as it was
        written, a `msgspec.Raw`: no field takes one, and as objects it can take a hundred times as long.

    Raises:
        FormatError: It is no object.
        LimitError: It has too many fields or texts.
        msgspec.DecodeError: It is no JSON.
        RecursionError: It is too deep.
    """
    is_short = len(data) <= _ANY_BYTES
    document: object = msgspec.json.decode(data) if is_short else _find_fields(data)
    if not isinstance(document, dict):
        raise FormatError("expected a JSON object, got another value", field="line")
    if len(document) > MAX_FIELDS:
        raise LimitError(f"expected at most {MAX_FIELDS} fields, got {len(document):,}", field="line")
    return document if is_short else _decode_values(document)


def _find_fields(data: str | bytes) -> dict[str, msgspec.Raw] | None:
    """Return the fields of an object as they were written; None for another value."""
    if (data.count('"') if isinstance(data, str) else data.count(b'"')) > 2 * MAX_TEXTS:
        raise LimitError(f"expected at most {MAX_TEXTS:,} texts in an object, got more", field="line")
    with suppress(msgspec.ValidationError):
        return _FIELDS_DECODER.decode(data)
    return None


def _decode_values(fields: dict[str, msgspec.Raw]) -> dict[str, object]:
    values: dict[str, object] = {}
    left = _ANY_BYTES
    for name, raw in fields.items():
        text = bytes(raw)
        values[name] = raw
        if len(text) <= left:
            left -= len(text)
            values[name] = msgspec.json.decode(text)
        elif text.startswith(b'"') or text.count(b",") <= MAX_TEXTS:
            with suppress(msgspec.ValidationError):
                values[name] = _PLAIN_DECODER.decode(text)
    return values


def quote_json(value: object) -> str:
    """Write a value as JSON for a message, no more of it than a message shows."""
    return msgspec.json.encode(value).decode("utf-8")[:MAX_QUOTED_CHARS]


def split_fault(fault: msgspec.ValidationError) -> tuple[str, str]:
    """Return what is wrong with a value, and where, from what msgspec says: ``... - at `$.want[0]` ``."""
    message, _, place = str(fault).partition(" - at `$")
    return message, place.strip(".`")


def make_id_key(query_id: QueryId) -> object:
    """Return the key under which the work of a query can be stopped."""
    return ("id", query_id)


def make_query_error(head: dict[str, object], error: Exception) -> JsonReply:
    """Return the final line for a query that failed.

    Args:
        head: What every line of its answer begins with.
        error: What was raised.
    """
    code, name, message = describe_error(error)
    return JsonReply({**head, "final": True, "error": {"code": code, "field": name, "message": message}})


_Milliseconds = Annotated[
    int,
    Meta(
        ge=1,
        le=MAX_MOVETIME_MS,
        description="answer within this many milliseconds, with what there is by then",
    ),
]


class PositionQuery(msgspec.Struct, kw_only=True):
    """The fields that queries of all games have.

    Raises:
        msgspec.ValidationError: On conversion, when a field has another type.
    """

    id: Annotated[str, Meta(min_length=1, max_length=256)] | int
    action: Literal["query", "terminate"] = "query"
    variant: str | None = None
    position: str | None = None
    positions: Annotated[list[str], Meta(min_length=1)] | None = None
    priority: Annotated[int, Meta(ge=-100, le=100)] = 0
    time_ms: _Milliseconds | None = None

    @property
    def texts(self) -> list[str]:
        """The positions, as they were sent."""
        return [self.position or ""] if self.positions is None else self.positions

    def name_position(self, place: int) -> str:
        """Return what errors call a position."""
        return "position" if self.positions is None else f"positions[{place}]"


def find_deadline(query: PositionQuery, service: Service) -> float | None:
    """Return when a query that came now is to be answered, by the clock of the service; None for never."""
    return None if query.time_ms is None else service.clock() + query.time_ms / 1000


_SHARED_LISTS = {"id": _ID_VALUES, "positions": "a list of one or more strings"}

QueryT = TypeVar("QueryT", bound=PositionQuery)


@dataclass(frozen=True)
class QueryReader(Generic[QueryT]):
    """Reads the queries of a game.

    Args:
        kind: Their struct.
        own_lists: The values of its fields that are no numbers, switches or texts, as messages name them.
        hints: What is said of names that other requests or games have, in brackets.
        place: Where a field is unknown, in warnings; empty for the first game.
    """

    kind: type[QueryT]
    own_lists: Mapping[str, str]
    hints: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    @cached_property
    def scalars(self) -> dict[str, Field]:
        """All numbers, switches and texts, by name, with their bounds and defaults."""
        return {each.name: each for each in list_fields(self.kind, *self.lists)}

    @cached_property
    def lists(self) -> dict[str, str]:
        """The values of ids and lists, as messages name them."""
        return {**_SHARED_LISTS, **self.own_lists}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all fields."""
        return tuple(self._defaults)

    @cached_property
    def _defaults(self) -> dict[str, object]:
        return {each.name: each.default for each in msgspec.structs.fields(self.kind)}

    def read(self, document: dict[str, object], head: dict[str, object]) -> QueryT:
        """Convert an object into a query, and warn of fields that queries do not have.

        Args:
            document: The object.
            head: What every line of the answer begins with; gets the warnings.

        Raises:
            FormatError: A field has another type, or there is no id.
            ValueRangeError: A value is out of range.
        """
        for name, scalar in self.scalars.items():
            if name in document and not (document[name] is None and self._defaults[name] is None):
                _check_field(scalar, document[name])
        try:
            query = convert(document, self.kind)
        except msgspec.ValidationError as error:
            raise self._explain(document, error) from error
        unknown = sorted(set(document) - set(self.names))
        if unknown:
            warnings = [self._warn_of(name) for name in unknown[:_MAX_WARNINGS]]
            if len(unknown) > _MAX_WARNINGS:
                warnings.append(f"{len(unknown) - _MAX_WARNINGS} more unknown fields")
            head["warnings"] = warnings
        return query

    def _warn_of(self, name: str) -> str:
        """Return what is said of a field that queries do not have, with the one that may be meant."""
        hint = f" ({self.hints[name]})" if name in self.hints else did_you_mean(name, self.names)
        return f"unknown field {name[:MAX_QUOTED_CHARS]!r}{self.place}{hint}"

    def _explain(self, document: dict[str, object], fault: msgspec.ValidationError) -> FormatError:
        """Return an error that names the field."""
        message, place = split_fault(fault)
        name, _, index = place.rstrip("]").partition("[")
        name = name or next((each for each in self.names if f"`{each}`" in message), "line")
        expected = self.lists.get(name, "a query")
        positions = document.get("positions")
        if name == "positions" and isinstance(positions, list) and index.isdigit():
            name = f"positions[{index}]"
            return FormatError(
                f"expected a string for {name}, got {quote_json(positions[int(index)])}", field=name
            )
        came = f"got {quote_json(document[name])}" if name in document else "but it is missing"
        return FormatError(f"expected {expected} for {name}, {came}", field=name)


def check_position_count(query: PositionQuery, cap: int) -> None:
    """Check that one field has positions, and no more than the cap.

    Raises:
        ValueRangeError: Neither or both have.
        LimitError: There are too many.
    """
    if (query.position is None) == (query.positions is None):
        came = "neither" if query.position is None else "both"
        raise ValueRangeError(f"expected either 'position' or 'positions', got {came}", field="positions")
    if len(query.texts) > cap:
        raise LimitError(
            f"expected at most {cap} positions, got {len(query.texts)}: send several queries",
            field="positions",
        )


def _check_field(scalar: Field, value: object) -> None:
    """Check a value by its field; the error shows a value of another type as JSON."""
    try:
        scalar.check(value)
    except FormatError as error:
        if isinstance(value, str):
            raise
        what = "a string" if scalar.kind == "string" else scalar.expected
        raise FormatError(
            f"expected {what} for {scalar.name}, got {quote_json(value)}", field=scalar.name
        ) from error
