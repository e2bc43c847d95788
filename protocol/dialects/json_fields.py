"""The fields of a JSON query: their types, bounds and errors."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from engine.analysis.levels import EvalSettings, StoreUse
from engine.errors import FormatError, ValueRangeError
from engine.options import Bounds, Field, convert, did_you_mean
from engine.rules.dice import validate_roll
from engine.rules.match import MAX_CUBE, RESULT_NAMES
from engine.rules.rules import STANDARD_RULES, VARIANTS, Rules
from engine.search import FILTERS, MAX_PLIES
from engine.search.filters import DEFAULT_FILTER
from protocol.commands.cube import MAX_MATRIX_AWAY
from protocol.dialects.json_documents import QueryId, quote_json

Want = Literal["eval", "moves", "cube", "legal", "resign", "matrix", "rollout", "analyse"]
WANTS: tuple[str, ...] = get_args(Want)

SCALAR_FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("action", str, choices=("query", "terminate")),
        Field("variant", str),
        Field("position", str),
        Field("match_text", str),
        Field("plies", int, Bounds(0, MAX_PLIES)),
        Field("deeper", int, Bounds(0, MAX_PLIES)),
        Field("filter", str, choices=tuple(FILTERS)),
        Field("cubeful", bool),
        Field("net", str),
        Field("store", str, choices=tuple(map(str, StoreUse))),
        Field("max_moves", int, Bounds(1)),
        Field("resignation", str, choices=RESULT_NAMES),
        Field("away", int, Bounds(2, MAX_MATRIX_AWAY)),
        Field("cube", int, Bounds(1, MAX_CUBE // 2)),
        Field("equities", bool),
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
    "want": f"a list of one or more of {', '.join(WANTS)}",
    "rollout": "an object",
}
"""The values of ids and lists, as messages name them."""


class Query(msgspec.Struct, kw_only=True):
    """The fields of a query object, explained in docs/reference/protocol.md; `SCALAR_FIELDS` has bounds.

    Raises:
        msgspec.ValidationError: On conversion, when a field has another type.
    """

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=256)] | int
    action: str = "query"
    terminate_id: QueryId | None = None
    variant: str | None = None
    position: str | None = None
    positions: Annotated[list[str], msgspec.Meta(min_length=1)] | None = None
    match_text: str | None = None
    dice: tuple[int, int] | None = None
    plies: int = 0
    deeper: int = 0
    filter: str = DEFAULT_FILTER
    cubeful: bool = True
    net: str | None = None
    store: str | None = None
    want: Annotated[tuple[Want, ...], msgspec.Meta(min_length=1)] = ("eval",)
    max_moves: int | None = None
    resignation: str | None = None
    away: int | None = None
    cube: int | None = None
    equities: bool | None = None
    rollout: dict[str, object] | None = None
    priority: int = 0
    progress_every: int | None = None
    time_ms: int | None = None

    @property
    def rules(self) -> Rules:
        """The rules of the game; doubles are always four moves."""
        return STANDARD_RULES if self.variant is None else _RULES[self.variant.lower()]

    @property
    def texts(self) -> list[str]:
        """The positions, as they were sent."""
        return [self.position or ""] if self.positions is None else self.positions

    @property
    def settings(self) -> EvalSettings:
        """How positions are evaluated."""
        return EvalSettings(self.plies, self.filter, self.cubeful, _STORE_USES[self.store])

    @property
    def rolls_out_plays(self) -> bool:
        """Whether its rollouts need dice."""
        given = self.rollout or {}
        return given.get("what") == "moves" or (given.get("what") is None and bool(given.get("play")))

    @property
    def is_evaluation(self) -> bool:
        """Whether it wants nothing but ``eval`` at 0-ply."""
        return self.want == ("eval",) and self.plies == 0

    @property
    def is_analysis(self) -> bool:
        """Whether it is for a match."""
        return "analyse" in self.want

    def name_position(self, place: int) -> str:
        """Return what errors call a position."""
        return "position" if self.positions is None else f"positions[{place}]"


_STORE_USES: dict[str | None, StoreUse] = {None: StoreUse.ON, **{str(use): use for use in StoreUse}}

_RULES = {name: Rules(variant) for name, variant in VARIANTS.items()}

_QUERY_DEFAULTS = {field.name: field.default for field in msgspec.structs.fields(Query)}
QUERY_FIELDS: tuple[str, ...] = tuple(_QUERY_DEFAULTS)

_OTHER_NAMES = {
    "level": " (a query has no level: send 'plies' and 'filter')",
    "ply": " (did you mean 'plies'?)",
    "depth": " (did you mean 'plies'?)",
    **dict.fromkeys(
        ("match", "matchid", "length", "score", "crawford", "cube_owner", "jacoby"),
        " (score and cube come with the position: send an XGID, or ID:MATCHID)",
    ),
}
"""What is said of names that settings and other commands have."""


def convert_query(document: dict[str, object]) -> Query:
    """Convert an object into a query.

    Raises:
        FormatError: A field has another type, or there is no id.
        ValueRangeError: A value is out of range.
    """
    for name, field in SCALAR_FIELDS.items():
        if name in document and not (document[name] is None and _QUERY_DEFAULTS[name] is None):
            _check_field(field, document[name])
    try:
        query = convert(document, Query)
    except msgspec.ValidationError as error:
        raise _explain_validation_error(document, str(error)) from error
    if query.dice is not None:
        validate_roll(*query.dice)
    if query.cube is not None and query.cube & (query.cube - 1):
        raise ValueRangeError(
            f"expected a power of two 1..{MAX_CUBE // 2} for cube, got {query.cube}", field="cube"
        )
    return query


def read_query(document: dict[str, object], head: dict[str, object]) -> Query:
    """Convert an object into a query, and warn of fields that queries do not have.

    Args:
        document: The object.
        head: What every line of the answer begins with; gets the warnings.

    Raises:
        GammondError: As for `convert_query`.
    """
    query = convert_query(document)
    unknown = sorted(set(document) - set(QUERY_FIELDS))
    if unknown:
        head["warnings"] = [warn_of_unknown(name) for name in unknown]
    return query


def _check_field(field: Field, value: object) -> None:
    """Check a value by its field; the error shows a value of another type as JSON."""
    try:
        field.check(value)
    except FormatError as error:
        if isinstance(value, str):
            raise
        what = "a string" if field.kind == "string" else field.expected
        raise FormatError(
            f"expected {what} for {field.name}, got {quote_json(value)}", field=field.name
        ) from error


def warn_of_unknown(name: str) -> str:
    """Return what is said of a field that queries do not have, with the one that may be meant."""
    hint = _OTHER_NAMES.get(name) or did_you_mean(name, QUERY_FIELDS)
    return f"unknown field {name!r}{hint}"


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
            f"expected a string for {name}, got {quote_json(positions[int(index)])}", field=name
        )
    came = f"got {quote_json(document[name])}" if name in document else "but it is missing"
    return FormatError(f"expected {expected} for {name}, {came}", field=name)
