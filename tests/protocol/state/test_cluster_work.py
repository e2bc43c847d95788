"""Long work that a cluster does: the bits of this process, which goes on where the cluster fails."""

from __future__ import annotations

import json
import re
from concurrent.futures import Future
from functools import cache

import pytest

from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.errors import CancelledWork, LimitError, StateError
from gammond.engine.match_analysis.analysis import analyse_decision
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.state.cluster_work import work_with_cluster
from tests.protocol.short_match import MATCH
from tests.protocol.talking import make_connection, talk

ROLLOUT = "newgame\ndice 3 1\nrollout trials=216 truncate=3 candidates=2 stop_jsd=0"
QUERIES = {
    "rollout": ROLLOUT,
    "analysis": json.dumps({"id": 1, "match_text": MATCH, "want": ["analyse"], "plies": 1}),
    "analysis with rollouts": json.dumps(
        {
            "id": 1,
            "match_text": MATCH,
            "want": ["analyse"],
            "plies": 0,
            "rollout": {"trials": 18, "truncate": 3},
        }
    ),
}


class GoneError(LimitError):
    """What a cluster that is gone raises here."""


class FakeCluster:
    """A cluster in this process, which fails after a number of pieces of work.

    Args:
        pieces: How many it does.
        error: What it fails with.
    """

    def __init__(self, pieces=10**9, error=None):
        self.pieces, self.error = pieces, error or GoneError("gone")
        self.done, self.workers = 0, 2

    def count_workers(self):
        return self.workers

    def check(self):
        pass

    def covers(self, error):
        if isinstance(error, GoneError):
            self.workers = 0
        return isinstance(error, GoneError)

    def work(self):
        if self.done == self.pieces:
            raise self.error
        self.done += 1

    def make_blocks(self, engine, plies, leaf_plies):
        cluster = self

        class Blocks:
            count = 2

            def submit(self, block):
                future = Future()
                try:
                    cluster.work()
                    future.set_result(block.play(make_rollout_evaluators(engine, plies, leaf_plies)))
                except Exception as error:
                    future.set_exception(error)
                return future

        return Blocks()

    def make_analyser(self, engine, settings, cancelled):
        cluster = self

        def analyse_all(tasks, rules):
            for task in tasks:
                if cancelled():
                    raise CancelledWork("enough")
                cluster.work()
                yield analyse_decision(engine.with_rules(rules).with_threads(1), task, settings)

        return analyse_all


def ask(text, cluster=None):
    connection = make_connection()
    connection.handler.session.service.cluster = cluster
    lines = [line for line in talk(text, connection) if not line.startswith("info ")]
    return [re.sub(r'"?elapsed_ms"?[:=]\d+', "", line) for line in lines]


@cache
def ask_here(text):
    return ask(text)


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_a_cluster_changes_no_byte_of_an_answer(text):
    cluster = FakeCluster()
    assert ask(text, cluster) == ask_here(text)
    assert cluster.done >= 2


@pytest.mark.parametrize("pieces", [0, 2])
@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_this_process_goes_on_where_a_cluster_is_gone(text, pieces):
    cluster = FakeCluster(pieces)
    assert ask(text, cluster) == ask_here(text)
    assert cluster.done == pieces
    assert cluster.workers == 0


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_what_killed_the_workers_is_not_done_by_this_process(text):
    answer = ask(text, FakeCluster(1, LimitError("5 workers died of the same task", field="cluster")))
    assert "5 workers died of the same task" in answer[-1]


def test_a_cluster_without_workers_is_left_alone():
    cluster = FakeCluster()
    cluster.workers = 0
    assert ask(ROLLOUT, cluster) == ask_here(ROLLOUT)
    assert cluster.done == 0


def test_work_that_nobody_can_do_on_a_cluster_is_done_here():
    found = work_with_cluster(FakeCluster(), WorkControl(), lambda cluster: None, lambda: "here")
    assert found == "here"


def test_errors_of_the_work_itself_are_those_of_the_work():
    def fail(cluster):
        raise StateError("no such thing")

    with pytest.raises(StateError, match="no such thing"):
        work_with_cluster(FakeCluster(), WorkControl(), fail, lambda: "here")


def test_stats_has_the_number_of_workers_where_there_is_a_cluster():
    assert "cluster_workers=2" in ask("stats", FakeCluster())[-1]
    assert "cluster_workers" not in ask("stats")[-1]
