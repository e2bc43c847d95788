"""What requests and answers look like, as JSON schemas: of fields, structs and answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
CHANCE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
COUNT: Schema = {"type": "integer", "minimum": 0}


@dataclass(frozen=True)
class Operation:
    """What the description says of an endpoint beside what it takes.

    Attributes:
        name: Its name for clients that are made from the description.
        tag: Its group.
        summary: What it does.
        answer: What the answer is.
        content: The schemas of the answer, by media type; an empty one says nothing.
        description: What else there is to know.
        examples: Requests by name, which the tests send: bodies, or values after the question mark.
        body: What else holds for objects as bodies, or all of it where the endpoint names no fields.
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
    content: Mapping[str, Schema] = field(default_factory=dict)
    description: str = ""
    examples: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
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


def make_list(items: Schema, count: int | None = None) -> Schema:
    """Return the schema of a list, of so many items."""
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


def describe_struct(struct: type[msgspec.Struct]) -> Schema:
    """Return the schema of a struct, which says what its fields are by their `msgspec.Meta`."""
    _, components = msgspec.json.schema_components((struct,), ref_template="{name}")
    schema: Schema = _unfold(components[struct.__name__], components)
    return schema


def _unfold(node: Any, components: Mapping[str, Any]) -> Any:  # noqa: ANN401  (a part of a schema)
    """Put the schemas of structs where they are referred to, and leave out what is said of the classes."""
    if isinstance(node, list):
        return [_unfold(each, components) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _unfold(components[node["$ref"]], components)
    found = {name: _unfold(value, components) for name, value in node.items() if name != "title"}
    if "title" in node:
        found.pop("description", None)
    if all(isinstance(each, str) for each in found.get("enum", (None,))):
        found["type"] = "string"
    if (items := found.pop("prefixItems", None)) is not None:  # tuples of equal items
        found["items"] = items[0]
    return found


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

_PLIES = refer("Plies")
_UNSCALED = say(
    TRUE, "Equities of the present cube are left out; a point is worth almost nothing of the match."
)
_EVALUATION = make_object(
    {
        **dict.fromkeys(("win", "win_g", "win_bg", "lose_g", "lose_bg"), CHANCE),
        "equity": {"type": "number", "minimum": -3, "maximum": 3, "description": "Cubeless money equity."},
        "plies": _PLIES,
    },
    {"cubeful": NUMBER, "unscaled": _UNSCALED, "mwc": CHANCE, "stored": TRUE},
)
_CUBE_DECISION = make_object(
    {"action": TEXT, "double": SWITCH, "plies": _PLIES},
    {
        "response": make_choice("take", "drop", "beaver"),
        "unscaled": _UNSCALED,
        **dict.fromkeys(("no_double", "take", "drop", "best"), NUMBER),
    },
)
_RANKED_PLAY = make_object(
    {
        "play": TEXT,
        "survived": say(SWITCH, "Whether it was searched as deep as the best play; only such plays compare."),
        "gnubgid": TEXT,
    }
)
_RESULT = make_object(
    {"position": say(TEXT, "The GNU position ID.")},
    {
        "eval": refer("Evaluation"),
        "cube": refer("CubeDecision"),
        "moves": make_list({"allOf": [refer("Evaluation"), _RANKED_PLAY]}),
        "rollout": {"type": "object"},
    },
)
_ACTION = make_object(
    {
        "move": {"type": "integer"},
        "seat": make_choice(0, 1),
        "action": make_choice("play", "roll", "double", "take", "drop", "resign", "set"),
    },
    {
        "dice": TEXT,
        "play": TEXT,
        "illegal": say(TRUE, "Only of a play that the rules forbid; its checkers are moved."),
        "xgid": say(TEXT, "What was before the action."),
    },
)
_GAME = make_object(
    {
        "game": {},
        "score": {},
        "crawford": {},
        "comment": {},
        "actions": make_list(_ACTION),
        "result": refer("GameResult"),
    },
    {
        "missing": {
            **make_list(TEXT),
            "minItems": 1,
            "description": "What could not be read, only of a game that is cut.",
        },
        "result_by_rules": say(refer("GameResult"), "Only where the file states another one."),
    },
)

SCHEMAS: Mapping[str, Schema] = {
    "Error": make_object(
        {
            "error": make_object(
                {
                    "code": say(TEXT, "A code of the errors of the line protocol."),
                    "field": say(TEXT, "The field at fault; `body` where it is none of its fields."),
                    "message": TEXT,
                }
            )
        }
    ),
    "QueryAnswer": make_object(
        {"plies": _PLIES, "net": say(TEXT, "The evaluator."), "results": refer("Results")},
        {"stopped": say(TRUE, "Only if time was over: there are fewer results, or shallower ones.")},
    ),
    "Results": make_list(_RESULT),
    "Evaluation": _EVALUATION,
    "CubeDecision": _CUBE_DECISION,
    "RecordedMatch": make_object(
        {
            "format": TEXT,
            "names": make_list(TEXT, 2),
            "length": COUNT,
            "headers": {},
            "comment": {},
            "analysed": {},
            "games": make_list(_GAME),
            "issues": make_list(TEXT),
        },
        {
            "analysis": say(
                {
                    "type": "object",
                    "required": ["players", "games", "luck_adjusted", "decisions", "rolls", "resignations"],
                },
                "What the file's own analysis says, in the fields of `analyse`; only if `analysed`.",
            )
        },
    ),
    "GameResult": {
        **make_object(
            {
                "winner": make_choice(0, 1),
                "points": {"type": "integer", "minimum": 1},
                "kind": make_choice("single", "gammon", "backgammon"),
            }
        ),
        "type": ["object", "null"],
    },
}
"""The answers, and parts of them, that the description has by name."""


def require(*names: str) -> Schema:
    """Return the schema of an object of which some fields are known by name alone."""
    return {"type": "object", "required": list(names)}


def describe_results(*parts: str) -> Schema:
    """Return the schema of the answer of a query whose results have some parts."""
    items: Sequence[str] = ("position", *parts)
    return {
        "allOf": [
            refer("QueryAnswer"),
            {"properties": {"results": {"items": {"required": list(items)}}}},
        ]
    }


_POINT: Schema = {"type": "integer", "minimum": 0, "maximum": 24}
MOVE_STEP = make_object(
    {
        "from": _POINT,
        "to": _POINT,
        "moveKind": make_choice("point-to-point", "reenter", "bear-off"),
        "isHit": SWITCH,
        "player": make_choice("white", "black"),
        "fromContainer": make_choice("bar", "point"),
        "toContainer": make_choice("point", "off"),
    }
)
"""A step of a play in the Nodots engine protocol."""

_PLACE = "^([1-9]|1[0-9]|2[0-4]|{})$"
_BGWEB_STEP = make_object(
    {
        "from": {"type": "string", "pattern": _PLACE.format("bar")},
        "to": {"type": "string", "pattern": _PLACE.format("off")},
    }
)
BGWEB_PLAY = make_object(
    {"play": {**make_list(_BGWEB_STEP), "minItems": 1, "maxItems": 4}},
    {
        "evaluation": make_object(
            {
                "info": make_object({"cubeful": SWITCH, "plies": {"type": "integer", "minimum": 1}}),
                "eq": NUMBER,
                "diff": NUMBER,
                "probability": {
                    **require("win", "winG", "winBG", "lose", "loseG", "loseBG"),
                    "additionalProperties": CHANCE,
                },
            }
        )
    },
)
"""A play in an answer of bgweb-api."""

ANALYSIS = make_object(
    {
        "plies": refer("Plies"),
        "net": TEXT,
        "results": make_list(
            require("format", "names", "length", "players", "games", "decisions", "rolls", "issues")
        ),
    },
    {"stopped": TRUE},
)
"""The answer of an analysis of matches."""

CONVERSION = make_object(
    {"matches": make_list(refer("RecordedMatch"))},
    {
        "positions": {
            **make_list(make_object({"xgid": TEXT, "names": make_list(TEXT, 2), "comment": TEXT})),
            "minItems": 1,
        }
    },
)
"""The matches of a file, or its positions."""
