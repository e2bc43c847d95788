"""The log of a server on standard error: lines for people, or JSON objects, one a line.

A thread writes, so that a server waits for no reader; lines for which there is no room are counted. Whatever
a client can put into a record, a record is one line (in text the lines of a traceback follow it, indented) of
characters that print.
"""

from __future__ import annotations

import io
import json
import logging
import queue
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TextIO

from gammond.engine.wording import escape_unprintable

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")

_CLIENT_LOG = "gammond.protocol.transports.connection_log"

_MOST_LINES = 200
"""Lines that wait to be written."""

_LAST_LINES_S = 0.2
"""How long the end waits for these."""

_NAME = "gammond"


@dataclass(frozen=True)
class LogSettings:
    """What is logged, and how.

    Attributes:
        format: One of `LOG_FORMATS`.
        level: One of `LOG_LEVELS`, the least that is logged; of other packages it is at least warning.
        has_clients: Whether clients that come and go are mentioned.
    """

    format: str = "text"
    level: str = "info"
    has_clients: bool = True


@contextmanager
def write_logs(settings: LogSettings) -> Iterator[None]:
    """Write all records to standard error during the block.

    With JSON what the process writes there otherwise becomes records too, each line one.

    Args:
        settings: What, and how.
    """
    level = getattr(logging, settings.level.upper())
    stream, root = sys.stderr, logging.getLogger()
    formatter = JsonFormatter() if settings.format == "json" else TextFormatter()
    handler = _Writer(stream, formatter)
    levels = {_NAME: level, "": max(level, logging.WARNING)}
    if not settings.has_clients:
        levels[_CLIENT_LOG] = logging.WARNING
    before = {name: logging.getLogger(name).level for name in levels}
    for name, least in levels.items():
        logging.getLogger(name).setLevel(least)
    root.addHandler(handler)
    if settings.format == "json":
        sys.stderr = _RecordStream()
    try:
        yield
    finally:
        sys.stderr = stream
        root.removeHandler(handler)
        for name, least in before.items():
            logging.getLogger(name).setLevel(least)
        handler.finish()


class TextFormatter(logging.Formatter):
    """Formats a record as ``gammond: MESSAGE``, with the level unless it is info."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, and those of its traceback, indented."""
        message = escape_unprintable(record.getMessage())
        if record.levelno != logging.INFO:
            message = f"{record.levelname}: {message}"
        line = message if message.startswith(f"{_NAME} ") else f"{_NAME}: {message}"
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        return "\n".join((line, *(f"    {escape_unprintable(each)}" for each in trace.splitlines())))


class JsonFormatter(logging.Formatter):
    """Formats a record as a JSON object of ASCII on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object: time, level, event and message, then the fields of the event."""
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        document = {
            "time": when.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", "fault" if record.exc_info else "message"),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            document["trace"] = self.formatException(record.exc_info)
        return json.dumps(document, default=str)


class _Writer(logging.Handler):
    """Hands lines to a thread that writes them."""

    def __init__(self, stream: TextIO, formatter: logging.Formatter) -> None:
        super().__init__()
        self.setFormatter(formatter)
        self._stream = stream
        self._lines: queue.Queue[str | None] = queue.Queue(_MOST_LINES)
        self._dropped = 0
        threading.Thread(target=self._write, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record; the lock of the handler is held."""
        line = self.format(record)
        if self._dropped:
            lost = logging.makeLogRecord(
                {"levelno": logging.WARNING, "levelname": "WARNING", "msg": f"{self._dropped:,} lines lost"}
            )
            line = f"{self.format(lost)}\n{line}"
        try:
            self._lines.put_nowait(line)
            self._dropped = 0
        except queue.Full:
            self._dropped += 1

    def finish(self) -> None:
        """Wait until all is written, but not longer than a moment."""
        end_s = time.monotonic() + _LAST_LINES_S
        while self._lines.unfinished_tasks and time.monotonic() < end_s:
            time.sleep(0.005)
        with suppress(queue.Full):
            self._lines.put_nowait(None)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            with suppress(OSError, ValueError):  # nobody reads, or it is closed
                self._stream.write(f"{line}\n")
                self._stream.flush()
            self._lines.task_done()


class _RecordStream(io.TextIOBase):
    """Makes a record of each line that is written."""

    def __init__(self) -> None:
        self._rest = ""
        self._log = logging.getLogger(__name__)

    def write(self, text: str) -> int:
        """Take text."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            if line.strip():
                self._log.info("%s", line.removeprefix(f"{_NAME}: "))
        return len(text)
