"""What happens to a server, as records of the standard library's logging with a name and fields."""

from __future__ import annotations

import logging
from typing import Any

EVENTS = {
    "listening": "clients can come; address, port, and what is served to how many",
    "client_connected": "a client is taken in",
    "client_refused": "a client is turned away, with the reason",
    "client_left": "a client is gone, with the seconds that it was here and the reason",
    "http_request": "an answer over HTTP, with method, path, status and seconds; at debug",
    "loading": "the net of --gnubg is loaded while clients wait",
    "deepening": "kept analyses are searched deeper while no client asks",
    "cluster": "who does long work has changed: workers of the cluster, or this process",
    "ending": "a signal came: no more clients, the requests under way are answered",
    "ended": "the last line",
    "error": "the server cannot start or go on, with what to do",
    "fault": "a fault of the program, with its traceback in trace; once a minute for each place",
    "message": "everything else, such as kernels that are compiled",
}
"""Name of an event -> what it means."""


def log_event(
    log: logging.Logger,
    event: str,
    message: str,
    *,
    level: int = logging.INFO,
    **fields: Any,  # noqa: ANN401
) -> None:
    """Log an event.

    Args:
        log: The logger of the module.
        event: One of `EVENTS`.
        message: What a person reads; may have text of clients, which is escaped where it is written.
        level: As in logging.
        fields: What programs read, beside the message.
    """
    log.log(level, "%s", message, extra={"event": event, "fields": fields})
