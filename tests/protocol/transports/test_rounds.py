"""Who is served next, with a clock and a loop of our own."""

from __future__ import annotations

import pytest

from gammond.protocol.transports.rounds import Rounds


class Loop:
    """A clock, and calls for the next round of the event loop."""

    def __init__(self):
        self.now_s = 0.0
        self.calls = []
        self.served = []
        self.rounds = Rounds(self.calls.append, lambda: self.now_s, lambda: self.now_s)

    def run_round(self):
        calls, self.calls[:] = self.calls[:], []
        for call in calls:
            call()


class Talker:
    """A client with lines that take the same time each; one is served in a turn."""

    def __init__(self, loop, name, lines, line_s):
        self.loop = loop
        self.name = name
        self.lines = lines
        self.line_s = line_s
        self.served_s = 0.0
        self.is_waiting = False
        self.is_back = False

    def serve(self, size, end_s):
        self.loop.now_s += self.line_s
        self.loop.served.append(self.name)
        self.lines -= 1
        self.is_back = not self.lines
        return []

    def take_results(self, jobs, results):
        assert not jobs

    def pump(self):
        if self.lines:
            self.loop.rounds.add(self)


@pytest.fixture
def loop():
    return Loop()


@pytest.mark.parametrize("line_s", [0.0003, 0.007, 0.02], ids=["undo", "words", "first of its kind"])
def test_a_polite_client_waits_for_no_more_than_one_turn_of_20_that_send_dear_lines(loop, line_s):
    greedy = [Talker(loop, "greedy", 1000, line_s) for _ in range(20)]
    for client in greedy:
        loop.rounds.add(client)
    for _ in range(30):
        loop.run_round()
    for _ in range(20):
        before = loop.now_s
        polite = Talker(loop, "polite", 1, 0.0001)
        loop.rounds.add(polite)
        while polite.lines:
            loop.run_round()
        assert loop.now_s - before <= 0.0026 + line_s
        for _ in range(3):
            loop.run_round()


def test_lines_that_come_at_once_are_served_in_one_round_up_to_its_time(loop):
    for number in range(20):
        loop.rounds.add(Talker(loop, number, 1, 0.02))
    assert loop.served == []
    for number in range(3):
        loop.run_round()
        assert loop.served == list(range(number + 1))


def test_lines_of_a_client_that_is_alone_are_served_at_once(loop):
    loop.rounds.add(Talker(loop, "first", 2, 0.001), at_once=True)
    assert loop.served == ["first"]
    loop.rounds.add(Talker(loop, "second", 1, 0.001), at_once=True)
    assert loop.served == ["first"], "a round is due, and others wait for it"
    loop.run_round()
    assert loop.served == ["first", "first", "second"], "the one that waits longer is next"


def test_time_that_nobody_waited_for_is_no_debt(loop):
    rich = Talker(loop, "rich", 1, 30.0)
    loop.rounds.add(rich)
    loop.run_round()
    for client in [Talker(loop, "greedy", 1000, 0.02) for _ in range(5)]:
        loop.rounds.add(client)
    for _ in range(30):
        loop.run_round()
    rich.lines, rich.line_s = 1, 0.0001
    loop.rounds.add(rich)
    loop.run_round()
    assert not rich.lines


def test_a_turn_in_which_the_machine_stood_still_does_not_put_a_polite_client_behind_others(loop):
    for client in [Talker(loop, "greedy", 1000, 0.005) for _ in range(20)]:
        loop.rounds.add(client)
    for _ in range(200):
        loop.run_round()
    polite = Talker(loop, "polite", 1, 1.5)
    loop.rounds.add(polite)
    while polite.lines:
        loop.run_round()
    polite.lines, polite.line_s, before = 1, 0.0001, loop.now_s
    loop.rounds.add(polite)
    while polite.lines:
        loop.run_round()
    assert loop.now_s - before <= 0.0026 + 0.005


def test_a_client_that_comes_after_others_like_it_is_not_further_ahead_of_those_that_stay(loop):
    for client in [Talker(loop, "staying", 1000, 0.01) for _ in range(2)]:
        loop.rounds.add(client)
    for _ in range(100):
        loop.run_round()
    for _ in range(5):
        loop.rounds.add(Talker(loop, "new", 1, 0.01))
        loop.run_round()
    loop.served.clear()
    loop.rounds.add(Talker(loop, "last", 1000, 0.01))
    for _ in range(20):
        loop.run_round()
    assert loop.served.index("staying") <= 6


def test_one_that_was_served_alone_does_not_wait_for_a_crowd_that_comes(loop):
    polite = Talker(loop, "polite", 1000, 0.0002)
    loop.rounds.add(polite)
    for _ in range(999):
        loop.run_round()
    assert polite.lines
    for client in [Talker(loop, "greedy", 1000, 0.002) for _ in range(20)]:
        loop.rounds.add(client)
    before = loop.now_s
    while polite.lines:
        loop.run_round()
    assert loop.now_s - before < 0.01


def test_a_client_that_comes_back_is_not_ahead_for_long(loop):
    for name in ("a", "b"):
        loop.rounds.add(Talker(loop, name, 1000, 0.01))
    for _ in range(200):
        loop.run_round()
    loop.served.clear()
    loop.rounds.add(Talker(loop, "back", 1000, 0.01))
    for _ in range(20):
        loop.run_round()
    assert loop.served[:5] == ["back"] * 5
    assert loop.served[8:].count("back") <= 5


def test_clients_with_equal_lines_take_turns(loop):
    for name in "abc":
        loop.rounds.add(Talker(loop, name, 3, 1 / 64))
    while loop.calls:
        loop.run_round()
    assert loop.served == list("abcabcabc")


def test_of_clients_that_each_ask_for_little_none_waits_for_several_lines_of_the_others(loop):
    for _ in range(20):
        loop.rounds.add(Talker(loop, "cheap", 1000, 0.00005))
    loop.rounds.add(Talker(loop, "less cheap", 1000, 0.0003))
    for _ in range(20):
        loop.run_round()
    assert len(loop.served) / 21 - 1 <= loop.served.count("less cheap") <= len(loop.served) / 21 + 1


def test_a_client_that_asks_now_and_then_does_not_wait_for_the_turns_of_200_that_send_much_at_once(loop):
    polite = Talker(loop, "polite", 1, 0.0001)
    loop.rounds.add(polite, at_once=True)
    crowd = [Talker(loop, "crowd", 30, 0.0003) for _ in range(200)]
    for client in crowd:
        loop.rounds.add(client)
    while any(client.lines for client in crowd):
        polite.lines, before = 1, loop.now_s
        loop.rounds.add(polite)
        while polite.lines:
            loop.run_round()
        assert loop.now_s - before <= 0.0026 + 0.0003
        for _ in range(16):
            loop.run_round()
