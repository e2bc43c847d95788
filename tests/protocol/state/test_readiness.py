"""Whether compiled code is there: the states of a group, for several threads."""

from __future__ import annotations

import threading

import pytest

from gammond.engine.errors import CancelledWork
from gammond.protocol.state.readiness import FAILURE_S, Readiness, ReadyState


class Group:
    """A group whose loading waits until it may end, and may fail."""

    def __init__(self):
        self.now = 100.0
        self.loads = 0
        self.fault = None
        self.has_begun, self.may_end = threading.Event(), threading.Event()
        self.may_end.set()
        self.readiness = Readiness(self.load, lambda: self.now)

    def load(self):
        self.loads += 1
        self.has_begun.set()
        self.may_end.wait(60)
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def group():
    return Group()


def test_a_group_is_loaded_once(group):
    assert group.readiness.state is ReadyState.COLD
    for _ in range(3):
        group.readiness.warm()
        assert group.readiness.is_ready
    assert group.loads == 1


def test_one_thread_warms_and_the_others_wait_for_it(group):
    group.may_end.clear()
    threads = [threading.Thread(target=group.readiness.warm) for _ in range(4)]
    for thread in threads:
        thread.start()
    group.has_begun.wait(60)
    assert group.readiness.state is ReadyState.WARMING
    assert all(thread.is_alive() for thread in threads)
    group.may_end.set()
    for thread in threads:
        thread.join(60)
    assert (group.loads, group.readiness.state) == (1, ReadyState.READY)


def test_a_group_may_need_another_one(group):
    Readiness(group.readiness.warm).warm()
    assert group.readiness.is_ready


def test_a_failure_is_the_answer_for_a_while_and_then_the_group_is_tried_anew(group):
    group.readiness.check()
    group.fault = OSError("no room")
    for _ in range(3):
        with pytest.raises(OSError, match="no room"):
            group.readiness.warm()
        with pytest.raises(OSError, match="no room"):
            group.readiness.check()
    assert (group.loads, group.readiness.state) == (1, ReadyState.FAILED)
    group.now += FAILURE_S
    group.readiness.check()
    group.fault = None
    group.readiness.warm()
    group.readiness.check()
    assert (group.loads, group.readiness.state) == (2, ReadyState.READY)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, CancelledWork("stopped")])
def test_what_is_interrupted_is_cold_again(group, fault):
    group.fault = fault
    with pytest.raises((KeyboardInterrupt, CancelledWork)):
        group.readiness.warm()
    assert group.readiness.state is ReadyState.COLD
    group.readiness.warm(lambda: None)
    assert (group.loads, group.readiness.is_ready) == (1, True)
