"""The connection of a server to a cluster: what the operator is told, and when the server does the work."""

from contextlib import contextmanager

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import LimitError, StateError
from gammond.nets.catalogue import load_engine
from gammond.tools.parallel import cluster_link
from gammond.tools.parallel.cluster import ClusterGoneError
from gammond.tools.parallel.cluster_link import ClusterLink
from tests.support.evaluators import RacingEvaluator
from tests.support.waiting import wait_until


class FakeExecutor:
    """A connection to a cluster whose state the test sets."""

    workers, answers, is_lost, opened, nets = 2, True, False, 0, None

    def __init__(self, address):
        pass

    def __enter__(self):
        if not FakeExecutor.answers:
            raise StateError("no cluster answers", field="cluster")
        FakeExecutor.opened += 1
        FakeExecutor.is_lost = False
        return self

    def __exit__(self, *_):
        pass

    def check_connection(self):
        if FakeExecutor.is_lost:
            raise ClusterGoneError("the cluster is gone", field="cluster")

    def count_workers(self):
        return FakeExecutor.workers

    def for_nets(self, nets):
        FakeExecutor.nets = nets
        return self


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(cluster_link, "ClusterExecutor", FakeExecutor)
    monkeypatch.setattr(cluster_link, "_LOOK_EVERY_S", 0.005)
    monkeypatch.setattr(cluster_link, "_REST_S", 0.05)
    for name, value in (("workers", 2), ("answers", True), ("is_lost", False), ("opened", 0)):
        monkeypatch.setattr(FakeExecutor, name, value)
    return FakeExecutor


@contextmanager
def open_link(said):
    link = ClusterLink("127.0.0.1:8786", said.append)
    with link.keep_open():
        yield link


def test_the_operator_is_told_once_who_does_long_work(fake):
    said = []
    with open_link(said) as link:
        wait_until(link.count_workers)
        link.check()
        fake.workers = 0
        wait_until(lambda: len(said) == 2)
        with pytest.raises(ClusterGoneError):
            link.check()
        fake.workers = 3
        wait_until(link.count_workers)
    assert said == [
        "long work goes to 2 workers at 127.0.0.1:8786",
        "the cluster at 127.0.0.1:8786 has no workers: long work is done here",
        "long work goes to 3 workers at 127.0.0.1:8786",
    ]


def test_a_cluster_that_does_not_answer_is_tried_again(fake):
    said = []
    fake.answers = False
    with open_link(said) as link:
        wait_until(lambda: said)
        assert link.make_blocks(load_engine(), 0, 0) is None
        fake.answers = True
        wait_until(link.count_workers)
        fake.is_lost = True
        wait_until(lambda: fake.opened == 2 and link.count_workers())
    assert said[0] == "no cluster answers; long work is done here meanwhile"
    assert "the cluster is gone; long work is done here meanwhile" in said
    assert said[-1] == "long work goes to 2 workers at 127.0.0.1:8786"


def test_whatever_the_library_raises_the_cluster_is_tried_again(fake, monkeypatch):
    """Its errors are of all kinds; a thread that ended would leave the server alone for good."""
    said = []
    with open_link(said) as link:
        wait_until(link.count_workers)
        with monkeypatch.context() as patched:
            patched.setattr(fake, "count_workers", lambda self: {}["no such worker"])
            wait_until(lambda: not link.count_workers())
        wait_until(link.count_workers)
    assert "long work is done here meanwhile" in said[1]


def test_workers_that_refuse_are_left_alone_for_a_while(fake):
    said = []
    with open_link(said) as link:
        wait_until(link.count_workers)
        assert link.covers(StateError("a worker runs another program", field="cluster"))
        wait_until(lambda: len(said) == 3)
        assert link.covers(ClusterGoneError("gone"))
        assert not link.covers(LimitError("5 workers died of the same task", field="cluster"))
        assert not link.covers(StateError("no game", field="position"))
    assert said[1] == "a worker runs another program; long work is done here meanwhile"


def test_work_goes_out_with_the_hashes_of_its_nets_and_unknown_evaluators_stay_here(fake):
    engine = load_engine()
    with open_link([]) as link:
        wait_until(link.count_workers)
        assert link.make_blocks(engine, 0, 0) is not None
        assert set(fake.nets) == {engine.name}
        assert all(len(each) == 64 for each in fake.nets[engine.name].values())
        assert link.make_blocks(Engine(RacingEvaluator()), 0, 0) is None
