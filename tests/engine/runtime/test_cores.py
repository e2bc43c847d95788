from __future__ import annotations

import os

from engine.bearoff.construction import choose_thread_count
from engine.runtime.cores import count_usable_cores
from protocol.transports.workers import WorkerPool


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 7}, raising=False)
    assert count_usable_cores() == 3
    assert choose_thread_count(None) == 3
    pool = WorkerPool()
    assert pool.threads == 3
    pool.close()


def test_all_cores_count_where_the_system_does_not_say(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for count, expected in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert count_usable_cores() == expected
