"""The model of a cluster: courses that can be computed by hand, and what limits them."""

from __future__ import annotations

import pytest

from gammond.tools.cluster.model import ClusterCosts, PlannedJob, SharedMachine, simulate_job
from gammond.tools.cluster.plan import compute_plan

pytest.importorskip("simpy")

FREE = ClusterCosts(0.0, 0.0, 0.0)
REAL = ClusterCosts(0.001, 0.001, 0.001)


@pytest.mark.parametrize("workers", [1, 3, 10])
def test_where_nothing_costs_anything_workers_work_all_the_time(workers):
    course = simulate_job(FREE, PlannedJob(30, 2.0), workers)
    assert course.took_s == pytest.approx(60.0 / workers)
    assert course.efficiency == pytest.approx(1.0)
    assert course.limit == ""


def test_one_worker_does_its_own_part_of_each_task_and_the_others_do_theirs_meanwhile():
    course = simulate_job(ClusterCosts(0.01, 0.01, 0.5), PlannedJob(100, 1.0), 1)
    assert course.took_s == pytest.approx(150.0 + 0.02, abs=1e-6)  # that of the first and of the last


@pytest.mark.parametrize(
    ("costs", "limit"),
    [(ClusterCosts(0.01, 0.001, 0.0), "scheduler"), (ClusterCosts(0.001, 0.01, 0.0), "command")],
)
def test_more_workers_bring_nothing_beyond_the_busiest_part(costs, limit):
    courses = [simulate_job(costs, PlannedJob(1000, 0.1), workers) for workers in (5, 50, 200)]
    rates = [1000 / course.took_s for course in courses]
    assert rates[0] == pytest.approx(50, rel=0.05)
    assert rates[1] == pytest.approx(100, rel=0.05)
    assert rates[2] == pytest.approx(100, rel=0.05)
    assert [course.limit for course in courses] == ["", limit, limit]


def test_large_results_and_slow_reductions_keep_the_command_busy():
    costs = ClusterCosts(0.0, 0.0, 0.0, scheduler_mb_s=0.001, client_mb_s=0.002)
    course = simulate_job(costs, PlannedJob(1000, 0.1, result_mb=2.0, reduction_s=0.006), 50)
    assert 1000 / course.took_s == pytest.approx(1 / (2 * 0.002 + 0.006), rel=0.05)
    assert course.limit == "command"
    assert course.scheduler_share == pytest.approx(0.2, rel=0.05)


def test_on_one_machine_all_parts_share_its_cores_and_what_others_leave_of_them():
    costs, job = ClusterCosts(0.01, 0.01, 0.02), PlannedJob(1000, 0.0)
    free = simulate_job(costs, job, 8)
    two_cores = simulate_job(costs, job, 8, SharedMachine(2, 1.0))
    busy = simulate_job(costs, job, 8, SharedMachine(2, 10.0))
    assert free.took_s == pytest.approx(10.0, rel=0.05)
    assert two_cores.took_s == pytest.approx(20.0, rel=0.05)
    assert busy.took_s == pytest.approx(100.0, rel=0.05)


def test_tasks_of_different_length_cost_the_wait_for_the_last_alone():
    course = simulate_job(FREE, PlannedJob(400, 1.0, spread=0.5), 4)
    assert 0.95 < course.efficiency < 1.0
    assert course == simulate_job(FREE, PlannedJob(400, 1.0, spread=0.5), 4)


def test_a_plan_has_a_row_for_each_size_of_chunks_and_number_of_workers():
    plan = list(compute_plan(REAL, (2, 40), (0.01, 1.0)))
    assert [(row["chunk_s"], row["workers"]) for row in plan] == [(0.01, 2), (0.01, 40), (1.0, 2), (1.0, 40)]
    assert [bool(row["limit"]) for row in plan] == [False, True, False, False]
    assert plan[1]["efficiency"] < 0.3
