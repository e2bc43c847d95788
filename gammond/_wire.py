"""What both clients share, without I/O: requests become lines, lines become answers by tag or id.

*Source:* docs/reference/protocol.md.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
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


class Pending(Generic[T]):
    """A request that waits for its final line.

    Args:
        parse: Makes the result of the answer.
        future: Takes the result or the error.
        report: Takes the numbers of complete trials of a rollout, or of decisions done and of all; it neither
            raises nor waits.

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
        except (KeyError, TypeError, ValueError) as error:
            message = f"expected an answer of the protocol, got {answer!r}: {error}"
            self.fail(ServerError("bad_answer", message))
        else:
            if not self._future.done():  # a coroutine may have given up waiting
                self._future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Give the caller an error."""
        if not self._future.done():
            self._future.set_exception(error)


class Wire:
    """Requests under way on one connection; not safe to use from several threads at a time."""

    def __init__(self) -> None:
        self._next = 0
        self._queries: dict[str, Pending[Any]] = {}
        self._commands: dict[str, Pending[Any]] = {}
        self._rest = b""

    def add_query(self, fields: Mapping[str, object], pending: Pending[Any]) -> bytes:
        """Register a JSON query, and return its line."""
        name = self._make_name()
        self._queries[name] = pending
        stop = {"action": "terminate", "id": self._make_name(), "terminate_id": name}
        pending.stop = json.dumps(stop).encode() + b"\n"
        query = {"id": name, **{key: value for key, value in fields.items() if value is not None}}
        return json.dumps(query, separators=(",", ":")).encode() + b"\n"

    def add_commands(self, lines: Sequence[str], pending: Pending[Any]) -> bytes:
        """Register commands, whose answers are parsed together, and return their lines with tags.

        Raises:
            ValueError: A command is empty or holds a line end.
        """
        for line in lines:
            if not line.strip() or "\n" in line or "\r" in line:
                raise ValueError(f"expected one command on one line, got {line!r}")
        tagged = []
        for line in lines:
            tag = self._make_name()
            self._commands[tag] = pending
            pending.stop = f"stop @{tag}\n".encode()
            tagged.append(f"@{tag} {line}\n")
        return "".join(tagged).encode()

    def receive(self, data: bytes) -> list[Callable[[], None]]:
        """Take bytes from the server; return what finishes the requests that they answer.

        The caller runs it outside its locks, since the callbacks of a future may ask further questions.
        """
        finished: list[Callable[[], None]] = []
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            if text.startswith("{"):
                with contextlib.suppress(json.JSONDecodeError):  # the server ended within the line
                    finished += self._receive_object(json.loads(text))
            elif text.startswith("@"):
                tag, _, rest = text[1:].partition(" ")
                finished += self._receive_line(tag, rest)
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
            pending.report(tuple(answer[name] for name in names))
            return []
        del self._queries[str(answer["id"])]
        return [lambda: pending.finish(answer)]

    def _receive_line(self, tag: str, line: str) -> list[Callable[[], None]]:
        pending = self._commands.get(tag)
        if pending is None:
            return []
        pending.lines.append(line)
        word, *rest = line.split(" ", 3)
        if word == "info" and rest[:1] == ["trials"]:
            pending.report((int(rest[1]),))
        if word in INTERMEDIATE_WORDS:
            return []
        del self._commands[tag]
        if word == "error":  # the commands after it have nothing to work on
            self._commands = {name: each for name, each in self._commands.items() if each is not pending}
        return [] if pending in self._commands.values() else [lambda: pending.finish(pending.lines)]


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
