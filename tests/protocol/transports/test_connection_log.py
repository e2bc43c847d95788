"""Who connects and leaves: said as far as a person reads, and counted beyond."""

from __future__ import annotations

import logging

from gammond.protocol.transports.connection_log import LINE_EVERY_S, MOST_LINES, ClientNumbers, ConnectionLog
from tests.support.terminals import Clock


class Transport:
    pass


def test_a_flood_is_counted_and_the_count_comes_with_the_next_line(caplog):
    caplog.set_level(logging.INFO)
    clock = Clock()
    log = ConnectionLog(clock)
    for _ in range(MOST_LINES + 5000):
        log.write("client_connected", "a client connects")
    assert len(caplog.messages) == MOST_LINES
    clock.now_s += 1.5 * LINE_EVERY_S
    log.write("client_connected", "one more connects")
    log.write("client_connected", "and another")
    assert caplog.messages[MOST_LINES:] == ["one more connects, after 5,000 that came or went unmentioned"]
    assert caplog.records[-1].fields == {"unmentioned": 5000}
    clock.now_s += 1000 * LINE_EVERY_S
    for _ in range(2 * MOST_LINES):
        log.write("client_connected", "a client leaves")
    assert len(caplog.messages) == 2 * MOST_LINES + 1


def test_at_the_level_debug_everything_is_logged(caplog):
    caplog.set_level(logging.DEBUG)
    log = ConnectionLog(Clock())
    for _ in range(5 * MOST_LINES):
        log.write("client_connected", "a client connects")
    assert len(caplog.messages) == 5 * MOST_LINES


def test_a_client_keeps_its_number_and_the_next_one_gets_the_next():
    one, other = Transport(), Transport()
    numbers = ClientNumbers()
    assert [numbers.find(each) for each in (one, other, one)] == [1, 2, 1]
