"""The course of requests: ``stop`` and ``quit``."""

from __future__ import annotations

from protocol.commands.command import CommandCall
from protocol.core.replies import make_ok_reply
from protocol.core.requests import Answer, QuitRequest, Reply, StopRequest


def handle_stop(call: CommandCall) -> Answer:
    """Stop the work of one tag, or all of this client."""

    def answered(count: int) -> Reply:
        return make_ok_reply("stop", {"stopped": count})[0]

    return StopRequest(call.values["tag"], answered)


def handle_quit(call: CommandCall) -> Answer:
    """End the session once everything before it is answered."""
    return QuitRequest(make_ok_reply("quit")[0])
