"""Which waiting job starts next, without threads."""

from __future__ import annotations

import pytest

from gammond.protocol.core.jobs import LineJob, PendingRequest, StartGate
from gammond.protocol.core.requests import Work
from gammond.protocol.transports.schedule import SHORT_ANSWER_BYTES, Lane, Schedule


def ignore(*_):
    """Take a reply or a result."""


@pytest.fixture
def schedule():
    """A schedule in which each client has two quick and two long jobs at a time."""
    return Schedule({Lane.QUICK: 2, Lane.LONG: 2})


def add(schedule, name, client="a", *, is_ordered=True, **work):
    job = LineJob(work=Work(lambda _: [], **work), request=PendingRequest(name, is_ordered))
    return schedule.add(client, job, ignore, ignore)


def take_all(schedule, lane):
    """Take jobs, each released at once."""
    names = []
    while (taken := schedule.take(lane)) is not None:
        names.append(taken.job.request.tag)
        schedule.release(taken.client, taken.job)
    return names


def test_higher_priority_starts_first_and_equals_in_order_of_arrival(schedule):
    for name, priority in (("low", -1), ("one", 0), ("two", 0), ("high", 5)):
        add(schedule, name, priority=priority)
    assert take_all(schedule, Lane.QUICK) == ["high", "one", "two", "low"]


def test_priority_counts_among_the_jobs_of_one_client_only(schedule):
    add(schedule, "a0", "a")
    add(schedule, "b0", "b", priority=9)
    add(schedule, "a1", "a", priority=5)
    assert take_all(schedule, Lane.QUICK) == ["a1", "b0", "a0"]


def test_each_lane_has_jobs_of_its_own(schedule):
    for name, is_long in (("a", True), ("b", False), ("c", True)):
        add(schedule, name, is_long=is_long)
    assert take_all(schedule, Lane.QUICK) == ["b"]
    assert take_all(schedule, Lane.LONG) == ["a", "c"]


def test_a_client_has_at_most_its_share_of_each_lane_until_jobs_are_released(schedule):
    for number in range(3):
        add(schedule, f"long{number}", is_long=True)
        add(schedule, f"quick{number}")
    add(schedule, "other", "b", is_long=True)
    long_jobs = [schedule.take(Lane.LONG) for _ in range(3)]
    assert [taken.job.request.tag for taken in long_jobs] == ["long0", "other", "long1"]
    assert schedule.take(Lane.LONG) is None
    quick = [schedule.take(Lane.QUICK) for _ in range(2)]
    assert schedule.take(Lane.QUICK) is None
    assert schedule.release("a", quick[0].job) == (Lane.QUICK,)
    assert schedule.release("a", quick[0].job) == ()
    assert schedule.take(Lane.LONG) is None
    assert schedule.take(Lane.QUICK).job.request.tag == "quick2"
    assert schedule.release("a", long_jobs[0].job) == (Lane.LONG,)
    assert schedule.take(Lane.LONG).job.request.tag == "long2"


def test_a_promoted_job_goes_with_the_quick_by_its_own_priority_and_arrival(schedule):
    stopped = add(schedule, "stopped", is_long=True)
    add(schedule, "long", is_long=True)
    add(schedule, "quick")
    assert schedule.promote(stopped)
    assert not schedule.promote(stopped)
    assert take_all(schedule, Lane.QUICK) == ["stopped", "quick"]
    assert take_all(schedule, Lane.LONG) == ["long"]
    assert not schedule.has_waiting(Lane.LONG)


def test_a_job_that_runs_is_not_promoted(schedule):
    running = add(schedule, "running", is_long=True)
    assert schedule.take(Lane.LONG) is running
    assert not schedule.promote(running)
    assert schedule.take(Lane.QUICK) is None


def test_long_jobs_are_promoted_when_their_deadline_passes(schedule):
    for name, deadline_s in (("late", 3.0), ("soon", 1.0), ("never", None)):
        add(schedule, name, is_long=True, deadline_s=deadline_s)
    add(schedule, "quick", deadline_s=0.5)
    assert schedule.promote_overdue(0.9) == 1.0
    assert take_all(schedule, Lane.QUICK) == ["quick"]
    assert schedule.promote_overdue(1.0) == 3.0
    assert take_all(schedule, Lane.QUICK) == ["soon"]
    assert take_all(schedule, Lane.LONG) == ["late", "never"]
    assert schedule.promote_overdue(1.5) is None


def test_the_gate_lets_pass_the_first_ordered_job_and_unordered_ones(schedule):
    first = add(schedule, "first", priority=-1)
    add(schedule, "second")
    add(schedule, "tagged", is_ordered=False)
    assert schedule.set_gate("a", StartGate(is_open=False, first=first.job.request))
    assert take_all(schedule, Lane.QUICK) == ["tagged", "first"]
    assert schedule.set_gate("a", StartGate(is_open=False, is_closed=True))
    assert take_all(schedule, Lane.QUICK) == []
    assert schedule.set_gate("a", StartGate())
    assert not schedule.set_gate("a", StartGate())
    assert take_all(schedule, Lane.QUICK) == ["second"]


def test_a_dropped_client_leaves_nothing_behind(schedule):
    add(schedule, "quick")
    waits = add(schedule, "long", is_long=True, deadline_s=1.0)
    schedule.drop("a")
    schedule.drop("a stranger")
    assert not schedule.promote(waits)
    assert schedule.promote_overdue(2.0) is None
    assert not any(schedule.has_waiting(lane) for lane in Lane)
    assert schedule.release("a", waits.job) == ()


def test_a_job_waits_until_its_answer_has_room_beside_those_of_the_client_that_are_under_way():
    schedule = Schedule({Lane.QUICK: 4, Lane.LONG: 4}, max_started_bytes=100)
    for name, size in (("huge", 500), ("small", 10), ("large", 95)):
        add(schedule, name, is_long=True, answer_bytes=size)
    add(schedule, "other", "b", is_long=True, answer_bytes=500)
    huge, other = schedule.take(Lane.LONG), schedule.take(Lane.LONG)
    assert [huge.job.request.tag, other.job.request.tag] == ["huge", "other"]
    assert schedule.take(Lane.LONG) is None
    assert set(schedule.release("a", huge.job)) == set(Lane)
    small = schedule.take(Lane.LONG)
    assert small.job.request.tag == "small"
    assert schedule.take(Lane.LONG) is None
    schedule.release("a", small.job)
    assert take_all(schedule, Lane.LONG) == ["large"]


def test_an_answer_that_grows_beyond_what_was_expected_counts_as_it_is():
    schedule = Schedule({Lane.QUICK: 4, Lane.LONG: 4}, max_started_bytes=100)
    for name in ("grows", "waits"):
        add(schedule, name, answer_bytes=10)
    grows = schedule.take(Lane.QUICK)
    grows.job.control.answer_bytes = 95
    assert schedule.take(Lane.QUICK) is None
    assert schedule.count_answer_bytes("a") == 95
    schedule.release("a", grows.job)
    assert schedule.take(Lane.QUICK).job.request.tag == "waits"


@pytest.fixture
def crowded():
    """A schedule in which two long jobs run at a time, and four begin besides the first of each client."""
    return Schedule({Lane.QUICK: 2, Lane.LONG: 4}, max_running=2, max_begun=4)


def take_long(schedule):
    """Take long jobs as far as there is room for them to run; they stay."""
    taken = []
    while (each := schedule.take(Lane.LONG)) is not None:
        taken.append(each)
    return taken


def names_of(scheduled):
    return [each.job.request.tag for each in scheduled]


def test_long_jobs_that_are_paused_go_on_in_turn_with_those_that_start(crowded):
    for name in ("a0", "a1", "a2"):
        add(crowded, name, "a", is_long=True)
    running = take_long(crowded)
    assert names_of(running) == ["a0", "a1"]
    add(crowded, "b0", "b", is_long=True)
    for expected in ("b0", "a2", "a0", "b0", "a1", "a2", "b0"):
        paused = running.pop(0)
        assert crowded.pause(paused)
        assert paused.is_paused
        running += take_long(crowded)
        assert names_of(running)[1:] == [expected]
        assert all(each.is_running for each in running)


def test_clients_have_turns_in_long_work_however_many_jobs_each_has(crowded):
    for client, jobs in (("a", 4), ("b", 4), ("c", 1)):
        for number in range(jobs):
            add(crowded, f"{client}{number}", client, is_long=True)
    running, turns = take_long(crowded), []
    for _ in range(60):
        turns += names_of(running[:1])
        crowded.pause(running.pop(0))
        running += take_long(crowded)
        assert len(running) == 2
    assert [sum(name.startswith(client) for name in turns) for client in "abc"] == [20, 20, 20]


def test_no_more_jobs_begin_than_may_but_the_first_of_each_client(crowded):
    for number in range(4):
        add(crowded, f"a{number}", "a", is_long=True)
    for _ in range(4):
        for each in take_long(crowded):
            crowded.pause(each)
    add(crowded, "b0", "b", is_long=True)
    add(crowded, "b1", "b", is_long=True)
    seen = set()
    for _ in range(10):
        running = take_long(crowded)
        seen.update(names_of(running))
        for each in running:
            crowded.pause(each)
    assert seen == {"a0", "a1", "a2", "a3", "b0"}


def test_long_answers_do_not_begin_beside_more_jobs_than_may(crowded):
    for client in "abcd":
        add(crowded, client, client, is_long=True)
    begun = take_long(crowded)
    begun += [taken for each in begun[:2] if crowded.pause(each) for taken in take_long(crowded)]
    assert names_of(begun) == ["a", "b", "c", "d"]
    add(crowded, "long", "e", is_long=True, answer_bytes=SHORT_ANSWER_BYTES + 1)
    add(crowded, "short", "f", is_long=True, answer_bytes=SHORT_ANSWER_BYTES)
    for paused in begun[2:]:
        crowded.pause(paused)
    assert names_of(take_long(crowded)) == ["a", "b"]
    for paused in begun[:2]:
        crowded.pause(paused)
    assert names_of(take_long(crowded)) == ["short", "c"]
    for each in begun:
        crowded.end(each)
    assert "long" in names_of(take_long(crowded))


def test_a_job_that_goes_on_to_end_needs_no_turn_and_others_wait_for_it(crowded):
    for name in ("a0", "a1", "a2"):
        add(crowded, name, is_long=True)
    first, second = take_long(crowded)
    crowded.pause(first)
    take_long(crowded)
    assert crowded.go_on(first)
    assert not crowded.go_on(first)
    assert not first.is_paused
    assert first.is_running
    crowded.pause(second)
    assert crowded.take(Lane.LONG) is None
    crowded.end(first)
    assert crowded.take(Lane.LONG) is second
    crowded.end(second)
    crowded.release("a", second.job)
    assert take_long(crowded) == []


def test_paused_jobs_of_a_lost_client_have_no_turns_and_running_ones_are_not_paused(crowded):
    for name in ("a0", "a1", "a2"):
        add(crowded, name, is_long=True)
    first, second = take_long(crowded)
    crowded.pause(first)
    third = crowded.take(Lane.LONG)
    crowded.drop("a")
    assert not crowded.pause(second)
    crowded.end(second)
    crowded.end(third)
    assert crowded.take(Lane.LONG) is None
    assert crowded.go_on(first)
