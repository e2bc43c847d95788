"""Who connects and leaves: said as far as a person reads, and counted beyond."""

from __future__ import annotations

from protocol.transports.connection_log import LINE_EVERY_S, MOST_LINES, ConnectionLog


class Clock:
    now_s = 50.0

    def __call__(self):
        return self.now_s


def test_each_of_a_few_clients_is_mentioned():
    said = []
    log = ConnectionLog(Clock(), said.append)
    for number in range(MOST_LINES):
        log.write(f"client {number} connects")
    assert said == [f"client {number} connects" for number in range(MOST_LINES)]


def test_a_flood_is_counted_and_the_count_comes_with_the_next_line():
    clock = Clock()
    said = []
    log = ConnectionLog(clock, said.append)
    for _ in range(MOST_LINES + 5000):
        log.write("a client connects")
    assert len(said) == MOST_LINES
    clock.now_s += 1.5 * LINE_EVERY_S
    log.write("one more connects")
    log.write("and another")
    assert said[MOST_LINES:] == ["one more connects, after 5,000 that came or went unmentioned"]
    clock.now_s += 1000 * LINE_EVERY_S
    for _ in range(2 * MOST_LINES):
        log.write("a client leaves")
    assert len(said) == 2 * MOST_LINES + 1
