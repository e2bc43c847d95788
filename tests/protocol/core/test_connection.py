from __future__ import annotations

import itertools
import threading

import pytest

from gammond.engine.errors import LimitError
from gammond.protocol.core.requests import Reply
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.questions.question import EVALUATION
from gammond.protocol.state.session import Session
from tests.protocol.talking import (
    SEED,
    finish,
    hear,
    make_connection,
    make_service,
    pump,
    sent,
    take_jobs,
    talk,
)
from tests.support.evaluators import WatchedEvaluator


def test_untagged_answers_keep_the_order_of_their_requests():
    connection = make_connection()
    hear(connection, b"newgame\neval\nget engine.ply\ndice 3 1\ngo\n")
    first, second = take_jobs(connection)
    assert [line.split()[0] for line in sent(connection)] == ["ok"]
    finish(connection, second)
    assert sent(connection) == []
    finish(connection, first)
    assert [line.split()[0] for line in sent(connection)] == ["eval", "value", "ok", "info", "bestmove"]


def test_a_tagged_request_overtakes_and_every_line_of_it_has_its_tag():
    connection = make_connection()
    hear(connection, b"newgame\ndice 3 1\neval\n@m moves 2\n@g get engine.ply\n")
    slow, tagged = take_jobs(connection)
    finish(connection, tagged)
    lines = sent(connection)
    assert [line.split()[:2] for line in lines[2:]] == [
        ["@g", "value"],
        ["@m", "move"],
        ["@m", "move"],
        ["@m", "moves"],
    ]
    finish(connection, slow)
    assert sent(connection)[0].startswith("eval ")


def test_work_sees_the_state_at_its_arrival():
    connection = make_connection()
    hear(connection, b"newgame\n@a eval\nposition gnubgid 2+4OAADg2+4AAA\n@b eval\nnewgame\n")
    a, b = take_jobs(connection)
    alone = talk("newgame\neval")[-1]
    finish(connection, b)
    finish(connection, a)
    lines = dict(line.split(" ", 1) for line in sent(connection) if line.startswith("@"))
    assert lines["@a"] == alone


def test_an_exception_in_one_request_answers_that_request_only(caplog):
    lines = talk("newgame\neval\nget engine.ply", make_connection(WatchedEvaluator(lambda _: 1 // 0)))
    assert lines[1].startswith("error internal server: ")
    assert "division" not in "".join(lines)
    assert lines[2] == "value engine.ply 1"
    assert "ZeroDivisionError" in caplog.text


def test_stop_reaches_work_by_tag_and_all_work_without():
    connection = make_connection()
    hear(connection, b"newgame\n@a eval\n@b eval\nstop @b\n")
    a, b = take_jobs(connection)
    assert (a.control.is_stopped, b.control.is_stopped) == (False, True)
    hear(connection, b"stop\nstop @nothere\n")
    assert a.control.is_stopped
    assert sent(connection)[1:] == ["ok stop stopped=1", "ok stop stopped=2", "ok stop stopped=0"]


def test_a_tag_in_use_is_refused_and_free_again_afterwards():
    connection = make_connection()
    hear(connection, b"newgame\n@a eval\n@a eval\n")
    assert sent(connection)[1].startswith("error bad_value tag: @a is the tag of an unfinished request")
    pump(connection)
    assert talk("@a eval", connection)[0].startswith("@a eval ")


@pytest.mark.parametrize(
    "line", ["moves", "dice 6 6", "nonsense", "st\x00op", '{"id":7,"position":"x"}', '{"id":"x"}']
)
def test_nothing_but_the_answer_carries_a_tag_in_use(line):
    connection = make_connection()
    hear(connection, b"newgame\ndice 3 1\n@a moves\n" + f"@a {line}\n".encode())
    (refused,) = sent(connection)[2:]
    assert not refused.startswith("@")
    assert refused.startswith('{"id":') == line.startswith("{")
    assert "is the tag of an unfinished request" in refused or "control byte" in refused
    assert connection.handler.session.game.match.roll == (3, 1)
    assert pump(connection)[-1].startswith("@a moves count=16")


def test_a_faulty_line_works_under_its_tag():
    connection = make_connection()
    hear(connection, b"@a ev\x00al\n")
    assert pump(connection)[0].startswith("@a error bad_value line: ")


def test_quit_comes_last_and_what_follows_it_is_not_read():
    connection = make_connection()
    hear(connection, b"newgame\n@a eval\neval\nquit\neval\n")
    lines = pump(connection)
    assert [line.split()[0] for line in lines] == ["ok", "@a", "eval", "ok"]
    assert lines[-1] == "ok quit"
    assert connection.is_done
    assert not connection.wants_data


def test_end_of_input_drains_the_queue_and_takes_the_last_line_without_its_end():
    connection = make_connection()
    hear(connection, b"newgame\neval\neval")
    hear(connection, None)
    assert not connection.is_done
    assert [line.split()[0] for line in pump(connection)] == ["ok", "eval", "eval"]
    assert connection.is_done


def test_a_full_queue_is_not_read_from_and_nothing_is_lost():
    connection = make_connection(queued_requests=4)
    hear(connection, b"newgame\n" + b"eval\n" * 100)
    assert not connection.wants_data
    assert len(take_jobs(connection)) == 4
    connection = make_connection(queued_requests=4)
    hear(connection, b"newgame\n" + b"@t get engine.ply\neval\n" * 100)
    hear(connection, None)
    lines = pump(connection)
    assert sum(line.startswith("eval ") for line in lines) == 100
    assert sum(line == "@t value engine.ply 1" for line in lines) == 100


def test_a_client_that_does_not_read_stops_the_work_and_the_input():
    connection = make_connection(unsent_bytes=2000)
    hear(connection, b"help\n" * 500)
    assert not connection.wants_data
    assert connection.start_gate.is_closed
    first = connection.data_to_send()
    assert len(first) < 2000 + 5000
    hear(connection, None)
    assert first.count(b"\nhelpok\n") + pump(connection).count("helpok") == 500


def test_an_overlong_line_ends_the_connection_only_where_that_is_wanted():
    for closes in (False, True):
        connection = make_connection(line_bytes=100, close_on_long_line=closes)
        hear(connection, b"newgame\n" + b"x" * 300 + b"\neval\n")
        words = [line.split()[:2] for line in pump(connection)]
        assert words[1] == ["error", "limit"]
        assert (len(words), connection.is_done) == ((2, True) if closes else (3, False))


def test_abandoned_work_gets_its_final_line():
    connection = make_connection()
    hear(connection, b'newgame\neval\n@a eval\n{"id":"q","position":"4HPwATDgc/ABMA"}\n')
    jobs = take_jobs(connection)
    connection.abandon()
    lines = sent(connection)
    assert lines[1].startswith(("error stopped", "@a error stopped", '{"id":"q"'))
    assert sorted(line.partition(" ")[0] for line in lines[1:] if "stopped" in line)[0] == "@a"
    assert len(lines) == 4
    assert connection.is_done
    finish(connection, jobs[0])
    assert sent(connection) == []


def test_jobs_are_handed_out_in_the_order_of_arrival_whatever_their_priority():
    connection = make_connection()
    for query_id, priority in (("low", -1), ("one", 0), ("two", 0), ("high", 5)):
        query = f'{{"id":"{query_id}","position":"4HPwATDgc/ABMA","priority":{priority}}}\n'
        hear(connection, query.encode())
    jobs = take_jobs(connection)
    assert [job.work.key[1] for job in jobs] == ["low", "one", "two", "high"]
    assert [job.work.priority for job in jobs] == [-1, 0, 0, 5]


def test_answers_are_the_same_bytes_whatever_the_order_of_work():
    request = b"".join(b"@%d eval\nroll\n@m%d moves\nplay 24/23\nnewgame\n" % (i, i) for i in range(20))
    answers = set()
    for order in (1, -1):
        connection = connect(Session(make_service(), SEED))
        hear(connection, b"newgame\n" + request)
        threads = [
            threading.Thread(target=finish, args=(connection, job)) for job in take_jobs(connection)[::order]
        ]
        for thread in threads:
            thread.start()
            thread.join()
        answers.add(tuple(sorted(sent(connection))))
    assert len(answers) == 1


def test_thousands_of_legal_plays_are_listed_and_written_by_a_worker():
    connection = make_connection()
    hear(connection, b"position gnubgid BAAAUFKqVKQAAA\ndice 1 1\nlegal\n@a get engine.ply\n")
    assert sent(connection)[2:] == ["@a value engine.ply 1"]
    (job,) = take_jobs(connection)
    result = job.run(lambda _: None)
    assert b"".join(result).endswith(b"\nlegal count=2151\n")
    connection.receive_result(job, result)
    assert connection.data_to_send() == b"".join(result)


def test_a_turn_serves_a_few_lines_and_says_that_there_are_more():
    connection = make_connection()
    connection._clock = itertools.count().__next__
    connection.receive_data(b"get engine.ply\n" * 7 + b"sta")
    for end_s, served, has_more in ((1.5, 3, True), (4.5, 3, True), (99.0, 1, False)):
        connection.advance(end_s=end_s)
        assert len(sent(connection)) == served
        assert connection.has_lines is has_more
        assert connection.has_partial_line is not has_more


def test_blank_lines_have_no_answer_and_end_turns_too():
    connection = make_connection()
    connection._clock = itertools.count().__next__
    connection.receive_data(b"\n" * 5_000 + b"get engine.ply\n")
    connection.advance(end_s=1000)
    assert connection.has_lines
    connection.advance()
    assert sent(connection) == ["value engine.ply 1"]


def test_a_turn_ends_once_its_quick_requests_have_a_size():
    connection = make_connection()
    engine = connection.handler.session.service.get_engine("default", 1)
    connection.handler.session.service.quick_work.add((engine, EVALUATION))
    connection.receive_data(b"newgame\n" + b"eval\nget engine.ply\n" * 7)
    connection.advance(3)
    assert len(take_jobs(connection)) == 3
    assert connection.has_lines


def test_answers_behind_an_unfinished_one_count_as_unsent():
    connection = make_connection(unsent_bytes=2000)
    hear(connection, b"newgame\neval\n" + b"help dice\n" * 100)
    first = connection.next_job()
    connection.data_to_send()
    connection.advance()
    assert not connection.wants_data
    assert not connection.has_lines
    finish(connection, first)
    assert connection.data_to_send().startswith(b"eval ")
    assert connection.has_lines
    assert pump(connection).count("helpok") > 80


def test_work_whose_answers_would_be_held_waits_once_too_much_is_held():
    connection = make_connection(unsent_bytes=2000)
    hear(connection, b"newgame\ndice 3 1\neval\nmoves\neval\n@t eval\n")
    connection.data_to_send()
    head, moves, held, tagged = take_jobs(connection)
    assert connection.start_gate.is_open
    finish(connection, moves)
    gate = connection.start_gate
    assert [gate.allows(job) for job in (head, held, tagged)] == [True, False, True]
    finish(connection, head)
    assert connection.start_gate.is_closed
    assert len(connection.data_to_send()) > 2000
    assert connection.start_gate.is_open


def test_a_client_with_long_lines_unanswered_is_not_read_from():
    connection = make_connection(queued_bytes=20_000)
    hear(connection, b"newgame\n")
    for number in range(5):
        assert connection.wants_data
        query = b'{"id": %d, "position": "4HPwATDgc/ABMA", "note": "%s"}' % (number, b"x" * 5000)
        hear(connection, query + b"\n")
        is_full = not connection.wants_data
        assert is_full is (number >= 3)
        if is_full:
            break
    assert connection.held_bytes > 4 * 20_000
    assert sum('"final":true' in line for line in pump(connection)) == 4
    assert connection.wants_data
    assert connection.held_bytes == 0


def test_half_a_line_is_held_until_its_end():
    connection = make_connection()
    hear(connection, b"x" * 5000)
    assert connection.held_bytes == 5000
    hear(connection, b"\n")
    assert sent(connection)[0].startswith("error bad_command ")
    assert connection.held_bytes == 0


def test_progress_that_a_client_has_no_room_for_is_left_out():
    connection = make_connection(unsent_bytes=500)
    hear(connection, b"newgame\n@a eval\n")
    job = connection.next_job()
    for _ in range(100):
        connection.receive_progress(job, Reply("info", values={"x": "y" * 90}, is_final=False))
    assert 400 < connection.held_bytes < 1000
    finish(connection, job)
    lines = sent(connection)
    assert lines[-1].startswith("@a eval ")
    assert 4 <= len(lines) <= 8


@pytest.mark.parametrize(("sent_bytes", "first"), [(None, b""), (10, b"\n")])
def test_a_client_that_is_cut_off_gets_an_error_on_a_line_of_its_own_and_nothing_else(sent_bytes, first):
    connection = make_connection()
    hear(connection, b"newgame\neval\nhelp\n@b eval\nquit\n")
    held, waiting = connection.next_job(), connection.next_job()
    connection.data_to_send(sent_bytes)
    connection.cut_off(LimitError("too much", field="unread"))
    for job in (held, waiting):
        assert job.control.is_stopped
        finish(connection, job)
    assert connection.data_to_send() == first + b"error limit unread: too much\n"
    assert connection.is_done
    assert connection.held_bytes == 0
