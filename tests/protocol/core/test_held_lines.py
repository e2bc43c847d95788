"""Lines that need what is not there: they wait at the door while it is prepared, and keep their place."""

from __future__ import annotations

import pytest

from gammond.engine.errors import LimitError
from gammond.protocol.core.requests import Unready, make_preparation
from tests.protocol.talking import finish, hear, make_connection, pump, sent

POSITION = b"position gnubgid sGfwATDgc/ABMA\n"


class Compiler:
    """Is asked for a kernel once, by the first ``position``, and then has it."""

    def __init__(self, connection):
        self.runs = 0
        self._answer = connection.handler.answer
        connection.handler.answer = self.answer

    def answer(self, text, is_in_use):
        if "position" in text and not self.runs:
            return Unready(make_preparation(self.compile))
        return self._answer(text, is_in_use)

    def compile(self):
        self.runs += 1


@pytest.fixture
def connection():
    return make_connection()


@pytest.fixture
def compiler(connection):
    return Compiler(connection)


def take_job(connection):
    job = connection.next_job()
    assert connection.next_job() is None
    return job


def test_no_later_line_is_served_before_a_held_one(connection, compiler):
    hear(connection, b"newgame\n" + POSITION + b"dice 3 1\nget engine.ply\n")
    job = take_job(connection)
    assert len(sent(connection)) == 1
    assert (compiler.runs, connection.has_lines, connection.is_idle) == (0, False, False)
    hear(connection, b"undo\n")
    assert sent(connection) == []
    finish(connection, job)
    assert (compiler.runs, connection.has_lines) == (1, True)
    lines = pump(connection)
    assert [line.split()[:2] for line in lines] == [
        ["ok", "position"],
        ["ok", "dice"],
        ["value", "engine.ply"],
        ["ok", "undo"],
    ]
    assert "gnubgid=sGfwATDgc/ABMA" in lines[0]


def test_a_held_answer_waits_for_earlier_ones_and_later_ones_for_it(connection, compiler):
    hear(connection, b"newgame\neval\n" + POSITION + b"board\n")
    work, compiling = connection.next_job(), connection.next_job()
    assert len(sent(connection)) == 1
    finish(connection, compiling)
    connection.advance()
    assert sent(connection) == []
    finish(connection, work)
    assert [line.split()[0] for line in sent(connection)][:3] == ["eval", "ok", "board"]


def test_a_held_line_keeps_its_tag_and_counts_once(connection, compiler):
    hear(connection, b"@a " + POSITION)
    finish(connection, take_job(connection))
    assert pump(connection)[0].startswith("@a ok position ")
    assert connection.handler.session.request_count == 1
    assert connection.handler.session.service.request_count == 1
    hear(connection, b"@a get engine.ply\n")
    assert sent(connection) == ["@a value engine.ply 1"]


def test_a_held_line_may_ask_for_work(connection, compiler):
    hear(connection, b'{"id":1,"position":"4HPwATDgc/ABMA"}\n')
    finish(connection, take_job(connection))
    connection.advance()
    finish(connection, take_job(connection))
    assert '"win":' in sent(connection)[0]
    assert connection.is_idle


@pytest.mark.parametrize("end", [lambda connection: hear(connection, None), lambda c: c.close()])
def test_at_the_end_a_held_line_is_still_answered(connection, compiler, end):
    hear(connection, b"newgame\n" + POSITION)
    end(connection)
    assert not connection.is_done
    finish(connection, take_job(connection))
    assert not connection.is_done
    assert [line.split()[:2] for line in pump(connection)] == [["ok", "newgame"], ["ok", "position"]]
    assert connection.is_done


@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_server_that_goes_down_answers_a_held_line_with_an_error(connection, compiler, is_compiled):
    hear(connection, b"@a " + POSITION + b"newgame\n")
    job = take_job(connection)
    if is_compiled:
        finish(connection, job)
    connection.abandon()
    (line,) = sent(connection)
    assert line.startswith("@a error stopped server:")
    assert connection.is_done
    finish(connection, job)
    assert not connection.has_lines
    assert sent(connection) == []


def test_of_a_client_that_is_cut_off_no_held_line_is_left(connection, compiler):
    hear(connection, POSITION + b"newgame\n")
    job = take_job(connection)
    connection.cut_off(LimitError("too much"))
    finish(connection, job)
    assert not connection.has_lines
    assert [line.split()[:2] for line in pump(connection)] == [["error", "limit"]]
    assert connection.is_done


def test_a_line_whose_preparation_fails_is_served_too_and_its_handler_says_why(connection, compiler):
    def fail():
        compiler.runs += 1
        raise OSError("no room")

    compiler.compile = fail
    hear(connection, POSITION + b"newgame\n")
    assert [line.split()[:2] for line in pump(connection)] == [["ok", "position"], ["ok", "newgame"]]
