"""What a tool says on standard error whenever nothing else was said for a while."""

import io
import os
import sys
import threading
import time

import pytest

from gammond.engine.runtime import compilation
from gammond.engine.runtime.compilation import LINE_EVERY_S, CompilationReport
from gammond.tools.common import pulse
from gammond.tools.common.progress import Progress
from gammond.tools.common.pulse import Pulse
from tests.support.processes import run_gammond
from tests.support.terminals import Clock, Terminal


@pytest.fixture
def clock():
    return Clock()


def beat_for(some_pulse, clock, seconds):
    """Update a pulse ten times a second, for so long."""
    for _ in range(round(10 * seconds)):
        clock.now_s += 0.1
        some_pulse.update()


def test_a_log_gets_no_line_of_a_short_run_and_then_one_every_ten_seconds(clock, capsys):
    some_pulse = Pulse(clock)
    beat_for(some_pulse, clock, LINE_EVERY_S - 0.2)
    assert capsys.readouterr().err == ""
    beat_for(some_pulse, clock, 90.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "gammond: working, 10 s"
    assert 9 <= len(lines) <= 10


def test_lines_of_a_long_run_come_further_and_further_apart(clock, capsys):
    some_pulse = Pulse(clock)
    beat_for(some_pulse, clock, 3600.0)
    assert 40 <= capsys.readouterr().err.count("\n") <= 50
    clock.now_s += 99 * 3600.0
    beat_for(some_pulse, clock, 3600.0)
    assert 6 <= capsys.readouterr().err.count("\n") <= 7


def test_a_terminal_is_told_within_a_second(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    beat_for(Pulse(clock), clock, 1.0)
    assert sys.stderr.getvalue() == "working: 1 s\r"


def test_work_says_how_far_it_is_and_what_was_said_otherwise_counts(clock, capsys):
    some_pulse, said = Pulse(clock), []
    with some_pulse.follow(lambda: said.append("outer")):
        with some_pulse.follow(lambda: said.append("inner")):
            beat_for(some_pulse, clock, LINE_EVERY_S + 0.1)
        beat_for(some_pulse, clock, LINE_EVERY_S + 0.1)
        assert said == ["inner", "outer"]
        for _ in range(10):
            beat_for(some_pulse, clock, LINE_EVERY_S - 0.2)
            some_pulse.note()
    assert said == ["inner", "outer"]
    assert capsys.readouterr().err == ""


def test_work_that_has_ended_says_nothing_any_more(clock):
    some_pulse, order, begun, may_go_on = Pulse(clock), [], threading.Event(), threading.Event()

    def say():
        begun.set()
        may_go_on.wait(60.0)
        order.append("said")

    with some_pulse.follow(say):
        clock.now_s += LINE_EVERY_S
        threading.Thread(target=some_pulse.update).start()
        assert begun.wait(60.0)
        threading.Timer(0.1, may_go_on.set).start()
    order.append("ended")
    assert order == ["said", "ended"]


def test_waiting_for_input_is_no_work(clock, capsys):
    some_pulse = Pulse(clock)
    with some_pulse.pause():
        beat_for(some_pulse, clock, 60.0)
    beat_for(some_pulse, clock, LINE_EVERY_S - 0.1)
    assert capsys.readouterr().err == ""


def test_a_kernel_that_is_being_compiled_is_reported_in_place_of_the_work(clock, capsys, monkeypatch):
    report = CompilationReport(clock=clock)
    monkeypatch.setattr(report, "_watch", lambda: None)
    monkeypatch.setattr(pulse, "COMPILATION", report)
    some_pulse = Pulse(clock)
    beat_for(some_pulse, clock, LINE_EVERY_S - 0.2)
    report.begin("kernel")
    beat_for(some_pulse, clock, 0.4)
    report.end("kernel")
    assert capsys.readouterr().err.startswith("gammond: compiling kernels once: 0 in ")


def test_on_a_terminal_seconds_are_counted_while_a_kernel_is_compiled(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    report = CompilationReport(clock=clock)
    monkeypatch.setattr(report, "_watch", lambda: None)
    monkeypatch.setattr(pulse, "COMPILATION", report)
    some_pulse = Pulse(clock)
    report.begin("kernel")
    beat_for(some_pulse, clock, 3.0)
    said = sys.stderr.getvalue()
    assert said.index("compiling kernels once") < said.index("working: 2 s\r") < said.index("working: 3 s\r")


def test_bars_of_all_tools_write_lines_while_a_command_runs(monkeypatch, capsys):
    monkeypatch.setattr(compilation, "LINE_EVERY_S", 0.05)
    monkeypatch.setattr(pulse, "_POLL_S", 0.01)
    with pulse.PULSE.beat("gammond train"), Progress(10, "games") as bar:
        bar.update(5)
        deadline_s = time.monotonic() + 60.0
        while "games: 50 %  5 of 10" not in capsys.readouterr().err and time.monotonic() < deadline_s:
            time.sleep(0.05)
        assert time.monotonic() < deadline_s
    assert not pulse.PULSE.is_beating


def test_standard_input_is_waited_for_in_silence(monkeypatch, capsys):
    reader, writer = os.pipe()
    monkeypatch.setattr(compilation, "LINE_EVERY_S", 0.05)
    with open(reader, "rb") as raw, io.TextIOWrapper(raw) as text:
        monkeypatch.setattr(sys, "stdin", text)
        threading.Timer(0.5, lambda: (os.write(writer, b"one\ntwo\n"), os.close(writer))).start()
        with pulse.PULSE.beat("gammond batch"):
            assert pulse.open_stdin().readlines() == [b"one\n", b"two\n"]
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_log_of_a_question_has_few_lines_which_say_how_far_the_search_is():
    question = ["hint", "startpos", "--dice", "2", "1", "--plies", "4", "--no-store"]
    began_s = time.monotonic()
    asked = run_gammond(*question)
    lines = asked.stderr.splitlines()
    assert asked.stdout.startswith("O is to play 2-1")
    assert all(line.startswith(("gammond hint: ", "gammond: compiling kernels ")) for line in lines)
    assert len(lines) <= 2 + (time.monotonic() - began_s) / LINE_EVERY_S
