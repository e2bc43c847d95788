from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engine.errors import CancelledWork, DataFileError, LimitError, UnsupportedError
from engine.runtime.prompt_threads import UncompiledKernel
from protocol.core.errors import BusyError
from protocol.core.requests import JsonReply, Work
from protocol.state.session import Session
from protocol.web.answers import JSON, WebAnswer, WebRequest, find_status, make_failure, make_refusal
from protocol.web.plans import ANY_MEDIA, Endpoint, NamedAsk, PlannedWork, Question
from tests.protocol.talking import make_service


def make_question(document):
    return Question(Work(lambda control: [JsonReply({"id": 0, "final": True, **document})]))


def run(endpoint, service=None):
    plan = endpoint.plan(Session(service or make_service(), 0), WebRequest())
    return plan if isinstance(plan, WebAnswer) else plan.finish(plan.job.run(lambda reply: None))


def test_a_request_that_needs_a_kernel_first_is_read_again_by_a_worker():
    compiled = []

    def ask(session, request):
        if not compiled:
            missing = UncompiledKernel()
            missing.compile = lambda: compiled.append(True)
            raise missing
        return make_question({"read": "again"})

    service = make_service()
    endpoint = Endpoint("GET", "/x", ask)
    plan = endpoint.plan(Session(service, 0), WebRequest())
    assert not compiled
    assert plan.job.work.is_long
    assert json.loads(plan.finish(plan.job.run(lambda reply: None)).body) == {"read": "again"}
    assert service.request_count == 1
    assert json.loads(run(endpoint).body) == {"read": "again"}


def test_a_kernel_may_be_missing_for_an_answer_that_takes_no_work():
    compiled = []

    def ask(session, request):
        if not compiled:
            missing = UncompiledKernel()
            missing.compile = lambda: compiled.append(True)
            raise missing
        return WebAnswer(200, b"{}")

    assert run(Endpoint("GET", "/x", ask)) == WebAnswer(200, b"{}")


def test_a_job_that_was_dropped_before_it_ran_is_unavailable():
    plan = Endpoint("GET", "/x", lambda *_: make_question({})).plan(Session(make_service(), 0), WebRequest())
    assert plan.finish(b"").status == 503
    assert plan.finish(CancelledWork("stopped")).headers["Retry-After"]


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
        "from protocol.web.answers import WebAnswer\n\nask = lambda session, request: WebAnswer(200, b'{}')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    endpoint = Endpoint("GET", "/later", NamedAsk("asked_later:ask"))
    session = Session(make_service(), 0)

    planned = endpoint.plan(session, WebRequest())
    assert "asked_later" not in sys.modules
    assert isinstance(planned, PlannedWork)
    assert planned.finish(planned.job.run(lambda reply: None)).body == b"{}"

    assert endpoint.plan(session, WebRequest()) == WebAnswer(200, b"{}")
    del sys.modules["asked_later"]


def test_a_server_starts_without_what_questions_about_matches_import():
    code = "import sys, protocol.transports.web.server; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    later = (
        "engine.match_files.reading",
        "engine.match_analysis.analysis",
        "protocol.dialects.json_analysis",
    )
    assert not set(later) & set(run.stdout.split())
