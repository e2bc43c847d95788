"""Requests to the endpoints of the web without HTTP, their work done on the spot."""

from __future__ import annotations

import json

from gammond.protocol.archive.endpoints import make_endpoints
from gammond.protocol.core.jobs import Job
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import WebAnswer, WebRequest
from gammond.protocol.web.endpoints import ENDPOINTS, add_description
from gammond.protocol.web.plans import API
from tests.protocol.talking import make_service

ALL_ENDPOINTS = add_description((*ENDPOINTS, *make_endpoints(None, None)))
"""Those of a server that keeps no games and has no accounts."""


def run_plan(endpoint, session, request, *, stops=False):
    """Do what an endpoint does for a request, on the spot; return the answer."""
    return finish_plan(endpoint, session, endpoint.plan(session, request), stops=stops)


def finish_plan(endpoint, session, planned, *, stops=False):
    """Do what was planned, stopped before it begins or not; return the answer."""
    control = WorkControl()
    if stops:
        control.stop()
    while not isinstance(planned, WebAnswer):
        planned = endpoint.finish(session, Job(work=planned, control=control).run(lambda reply: None))
    return planned


def ask(path, body=None, *, service=None, media_type=None, query=(), stops=False):
    """Send a request and return the answer: an object goes as JSON, bytes as a file; a path may be short."""
    path = path if path.startswith("/") else f"{API}/{path}"
    method = "GET" if body is None else "POST"
    endpoint = next(each for each in ALL_ENDPOINTS if (each.method, each.path) == (method, path))
    is_raw = isinstance(body, bytes)
    assert media_type is None or body is None or endpoint.takes(media_type)
    data = b"" if body is None else body if is_raw else json.dumps(body).encode()
    if media_type is None:
        media_type = "" if body is None else "application/octet-stream" if is_raw else "application/json"
    request = WebRequest(data, media_type, tuple(query))
    return run_plan(endpoint, Session(service or make_service(), 0), request, stops=stops)


def get_json(path, body=None, **more):
    """Return status and object of an answer in JSON."""
    answer = ask(path, body, **more)
    assert answer.media_type == "application/json"
    return answer.status, json.loads(answer.body)


def get_error(path, body=None, **more):
    """Return status, code and field of an answer that is an error, which has a message."""
    status, document = get_json(path, body, **more)
    assert list(document) == ["error"]
    assert document["error"]["message"]
    return status, document["error"]["code"], document["error"]["field"]
