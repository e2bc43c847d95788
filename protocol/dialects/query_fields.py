"""What JSON queries of all games share: fields of their own, how they are read, and their errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Generic, TypeVar

import msgspec

from gammond.engine.errors import FormatError, LimitError, ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, Bounds, Field, convert, did_you_mean
from gammond.protocol.core.limits import MAX_MOVETIME_MS
from gammond.protocol.dialects.json_documents import quote_json

_ID_VALUES = "a string of 1 to 256 characters or a whole number"

MAX_WANTS = 32
"""Parts of an answer that may be asked for; there are fewer."""

_MAX_WARNINGS = 8
"""Unknown fields that are named."""


class PositionQuery(msgspec.Struct, kw_only=True):
    """The fields that queries of all games have.

    Raises:
        msgspec.ValidationError: On conversion, when a field has another type.
    """

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] | int
    action: str = "query"
    variant: str | None = None
    position: str | None = None
    positions: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    priority: int = 0
    time_ms: int | None = None

    @property
    def texts(self) -> list[str]:
        """The positions, as they were sent."""
        return [self.position or ""] if self.positions is None else self.positions

    def name_position(self, place: int) -> str:
        """Return what errors call a position."""
        return "position" if self.positions is None else f"positions[{place}]"


_SHARED_SCALARS = (
    Field("action", str, choices=("query", "terminate")),
    Field("variant", str),
    Field("position", str),
    Field("priority", int, Bounds(-100, 100)),
    Field(
        *("time_ms", int, Bounds(1, MAX_MOVETIME_MS)),
        meaning="answer within this many milliseconds, with what there is by then",
    ),
)
_SHARED_LISTS = {"id": _ID_VALUES, "positions": "a list of one or more strings"}

QueryT = TypeVar("QueryT", bound=PositionQuery)


@dataclass(frozen=True)
class QueryReader(Generic[QueryT]):
    """Reads the queries of a game.

    Args:
        kind: Their struct.
        own_scalars: Its numbers, switches and texts beside those of `PositionQuery`.
        own_lists: The values of its other fields, as messages name them.
        hints: What is said of names that other requests or games have, in brackets.
        place: Where a field is unknown, in warnings; empty for the first game.
    """

    kind: type[QueryT]
    own_scalars: Iterable[Field]
    own_lists: Mapping[str, str]
    hints: Mapping[str, str] = field(default_factory=dict)
    place: str = ""

    @cached_property
    def scalars(self) -> dict[str, Field]:
        """All numbers, switches and texts, by name, with their bounds and defaults."""
        fields = (*_SHARED_SCALARS, *self.own_scalars)
        return {each.name: replace(each, default=self._defaults[each.name]) for each in fields}

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
            raise self._explain(document, str(error)) from error
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

    def _explain(self, document: dict[str, object], fault: str) -> FormatError:
        """Return an error that names the field, from what msgspec says: ``... - at `$.want[0]` ``."""
        message, _, place = fault.partition(" - at `$.")
        name, _, index = place.rstrip("`]").partition("[")
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
