"""The benchmarks of servers: tiny runs against real ones, whose answers they check. Nothing is timed."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.rules.position import Position, find_finished
from gammond.tools.bench import crowd as bench_crowd
from gammond.tools.bench import external as bench_external
from gammond.tools.bench import wire as bench_wire
from gammond.tools.bench.load_client import LoadReport
from gammond.tools.bench.measure import BenchmarkSubject, WrongAnswerError
from gammond.tools.bench.signature import make_fixed_positions
from gammond.tools.gnubg import find_gnubg


@pytest.fixture(scope="module")
def subject():
    """The default net and a few positions."""
    boards = make_fixed_positions(60)
    made = BenchmarkSubject()
    made.boards = boards[~find_finished(boards)]
    return made


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    for name, size in (("QUERY_POSITIONS", 90), ("PING_PONGS", 10), ("CLIENTS", 4), ("LINES_PER_CLIENT", 12)):
        monkeypatch.setattr(bench_wire, name, size)
    monkeypatch.setattr(bench_external, "PLAYS", 12)
    for name, size in (("GREEDY_CLIENTS", 3), ("PILING_CLIENTS", 2), ("EVALS", 8), ("STOPS", 2)):
        monkeypatch.setattr(bench_crowd, name, size)


def test_standard_input_answers_commands_and_queries_as_the_engine_does(subject):
    rows = list(bench_wire.bench_stdin(subject))
    assert [row.what for row in rows] == [
        "position and eval, pipelined",
        "1 client, eval, one at a time, p50",
        "1 client, eval, one at a time, p99",
        "JSON queries of 1 position, pipelined",
        "one JSON query of 90 positions, cubeless",
        "one JSON query of 90 positions, with the cube",
    ]
    assert [row.unit for row in rows] == ["pairs/s", "ms", "ms", "queries/s", "positions/s", "positions/s"]
    assert all(row.value > 0 for row in rows)


@pytest.mark.slow
def test_a_client_beside_greedy_ones_gets_its_answers_and_its_stops(subject):
    rows = list(bench_crowd.bench_crowd(subject))
    assert [row.what for row in rows] == [
        "1 client beside 3 greedy ones, eval, p50",
        "1 client beside 3 greedy ones, eval, p99",
        "1 client beside 3 greedy ones, stop of a search",
    ]
    assert all(row.unit == "ms" and row.value > 0 for row in rows)


def test_tcp_answers_one_client_and_many_as_the_engine_does(subject):
    rows = list(bench_wire.bench_server(subject))
    assert [(row.what, row.unit) for row in rows] == [
        ("1 client, eval, one at a time, p50", "ms"),
        ("1 client, eval, one at a time, p99", "ms"),
        ("4 clients, mixed lines, p99", "ms"),
        ("4 clients, mixed lines, all together", "lines/s"),
        ("1 client, eval, one at a time to a server that only echoes, p50", "ms"),
        ("1 client, eval, one at a time to a server that only echoes, p99", "ms"),
        ("4 clients, mixed lines to a server that only echoes, p99", "ms"),
        ("4 clients, mixed lines to a server that only echoes, all together", "lines/s"),
    ]
    assert all(row.value > 0 for row in rows)


def test_gnubgs_dialect_answers_as_the_engine_does_and_says_where_gnubg_is_missing(subject, monkeypatch):
    monkeypatch.setattr(bench_external, "find_gnubg", lambda: None)
    *ours, evaluations, plays = bench_external.bench_external(subject)
    assert [row.what for row in ours] == [
        "evaluations of FIBS boards, 1 client, one at a time",
        "evaluations of FIBS boards, pipelined",
        "plays of FIBS boards, 1 client, one at a time",
    ]
    assert all(row.value > 0 for row in ours)
    assert evaluations.value is plays.value is None
    assert "gnubg is not installed" in evaluations.note


@pytest.mark.peer
def test_gnubgs_own_server_answers_the_same_boards(subject):
    if find_gnubg() is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    *_, evaluations, plays = bench_external.bench_external(subject)
    assert evaluations.value > 0
    assert plays.value > 0


def test_answers_that_differ_from_the_engines_are_not_timed():
    expected = np.array([[0.5, 0.1], [0.25, 0.0]])
    bench_wire.check_answers_close([[0.500009, 0.1], [0.25, 0.0]], expected)
    for wrong in ([[0.5, 0.1], [0.25, 0.00002]], [[0.5, 0.1]], [[0.5, 0.1], [0.25, float("nan")]]):
        with pytest.raises(WrongAnswerError):
            bench_wire.check_answers_close(wrong, expected)


EVAL = "eval win=0.5 win_g=0.1 win_bg=0 lose_g=0.1 lose_bg=0 equity=0 cubeful=0.02 plies=0 net=n"
SCRIPT = ("set engine.net n", "position gnubgid 4HPwATDgc/ABMA", "eval", "dice 3 1", "legal")
ANSWERS = ("ok set engine.net=n", "ok position", EVAL, "ok dice", "legal count=16")


def load_report(answers=ANSWERS, **changes):
    report = LoadReport(
        clients=1,
        requests=5,
        answered=5,
        errors=0,
        seconds=0.5,
        p50_ms=3.0,
        p99_ms=9.0,
        final_lines=[answers],
    )
    return replace(report, **changes)


def check_load(report, boards):
    bench_wire.check_load(report, [SCRIPT], boards, np.array([[0.5, 0.1, 0.0, 0.1, 0.0, 0.0, 0.02]]))


def test_each_answer_of_a_load_is_checked():
    start = make_start()
    check_load(load_report(), start)
    wrong_value = (*ANSWERS[:2], EVAL.replace("0.5", "0.6"), *ANSWERS[3:])
    wrong_count = (*ANSWERS[:4], "legal count=15")
    for report in (
        load_report(answered=4),
        load_report(errors=1),
        load_report(wrong_value),
        load_report(wrong_count),
    ):
        with pytest.raises(WrongAnswerError):
            check_load(report, start)


def make_start():
    start = Position.start().board[None]
    assert encode_position_ids(start) == ["4HPwATDgc/ABMA"]
    return start


def test_scripts_of_clients_are_the_same_each_time_and_of_one_length(subject):
    ids = encode_position_ids(subject.boards)
    scripts = bench_wire.draw_mixed_scripts(ids)
    assert scripts == bench_wire.draw_mixed_scripts(ids)
    assert [len(script) for script in scripts] == [12] * 4
