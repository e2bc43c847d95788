from __future__ import annotations

import json
import math
from functools import cache

import jsonschema_rs
import pytest
import yaml

from gammond.engine.match_files.writing import ANALYSED_FORMATS, MATCH_FORMATS
from gammond.engine.options import Bounds, Field
from gammond.engine.rules.rules import VARIANTS
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.protocol.commands.rollouts import ROLLOUT_ARGUMENTS
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.dialects.bgweb import GetMoves
from gammond.protocol.games import list_variants
from gammond.protocol.web.answers import JSON
from gammond.protocol.web.endpoints import ENDPOINTS, MATCH_MEDIA, REPORTS
from gammond.protocol.web.openapi import describe as describe_endpoints
from gammond.protocol.web.openapi import write
from gammond.protocol.web.schemas import REPORT, TARGET, describe_field, describe_types
from tests.engine.match_files.faulty_matches import CUT, ILLEGAL
from tests.protocol.web_asking import ALL_ENDPOINTS, ask

PAGE_PATHS = {"/", "/page/{path:path}"}


@cache
def describe():
    return yaml.load(ask("openapi.yaml").body, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def resolve(node):
    """Replace references in a part of the description."""
    if isinstance(node, list):
        return [resolve(each) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        found = describe()
        for name in node["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return resolve(found)
    return {key: resolve(value) for key, value in node.items()}


def list_operations():
    return {
        (path, method): each for path, item in describe()["paths"].items() for method, each in item.items()
    }


def list_examples():
    for (path, method), operation in list_operations().items():
        if method == "post":
            content = resolve(operation["requestBody"])["content"][JSON]
            for name, example in content.get("examples", {}).items():
                yield pytest.param(path, example["value"], id=f"{path} {name}")


def check_answer(path, method, answer):
    """Check an answer against the description of its status and media type."""
    responses = resolve(list_operations()[path, method]["responses"])
    content = responses[str(answer.status)]["content"]
    media_type = answer.media_type.partition(";")[0]
    assert media_type in content
    if "schema" in content[media_type]:
        jsonschema_rs.validate(content[media_type]["schema"], json.loads(answer.body))


@pytest.mark.parametrize(("path", "body"), list(list_examples()))
def test_an_example_is_a_request_with_the_answer_that_is_described(path, body):
    schema = resolve(list_operations()[path, "post"]["requestBody"])["content"][JSON]["schema"]
    jsonschema_rs.validate(schema, body)
    answer = ask(path, body)
    assert answer.status == 200, answer.body
    check_answer(path, "post", answer)


def test_requests_without_a_body_get_the_answers_that_are_described():
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET":
            query = (("position", "startpos"),) if endpoint.path.endswith("kept") else ()
            check_answer(endpoint.path, "get", ask(endpoint.path, query=query))


def test_the_fields_that_are_described_are_those_that_are_read():
    for endpoint in ALL_ENDPOINTS:
        operation = list_operations()[endpoint.path, endpoint.method.lower()]
        parameters = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
        assert parameters == set(endpoint.parameters)
        if endpoint.fields is not None:
            schema = operation["requestBody"]["content"][JSON]["schema"]
            assert set(schema.get("properties", ())) == set(endpoint.fields)
            assert schema["additionalProperties"] is False


def test_values_that_are_described_are_those_that_are_taken():
    schemas = describe()["components"]["schemas"]
    assert schemas["Variant"]["enum"] == list(VARIANTS)
    assert schemas["Filter"]["enum"] == list(FILTERS)
    assert schemas["Plies"]["maximum"] == MAX_PLIES
    assert TARGET.choices == ("json", "html", *MATCH_FORMATS)
    assert REPORT.choices == ("json", "html", *ANALYSED_FORMATS)
    assert schemas["Positions"]["maxItems"] == ClientLimits.query_positions
    described = schemas["RolloutArguments"]
    assert set(described["properties"]) == {argument.name for argument in ROLLOUT_ARGUMENTS}
    assert f"{ClientLimits.rollout_games:,} games" in described["description"]
    for argument in ROLLOUT_ARGUMENTS:
        own, bounds = described["properties"][argument.name], argument.field.bounds
        for key, value in (("minimum", bounds.low), ("maximum", bounds.high)):
            assert own.get(key) == (value if math.isfinite(value) else None)
    (variant,) = [
        each for each in list_operations()["/api/v1/games", "get"]["parameters"] if each["name"] == "variant"
    ]
    assert variant["schema"]["enum"] == list(list_variants())


def test_media_types_and_errors_of_each_endpoint_are_described():
    for endpoint in ALL_ENDPOINTS:
        operation = list_operations()[endpoint.path, endpoint.method.lower()]
        responses = set(operation["responses"])
        if endpoint.method == "POST":
            described = set(resolve(operation["requestBody"])["content"])
            assert described == set(MATCH_MEDIA if "text/plain" in endpoint.media_types else (JSON,))
            assert {"200", "400", "413", "429"} <= responses
        assert ("415" in responses) == (endpoint.media_types not in ((), ("*/*",)))


def test_the_description_is_served_as_it_is():
    answer = ask("openapi.yaml")
    assert (answer.status, answer.media_type) == (200, "application/yaml")
    made = describe_endpoints(ALL_ENDPOINTS, REPORTS)
    assert made["openapi"] == "3.1.0"
    assert yaml.safe_load(answer.body) == json.loads(json.dumps(made))


def test_yaml_has_every_value_as_it_is():
    words = {"on": "off", "1": "null", "yes": ["~", "é\n: #", ""], "a b": {}, "-": [[], [1, 1.5, None, True]]}
    document = {**words, "long": [words, [words, "x" * 200], {"x": "y" * 200}]}
    assert yaml.safe_load(write(document)) == document


def test_each_schema_that_has_a_name_is_used_and_there():
    text = json.dumps(describe())
    for kind, parts in describe()["components"].items():
        for name in parts:
            assert f'"#/components/{kind}/{name}"' in text, name
    resolve(describe()["paths"])


def test_fields_and_structs_say_their_bounds():
    above = Field("x", float, Bounds(0, 1.5, is_low_open=True), default=1, meaning="how much")
    assert describe_field(above) == {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": 1.5,
        "default": 1,
        "description": "How much.",
    }
    words = Field("x", str, choices=("a", "b"), is_list=True)
    assert describe_field(words) == {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    board = describe_types((GetMoves,))["GetMoves"]["properties"]["board"]["properties"]["x"]
    jsonschema_rs.validate(board, {"24": 15, "bar": 0})
    for wrong in ({"25": 1}, {"off": 1}, {"1": 16}):
        assert not jsonschema_rs.is_valid(board, wrong)


def test_the_routes_of_the_server_are_those_that_are_described():
    pytest.importorskip("starlette")
    from gammond.protocol.transports.web.app import make_app
    from gammond.protocol.transports.web.page import Page

    reports = dict.fromkeys(REPORTS, lambda: None)
    app = make_app(Page({}), {}, reports, ALL_ENDPOINTS, None)
    served = {}
    for route in app.routes:
        if route.path not in PAGE_PATHS:
            served[route.path] = set(getattr(route.endpoint, "methods", route.methods)) - {"HEAD"}
    described = {path: {each.upper() for each in item} for path, item in describe()["paths"].items()}
    assert described == served


@pytest.mark.parametrize("text", [ILLEGAL.replace("      Wins 1 point", "      Wins 2 points"), CUT])
def test_a_match_with_faults_is_described_too(text):
    check_answer("/api/v1/convert", "post", ask("/api/v1/convert", {"match_text": text, "to": "json"}))
