"""Workers give results in order and leave nothing running behind."""

from __future__ import annotations

import threading
import time

import pytest

from engine.errors import CancelledWork, ValueRangeError
from engine.runtime.thread_turns import release_turn
from engine.runtime.threads import Workers


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads):
    def work(item):
        time.sleep(0.001 * (7 - item % 7))
        return item * item

    assert Workers(threads).map(work, range(30)) == [item * item for item in range(30)]


def test_work_that_passes_its_turn_on_is_done_side_by_side():
    together = threading.Barrier(3, timeout=20)

    def work(_):
        with release_turn():
            return together.wait()

    assert len(Workers(3).map(work, range(3))) == 3


@pytest.mark.parametrize("threads", [1, 4])
def test_a_failure_is_raised_when_no_other_work_is_running(threads):
    running = []

    def work(item):
        running.append(item)
        time.sleep(0.01)
        running.remove(item)
        if item == 3:
            raise ValueError("three")
        return item

    with pytest.raises(ValueError, match="three"):
        Workers(threads).map(work, range(40))
    assert running == []


def test_nothing_to_do_is_done_at_once():
    assert Workers(2).map(lambda item: item, []) == []


@pytest.mark.parametrize("threads", [0, -1, 257])
def test_other_numbers_of_threads_are_refused(threads):
    with pytest.raises(ValueRangeError) as caught:
        Workers(threads)
    assert caught.value.field == "threads"


def test_a_caller_does_not_wait_for_threads_that_are_busy_with_others_items():
    workers, may_end, began = Workers(2), threading.Event(), threading.Barrier(3)

    def keep_busy(_):
        with release_turn():
            began.wait(20)
            may_end.wait(20)

    busy = threading.Thread(target=lambda: workers.map(keep_busy, range(2)))
    busy.start()
    began.wait(20)
    assert workers.map(lambda item: item, range(4)) == [0, 1, 2, 3]
    assert busy.is_alive()
    may_end.set()
    busy.join(20)


def test_after_a_failure_no_further_item_is_begun():
    done = []

    def work(item):
        if item == 0:
            raise CancelledWork("cancelled")
        time.sleep(0.01)
        done.append(item)

    with pytest.raises(CancelledWork):
        Workers(2).map(work, range(1000))
    assert len(done) <= 2
