"""The OpenAPI file: made of the table of endpoints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gammond.engine.options import Field
from gammond.protocol.commands.rollouts import ROLLOUT_ARGUMENTS
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.dialects.json_parts import ROLLOUT_KIND
from gammond.protocol.dialects.nodots import HintFailure
from gammond.protocol.web.answers import JSON, Failure
from gammond.protocol.web.plans import ANY_MEDIA, Endpoint
from gammond.protocol.web.schemas import (
    QUERY_FIELDS,
    TEXT,
    Operation,
    Schema,
    describe_field,
    describe_types,
    make_list,
    make_object,
    name_schema,
    refer,
    refer_to_types,
)

_HEAD = {
    "openapi": "3.1.0",
    "info": {
        "title": "gammond",
        "version": "1",
        "summary": "Questions about backgammon, each alone in a request.",
        "description": "A server of gammond with `--web` answers these requests beside its page and its "
        "WebSockets. Fields, values and numbers are those of the JSON queries of the line protocol. Answers "
        "to `HEAD` are those to `GET` without their bodies.",
        "license": {"name": "MIT", "identifier": "MIT"},
    },
    "servers": [{"url": "/"}],
}
_TAGS = {
    "positions": "Questions about positions in any form that gammond reads.",
    "matches": "Questions about match files in any format that gammond reads.",
    "dialects": "Interfaces of other programs, whose clients work unchanged.",
    "games": "Games and matches that were played at the tables of the server, where it keeps them.",
    "accounts": "Logins, where the server has accounts.",
    "server": "The server itself.",
}
_ERRORS = {
    400: ("BadRequest", "The body is no JSON object; or a request of a dialect is wrong."),
    401: ("NotLoggedIn", "Nobody is logged in, or the password is wrong."),
    404: ("NotFound", "There is no such thing, or the server keeps no games or has no accounts."),
    413: ("TooLarge", "The body is too long."),
    415: ("BadMediaType", "The body has another media type."),
    422: ("BadContent", "A field is unknown, of another type, out of range or too much; the error names it."),
    429: ("TooMany", "There were too many requests."),
    503: (
        "Unavailable",
        "The server has too much to do, or the request was stopped before it had an answer.",
    ),
}
"""The answers of errors by status: their names, and when they come."""

_LATER = {
    "Retry-After": {"description": "Seconds until another request has a chance.", "schema": TEXT},
}
_LINE_CHARS = 90
_PARTS = re.compile(r"\{(\w+)\}")


def describe(endpoints: Iterable[Endpoint], reports: Mapping[str, Operation]) -> Schema:
    """Return the description of a server, which is an OpenAPI document.

    Args:
        endpoints: What it answers.
        reports: What it tells about itself, by path.
    """
    paths: dict[str, Schema] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _describe_endpoint(each)
    for path, operation in reports.items():
        paths[path] = {"get": _describe_operation(operation, operation.errors)}
    types: dict[Any, None] = {}
    described = {
        "paths": refer_to_types(paths, types),
        "components": {"responses": refer_to_types(_list_errors(), types), "schemas": _list_schemas()},
    }
    described["components"]["schemas"] |= describe_types(types)
    tags = [{"name": name, "description": text} for name, text in _TAGS.items()]
    return {**_HEAD, "tags": tags, **described}


def write(document: Schema) -> bytes:
    """Write a description as YAML."""
    return "".join(f"{line}\n" for line in _write_lines(document)).encode()


def _write_lines(node: Any) -> Iterable[str]:  # noqa: ANN401  (a part of a document)
    """Write the parts of an object or a list, each on a line, as JSON, if it is short or has no parts."""
    is_object = isinstance(node, dict)
    for key, value in node.items() if is_object else (("", each) for each in node):
        head, text = f"{json.dumps(key)}:" if is_object else "-", json.dumps(value)
        if len(text) <= _LINE_CHARS or not isinstance(value, dict | list | tuple):
            yield f"{head} {text}"
            continue
        yield head
        yield from (f"  {line}" for line in _write_lines(value))


def _describe_endpoint(endpoint: Endpoint) -> Schema:
    operation, statuses = endpoint.operation, {*endpoint.operation.errors}
    more: Schema = {}
    if parameters := [*_list_parts(endpoint), *_list_parameters(endpoint)]:
        more["parameters"] = parameters
    if endpoint.media_types:
        statuses |= {400, 413} if endpoint.media_types == ANY_MEDIA else {400, 413, 415}
        more["requestBody"] = _describe_body(endpoint)
    return {**_describe_operation(operation, statuses), **more}


def _describe_operation(operation: Operation, statuses: Iterable[int]) -> Schema:
    described: Schema = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
    }
    if operation.description:
        described["description"] = operation.description
    content = {name: {"schema": schema} if schema else {} for name, schema in operation.content.items()}
    answer: Schema = {"description": operation.answer, "content": content}
    if operation.headers:
        answer["headers"] = operation.headers
    responses = {"200": answer, "429": _refer_to_answer(_ERRORS[429][0])}
    for status in sorted(statuses):
        responses[str(status)] = _refer_to_answer(operation.error or _ERRORS[status][0])
    return {**described, "responses": dict(sorted(responses.items()))}


def _refer_to_answer(name: str) -> Schema:
    return {"$ref": f"#/components/responses/{name}"}


def _list_parts(endpoint: Endpoint) -> list[Schema]:
    """List the parts of the path."""
    described = endpoint.operation.described
    return [
        _describe_parameter(name, {"in": "path", "required": True}, described.get(name, TEXT))
        for name in _PARTS.findall(endpoint.path)
    ]


def _list_parameters(endpoint: Endpoint) -> list[Schema]:
    """List what may come after the question mark."""
    operation = endpoint.operation
    parameters: list[Schema] = []
    for name, field in endpoint.parameters.items():
        more: Schema = {"in": "query"}
        if name in operation.required:
            more["required"] = True
        asked = operation.examples if endpoint.method == "GET" else {}
        if examples := {each: {"value": values[name]} for each, values in asked.items() if name in values}:
            more["examples"] = examples
        schema = operation.described.get(name) or _describe_value(name, field)
        parameters.append(_describe_parameter(name, more, schema))
    return parameters


def _describe_parameter(name: str, more: Schema, schema: Schema) -> Schema:
    """Return a parameter; its description stands outside its schema."""
    said = {key: value for key, value in schema.items() if key == "description"}
    return {"name": name, **more, **said, "schema": {key: schema[key] for key in schema if key not in said}}


def _describe_body(endpoint: Endpoint) -> Schema:
    operation = endpoint.operation
    schema = operation.body
    if endpoint.fields is not None:
        properties = {name: _describe_value(name, field) for name, field in endpoint.fields.items()}
        schema = {**make_object({}, properties), "additionalProperties": False, **schema}
    own: Schema = {"schema": schema}
    if operation.examples:
        own["examples"] = {name: {"value": value} for name, value in operation.examples.items()}
    files = [each for each in endpoint.media_types if each not in (JSON, *ANY_MEDIA)]
    return {"required": True, "content": {JSON: own, **{name: {} for name in files}}}


def _describe_value(name: str, value: Field | Schema) -> Schema:
    """Return the schema of a field, by its name where it is that of JSON queries."""
    if QUERY_FIELDS.get(name) == value:
        return refer(name_schema(name))
    return describe_field(value) if isinstance(value, Field) else value


def _list_errors() -> Schema:
    found: Schema = {
        "HintError": {
            "description": "The request is wrong, or there was no answer in time.",
            "content": {JSON: {"schema": HintFailure}},
        }
    }
    for status, (name, text) in _ERRORS.items():
        later = {"headers": _LATER} if status in (429, 503) else {}
        found[name] = {"description": text, **later, "content": {JSON: {"schema": Failure}}}
    return found


def _list_schemas() -> Schema:
    fields = {
        name_schema(name): describe_field(field) if isinstance(field, Field) else field
        for name, field in QUERY_FIELDS.items()
    }
    return {
        **fields,
        "RolloutArguments": _describe_rollouts(),
    }


def _describe_rollouts() -> Schema:
    fields = (*(argument.field for argument in ROLLOUT_ARGUMENTS), ROLLOUT_KIND)
    properties = {field.name: describe_field(replace(field, meaning="")) for field in fields}
    return {
        **make_object({}, {**properties, "play": make_list(TEXT)}),
        "additionalProperties": False,
        "description": "The arguments of the command `rollout`. All rollouts of a request have at most "
        f"{ClientLimits.rollout_games:,} games.",
    }
