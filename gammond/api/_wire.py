"""What both clients say and hear, without I/O: requests become lines, lines answers by tag or id.

*Source:* docs/reference/protocol.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from typing import Any, Generic, TypeVar

from gammond.api._questions import Question
from gammond.api.errors import GammondError, ServerError
from gammond.protocol.core.words import DATA_WORDS

T = TypeVar("T")


class Pending(Generic[T]):
    """A request that waits for its final line.

    Args:
        question: What is asked.
        future: Takes the result or the error, unless it is cancelled first.
        report: Takes how many trials or decisions are done, and how many there are; it neither raises nor
            waits.

    Attributes:
        question, future, report: As given.
        name: Its id or tag on the connection.
        lines: Those that came.
    """

    def __init__(
        self,
        question: Question[T],
        future: Future[T] | asyncio.Future[T],
        report: Callable[[tuple[int, ...]], object] = lambda _: None,
    ) -> None:
        self.name = ""
        self.lines: list[str] = []
        self.question, self.future, self.report = question, future, report

    def finish(self, answer: Any) -> None:  # noqa: ANN401  (a JSON object, or lines)
        """Give the caller its result, or the error that the answer holds."""
        try:
            result = self.question.parse(answer)
        except GammondError as error:
            self.fail(error)
        except Exception as error:  # the loop goes on with other answers
            message = f"expected an answer of the protocol, got {answer!r}: {error}"
            self.fail(ServerError("bad_answer", message))
        else:
            self._settle(self.future.set_result, result)

    def fail(self, error: BaseException) -> None:
        """Give the caller an error."""
        self._settle(self.future.set_exception, error)

    def _settle(self, settle: Callable[[Any], object], value: object) -> None:
        with contextlib.suppress(InvalidStateError, asyncio.InvalidStateError):  # given up waiting
            settle(value)


class Wire:
    """Requests under way on one connection; one thread at a time may begin and stop, and one receive."""

    def __init__(self) -> None:
        self._next = 0
        self._waiting: dict[str, Pending[Any]] = {}
        self._partial_line: list[bytes] = []

    def begin(self, pending: Pending[Any]) -> bytes:
        """Register a request, and return its line."""
        name, line = self._make_name(), pending.question.line
        if pending.question.is_query:
            line = f'{{"id":"{name}",{line[1:]}\n'
        else:
            name = f"@{name}"
            line = f"{name} {line}\n"
        pending.name = name
        self._waiting[name] = pending
        return line.encode()

    def stop(self, pending: Pending[Any]) -> bytes:
        """Return the line that ends a request; nothing if it is not under way."""
        name = pending.name
        if name not in self._waiting:
            return b""
        if not pending.question.is_query:
            return f"stop {name}\n".encode()
        stop = {"action": "terminate", "id": self._make_name(), "terminate_id": name}
        return f"{json.dumps(stop)}\n".encode()

    def receive(self, data: bytes) -> None:
        """Take bytes from the server, and finish the requests that they answer."""
        first, *others = data.split(b"\n")
        self._partial_line.append(first)
        if not others:
            return
        *lines, rest = b"".join(self._partial_line), *others
        self._partial_line = [rest]
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            tag = ""
            if text.startswith("@"):
                tag, _, text = text.partition(" ")
            answer = _read_object(text)
            if answer is not None and not tag:
                tag = str(answer.get("tag", ""))
            if tag:
                self._receive_line(tag, text, answer)
            elif answer is not None:
                self._receive_object(answer)

    def take_all(self) -> list[Pending[Any]]:
        """Remove and return all requests under way."""
        waiting = list(self._waiting.values())
        self._waiting.clear()
        return waiting

    def _make_name(self) -> str:
        self._next += 1
        return f"c{self._next}"

    def _receive_object(self, answer: dict[str, Any]) -> None:
        """Take an object of the answer to a query."""
        name = str(answer.get("id"))
        if (pending := self._waiting.get(name)) is None:
            return
        if answer.get("final"):
            del self._waiting[name]
            pending.finish(answer)
        else:
            names = ("trials", "of") if "trials" in answer else ("done", "total")
            pending.report(tuple(answer.get(name, 0) for name in names))

    def _receive_line(self, tag: str, line: str, answer: Mapping[str, Any] | None) -> None:
        """Take a line of the answer to a command: words, or an object as after ``set engine.format json``."""
        if (pending := self._waiting.get(tag)) is None:
            return
        pending.lines.append(line)
        is_final = line.partition(" ")[0] not in DATA_WORDS if answer is None else answer.get("final")
        if is_final:
            del self._waiting[tag]
            pending.finish(pending.lines)


def _read_object(text: str) -> dict[str, Any] | None:
    """Return the object of a line; None for words, and for a line within which the server ended."""
    if text.startswith("{"):
        with contextlib.suppress(ValueError, RecursionError):
            found: dict[str, Any] = json.loads(text)
            return found
    return None
