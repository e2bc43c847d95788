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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--sizes 0", "--sizes: expected numbers above 0, at most 10,000, got 0"),
        ("--sizes 10 20000", "got 20000"),
        ("--chunks 1 -1", "--chunks: expected numbers above 0"),
        ("--result-mb -1", "--result-mb: expected 0 to 10,000, got -1"),
        ("--reduction-ms nan", "--reduction-ms: expected 0 to 10,000, got nan"),
    ],
)
def test_numbers_out_of_range_are_named(options, said, capsys):
    assert cli.main(["cluster", "plan", *options.split()]) == 2
    assert said in capsys.readouterr().err


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


def test_the_tables_have_costs_the_check_and_the_plan(measured, capsys):
    assert cli.main(["cluster", "plan", "--sizes", "2", "40", "--chunks", "0.01", "1"]) == 0
    costs, check, table = capsys.readouterr().out.split("\n\n")
    assert costs.splitlines()[-3].split() == ["scheduler", "1.00", "0.0"]
    assert check.splitlines()[-1].split()[:3] == ["4", "0.1", "20"]
    assert table.splitlines()[-2].endswith("command") or table.splitlines()[-2].endswith("scheduler")
    assert max(map(len, costs.splitlines() + check.splitlines() + table.splitlines())) < 80


def test_json_has_the_same(measured, capsys):
    assert cli.main(["cluster", "plan", "--sizes", "2", "--chunks", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["costs"]["scheduler_s"] == 0.001
    assert len(found["checks"]) == len(plan.CHECKED_WORKERS) * len(plan.CHECKED_CHUNKS_S)
    assert found["plan"][0]["workers"] == 2
