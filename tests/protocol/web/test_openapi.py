from __future__ import annotations

import json
from functools import cache

import jsonschema_rs
import pytest
import yaml

from engine.rules.rules import VARIANTS
from engine.search import FILTERS, MAX_PLIES
from protocol.archive.endpoints import make_endpoints
from protocol.commands.rollouts import ROLLOUT_ARGUMENTS
from protocol.core.limits import ClientLimits
from protocol.games import list_variants
from protocol.web.answers import JSON
from protocol.web.endpoints import ENDPOINTS, MATCH_MEDIA, read_description
from protocol.web.kept import PARAMETERS
from protocol.web.matches import ANALYSIS_FIELDS, CONVERSION_FIELDS, TARGETS
from protocol.web.positions import CUBE_FIELDS, EVALUATION_FIELDS, PLAY_FIELDS, ROLLOUT_FIELDS
from tests.engine.match_files.faulty_matches import CUT, ILLEGAL
from tests.protocol.web_asking import ask

ALL_ENDPOINTS = (*ENDPOINTS, *make_endpoints(None, None))

OWN_PATHS = {"/healthz": {"get"}, "/metrics": {"get"}}
"""What the server answers by itself."""

PAGE_PATHS = {"/", "/page/{path:path}"}

BODY_FIELDS = {
    "/api/v1/evaluate": EVALUATION_FIELDS,
    "/api/v1/plays": PLAY_FIELDS,
    "/api/v1/cube": CUBE_FIELDS,
    "/api/v1/rollout": ROLLOUT_FIELDS,
    "/api/v1/analyse": ANALYSIS_FIELDS,
    "/api/v1/convert": CONVERSION_FIELDS,
}


@cache
def describe():
    return yaml.load(read_description(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


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


def test_every_endpoint_is_described_and_everything_described_is_there():
    described = {path: set(item) for path, item in describe()["paths"].items()}
    served = {path: set(methods) for path, methods in OWN_PATHS.items()}
    for endpoint in ALL_ENDPOINTS:
        served.setdefault(endpoint.path, set()).add(endpoint.method.lower())
    assert described == served


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


@pytest.mark.parametrize(("path", "fields"), list(BODY_FIELDS.items()))
def test_the_fields_that_are_described_are_those_that_are_read(path, fields):
    schema = resolve(list_operations()[path, "post"]["requestBody"])["content"][JSON]["schema"]
    assert set(schema["properties"]) == set(fields)
    assert schema["additionalProperties"] is False


def test_values_that_are_described_are_those_that_are_taken():
    schemas = describe()["components"]["schemas"]
    assert schemas["Variant"]["enum"] == list(VARIANTS)
    assert schemas["GameVariant"]["enum"] == list(list_variants())
    assert schemas["Filter"]["enum"] == list(FILTERS)
    assert schemas["Target"]["enum"] == list(TARGETS)
    assert schemas["Plies"]["maximum"] == schemas["AnalysisPlies"]["maximum"] == MAX_PLIES
    assert schemas["Positions"]["maxItems"] == ClientLimits.query_positions
    described = schemas["RolloutArguments"]
    assert set(described["properties"]) == {argument.name for argument in ROLLOUT_ARGUMENTS}
    assert f"{ClientLimits.rollout_games:,} games" in described["description"]
    for argument in ROLLOUT_ARGUMENTS:
        own = described["properties"][argument.name]
        for key, value in (("minimum", argument.field.bounds.low), ("maximum", argument.field.bounds.high)):
            assert key not in own or own[key] == value
    kept = list_operations()["/api/v1/kept", "get"]["parameters"]
    assert {each["name"] for each in kept} == set(PARAMETERS)


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
    assert yaml.safe_load(answer.body)["openapi"] == "3.1.0"


def test_the_routes_of_the_server_are_those_that_are_described():
    pytest.importorskip("starlette")
    from protocol.transports.web.app import make_app
    from protocol.transports.web.page import Page

    reports = dict.fromkeys(OWN_PATHS, lambda: None)
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
