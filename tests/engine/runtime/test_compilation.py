"""The report of compiling: silent for a second, then a line that counts, on stderr alone."""

from __future__ import annotations

import io
import time

import pytest

from engine.runtime.compilation import SILENT_S, CompilationReport


class Clock:
    now_s = 100.0

    def __call__(self):
        return self.now_s


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def make_report(monkeypatch):
    """Make a report whose clock stands still, and which nothing but the test updates."""

    def make(stream):
        clock = Clock()
        report = CompilationReport(stream, clock)
        monkeypatch.setattr(report, "_watch", lambda: None)
        return report, clock

    return make


def test_compiling_is_silent_for_a_second_and_then_counts_kernels(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.begin()
    clock.now_s += SILENT_S / 2
    report.begin()
    report.end()
    assert report.update()
    assert out.getvalue() == ""
    clock.now_s += SILENT_S
    report.update()
    assert out.getvalue() == ("gammond: compiling kernels once: 1 in 2 s (`gammond prepare` does it ahead)\n")


def test_a_file_gets_a_line_every_five_seconds(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.begin()
    for _ in range(24):
        clock.now_s += 0.5
        report.update()
    assert [line.split(" in ")[1][:4] for line in out.getvalue().splitlines()] == ["1 s ", "6 s ", "11 s"]


def test_a_terminal_gets_one_line_that_is_redrawn_and_then_erased(make_report):
    out = Terminal()
    report, clock = make_report(out)
    report.begin()
    for _ in range(10):
        clock.now_s += 0.5
        report.update()
    assert out.getvalue().count("\r") > 5
    report.end()
    clock.now_s += SILENT_S
    assert not report.update()
    assert "\n" not in out.getvalue()
    assert out.getvalue().endswith("\r")
    assert out.getvalue().split("\r")[-2].strip() == ""


def test_a_pause_ends_a_report_and_the_next_one_begins_silently(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    for _ in range(3):
        report.begin()
        clock.now_s += SILENT_S / 2
        report.update()
        report.end()
        clock.now_s += SILENT_S
        assert not report.update()
    assert out.getvalue() == ""


def test_a_silent_report_writes_nothing(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.is_silent = True
    report.begin()
    clock.now_s += 2 * SILENT_S
    assert report.update()
    assert out.getvalue() == ""


def test_the_first_kernel_alone_calls_what_waits_for_it(make_report):
    report, _ = make_report(io.StringIO())
    calls = []
    report.on_first = lambda: calls.append(report)
    for _ in range(2):
        report.begin()
        report.end()
    assert calls == [report]


def test_the_line_comes_by_itself():
    out = io.StringIO()
    report = CompilationReport(out)
    report.begin()
    deadline_s = time.monotonic() + 10 * SILENT_S
    while not out.getvalue() and time.monotonic() < deadline_s:
        time.sleep(0.05)
    report.end()
    assert "compiling kernels once: 0 in " in out.getvalue()
