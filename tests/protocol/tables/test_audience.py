"""Events: numbered, kept for a while, given to who comes back."""

from __future__ import annotations

from gammond.protocol.tables.audience import MAX_KEPT_EVENTS, EventLog


def make_log(count):
    log = EventLog()
    for number in range(1, count + 1):
        log.number = number
        log.add({"event": number})
    return log


def test_the_events_after_one_are_given_in_order():
    assert make_log(5).list_after(3) == ['{"event":4}', '{"event":5}']
    assert make_log(5).list_after(5) == []
    assert EventLog().list_after(0) == []


def test_nothing_is_given_where_an_event_is_missing():
    log = make_log(MAX_KEPT_EVENTS + 10)
    assert log.list_after(9) is None
    assert len(log.list_after(10)) == MAX_KEPT_EVENTS


def test_numbers_that_no_event_had_are_not_taken_for_the_last():
    assert make_log(3).list_after(4) is None
    assert make_log(3).list_after(-1) is None


def test_after_a_restart_what_came_before_is_not_given():
    log = EventLog()
    log.number = 1_000_000
    assert log.list_after(17) is None
    log.number += 1
    log.add({"event": log.number})
    assert log.list_after(1_000_000) == ['{"event":1000001}']
