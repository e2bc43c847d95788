"""Who is served next, with a clock and a loop of our own."""

from __future__ import annotations

import pytest

from gammond.protocol.transports.rounds import Rounds

ROUND_S = 0.0026
"""What a round takes, before its last turn."""


class Loop:
    """A clock, and calls for the next round of the event loop."""

    def __init__(self):
        self.now_s = 0.0
        self.calls = []
        self.served = []
        self.rounds = Rounds(self.calls.append, lambda: self.now_s, lambda: self.now_s)

    def add(self, name, lines, line_s, *, clients=1):
        """Add clients with lines that take the same time each; return them."""
        added = [Talker(self, name, lines, line_s) for _ in range(clients)]
        for client in added:
            self.rounds.add(client)
        return added

    def run(self, rounds=1):
        """Run so many rounds."""
        for _ in range(rounds):
            calls, self.calls[:] = self.calls[:], []
            for call in calls:
                call()

    def serve(self, client, lines=1, line_s=0.0001):
        """Let a client send lines; return how long it waits for their answers."""
        client.lines, client.line_s, before = lines, line_s, self.now_s
        self.rounds.add(client)
        while client.lines:
            self.run()
        return self.now_s - before


class Talker:
    """A client, of which one line is served in a turn."""

    def __init__(self, loop, name, lines=0, line_s=0.0):
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
    loop.add("greedy", 1000, line_s, clients=20)
    loop.run(30)
    for _ in range(20):
        assert loop.serve(Talker(loop, "polite")) <= ROUND_S + line_s
        loop.run(3)


def test_lines_that_come_at_once_are_served_in_one_round_up_to_its_time(loop):
    for number in range(20):
        loop.add(number, 1, 0.02)
    assert loop.served == []
    for number in range(3):
        loop.run()
        assert loop.served == list(range(number + 1))


def test_lines_of_a_client_that_is_alone_are_served_at_once(loop):
    loop.rounds.add(Talker(loop, "first", 2, 0.001), at_once=True)
    assert loop.served == ["first"]
    loop.rounds.add(Talker(loop, "second", 1, 0.001), at_once=True)
    assert loop.served == ["first"], "a round is due, and others wait for it"
    loop.run()
    assert loop.served == ["first", "first", "second"], "the one that waits longer is next"


def test_time_that_nobody_waited_for_is_no_debt(loop):
    (rich,) = loop.add("rich", 1, 30.0)
    loop.run()
    loop.add("greedy", 1000, 0.02, clients=5)
    loop.run(30)
    rich.lines, rich.line_s = 1, 0.0001
    loop.rounds.add(rich)
    loop.run()
    assert not rich.lines


def test_a_turn_in_which_the_machine_stood_still_does_not_put_a_polite_client_behind_others(loop):
    loop.add("greedy", 1000, 0.005, clients=20)
    loop.run(200)
    polite = Talker(loop, "polite")
    loop.serve(polite, line_s=1.5)
    assert loop.serve(polite) <= ROUND_S + 0.005


def test_a_client_that_comes_after_others_like_it_is_not_further_ahead_of_those_that_stay(loop):
    loop.add("staying", 1000, 0.01, clients=2)
    loop.run(100)
    for _ in range(5):
        loop.add("new", 1, 0.01)
        loop.run()
    loop.served.clear()
    loop.add("last", 1000, 0.01)
    loop.run(20)
    assert loop.served.index("staying") <= 6


def test_one_that_was_served_alone_does_not_wait_for_a_crowd_that_comes(loop):
    (polite,) = loop.add("polite", 1000, 0.0002)
    loop.run(999)
    assert polite.lines
    loop.add("greedy", 1000, 0.002, clients=20)
    assert loop.serve(polite, line_s=0.0002) < 0.01


def test_a_client_that_comes_back_is_not_ahead_for_long(loop):
    loop.add("staying", 1000, 0.01, clients=2)
    loop.run(200)
    loop.served.clear()
    loop.add("back", 1000, 0.01)
    loop.run(20)
    assert loop.served[:5] == ["back"] * 5
    assert loop.served[8:].count("back") <= 5


def test_clients_with_equal_lines_take_turns(loop):
    for name in "abc":
        loop.add(name, 3, 1 / 64)
    while loop.calls:
        loop.run()
    assert loop.served == list("abcabcabc")


def test_of_clients_that_each_ask_for_little_none_waits_for_several_lines_of_the_others(loop):
    loop.add("cheap", 1000, 0.00005, clients=20)
    loop.add("less cheap", 1000, 0.0003)
    loop.run(20)
    assert len(loop.served) / 21 - 1 <= loop.served.count("less cheap") <= len(loop.served) / 21 + 1


def test_a_client_that_asks_now_and_then_does_not_wait_for_the_turns_of_200_that_send_much_at_once(loop):
    polite = Talker(loop, "polite", 1, 0.0001)
    loop.rounds.add(polite, at_once=True)
    crowd = loop.add("crowd", 30, 0.0003, clients=200)
    while any(client.lines for client in crowd):
        assert loop.serve(polite) <= ROUND_S + 0.0003
        loop.run(16)
