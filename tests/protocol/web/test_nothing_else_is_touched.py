"""Nobody can make the endpoints fetch or write anything: they look at the bodies that they are sent alone."""

from __future__ import annotations

import pytest

from gammond.protocol.web.answers import JSON
from gammond.protocol.web.endpoints import ENDPOINTS
from tests.protocol.talking import make_service
from tests.protocol.web.test_openapi import list_operations, resolve
from tests.protocol.web_asking import ask
from tests.support.audit import watch_process


@pytest.fixture
def watched():
    """What the process does outside of itself while a test runs."""
    with watch_process() as noted:
        yield noted


def list_requests():
    """Return each endpoint with the fields that it takes."""
    for endpoint in ENDPOINTS:
        operation = list_operations()[endpoint.path, endpoint.method.lower()]
        parameters = tuple(each["name"] for each in operation.get("parameters", ()))
        fields = ()
        if endpoint.method == "POST":
            content = resolve(operation["requestBody"])["content"][JSON]
            schema = content["schema"]
            parts = [schema, *schema.get("allOf", ())]
            fields = tuple(name for part in parts for name in part.get("properties", ()))
        yield pytest.param(endpoint, parameters, fields, id=f"{endpoint.method} {endpoint.path}")


@pytest.mark.parametrize(("endpoint", "parameters", "fields"), list(list_requests()))
def test_no_request_makes_the_server_fetch_or_write_anything(endpoint, parameters, fields, tmp_path, watched):
    secret = tmp_path / "secret.mat"
    secret.write_text(" 1 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n      Wins 1 point\n")
    watched.clear()
    places = (
        str(secret),
        secret.as_uri(),
        f"@{secret}",
        "http://127.0.0.1:9/match.mat",
        "//127.0.0.1/secret",
        "../../secret",
    )
    service = make_service()
    for place in places:
        for name in (*parameters, "file", "path", "url", "output"):
            ask(
                endpoint.path,
                None if endpoint.method == "GET" else b"",
                query=((name, place),),
                service=service,
            )
        if endpoint.method == "GET":
            continue
        ask(
            endpoint.path,
            place.encode(),
            media_type=endpoint.media_types[-1].replace("*/*", JSON),
            service=service,
        )
        for name in (*fields, "file", "path", "url", "output"):
            body = {"position": "startpos", "dice": [3, 1], "match_text": secret.name, name: place}
            answer = ask(endpoint.path, body, service=service)
            assert b"Wins 1 point" not in answer.body
    assert watched == []


def test_the_watch_sees_files_and_connections(tmp_path, watched):
    (tmp_path / "written").write_text("x")
    assert len(watched) == 1
