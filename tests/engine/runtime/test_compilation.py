"""The report of compiling: silent for a second, then a line that counts, on stderr alone."""

from __future__ import annotations

import io
import re
import time

import pytest

from engine.runtime.compilation import SILENT_S, CompilationReport


def find_sizes():
    """The sizes of a kernel and of the one that it calls."""
    return {"outer": 1000, "inner": 3000}


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
    report.begin(find_sizes)
    clock.now_s += SILENT_S / 2
    report.begin(find_sizes)
    report.end("inner")
    assert report.update()
    assert out.getvalue() == ""
    clock.now_s += SILENT_S
    report.update()
    assert out.getvalue() == (
        "gammond: compiling kernels once: 1 of 2, about 1 s left for this step "
        "(`gammond prepare` does it ahead)\n"
    )


def test_kernels_that_cannot_be_kept_are_not_compiled_once(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.keeps_kernels = False
    report.begin(find_sizes)
    clock.now_s += 2 * SILENT_S
    report.update()
    assert out.getvalue().startswith("gammond: compiling kernels at each start: 0 of 2, about ")
    assert out.getvalue().endswith(" s left for this step (their folder cannot be written)\n")


def test_a_file_gets_a_line_about_once_a_second(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.begin(find_sizes)
    written_s = []
    for _ in range(16):
        clock.now_s += 0.25
        before = len(out.getvalue())
        report.update()
        written_s += [clock.now_s - 100.0] if len(out.getvalue()) > before else []
    assert written_s == [0.75, 1.5, 2.25, 3.0, 3.75]


def test_a_line_that_is_due_comes_at_once(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.begin(find_sizes)
    clock.now_s += SILENT_S / 4
    report.update(is_due=True)
    report.update(is_due=True)
    assert out.getvalue().count("\n") == 1


def test_progress_is_told_once_a_report_would_be_and_until_nothing_was_compiled_for_a_while(make_report):
    report, clock = make_report(io.StringIO())
    assert report.find_progress() is None
    report.is_silent = True  # a terminal that shows something else
    report.begin(find_sizes)
    clock.now_s += SILENT_S / 2
    assert report.find_progress() is None
    clock.now_s += SILENT_S
    report.begin(dict)
    report.end("inner")
    progress = report.find_progress()
    assert progress is not None
    assert progress[:2] == (1, 2)
    assert progress.left_s >= 1.0
    report.end("outer")
    assert report.find_progress() == (2, 2, 1.0)
    clock.now_s += 2 * SILENT_S
    assert report.find_progress() is None


def said_left_s(report, out, clock, seconds):
    """Seconds left as a report says after some more of compiling."""
    clock.now_s += seconds
    report.update()
    return int(re.search(r"about (\d+) s left", out.getvalue().splitlines()[-1])[1])


def test_the_time_left_is_that_of_the_code_that_is_left_and_of_optimising_it_all(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    sizes = {"outer": 10_000, "first": 10_000, "second": 10_000, "third": 10_000}
    report.begin(lambda: sizes)
    report.begin(dict)
    assert said_left_s(report, out, clock, 4.0) == round(58_000 * 3.0 / 5000 - 4.0)
    report.end("first")  # 10,000 bytes and the usual 5,000 in 7 s
    report.skip("third")
    report.begin(dict)
    left_s = (20_000 + 0.45 * 40_000) * 7.0 / 15_000
    assert said_left_s(report, out, clock, 6.0) == round(left_s - 6.0)
    assert " 1 of 3, " in out.getvalue().splitlines()[-1]
    report.end("second")
    assert said_left_s(report, out, clock, 1000.0) == 1


def test_the_time_left_of_a_step_never_grows(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.begin(lambda: {"outer": 1000, "first": 1000, "second": 10_000})
    report.begin(dict)
    first_s = said_left_s(report, out, clock, 2.0)
    clock.now_s += 60.0  # much slower than usual
    report.end("first")
    report.begin(dict)
    assert said_left_s(report, out, clock, 1.0) == first_s
    report.end("second")
    report.end("outer")
    report.begin(lambda: {"next": 10_000})
    assert said_left_s(report, out, clock, 6.0) > first_s


def test_the_seconds_of_all_compiling_are_counted(make_report):
    report, clock = make_report(io.StringIO())
    assert (report.total_s, report.is_reporting) == (0.0, False)
    report.begin(find_sizes)
    clock.now_s += 2.0
    report.begin(find_sizes)
    clock.now_s += 3.0
    assert (report.total_s, report.is_reporting) == (5.0, True)
    report.end("inner")
    report.end("outer")
    clock.now_s += 100.0
    report.begin(find_sizes)
    clock.now_s += 1.0
    assert report.total_s == 6.0
    report.is_silent = True
    assert not report.is_reporting


def test_a_kernel_in_the_cache_is_not_counted_as_left(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    report.skip("inner")
    report.begin(find_sizes)
    said_left_s(report, out, clock, 2.0)
    assert " 0 of 1, " in out.getvalue()


def test_a_terminal_gets_one_line_that_is_redrawn_and_then_erased(make_report):
    out = Terminal()
    report, clock = make_report(out)
    report.begin(find_sizes)
    for _ in range(10):
        clock.now_s += 0.5
        report.update()
    assert out.getvalue().count("\r") > 5
    shown = [line.rstrip() for line in out.getvalue().split("\r")[-3:]]
    assert len({line.rstrip(".") for line in shown}) < len(set(shown)) == 3
    report.end("inner")
    clock.now_s += SILENT_S
    assert not report.update()
    assert "\n" not in out.getvalue()
    assert out.getvalue().endswith("\r")
    assert out.getvalue().split("\r")[-2].strip() == ""


def test_a_pause_ends_a_report_and_the_next_one_begins_silently(make_report):
    out = io.StringIO()
    report, clock = make_report(out)
    for _ in range(3):
        report.begin(find_sizes)
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
    report.begin(find_sizes)
    clock.now_s += 2 * SILENT_S
    assert report.update()
    assert out.getvalue() == ""


def test_the_first_kernel_alone_calls_what_waits_for_it(make_report):
    report, _ = make_report(io.StringIO())
    calls = []
    report.on_first = lambda: calls.append(report)
    for _ in range(2):
        report.begin(find_sizes)
        report.end("inner")
    assert calls == [report]


def test_the_line_comes_by_itself():
    out = io.StringIO()
    report = CompilationReport(out)
    report.begin(find_sizes)
    deadline_s = time.monotonic() + 60.0
    while not out.getvalue() and time.monotonic() < deadline_s:
        time.sleep(0.05)
    report.end("inner")
    assert "compiling kernels once: 0 of 2, about " in out.getvalue()
