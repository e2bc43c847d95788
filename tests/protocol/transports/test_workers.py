"""Worker threads: whose work they take next."""

from __future__ import annotations

import queue
import threading

import pytest

from engine.errors import LimitError, ValueRangeError
from protocol.connection import Job, Ticket
from protocol.requests import Reply, Work
from protocol.transports.workers import MAX_THREADS, WorkerPool


@pytest.fixture
def busy_pool():
    """A pool of one thread that is at work; yields it, what its work says, and what lets it go on."""
    pool, said, may_end = WorkerPool(1), queue.Queue(), threading.Event()
    submit(pool, "nobody", "begin", said, lambda _: may_end.wait(20))
    yield pool, said, may_end
    may_end.set()
    pool.close()


def submit(pool, owner, name, said, act=lambda _: None):
    def run(control):
        act(control)
        return [Reply(name)]

    job = Job(Work(run), Ticket("", is_ordered=True))
    pool.submit(owner, job, lambda *_: None, lambda _, result: said.put(result.decode().strip()))


def next_said(said, count):
    return [said.get(timeout=10) for _ in range(count)]


def test_clients_take_turns_and_each_keeps_its_own_order(busy_pool):
    pool, said, may_end = busy_pool
    for number in range(3):
        submit(pool, "greedy", f"greedy{number}", said)
    submit(pool, "a", "a0", said)
    submit(pool, "b", "b0", said)
    submit(pool, "a", "a1", said)
    may_end.set()
    assert next_said(said, 7) == ["begin", "greedy0", "a0", "b0", "greedy1", "a1", "greedy2"]


def test_work_of_a_lost_client_is_never_begun(busy_pool):
    pool, said, may_end = busy_pool
    submit(pool, "lost", "lost0", said)
    submit(pool, "other", "other0", said)
    submit(pool, "lost", "lost1", said)
    pool.drop("lost")
    pool.drop("a stranger")
    may_end.set()
    assert next_said(said, 2) == ["begin", "other0"]


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
    with pytest.raises(LimitError, match="expected 3 threads, the system gives 0"):
        WorkerPool(3)
