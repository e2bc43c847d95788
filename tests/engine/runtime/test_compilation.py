"""The report of compiling: silent for a second, then a line that counts, on stderr alone."""

import io
import time

import pytest

from gammond.engine.runtime.compilation import SILENT_S, CompilationReport
from tests.support.terminals import Clock, Terminal

KERNEL = "gammond.engine.kernels.search.average"


@pytest.fixture
def make_report(monkeypatch):
    """Make a report whose clock stands still, and which nothing but the test updates."""

    def make(stream):
        clock = Clock()
        report = CompilationReport(stream, clock)
        monkeypatch.setattr(report, "_watch", lambda: None)
        return report, clock

    return make


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_compiling_is_silent_for_a_second_and_then_counts_kernels(make_report, stream):
    report, clock = make_report(stream)
    report.begin(KERNEL)
    clock.now_s += SILENT_S / 2
    report.begin(KERNEL)
    report.end("inner")
    assert report.update()
    assert stream.getvalue() == ""
    clock.now_s += SILENT_S
    report.update()
    line = "gammond: compiling kernels once: 1 in 1 s (`gammond prepare` does it ahead)\n"
    assert stream.getvalue() == ("\r\x1b[K" if stream.isatty() else "") + line
    assert report.known == {"inner"}


def test_kernels_that_cannot_be_kept_are_not_compiled_once(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.keeps_kernels = False
    report.begin(KERNEL)
    clock.now_s += 2 * SILENT_S
    report.update()
    line = "gammond: compiling kernels at each start: 0 in 1 s (their folder cannot be written)\n"
    assert out.getvalue() == line


def test_preparing_is_no_advice_for_kernels_that_it_leaves_out(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.begin("gammond.tools.train.kernels.td.play_round")
    report.begin(KERNEL)
    clock.now_s += 2 * SILENT_S
    report.update()
    assert out.getvalue() == "gammond: compiling kernels once: 0 in 1 s\n"


def test_a_line_comes_within_a_second_and_then_one_every_ten(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    written_s = []
    for _ in range(4):
        report.begin(KERNEL)
        for _ in range(32):
            clock.now_s += 0.25
            before = len(out.getvalue())
            report.update()
            written_s += [clock.now_s - 100.0] if len(out.getvalue()) > before else []
        report.end("outer")
    assert written_s == [0.75, 10.75, 20.75, 30.75]


def test_a_line_that_is_due_comes_at_once(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.begin(KERNEL)
    clock.now_s += SILENT_S / 4
    report.update(is_due=True)
    report.update(is_due=True)
    assert out.getvalue().count("\n") == 1


def test_progress_is_told_once_a_report_would_be_and_until_nothing_was_compiled_for_a_while(make_report):
    report, clock = make_report(io.StringIO())
    assert report.find_progress() is None
    report.is_silent = True  # a terminal that shows something else
    report.begin(KERNEL)
    clock.now_s += SILENT_S / 2
    assert report.find_progress() is None
    clock.now_s += 4.0
    report.begin(KERNEL)
    report.end("inner")
    assert report.find_progress() == {"done": 1, "elapsed_s": 4}
    report.end("outer")
    assert report.find_progress() == {"done": 2, "elapsed_s": 4}
    clock.now_s += 2 * SILENT_S
    assert report.find_progress() is None


def test_the_seconds_of_all_compiling_are_counted(make_report):
    report, clock = make_report(io.StringIO())
    assert (report.total_s, report.is_compiling) == (0.0, False)
    report.begin(KERNEL)
    clock.now_s += 2.0
    report.begin(KERNEL)
    clock.now_s += 3.0
    assert (report.total_s, report.is_compiling) == (5.0, True)
    report.end("inner")
    report.end("outer")
    clock.now_s += 100.0
    report.begin(KERNEL)
    clock.now_s += 1.0
    assert report.total_s == 6.0


def test_a_pause_ends_a_report_and_the_next_one_begins_silently(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    for _ in range(3):
        report.begin(KERNEL)
        clock.now_s += SILENT_S / 2
        report.update()
        report.end("inner")
        clock.now_s += SILENT_S
        assert not report.update()
    assert out.getvalue() == ""


def test_a_silent_report_writes_nothing(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.is_silent = True
    report.begin(KERNEL)
    clock.now_s += 2 * SILENT_S
    assert report.update()
    assert out.getvalue() == ""


def test_the_first_kernel_alone_calls_what_waits_for_it(make_report):
    report, _ = make_report(io.StringIO())
    calls = []
    report.on_first = lambda: calls.append(report)
    for _ in range(2):
        report.begin(KERNEL)
        report.end("inner")
    assert calls == [report]


def test_the_line_comes_by_itself():
    out = io.StringIO()
    report = CompilationReport(out)
    report.begin(KERNEL)
    deadline_s = time.monotonic() + 60.0
    while not out.getvalue() and time.monotonic() < deadline_s:
        time.sleep(0.05)
    report.end("inner")
    assert "compiling kernels once: 0 in " in out.getvalue()
