"""The course of requests: ``stop`` and ``quit``."""

from __future__ import annotations

from protocol.command import Call
from protocol.replies import ok
from protocol.requests import Answer, Quit, Reply, Stop


def handle_stop(call: Call) -> Answer:
    """Stop the work of one tag, or all of this client."""

    def answered(count: int) -> Reply:
        return ok("stop", {"stopped": count})[0]

    return Stop(call.values["tag"], answered)


def handle_quit(call: Call) -> Answer:
    """End the session once everything before it is answered."""
    return Quit(ok("quit")[0])
