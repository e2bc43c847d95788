"""Worker threads: which client's work they take next."""

from __future__ import annotations

import queue
import threading
import time

import pytest

from gammond.engine.errors import LimitError, ValueRangeError
from gammond.engine.runtime.machine import MAX_THREADS
from gammond.protocol.core.fault_log import FaultLog
from gammond.protocol.core.jobs import LineJob, PendingRequest, StartGate
from gammond.protocol.core.requests import Reply, Work
from gammond.protocol.transports import workers
from gammond.protocol.transports.workers import WorkerPool
from tests.support.waiting import wait_until


@pytest.fixture
def busy_pool():
    """A pool of one busy thread; yields it, the queue of its messages, and the event that releases it."""
    pool, said, may_end = WorkerPool(1, long_threads=1), queue.Queue(), threading.Event()
    submit(pool, "nobody", "begin", said, lambda _: may_end.wait(60))
    yield pool, said, may_end
    may_end.set()
    pool.close()


@pytest.fixture
def searching_pool():
    """A pool with all threads for long work busy; yields it, its messages, and the releasing event."""
    now_s = [0.0]
    pool, said, may_end = (
        WorkerPool(1, long_threads=2, long_share=2, clock=lambda: now_s[0]),
        queue.Queue(),
        threading.Event(),
    )
    began = threading.Barrier(3)

    def search(_):
        began.wait(60)
        may_end.wait(60)

    for number in range(2):
        submit(pool, "greedy", f"search{number}", said, search, is_long=True)
    began.wait(60)
    yield pool, said, may_end, now_s
    may_end.set()
    pool.close()


def submit(pool, owner, name, said, act=lambda _: None, **work):
    def run(control):
        act(control)
        return [Reply(name)]

    job = LineJob(work=Work(run, **work), request=PendingRequest("", is_ordered=True))
    submit_job(pool, owner, job, said)
    return job


def submit_job(pool, owner, job, said):
    """Submit a job to a pool; it puts its message before it is released."""

    def take(job, result):
        said.put(result.decode().strip())
        pool.release(owner, job)

    pool.submit(owner, job, lambda *_: None, take)


@pytest.mark.parametrize("is_long", [False, True])
def test_a_result_that_cannot_be_handed_on_costs_no_worker(is_long, caplog, monkeypatch):
    monkeypatch.setattr(workers, "FAULT_LOG", FaultLog())  # one that has said nothing yet
    pool, said = WorkerPool(1, long_threads=1), queue.Queue()

    def fail(*_):
        raise RuntimeError("nobody is there")

    job = LineJob(
        work=Work(lambda _: [Reply("lost")], is_long=is_long), request=PendingRequest("", is_ordered=True)
    )
    pool.submit("gone", job, lambda *_: None, fail)
    submit(pool, "other", "answered", said, is_long=is_long)
    assert said.get(timeout=60) == "answered"
    pool.close()
    pool.join(60)
    assert "could not be handed on" in caplog.text


def work_in_blocks(may_end):
    """Return long work that asks between blocks whether to go on."""

    def work(control):
        while not (may_end.is_set() or control.is_cancelled()):
            time.sleep(0.001)

    return work


@pytest.fixture
def rolling_pool():
    """A pool with four long jobs of each of two clients; yields it, its messages, and what ends them."""
    pool, said, may_end = WorkerPool(1, long_running=2), queue.Queue(), threading.Event()
    began = threading.Semaphore(0)

    def roll_out(control):
        began.release()
        work_in_blocks(may_end)(control)

    for client in ("a", "b"):
        for number in range(4):
            submit(pool, client, f"{client}{number}", said, roll_out, is_long=True)
    for _ in range(8):
        assert began.acquire(timeout=60)
    yield pool, said, may_end
    may_end.set()
    pool.close()
    pool.join(60)


def next_said(said, count):
    return [said.get(timeout=60) for _ in range(count)]


def test_a_closed_pool_still_does_the_work_that_it_has(busy_pool):
    pool, said, may_end = busy_pool
    submit(pool, "a", "a0", said)
    pool.close()
    may_end.set()
    assert next_said(said, 2) == ["begin", "a0"]


@pytest.mark.parametrize("threads", [0, -1, MAX_THREADS + 1])
def test_a_pool_has_one_thread_at_least_and_not_too_many(threads):
    with pytest.raises(ValueRangeError, match=f"expected 1..{MAX_THREADS} threads, got {threads}"):
        WorkerPool(threads)


def test_threads_that_the_system_does_not_give_are_an_error(monkeypatch):
    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(LimitError, match="expected 3 threads for quick work, the system gives 0"):
        WorkerPool(3)


def test_quick_work_never_waits_behind_long_work(searching_pool):
    pool, said, may_end, _ = searching_pool
    for number in range(20):
        submit(pool, "greedy", f"more{number}", said, is_long=True)
    submit(pool, "greedy", "quick0", said)
    submit(pool, "other", "quick1", said)
    assert next_said(said, 2) == ["quick0", "quick1"]
    assert said.empty()
    may_end.set()
    assert {"search0", "search1"} <= set(next_said(said, 22))


def test_long_work_that_is_stopped_before_it_began_is_answered_at_once(searching_pool):
    pool, said, _, _ = searching_pool
    waits = submit(pool, "other", "waits", said, is_long=True)
    stopped = submit(pool, "other", "stopped", said, is_long=True)
    stopped.control.stop()
    assert next_said(said, 1) == ["stopped"]
    waits.control.stop()
    assert next_said(said, 1) == ["waits"]


def test_work_that_was_stopped_before_it_is_given_is_quick(searching_pool):
    pool, said, _, _ = searching_pool
    job = LineJob(
        work=Work(lambda _: [Reply("late")], is_long=True), request=PendingRequest("", is_ordered=True)
    )
    job.control.stop()
    submit_job(pool, "other", job, said)
    assert next_said(said, 1) == ["late"]


def test_long_work_whose_time_is_over_before_it_began_is_answered_at_once(searching_pool):
    pool, said, _, now_s = searching_pool
    submit(pool, "other", "timed", said, is_long=True, deadline_s=0.05)
    submit(pool, "other", "patient", said, is_long=True, deadline_s=1e6)
    assert said.empty()
    now_s[0] = 0.06
    assert next_said(said, 1) == ["timed"]
    assert said.empty()


def test_a_client_that_has_not_read_is_passed_over_until_it_has(busy_pool):
    pool, said, may_end = busy_pool
    pool.set_gate("full", StartGate(is_open=False, is_closed=True))
    submit(pool, "full", "held", said)
    submit(pool, "other", "other0", said)
    may_end.set()
    assert next_said(said, 2) == ["begin", "other0"]
    assert said.empty()
    pool.set_gate("full", StartGate())
    assert next_said(said, 1) == ["held"]


def test_threads_of_a_closed_pool_are_waited_for_but_not_for_ever():
    pool, blocked = WorkerPool(1, long_threads=1), threading.Event()
    started = threading.Event()

    def run(control):
        started.set()
        blocked.wait()
        return []

    pool.submit(
        "client", LineJob(work=Work(run), request=PendingRequest("", True)), lambda *_: None, lambda *_: None
    )
    started.wait()
    pool.close()
    pool.join(0.01)
    assert any(thread.is_alive() for thread in pool._threads)
    blocked.set()
    pool.join(60.0)
    assert not any(thread.is_alive() for thread in pool._threads)


def test_one_worker_at_a_time_keeps_the_interpreter_busy_and_a_stopped_one_does_not_wait():
    pool, said = WorkerPool(4, long_threads=1), queue.Queue()
    at_work, most = [], []
    holds, may_end = threading.Event(), threading.Event()

    def format_plays(control):
        with control.take_interpreter():
            at_work.append(1)
            most.append(len(at_work))
            holds.set()
            if len(most) == 1:
                may_end.wait(60)
            at_work.pop()

    submit(pool, "a", "first", said, format_plays)
    assert holds.wait(60)
    waiting = submit(pool, "b", "second", said, format_plays)
    stopped = submit(pool, "c", "stopped", said, format_plays)
    stopped.control.stop()
    assert next_said(said, 1) == ["stopped"]
    assert len(most) == 2
    may_end.set()
    assert sorted(next_said(said, 2)) == ["first", "second"]
    assert most[2:] == [1]
    assert not waiting.control.is_stopped
    pool.close()


def test_threads_that_clients_with_nothing_under_way_need_besides_end_again(rolling_pool):
    pool, said, may_end = rolling_pool
    before = len(pool._threads)
    for number in range(5):
        submit(pool, f"c{number}", f"c{number}", said, work_in_blocks(may_end), is_long=True)
    wait_until(lambda: len(pool._threads) == before + 5)
    may_end.set()
    next_said(said, 13)
    wait_until(lambda: len(pool._threads) == before)


@pytest.mark.parametrize("why", ["stopped", "out of time"])
def test_work_that_is_over_while_others_have_their_turn_ends_at_once(why):
    pool, said = WorkerPool(1, long_threads=2, long_share=2, long_running=1), queue.Queue()
    may_end, asks = threading.Event(), threading.Semaphore(0)
    deadline_s = time.monotonic() + (0.2 if why == "out of time" else 1000)

    def work(control):
        while time.monotonic() < deadline_s and not control.is_cancelled():
            time.sleep(0.001)

    def hold(_):
        asks.release()
        may_end.wait(60)

    paused = submit(pool, "a", "paused", said, work, is_long=True, deadline_s=deadline_s)
    submit(pool, "b", "holds", said, hold, is_long=True)
    assert asks.acquire(timeout=60)
    if why == "stopped":
        paused.control.stop()
    assert next_said(said, 1) == ["paused"]
    may_end.set()
    assert next_said(said, 1) == ["holds"]
    pool.close()


def test_work_that_waits_for_other_work_leaves_its_turn_to_it():
    pool, said = WorkerPool(1, long_threads=2, long_share=2, long_running=1), queue.Queue()
    is_done = threading.Event()

    def wait_for_other(control):
        with control.leave_turn():
            assert is_done.wait(60)

    submit(pool, "a", "waits", said, wait_for_other, is_long=True)
    submit(pool, "a", "done", said, lambda _: is_done.set(), is_long=True)
    assert sorted(next_said(said, 2)) == ["done", "waits"]
    pool.close()


def test_work_that_is_stopped_before_it_begins_and_then_leaves_its_turn_ends():
    pool, said, may_end = WorkerPool(1, long_threads=1, long_running=1), queue.Queue(), threading.Event()

    def leave(control):
        with control.leave_turn():
            pass

    submit(pool, "client", "waits", said, lambda _: may_end.wait(60), is_long=True)
    stopped = submit(pool, "client", "stopped", said, leave, is_long=True)
    stopped.control.stop()
    try:
        assert next_said(said, 1) == ["stopped"]
    finally:
        may_end.set()
        pool.close()
