from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest

from gammond.engine.errors import CancelledWork, DataFileError, LimitError, UnsupportedError
from gammond.protocol.core.errors import BusyError
from gammond.protocol.core.jobs import Job
from gammond.protocol.core.requests import JsonReply, Work
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import JSON, WebAnswer, WebRequest, find_status, make_failure, make_refusal
from gammond.protocol.web.plans import ANY_MEDIA, Endpoint, answer_query_of
from tests.protocol.talking import make_service
from tests.protocol.web_asking import finish_plan, run_plan


def make_question(document):
    return answer_query_of(Work(lambda control: [JsonReply({"id": 0, "final": True, **document})]))


def run(endpoint, service=None):
    return run_plan(endpoint, Session(service or make_service(), 0), WebRequest())


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda session, request: make_question({"read": "later"}), b'{"read":"later"}\n'),
        (lambda session, request: WebAnswer(200, b"{}"), b"{}"),
    ],
    ids=["work", "answer"],
)
def test_a_request_that_needs_kernels_is_read_by_a_worker_until_they_are_there(ask, expected):
    loads, service = [], make_service()
    readiness = Readiness(lambda: loads.append(True))
    endpoint = Endpoint("GET", "/x", ask, needs=readiness)
    session = Session(service, 0)
    task = endpoint.plan(session, WebRequest())
    assert not loads
    assert task.is_long
    assert finish_plan(endpoint, session, task).body == expected
    assert (len(loads), readiness.is_ready, service.request_count) == (1, True, 1)
    assert run(endpoint).body == expected
    assert len(loads) == 1


def test_kernels_that_cannot_be_loaded_are_the_error_of_each_request():
    loads = []

    def load():
        loads.append(True)
        raise DataFileError("no compiler")

    endpoint = Endpoint("GET", "/x", lambda *_: make_question({}), needs=Readiness(load))
    assert [run(endpoint).status for _ in range(3)] == [503] * 3
    assert len(loads) == 1


def test_work_that_a_worker_plans_is_scheduled_by_what_it_is():
    planned = answer_query_of(Work(lambda control: [], is_long=False, deadline_s=7.0, answer_bytes=5))
    endpoint = Endpoint("GET", "/x", lambda *_: planned, needs=Readiness())
    session = Session(make_service(), 0)
    task = endpoint.plan(session, WebRequest())
    assert endpoint.finish(session, Job(work=task).run(lambda reply: None)) is planned


def test_a_request_that_was_stopped_is_unavailable():
    endpoint, session = Endpoint("GET", "/x", lambda *_: make_question({})), Session(make_service(), 0)
    assert endpoint.finish(session, CancelledWork("stopped")).headers["Retry-After"]


def test_a_fault_while_a_request_is_read_is_counted_and_shows_nothing():
    def ask(session, request):
        raise RuntimeError("secret")

    service = make_service()
    answer = run(Endpoint("GET", "/x", ask), service)
    assert answer.status == 500
    assert b"secret" not in answer.body
    assert service.error_counts == {"internal": 1}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UnsupportedError("x"), 422),
        (LimitError("x"), 422),
        (BusyError("x"), 503),
        (CancelledWork("x"), 503),
        (DataFileError("x"), 503),
        (ValueError("x"), 500),
    ],
)
def test_the_status_says_who_can_mend_an_error(error, status):
    assert find_status(error) == make_failure(error).status == status


def test_refusals_have_the_codes_of_the_line_protocol():
    codes = {404: "bad_command", 405: "bad_command", 413: "limit", 415: "unsupported", 429: "busy"}
    for status, code in codes.items():
        assert json.loads(make_refusal(status, "path", "x").body)["error"]["code"] == code
        assert json.loads(make_failure(UnsupportedError("x"), status).body)["error"]["code"] == code


def test_media_types_are_taken_as_they_are_named():
    assert Endpoint("POST", "/x", run, (JSON,)).takes(JSON)
    assert not Endpoint("POST", "/x", run, (JSON,)).takes("text/plain")
    assert Endpoint("POST", "/x", run, ANY_MEDIA).takes("")


def test_what_a_path_asks_is_imported_at_its_first_request_by_a_worker(tmp_path, monkeypatch):
    (tmp_path / "asked_later.py").write_text(
        "from gammond.protocol.web.answers import WebAnswer\n\n"
        "ask = lambda session, request: WebAnswer(200, b'{}')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def load():
        return importlib.import_module("asked_later").ask

    endpoint = Endpoint("GET", "/later", lambda *asked: load()(*asked), needs=Readiness(load))
    session = Session(make_service(), 0)

    task = endpoint.plan(session, WebRequest())
    assert "asked_later" not in sys.modules
    assert finish_plan(endpoint, session, task).body == b"{}"

    assert endpoint.plan(session, WebRequest()) == WebAnswer(200, b"{}")
    del sys.modules["asked_later"]


def test_a_server_starts_without_what_questions_about_matches_import():
    code = "import sys, gammond.protocol.transports.web.server; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    later = (
        "gammond.engine.match_files.reading",
        "gammond.engine.match_analysis.analysis",
        "gammond.protocol.dialects.json_analysis",
    )
    assert not set(later) & set(run.stdout.split())
