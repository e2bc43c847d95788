"""What both clients share, without I/O: requests become lines, lines become answers by tag or id.

*Source:* docs/reference/protocol.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gammond.errors import ConnectionLost, GammondError, ServerError

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

READ_BYTES = 1 << 16
EXIT_TIMEOUT_S = 5.0
CANCEL_POLL_S = 0.05
"""How often long work under way looks whether it is cancelled."""

INTERMEDIATE_WORDS = frozenset(
    (
        "id",
        "proto",
        "key",
        "option",
        "info",
        "move",
        "play",
        "row",
        "candidate",
        "estimate",
        "board",
        "help",
        "mat",
    )
)
"""First words of lines that come before the final line of an answer."""

STOP = b"stop\n"
"""Ends work under way, which a server otherwise finishes before it ends."""

OWN_GROUP: Mapping[str, Any] = {
    "process_group": 0,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""How a server is started so that Ctrl-C at the terminal is for the program that asks it alone.

It stays in the session: Linux may schedule sessions by turns, and then answers wait.
"""


class Pending(Generic[T]):
    """A request that waits for its final line.

    Args:
        parse: Makes the result of the answer.
        future: Takes the result or the error, unless it is cancelled first.
        report: Takes how many trials or decisions are done, and how many there are; it neither raises nor
            waits.

    Attributes:
        lines: Those that came.
        stop: The line that ends the request under way.
    """

    def __init__(
        self,
        parse: Callable[[Any], T],
        future: Future[T] | asyncio.Future[T],
        report: Callable[[tuple[int, ...]], object] = lambda _: None,
    ) -> None:
        self.lines: list[str] = []
        self.stop = b""
        self.report = report
        self._parse, self._future = parse, future

    def finish(self, answer: Any) -> None:  # noqa: ANN401  (a JSON object, or lines)
        """Give the caller its result, or the error that the answer holds."""
        try:
            result = self._parse(answer)
        except GammondError as error:
            self.fail(error)
        except Exception as error:  # the thread that reads goes on with other answers
            message = f"expected an answer of the protocol, got {answer!r}: {error}"
            self.fail(ServerError("bad_answer", message))
        else:
            self._settle(lambda: self._future.set_result(result))

    def fail(self, error: BaseException) -> None:
        """Give the caller an error."""
        self._settle(lambda: self._future.set_exception(error))

    def _settle(self, settle: Callable[[], None]) -> None:
        if not self._future.done():  # the caller may have given up waiting
            with contextlib.suppress(InvalidStateError):  # at this moment, in another thread
                settle()


class Wire:
    """Requests under way on one connection; not safe to use from several threads at a time."""

    def __init__(self) -> None:
        self._next = 0
        self._queries: dict[str, Pending[Any]] = {}
        self._commands: dict[str, Pending[Any]] = {}
        self._partial_line: list[bytes] = []

    def add_query(self, fields: Mapping[str, object], pending: Pending[Any]) -> bytes:
        """Register a JSON query, and return its line."""
        name = self._make_name()
        self._queries[name] = pending
        stop = {"action": "terminate", "id": self._make_name(), "terminate_id": name}
        pending.stop = json.dumps(stop).encode() + b"\n"
        query = {"id": name, **{key: value for key, value in fields.items() if value is not None}}
        return json.dumps(query, separators=(",", ":")).encode() + b"\n"

    def add_command(self, line: str, pending: Pending[Any]) -> bytes:
        """Register a command, and return its line with a tag.

        Raises:
            ValueError: It is empty or holds a line end.
        """
        if not line.strip() or "\n" in line or "\r" in line:
            raise ValueError(f"expected one command on one line, got {line!r}")
        tag = f"@{self._make_name()}"
        self._commands[tag] = pending
        pending.stop = f"stop {tag}\n".encode()
        return f"{tag} {line}\n".encode()

    def receive(self, data: bytes) -> list[Callable[[], None]]:
        """Take bytes from the server; return what finishes the requests that they answer.

        The caller runs it outside its locks, since the callbacks of a future may ask further questions.
        """
        first, *others = data.split(b"\n")
        self._partial_line.append(first)
        if not others:
            return []
        *lines, rest = b"".join(self._partial_line), *others
        self._partial_line = [rest]
        finished: list[Callable[[], None]] = []
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            if text.startswith("@"):
                tag, _, text = text.partition(" ")
                finished += self._receive_line(tag, text, _read_object(text))
            elif (answer := _read_object(text)) is not None:
                if "tag" in answer:
                    finished += self._receive_line(str(answer["tag"]), text, answer)
                else:
                    finished += self._receive_object(answer)
        return finished

    def take_all(self) -> list[Pending[Any]]:
        """Remove and return all requests under way."""
        waiting = list(dict.fromkeys([*self._queries.values(), *self._commands.values()]))
        self._queries.clear()
        self._commands.clear()
        return waiting

    def _make_name(self) -> str:
        self._next += 1
        return f"c{self._next}"

    def _receive_object(self, answer: dict[str, Any]) -> list[Callable[[], None]]:
        pending = self._queries.get(str(answer.get("id")))
        if pending is None:
            return []
        if not answer.get("final"):
            names = ("trials", "of") if "trials" in answer else ("done", "total")
            pending.report(tuple(answer.get(name, 0) for name in names))
            return []
        del self._queries[str(answer["id"])]
        return [lambda: pending.finish(answer)]

    def _receive_line(
        self, tag: str, line: str, answer: Mapping[str, Any] | None
    ) -> list[Callable[[], None]]:
        """Take a line of the answer to a command: words, or an object as after ``set engine.format json``."""
        pending = self._commands.get(tag)
        if pending is None:
            return []
        pending.lines.append(line)
        is_final = line.partition(" ")[0] not in INTERMEDIATE_WORDS if answer is None else answer.get("final")
        if not is_final:
            return []
        del self._commands[tag]
        return [lambda: pending.finish(pending.lines)]


def _read_object(text: str) -> dict[str, Any] | None:
    """Return the object of a line; None for words, and for a line within which the server ended."""
    if text.startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            found: dict[str, Any] = json.loads(text)
            return found
    return None


def check_process(process: int) -> None:
    """Check that a client is asked in the process that made it.

    Args:
        process: The number of that process.

    Raises:
        ConnectionLost: This one was forked of it, and nothing reads the answers here.
    """
    if process != os.getpid():
        raise ConnectionLost(
            f"this client is that of process {process}, which forked this one: make one here"
        )


def make_command_line(command: Sequence[str] | None) -> list[str]:
    """Return the command line of a server; ``python -m gammond`` with this Python if None."""
    return list(command) if command is not None else [sys.executable, "-m", "gammond"]


def make_start_error(program: str, error: OSError) -> ConnectionLost:
    """Return the error for a process that cannot be started."""
    return ConnectionLost(f"{program} cannot be started: {error.strerror}")


def make_connect_error(host: str, port: int, error: OSError) -> ConnectionLost:
    """Return the error for an address where no server answers."""
    return ConnectionLost(f"no server answers at {host} port {port}: {error.strerror or error}")


def format_write_error(error: OSError) -> str:
    """Return why a connection is lost that failed to write."""
    return f"the server went away: {error.strerror or error}"


def make_timeout_error(timeout_s: float | None) -> ConnectionLost:
    """Return the error for an answer that did not come in time."""
    return ConnectionLost(f"no answer within {timeout_s:g} seconds")
