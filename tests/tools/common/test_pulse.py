"""What a tool says on standard error whenever nothing else was said for a while."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.runtime.compilation import CompilationReport
from tools.common import pulse
from tools.common.progress import Progress
from tools.common.pulse import EVERY_S, Pulse

ROOT = Path(__file__).parents[3]


class Clock:
    def __init__(self):
        self.seconds = 100.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


def beat_for(some_pulse, clock, seconds):
    """Update a pulse ten times a second, for so long."""
    for _ in range(round(10 * seconds)):
        clock.seconds += 0.1
        some_pulse.update()


def test_a_tool_that_says_nothing_is_said_to_work_about_once_a_second(clock, capsys):
    some_pulse = Pulse(clock)
    beat_for(some_pulse, clock, EVERY_S - 0.1)
    assert capsys.readouterr().err == ""
    beat_for(some_pulse, clock, 4.0)
    assert capsys.readouterr().err.splitlines()[0] == "gammond: working, 1 s"


def test_a_log_gets_a_line_a_second_for_ten_minutes_and_then_fewer(clock, capsys):
    some_pulse = Pulse(clock)
    beat_for(some_pulse, clock, 600.0)
    assert 600 <= capsys.readouterr().err.count("\n") <= 800
    beat_for(some_pulse, clock, 600.0)
    assert 59 <= capsys.readouterr().err.count("\n") <= 61


def test_the_journal_gets_a_line_every_ten_seconds_from_the_beginning(clock, capsys, monkeypatch):
    status = os.stat(2)
    monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
    some_pulse = Pulse(clock)
    beat_for(some_pulse, clock, 100.0)
    assert 9 <= capsys.readouterr().err.count("\n") <= 10
    monkeypatch.setenv("JOURNAL_STREAM", "1:2")  # of the session that this program was started in
    beat_for(some_pulse, clock, 100.0)
    assert capsys.readouterr().err.count("\n") >= 100


def test_work_says_how_far_it_is_and_what_was_said_otherwise_counts(clock, capsys):
    some_pulse, said = Pulse(clock), []
    with some_pulse.follow(lambda: said.append("outer")):
        with some_pulse.follow(lambda: said.append("inner")):
            beat_for(some_pulse, clock, 1.0)
        beat_for(some_pulse, clock, 1.0)
        assert said == ["inner", "outer"]
        for _ in range(10):
            beat_for(some_pulse, clock, EVERY_S - 0.2)
            some_pulse.note()
    assert said == ["inner", "outer"]
    assert capsys.readouterr().err == ""


def test_work_that_has_ended_says_nothing_any_more(clock):
    some_pulse, order, begun, may_go_on = Pulse(clock), [], threading.Event(), threading.Event()

    def say():
        begun.set()
        may_go_on.wait(10.0)
        order.append("said")

    with some_pulse.follow(say):
        clock.seconds += 1.0
        threading.Thread(target=some_pulse.update).start()
        assert begun.wait(10.0)
        threading.Timer(0.1, may_go_on.set).start()
    order.append("ended")
    assert order == ["said", "ended"]


def test_waiting_for_input_is_no_work(clock, capsys):
    some_pulse = Pulse(clock)
    with some_pulse.pause():
        beat_for(some_pulse, clock, 60.0)
    beat_for(some_pulse, clock, EVERY_S - 0.1)
    assert capsys.readouterr().err == ""


def test_a_kernel_that_is_being_compiled_is_reported_in_place_of_the_work(clock, capsys, monkeypatch):
    report = CompilationReport(clock=clock)
    monkeypatch.setattr(report, "_watch", lambda: None)
    monkeypatch.setattr(pulse, "COMPILATION", report)
    some_pulse = Pulse(clock)
    beat_for(some_pulse, clock, 0.5)
    report.begin(lambda: {"kernel": 1000})
    beat_for(some_pulse, clock, 0.4)
    report.end("kernel")
    assert capsys.readouterr().err.startswith("gammond: compiling kernels once: 0 of 1, ")


def test_bars_of_all_tools_write_lines_while_a_command_runs(monkeypatch, capsys):
    monkeypatch.setattr(pulse, "EVERY_S", 0.05)
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
    monkeypatch.setattr(pulse, "EVERY_S", 0.05)
    with open(reader, "rb") as raw, io.TextIOWrapper(raw) as text:
        monkeypatch.setattr(sys, "stdin", text)
        threading.Timer(0.5, lambda: (os.write(writer, b"one\ntwo\n"), os.close(writer))).start()
        with pulse.PULSE.beat("gammond batch"):
            assert pulse.open_stdin().readlines() == [b"one\n", b"two\n"]
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_question_away_from_a_terminal_says_how_far_the_search_is():
    question = ["hint", "startpos", "--dice", "2", "1", "--plies", "4", "--no-store"]
    began_s, said_s = time.monotonic(), []
    with subprocess.Popen(
        [sys.executable, "-m", "gammond", *question], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        lines = []
        for line in process.stderr:
            said_s.append(time.monotonic() - began_s)
            lines.append(line.decode())
        answer = process.stdout.read().decode()
    assert answer.startswith("O is to play 2-1")
    assert all(line.startswith(("gammond hint: ", "gammond: compiling kernels ")) for line in lines)
    assert sum("thinking: " in line for line in lines) >= 1
    assert len(said_s) > 0.5 * max(said_s)
