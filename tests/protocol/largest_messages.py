"""Messages as large and as dear as there may be, made from the program's own tables, and what they cost.

Whatever is added to these tables is tried too: commands and settings of every game, fields of queries, words
of gnubg's dialect, requests and acts at tables, endpoints.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from gammond.protocol.commands.command import Command
from gammond.protocol.core.connection import Connection
from gammond.protocol.core.jobs import run_batch
from gammond.protocol.core.limits import ClientLimits
from tests.attacks.positions import WIDE_POSITION
from tests.protocol.talking import hear, take_jobs
from tests.support.machine_speed import measure_loop_s

MOST_LOOPS = 60
"""What one message may cost the thread that serves the clients, in multiples of what a loop takes: some
20 ms, which is the most that a turn counts for."""

_CHEAP_S = 0.004
"""What costs less need not be compared with a loop."""

_TRIES = 6

LINE_BYTES = ClientLimits.line_bytes
COMMAND_CHARS = ClientLimits.command_chars

FILLERS = {
    "letters": "x",
    "words": "a ",
    "numbers": "1 ",
    "digits": "9",
    "pairs": "a=1 ",
    "colons": ":",
    "slashes": "/",
    "plays": "8/5 ",
    "quotes": '"',
    "commas": ",",
    "beyond ASCII": "\u00df",
    "ligatures": "\ufdfa",
}
"""What texts are filled up with, by what it is."""


def check_cost(act: Callable[[], object], what: str) -> None:
    """Check that something takes no more of this thread's processor time than a message may."""
    least_s = _measure_s(act)
    for _ in range(_TRIES):
        if least_s < _CHEAP_S or least_s < MOST_LOOPS * _measure_first_loop_s():
            return
        loop_s = measure_loop_s()
        least_s = min(least_s, _measure_s(act))
        if least_s < MOST_LOOPS * loop_s:
            return
    pytest.fail(f"{what[:80]!r} took {1000 * least_s:.1f} ms, {least_s / loop_s:.0f} loops")


@cache
def _measure_first_loop_s() -> float:
    """Measure a loop once; the machine may become slower, when one is measured beside each message."""
    return measure_loop_s()


def _measure_s(act: Callable[[], object]) -> float:
    began_s = time.thread_time()
    act()
    return time.thread_time() - began_s


def fill(text: str, size: int) -> str:
    """Repeat a text up to a size."""
    return (text * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")


def list_forms(command: Command) -> Iterator[str]:
    """Yield a command with arguments as long as they may be, and longer."""
    for filler in FILLERS.values():
        yield f"{command.name} {fill(filler, COMMAND_CHARS - len(command.name) - 1)}"
    yield f"{command.name} {fill('a ', LINE_BYTES - 100)}"
    for argument in command.arguments:
        starts = [f"{argument.name}="] if argument.is_named else [f"{word} " for word in argument.choices]
        for start in starts:
            room = COMMAND_CHARS - len(command.name) - len(start) - 1
            for name in ("letters", "words", "numbers", "digits", "colons"):
                yield f"{command.name} {start}{fill(FILLERS[name], room)}"
        if argument.is_named:
            yield f"{command.name} {fill(f'{argument.name}=1 ', COMMAND_CHARS - len(command.name) - 1)}"


def fill_json(head: str, item: str, tail: str, size: int = LINE_BYTES) -> str:
    """Return an object with a list of as many items as it has room for."""
    room = size - len(head) - len(tail)
    return head + ",".join([item] * (room // (len(item.encode()) + 1))) + tail


def list_objects(names: Iterator[str] | tuple[str, ...], head: str, size: int = LINE_BYTES) -> Iterator[str]:
    """Yield objects with each of some fields as dear as it may be.

    Args:
        names: The fields.
        head: What each object begins with, up to a comma.
        size: How long they may be.
    """
    items = (
        '{"a":[]}',
        "[]",
        "1",
        '""',
        "null",
        "1.1234567890123456789e-300",
        f'"{WIDE_POSITION}"',
        '"8/5"',
        '"eval"',
    )
    for name in names:
        for item in items:
            yield fill_json(f'{head}"{name}":[', item, "]}", size)
            yield fill_json(f'{head}"{name}":{{"a":[', item, "]}}", size)
        for text in ("x", "9", ":", " ", "\\n", "\\u00e9"):
            room = size - len(head) - len(name) - 10
            yield f'{head}"{name}":"{fill(text, room)[: room // 6 * 6]}"}}'
        yield f'{head}"{name}":{fill("9", size - len(head) - len(name) - 10)}}}'
        yield f'{head}"{name}":{"[" * 1000}{"]" * 1000}}}'


def list_strange_objects(head: str, size: int = LINE_BYTES) -> Iterator[str]:
    """Yield objects with as many fields as there is room for, all unknown, and what is none.

    Args:
        head: What each begins with, up to a comma.
        size: How long they may be.
    """
    for value in ("1", "{}", "[]"):
        fields = _fill_fields(value, size)[: size - len(head) - 1]
        yield f"{head}{fields[: fields.rindex(',')]}}}"
    yield f"{head}{fill('x', size - len(head))}"
    yield f"{head}{fill(' ', size - len(head))}"


@cache
def _fill_fields(value: str, size: int) -> str:
    """Return fields of other names and one value, up to a size."""
    count = size // len(f'"":{value},')  # names have digits, so this is more than there is room for
    return ",".join(f'"{number}":{value}' for number in range(count))[:size]


def serve_line(connection: Connection, line: str) -> None:
    """Serve a line as the thread that serves the clients does, with its quick work, and no other."""
    hear(connection, f"{line}\n".encode())
    quick = [job for job in take_jobs(connection) if job.work.is_quick]
    for job, result in zip(quick, run_batch(quick), strict=True):
        connection.receive_result(job, result)


def settle(connection: Connection) -> None:
    """Forget what is left of a client's requests and answers."""
    connection.stop_all()
    for job in list(connection._jobs):
        connection.receive_result(job, MemoryError("left undone"))
    connection.data_to_send()


def warm_up(connection: Connection, *lines: str) -> None:
    """Serve lines and do their work, unless it takes long, so that what can be quick is so from now on."""
    for line in lines:
        hear(connection, f"{line}\n".encode())
        for job in take_jobs(connection):
            if job.work.is_long:
                job.control.stop()
            connection.receive_result(job, job.run(lambda reply: None))
        connection.data_to_send()
