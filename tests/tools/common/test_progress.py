import io

import pytest

from gammond.engine.runtime.compilation import CompilationReport
from gammond.tools.common import progress
from gammond.tools.common.progress import Progress, format_duration, format_short_number
from tests.support.terminals import Clock, Terminal


@pytest.fixture
def clock():
    return Clock()


def test_nothing_is_written_without_a_terminal_and_a_command():
    stream = io.StringIO()
    with Progress(10, "work", stream) as bar:
        bar.update(5)
        bar.update(10)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("total", "line"), [(10, "some tool: 50 %  5 of 10  0.4/s  0:12 left"), (None, "some tool: 5  0.4/s")]
)
def test_lines_come_every_ten_seconds_where_there_is_no_terminal(clock, total, line):
    stream = io.StringIO()
    with Progress(total, "work", stream, clock=clock, lines_of="some tool") as bar:
        counts = []
        for seconds in (9.0, 3.0, 9.0, 1.0):
            clock.now_s += seconds
            bar.update(5)
            counts.append(stream.getvalue().count("\n"))
    assert counts == [0, 1, 1, 2]
    assert stream.getvalue().splitlines()[0] == line


@pytest.mark.parametrize(("done", "lines"), [(10, 2), (9, 1)])
def test_lines_end_with_the_whole_work_where_it_was_done(clock, done, lines):
    stream = io.StringIO()
    with Progress(10, "work", stream, clock=clock, lines_of="some tool") as bar:
        clock.now_s += 10.0
        bar.update(5)
        bar.update(done)
    written = stream.getvalue().splitlines()
    assert len(written) == lines
    assert ("100 %  10 of 10" in written[-1]) == (done == 10)


def test_while_kernels_are_compiled_nothing_is_drawn_and_no_time_counts(clock, monkeypatch):
    report = CompilationReport(io.StringIO(), clock)
    monkeypatch.setattr(report, "_watch", lambda: None)
    monkeypatch.setattr(progress, "COMPILATION", report)
    for stream in (Terminal(), io.StringIO()):
        with Progress(4000, "work", stream, clock=clock, lines_of="some tool") as bar:
            bar.update(10)
            before = stream.getvalue()
            report.begin("kernel")
            clock.now_s += 50
            bar.update(11)
            report.end("kernel")
            assert stream.getvalue() == before
            clock.now_s += 2
            report.update()
            bar.update(1000)
            assert " 500/s  0:06 left" in stream.getvalue()


def test_the_line_says_share_count_rate_and_time_left(clock):
    bar = Progress(4000, "work", Terminal(), clock=clock)
    clock.now_s += 2
    bar.update(1000, "3 errors")
    line = "work  [######..................]  25 %  1,000 of 4,000  500/s  0:06 left  3 errors"
    assert bar.format_line() == line


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (70, "work  [###.........]  25 %  1,000 of 4,000  500/s  0:06 left  3 errors"),
        (60, "work   25 %  1,000 of 4,000  500/s  0:06 left  3 errors"),
        (50, "work   25 %  1,000 of 4,000  0:06 left  3 errors"),
        (40, "work   25 %  0:06 left  3 errors"),
        (25, "work   25 %  0:06 left"),
        (10, "work   25 "),
    ],
)
def test_where_room_is_short_the_bar_shrinks_and_then_parts_are_left_out(clock, width, line):
    bar = Progress(4000, "work", Terminal(), clock=clock)
    clock.now_s += 2
    bar.update(1000, "3 errors")
    assert bar.format_line(width) == line
    assert len(line) <= width


def test_the_drawn_line_leaves_the_last_column_of_the_terminal_free(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    with Progress(300_000, "batch", stream, clock=clock) as bar:
        clock.now_s += 2
        bar.update(100_000)
        drawn = stream.getvalue().rpartition("\r")[2]
        assert len(drawn) == 59
        assert drawn.rstrip().endswith("0:04 left")


def test_a_finished_line_says_how_long_it_took(clock):
    bar = Progress(30, "work", Terminal(), clock=clock)
    clock.now_s += 61
    bar.update(30)
    assert bar.format_line() == "work  [########################] 100 %  30 of 30  0.5/s  in 1:01"


def test_without_a_total_the_count_and_the_rate_are_shown(clock):
    bar = Progress(None, "reading", Terminal(), clock=clock)
    clock.now_s += 1
    bar.update(2500)
    assert bar.format_line() == "reading  2,500  2.5 k/s"


def test_the_rate_of_a_resumed_run_leaves_out_what_was_done_before(clock):
    bar = Progress(3000, "work", Terminal(), start=1000, clock=clock)
    clock.now_s += 10
    bar.update(2000)
    assert "100/s  0:10 left" in bar.format_line()


def test_the_line_is_redrawn_at_most_ten_times_a_second(clock):
    stream = Terminal()
    with Progress(1000, "work", stream, clock=clock) as bar:
        for done in range(1000):
            clock.now_s += 0.001
            bar.update(done)
        assert 8 <= stream.getvalue().count("\r") <= 11


def test_the_last_state_stays_and_the_cursor_goes_to_the_next_line(clock):
    stream = Terminal()
    with Progress(10, "work", stream, clock=clock) as bar:
        bar.update(9)
        bar.update(10)
    assert "10 of 10" in stream.getvalue().rsplit("\r", 1)[1]
    assert stream.getvalue().endswith("\n")


def test_a_line_said_for_good_stands_above_the_bar(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    with Progress(10, "work", stream, clock=clock) as bar:
        bar.update(4)
        bar.write_line("half way")
        bar.update(5)
    before, said, after = stream.getvalue().partition("half way\n")
    assert said
    assert before.endswith("\r" + " " * 59 + "\r")
    assert after.startswith("\rwork")


def test_a_line_is_said_without_a_terminal_too():
    stream = io.StringIO()
    with Progress(10, "work", stream) as bar:
        bar.write_line("half way")
    assert stream.getvalue() == "half way\n"


def test_an_exception_passes_and_leaves_a_whole_line():
    stream = Terminal()
    with pytest.raises(ZeroDivisionError), Progress(10, "work", stream) as bar:
        bar.update(3 // 0)
    assert stream.getvalue().endswith("\n")


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.0"), (7.25, "7.2"), (812.4, "812"), (41_234, "41.2 k"), (3_400_000, "3.4 M")]
)
def test_numbers_are_short(value, text):
    assert format_short_number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_times_read_like_a_clock(seconds, text):
    assert format_duration(seconds) == text
