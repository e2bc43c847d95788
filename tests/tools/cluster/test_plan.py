"""`gammond cluster plan`: what it does not take, and the tables that it writes."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from gammond.tools import cli
from gammond.tools.cluster import plan
from gammond.tools.cluster.model import ClusterCosts

pytest.importorskip("simpy")
pytest.importorskip("distributed")


@pytest.fixture
def measured(monkeypatch):
    """A cluster that was measured: a millisecond for each part, and tasks that take twice their time."""

    @contextmanager
    def start(workers):
        yield workers

    monkeypatch.setattr(plan, "start_cluster", start)
    monkeypatch.setattr(plan, "measure_costs", lambda cluster, tasks: ClusterCosts(0.001, 0.001, 0.001))
    monkeypatch.setattr(
        plan, "time_tasks", lambda cluster, chunk_s, tasks: max(0.001, 2 * chunk_s / cluster) * tasks
    )
    monkeypatch.setattr(plan, "measure_stretch", lambda: 1.0)
    monkeypatch.setattr(plan, "_CHECKED_S", 0.2)


def test_the_tables_and_json_have_costs_the_check_and_the_plan(measured, capsys):
    words = ["cluster", "plan", "--sizes", "2", "40", "--chunks", "0.01", "1"]
    assert cli.main(words) == 0
    costs, check, table = capsys.readouterr().out.split("\n\n")
    assert costs.splitlines()[-3].split() == ["scheduler", "1.00", "0.0"]
    assert check.splitlines()[-1].split()[:3] == ["4", "0.1", "20"]
    assert table.splitlines()[-2].endswith("command") or table.splitlines()[-2].endswith("scheduler")
    assert max(map(len, costs.splitlines() + check.splitlines() + table.splitlines())) < 80
    assert cli.main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["costs"]["scheduler_s"] == 0.001
    assert len(found["checks"]) == len(plan.CHECKED_WORKERS) * len(plan.CHECKED_CHUNKS_S)
    assert [row["workers"] for row in found["plan"]] == [2, 40, 2, 40]
