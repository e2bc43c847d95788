"""``isready``: what is loaded then, and what is said meanwhile."""

from __future__ import annotations

import threading

import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.compilation import COMPILATION
from gammond.protocol.commands import general, readiness
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.session import Session
from gammond.tools.prepare import JOBS
from tests.protocol.talking import cool, hear, make_connection, pump, talk
from tests.protocol.transcripts import make_shipped_service
from tests.support.evaluators import RacingEvaluator


def test_nothing_that_a_session_asks_for_later_needs_more_code():
    service = make_shipped_service()
    readiness._ENGINES.clear()
    assert talk("isready", connect(Session(service, 1)))[-1] == "readyok"
    known = set(COMPILATION.known)
    for lines in JOBS.values():
        connection = connect(Session(service, 1))
        for line in lines:
            if "pubeval" in line:  # players of one's own choice are readied once chosen
                talk("set engine.player pubeval\nisready\nset engine.player net", connection)
                known = set(COMPILATION.known)
            elif line.startswith("set game.variant"):  # and so is another game
                assert talk(f"{line}\nisready", connection)[-1] == "readyok"
                known = set(COMPILATION.known)
            else:
                talk(line, connection)
        assert set(COMPILATION.known) - known == set()


class SlowEvaluator(RacingEvaluator):
    """Takes its time until it is let go."""

    name = "slow"
    go = threading.Event()

    def evaluate(self, boards):
        self.go.wait(60)
        return super().evaluate(boards)


@pytest.fixture
def slow_connection(monkeypatch):
    """A connection to an evaluator that waits, and reports that come often."""
    monkeypatch.setattr(general, "REPORT_EVERY_S", 0.02)
    monkeypatch.setattr(SlowEvaluator, "go", threading.Event())
    readiness._ENGINES.pop("slow", None)
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
    assert list(reports[0].values.items())[:2] == [("ready", 0), ("of", len(readiness.READY_LINES))]


def test_readying_can_be_stopped(slow_connection):
    hear(slow_connection, b"isready\n")
    job = slow_connection.next_job()
    job.control.stop()
    slow_connection.receive_result(job, job.run(lambda _: None))
    assert slow_connection.data_to_send().startswith(b"error stopped ")


def test_it_readies_once_for_all_clients(monkeypatch):
    assert talk("isready")[-1] == "readyok"
    monkeypatch.setattr(general._Readying, "_ask_everything", lambda _: pytest.fail("it asks again"))
    assert talk("isready") == ["readyok"]


class ColdGame:
    """Backgammon before the kernels are loaded that play and that read queries, which may fail."""

    def __init__(self, monkeypatch):
        self.loads = 0
        self.fault = None
        for group in (readiness.PLAY_KERNELS, readiness.TEXT_KERNELS):
            cool(monkeypatch, group, self.load)

    def load(self):
        self.loads += 1
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def cold_game(monkeypatch):
    return ColdGame(monkeypatch)


def test_only_a_line_that_needs_kernels_waits_and_the_lines_behind_it(cold_game):
    connection, other = make_connection(), make_connection()
    hear(connection, b"newgame\ndice 3 1\nplay 8/5 6/5\nget engine.ply\n")
    assert connection.data_to_send().count(b"\n") == 2
    hear(other, b"newgame\ndice 3 1\nget engine.ply\n")
    assert other.data_to_send().count(b"\n") == 3
    assert not cold_game.loads
    lines = pump(connection)
    assert [line.split()[:2] for line in lines] == [["ok", "play"], ["value", "engine.ply"]]
    assert cold_game.loads == 1
    hear(other, b"play 8/5 6/5\n")
    assert other.data_to_send().startswith(b"ok play ")


def test_a_query_is_work_that_waits_for_the_compiler_and_holds_nobody_up(cold_game):
    connection = make_connection()
    hear(
        connection, b'{"id":1,"position":"4HPwATDgc/ABMA","plies":1,"want":["moves"],"dice":[3,1]}\nnewgame\n'
    )
    assert connection.data_to_send().startswith(b"ok newgame ")
    (line,) = pump(connection)
    assert line.startswith('{"id":1,')
    assert cold_game.loads == 1


def test_what_cannot_be_loaded_is_an_error_of_each_request_that_needs_it_and_of_no_other(cold_game, caplog):
    cold_game.fault = DataFileError("a file is damaged")
    connection = make_connection()
    text = 'newgame\ndice 3 1\nplay 8/5 6/5\nundo\nplay 8/5 6/5\n{"id":1,"position":"4HPwATDgc/ABMA"}'
    lines = talk(text, connection)
    error = "error data_file request: a file is damaged"
    assert [line for line in lines if line.startswith("error")] == [error, error]
    assert [line.split()[1] for line in lines if line.startswith("ok")] == ["newgame", "dice", "undo"]
    assert '"error":{"code":"data_file"' in lines[-1]
    assert cold_game.loads == 2  # once for each group
    assert connection.handler.session.error_count == 3
    assert connection.handler.session.request_count == 6
