"""What requests and answers look like, as JSON schemas: of fields and of types."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from gammond.engine.options import Field
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.dialects.json_fields import QUERIES

Schema = dict[str, Any]

_TYPES = {int: "integer", float: "number", bool: "boolean", str: "string"}

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
SWITCH: Schema = {"type": "boolean"}
TRUE: Schema = {"const": True}
COUNT: Schema = {"type": "integer", "minimum": 0}


@dataclass(frozen=True)
class Operation:
    """What the description says of an endpoint beside what it takes.

    Attributes:
        name: Its name for clients that are made from the description.
        tag: Its group.
        summary: What it does.
        answer: What the answer is.
        content: The type of the answer, or its schema, in which types may stand, or a function that returns
            either; by media type. An empty schema says nothing.
        description: What else there is to know.
        examples: Requests by name, which the tests send: bodies, or values after the question mark.
        body: The schema of what else holds for objects as bodies, or of all of it, or its type, where the
            endpoint names no fields.
        required: The values after the question mark that must be there.
        described: The schemas of values that say more than their fields, by name.
        errors: The statuses of errors beside 429, and 400, 413 and 415 of bodies.
        error: The answer of errors, where that is of a dialect.
        headers: Those of the answer.
    """

    name: str = ""
    tag: str = ""
    summary: str = ""
    answer: str = ""
    content: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    examples: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    body: Any = field(default_factory=dict)
    required: tuple[str, ...] = ()
    described: Mapping[str, Schema] = field(default_factory=dict)
    errors: tuple[int, ...] = (422, 503)
    error: str = ""
    headers: Mapping[str, Any] = field(default_factory=dict)


def refer(name: str) -> Schema:
    """Return a reference to one of the schemas that the description has by name."""
    return {"$ref": f"#/components/schemas/{name}"}


def make_object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object.

    Args:
        required: The fields that are always there; of some no more than that is said.
        optional: The others.
    """
    schema: Schema = {"type": "object", "required": list(required)} if required else {"type": "object"}
    properties = {name: each for name, each in {**required, **(optional or {})}.items() if each}
    return {**schema, "properties": properties} if properties else schema


def make_list(items: Schema | type, count: int | None = None) -> Schema:
    """Return the schema of a list, of so many items of a schema or type."""
    found: Schema = {"type": "array", "items": items}
    return found if count is None else {**found, "minItems": count, "maxItems": count}


def make_choice(*values: object) -> Schema:
    """Return the schema of one of some values."""
    return {"enum": list(values)}


def say(schema: Schema, description: str) -> Schema:
    """Return a schema with a description."""
    return {**schema, "description": description}


def describe_field(field: Field) -> Schema:
    """Return the schema of an option."""
    schema: Schema = {"type": _TYPES[field.type]}
    if field.choices:
        schema["enum"] = list(field.choices)
    bounds = field.bounds
    low = "exclusiveMinimum" if bounds.is_low_open else "minimum"
    high = "exclusiveMaximum" if bounds.is_high_open else "maximum"
    for name, end in ((low, bounds.low), (high, bounds.high)):
        if math.isfinite(end):
            schema[name] = int(end) if end == int(end) else end
    if field.is_list:
        schema = make_list(schema)
    if field.default is not None:
        schema["default"] = field.default
    return say(schema, f"{field.meaning[0].upper()}{field.meaning[1:]}.") if field.meaning else schema


def refer_to_types(node: Any, types: dict[Any, None]) -> Any:  # noqa: ANN401  (a part of a document)
    """Return a part of a description with references in place of types, and what functions in it return.

    Args:
        node: The part.
        types: Takes the types.
    """
    if isinstance(node, Mapping):
        return {name: refer_to_types(value, types) for name, value in node.items()}
    if isinstance(node, list | tuple):
        return [refer_to_types(each, types) for each in node]
    if isinstance(node, type):
        types[node] = None
        return refer(node.__name__)
    return refer_to_types(node(), types) if callable(node) else node


def describe_types(types: Iterable[Any]) -> dict[str, Schema]:
    """Return the schemas of structs and typed dicts, and of those that are parts of them, by name.

    Their `msgspec.Meta` says what fields are. Those with private names are described where they stand.
    """
    _, found = msgspec.json.schema_components(tuple(types), ref_template=refer("{name}")["$ref"])
    return {name: _tidy(schema, found) for name, schema in found.items() if not name.startswith("_")}


def _tidy(node: Any, found: Mapping[str, Any]) -> Any:  # noqa: ANN401  (a part of a schema)
    """Put schemas of private names where they are referred to, and leave out what is said of the classes."""
    if isinstance(node, list):
        return [_tidy(each, found) for each in node]
    if not isinstance(node, dict):
        return node
    name = node.get("$ref", "").rpartition("/")[2]
    if name.startswith("_"):
        return _tidy(found[name], found)
    tidy = {key: _tidy(value, found) for key, value in node.items() if key != "title"}
    if "title" in node:
        tidy.pop("description", None)
    if all(isinstance(each, str) for each in tidy.get("enum", (None,))):
        tidy["type"] = "string"
    if (items := tidy.pop("prefixItems", None)) is not None:  # tuples of equal items
        tidy["items"] = items[0]
    return tidy


_SCALARS = QUERIES.scalars
_SETTINGS = ("net", "time_ms", "plies", "deeper", "store", "cubeful", "filter", "max_moves", "candidates")
_DIE: Schema = {"type": "integer", "minimum": 1, "maximum": 6}

QUERY_FIELDS: Mapping[str, Field | Schema] = {
    **{name: _SCALARS[name] for name in _SETTINGS},
    "position": replace(
        _SCALARS["position"],
        meaning="`startpos`, a GNU position ID, `ID:MATCHID`, an XGID, an OGID or any other form. Score and "
        "cube come from it, and are money play without one",
    ),
    "positions": {
        **make_list(refer("Position")),
        "description": f"Several positions; at most {ClientLimits.query_positions:,}.",
        "minItems": 1,
        "maxItems": ClientLimits.query_positions,
    },
    "variant": replace(
        _SCALARS["variant"],
        choices=tuple(VARIANTS),
        default=STANDARD_RULES.variant.name,
        meaning="the variant of backgammon",
    ),
    "dice": say(make_list(_DIE, 2), "The roll; that of the position if left out."),
    "match_text": {"type": "string", "minLength": 1, "description": "The text of a match file."},
}
"""Fields of JSON queries, as far as endpoints take them: their types, or what a description says of them."""

ANALYSIS_PLIES = replace(_SCALARS["plies"], default=2, meaning="look-ahead of every decision")
"""The look-ahead of an analysis, that of `gammond analyse` by default."""

REPORT = Field(
    "report", str, choices=("json", "html", "sgf", "ogxm"), default="json", meaning="the form of the answer"
)
TARGET = Field(
    *("to", str),
    choices=("json", "html", "mat", "sgf", "ogxm"),
    meaning="the format; required, after the path or in the object",
)
"""The forms of analysed matches, and of others: what answers requests with them is imported later."""


def select_fields(*names: str) -> dict[str, Field | Schema]:
    """Return the fields of JSON queries with some names; ``rollout`` by the name of its schema."""
    return {name: QUERY_FIELDS.get(name, refer(name_schema(name))) for name in names}


def name_schema(name: str) -> str:
    """Return what the schema of a field is called: ``MaxMoves``."""
    return _SCHEMA_NAMES.get(name, name.title().replace("_", ""))


_SCHEMA_NAMES = {"store": "StoreUse", "rollout": "RolloutArguments"}


def require(*names: str) -> Schema:
    """Return the schema of an object of which some fields are known by name alone."""
    return {"type": "object", "required": list(names)}
