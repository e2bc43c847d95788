"""A client whose evaluations take time by a clock that nothing else moves."""

from __future__ import annotations

from tests.protocol.talking import make_connection
from tests.support.evaluators import WatchedEvaluator
from tests.support.terminals import Clock


def connect_slowly():
    """Make a connection of a fresh client; each batch of evaluations takes a second of its server's clock."""
    clock = Clock()

    def take_a_second(_):
        clock.now_s += 1.0

    connection = make_connection(WatchedEvaluator(take_a_second))
    connection.handler.session.service.clock = clock
    return connection
