"""The benchmark of clusters, small."""

from __future__ import annotations

import pytest

from tools.bench import cluster
from tools.bench.measure import BenchmarkSubject, WrongAnswerError
from tools.parallel.processes import ProcessPool

pytest.importorskip("distributed")


@pytest.fixture
def small(monkeypatch):
    """One worker that is this process, and chunks of a hundredth of a second."""
    monkeypatch.setattr(cluster, "ClusterExecutor", lambda address: ProcessPool(1))
    monkeypatch.setattr(cluster, "WORKERS", (1,))
    monkeypatch.setattr(cluster, "CHUNK_S", 0.01)
    monkeypatch.setattr(cluster, "_FIRST_TRIALS", 4)
    monkeypatch.setattr(cluster, "EMPTY_TASKS", 10)


def test_a_cluster_is_measured_against_threads_in_time_and_processor_time(small):
    rows = list(cluster.bench_cluster(BenchmarkSubject("default")))
    assert [row.unit for row in rows] == ["%", "%", "ms"]
    assert rows[0].what == "time more than 1 thread, 1 worker"
    assert rows[1].what == "processor time more than 1 thread, 1 worker"
    assert rows[2].value < 1000


def test_other_results_are_an_error(small, monkeypatch):
    right = cluster._run_task

    def run_wrongly(task):
        scores, spent_s = right(task)
        return scores + 1e-9, spent_s

    monkeypatch.setattr(cluster, "_run_task", run_wrongly)
    with pytest.raises(WrongAnswerError, match="roll out otherwise"):
        list(cluster.bench_cluster(BenchmarkSubject("default")))
