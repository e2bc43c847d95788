"""``isready``: what is loaded then, and what is said meanwhile."""

from __future__ import annotations

import threading

import pytest

from engine.runtime.compilation import COMPILATION
from protocol.commands import readiness
from protocol.dialects.line_client import connect
from protocol.state.session import Session
from tests.boards import RacingEvaluator
from tests.protocol.talking import hear, make_connection, talk
from tests.protocol.transcripts import make_shipped_service
from tools.prepare import JOBS


def test_nothing_that_a_session_asks_for_later_needs_more_code():
    service = make_shipped_service()
    readiness._ready.clear()
    assert talk("isready", connect(Session(service, 1)))[-1] == "readyok"
    known = set(COMPILATION._known)
    for lines in JOBS.values():
        connection = connect(Session(service, 1))
        for line in lines:
            if "pubeval" in line:  # players of one's own choice are readied once chosen
                talk("set engine.player pubeval\nisready\nset engine.player net", connection)
                known = set(COMPILATION._known)
            elif line.startswith("set game.variant"):  # and so is another game
                assert talk(f"{line}\nisready", connection)[-1] == "readyok"
                known = set(COMPILATION._known)
            else:
                talk(line, connection)
        assert set(COMPILATION._known) - known == set()


class SlowEvaluator(RacingEvaluator):
    """Takes its time until it is let go."""

    name = "slow"
    go = threading.Event()

    def evaluate(self, boards):
        self.go.wait(30)
        return super().evaluate(boards)


@pytest.fixture
def slow_connection(monkeypatch):
    """A connection to an evaluator that waits, and reports that come often."""
    monkeypatch.setattr(readiness, "REPORT_EVERY_S", 0.02)
    monkeypatch.setattr(SlowEvaluator, "go", threading.Event())
    readiness._ready.discard("slow")
    yield make_connection(SlowEvaluator())
    SlowEvaluator.go.set()


def test_readying_that_lasts_is_reported(slow_connection):
    hear(slow_connection, b"@r isready\n")
    job, reports = slow_connection.next_job(), []

    def report(reply):
        reports.append(reply)
        if len(reports) == 3:
            SlowEvaluator.go.set()

    assert job.run(report) == b"@r readyok\n"
    assert len(reports) >= 3
    assert all(reply.word == "info" and not reply.is_final for reply in reports)
    assert reports[0].text.startswith(f"ready 0 of {len(readiness.READY_LINES)} time_ms ")


def test_readying_can_be_stopped(slow_connection):
    hear(slow_connection, b"isready\n")
    job = slow_connection.next_job()
    job.control.stop()
    slow_connection.receive_result(job, job.run(lambda _: None))
    assert slow_connection.data_to_send().startswith(b"error stopped ")


def test_it_readies_once_for_all_clients(monkeypatch):
    assert talk("isready")[-1] == "readyok"
    monkeypatch.setattr(readiness, "READY_LINES", ("nonsense",))
    assert talk("isready") == ["readyok"]


def test_each_request_is_answered():
    connection = make_connection()
    for line in readiness.READY_LINES:
        assert not talk(line, connection)[-1].startswith("error"), line
