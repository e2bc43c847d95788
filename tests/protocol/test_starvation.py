"""What one client asks for keeps nobody else waiting: dear lines are cheap, or work in turns of their own.

Times are of the processor, the best of several, so that other work on the machine does not count, and bounds
are multiples of what a loop takes, so that its speed does not either.
"""

from __future__ import annotations

import json
import time

import pytest

from gammond.protocol.core.interpreter import InterpreterTurns
from tests.protocol.talking import hear, make_connection
from tests.support.machine_speed import measure_loop_s

WIDE = "AAAA/39SSlKlJA"
"""2,211 plays of a double ace."""

SET_UP = f"position gnubgid {WIDE}\ndice 1 1\n"
LONG_WORD = "x" * 520_000


def measure_serving_s(line, tries=20):
    """Return the least processor time that the serving thread spends on a line that is answered at once."""
    connection = make_connection()
    hear(connection, SET_UP.encode())
    least_s = 1e9
    for _ in range(tries):
        connection.data_to_send()
        began_s = time.thread_time()
        hear(connection, f"{line}\n".encode())
        least_s = min(least_s, time.thread_time() - began_s)
        assert connection.next_job() is None
        assert connection.data_to_send().startswith(b"error ")
    return least_s


@pytest.mark.parametrize(
    "line", ["play 2/1(4)", "play 24/23 22/21", "play 24/23 22/21 20/19 18/17", "play 24/23(2) 22/21(2)"]
)
def test_an_illegal_play_of_a_wide_double_is_refused_without_listing_all_plays(line):
    assert measure_serving_s(line) < 10 * measure_loop_s()


@pytest.mark.parametrize(
    "line",
    [
        LONG_WORD,
        f"moves {LONG_WORD}=1",
        f"set {LONG_WORD} 1",
        f"go chequer {LONG_WORD} 1",
        f"play {LONG_WORD}",
    ],
    ids=["command", "argument", "setting", "limit", "play"],
)
def test_a_word_of_520_kb_is_not_compared_with_what_there_is(line):
    assert measure_serving_s(line, tries=5) < 100 * measure_loop_s()


class TimedTurns(InterpreterTurns):
    """Turns that note the processor time of the longest."""

    def __init__(self):
        super().__init__()
        self.longest_s = self._began_s = 0.0

    def take(self, **how):
        taken = super().take(**how)
        self._began_s = time.thread_time()
        return taken

    def release(self):
        self.longest_s = max(self.longest_s, time.thread_time() - self._began_s)
        super().release()


@pytest.mark.parametrize(
    "line",
    [
        "legal",
        "moves",
        json.dumps({"id": 1, "positions": [WIDE] * 4, "dice": [1, 1], "want": ["moves"]}),
    ],
    ids=["legal", "moves", "query"],
)
def test_thousands_of_plays_are_long_work_and_listed_in_turns_of_some_milliseconds(line):
    connection = make_connection()
    hear(connection, SET_UP.encode())
    connection.data_to_send()
    longest_s = []
    for _ in range(5):
        hear(connection, f"{line}\n".encode())
        job = connection.next_job()
        assert job.work.is_long
        assert not job.work.is_quick
        job.control.interpreter = turns = TimedTurns()
        connection.receive_result(job, job.run(lambda reply: None))
        assert len(connection.data_to_send()) > 100_000
        longest_s.append(turns.longest_s)
    assert 0 < min(longest_s) < 50 * measure_loop_s()
