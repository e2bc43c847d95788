"""The benchmark of clusters, small."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gammond.tools.bench import cluster
from gammond.tools.bench.measure import BenchmarkSubject, WrongAnswerError
from gammond.tools.parallel.processes import ProcessPool

pytest.importorskip("distributed")


@pytest.fixture
def small(monkeypatch):
    """One worker that is this process, and chunks of a hundredth of a second."""
    monkeypatch.setattr(cluster, "ClusterExecutor", lambda address: ProcessPool(1))
    monkeypatch.setattr(cluster, "WORKERS", (1,))
    monkeypatch.setattr(cluster, "CHUNK_S", 0.01)
    monkeypatch.setattr(cluster, "_FIRST_TRIALS", 4)
    monkeypatch.setattr(cluster, "ROUNDS", 2)
    monkeypatch.setattr(cluster, "EMPTY_TASKS", 10)


def test_a_cluster_is_measured_against_threads_in_time_and_processor_time(small):
    rows = list(cluster.bench_cluster(BenchmarkSubject("default")))
    assert [(row.what, row.unit) for row in rows] == [
        ("start of 1 worker, nets loaded", "s"),
        ("time, 1 worker over 1 thread", "%"),
        ("processor time, 1 worker over 1 thread", "%"),
        ("wait between chunks, 1 worker", "ms"),
        ("start and end of a job, 1 worker", "ms"),
        ("a task without work, 1 worker", "ms"),
    ]
    assert all(row.value >= 0 for row in rows if row.unit != "%")


def test_a_run_is_divided_into_its_margins_chunks_and_the_waits_of_each_process():
    places = ((7, 1.0, 3.5), (8, 1.5, 4.5), (7, 4.0, 7.0), (8, 5.0, 9.0))
    timing = cluster._Timing(10.0, 8.0, [cluster._Chunk(*place, None) for place in places])
    assert (timing.margins_s, timing.gaps_s) == (2.0, [0.5, 0.5])


def test_other_results_are_an_error(small, monkeypatch):
    right = cluster._run_there

    def run_wrongly(executor, tasks):
        timing = right(executor, tasks)
        return replace(timing, chunks=[each._replace(scores=each.scores + 1e-9) for each in timing.chunks])

    monkeypatch.setattr(cluster, "_run_there", run_wrongly)
    with pytest.raises(WrongAnswerError, match="roll out otherwise"):
        list(cluster.bench_cluster(BenchmarkSubject("default")))
