"""Jobs: the work of requests, for a scheduler to run, those of a client, and which of them may start.

A connection makes them and takes in what becomes of them; it does not know when they run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from gammond.engine.errors import GammondError, forget_frames
from gammond.engine.runtime.compilation import PROMPTNESS, UncompiledKernel
from gammond.protocol.core.replies import encode_replies, has_results, remove_tag, split_results
from gammond.protocol.core.requests import BLOCK_LINES, AnyReply, RequestBatch, Task, Work, WorkControl

LineResult = bytes | list[bytes] | Exception
"""The rest of an answer, a long one in pieces; or what its work raised."""

BLOCK_BYTES = 64 * 1024
"""How much of a long object is encoded in one turn in the interpreter."""


_AT_ONCE_S = 0.001
"""What takes less takes no time, as answers tell it."""


class PendingRequest(msgspec.Struct, eq=False):
    """A request that is not fully answered.

    Attributes:
        tag: What each line of its answer begins with; empty for none.
        is_ordered: Whether its lines wait for the answers to earlier ordered requests.
        line_bytes: The length of its line.
        held_output: Lines that wait, in pieces.
        is_answered: Whether its final line is written or held.
        writes_json: Whether its answer consists of objects.
    """

    tag: str
    is_ordered: bool
    line_bytes: int = 0
    held_output: list[bytes] = msgspec.field(default_factory=list)
    is_answered: bool = False
    writes_json: bool = False

    def encode(self, replies: Sequence[AnyReply]) -> bytes:
        """Encode lines of its answer."""
        return encode_replies(self.tag, replies, writes_json=self.writes_json)


def encode_answer(
    request: PendingRequest, replies: Sequence[AnyReply], control: WorkControl, answer_bytes: int
) -> bytes | list[bytes]:
    """Encode the rest of an answer, a long one in pieces and in several turns in the interpreter.

    Args:
        request: What is answered.
        replies: The rest of the answer.
        control: Gives the turns.
        answer_bytes: About how many bytes it takes.
    """
    if len(replies) > BLOCK_LINES:
        return control.run_in_blocks(len(replies), lambda block: [request.encode(replies[block])])
    if answer_bytes <= BLOCK_BYTES or not has_results(replies[-1]):
        return request.encode(replies)
    before, results, after = split_results(request.tag, replies[-1], writes_json=request.writes_json)
    size = max(1, len(results) * BLOCK_BYTES // answer_bytes)

    def encode(block: slice) -> list[bytes]:
        encoded = msgspec.json.encode(results[block])[1:-1]
        results[block] = [None] * len(results[block])  # else all of them are there twice in the end
        return [encoded, b","]

    pieces = control.run_in_blocks(len(results), encode, size)
    return [request.encode(replies[:-1]), before, *pieces[:-1], after]


class Job(msgspec.Struct, eq=False, kw_only=True):
    """A task, for a scheduler to run.

    Attributes:
        work: What to do.
        control: Stops and watches it.
    """

    work: Task[Any]
    control: WorkControl = msgspec.field(default_factory=WorkControl)

    @property
    def answer_bytes(self) -> int:
        """About how many bytes its answer takes: as expected, or as there are already if these are more."""
        return max(self.work.answer_bytes, self.control.answer_bytes)

    def run(self, report: Callable[[AnyReply], None]) -> Any:  # noqa: ANN401  (whatever the task returns)
        """Do it, in any thread; return its result, or what it raised.

        Args:
            report: Takes replies that come before the final one, in this thread.
        """
        self.control.report = report
        try:
            return self.finish(self.work.run(self.control))
        except GammondError as error:
            forget_frames(error)
            return error
        except Exception as error:  # its frames are logged
            return error
        finally:
            self.control.disconnect()

    def finish(self, found: Any) -> Any:  # noqa: ANN401  (whatever the task returns)
        """Return the result, given that of the task, in the thread that did it."""
        return found


class LineJob(Job, eq=False):
    """Work of one request of a connection; its result is a `LineResult`, for it can be thousands of lines.

    Attributes:
        work: What to do.
        request: The request.
    """

    work: Work
    request: PendingRequest

    def finish(self, found: Sequence[AnyReply]) -> bytes | list[bytes]:
        """Encode the rest of the answer."""
        return encode_answer(self.request, found, self.control, self.answer_bytes)


class PendingJobs:
    """Jobs in the order in which they came. Not for several threads.

    Attributes:
        unordered_count: How many keep no order.
        line_bytes: The bytes of their lines.
    """

    def __init__(self) -> None:
        self.unordered_count = self.line_bytes = 0
        self._jobs: dict[int, LineJob] = {}
        self._by_key: dict[object, LineJob] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._jobs)

    def __iter__(self) -> Iterator[LineJob]:
        """Iterate over them in the order in which they came."""
        return iter(self._jobs.values())

    def __contains__(self, job: LineJob) -> bool:
        """Return whether a job is among them."""
        return id(job) in self._jobs

    def has_key(self, key: object) -> bool:
        """Return whether one of them goes by a tag or another name."""
        return key in self._by_key

    def add(self, job: LineJob) -> None:
        """Add a job."""
        self._jobs[id(job)] = job
        if job.request.tag:
            self._by_key[job.request.tag] = job
        if job.work.key:
            self._by_key[job.work.key] = job
        self.unordered_count += not job.request.is_ordered
        self.line_bytes += job.request.line_bytes

    def remove(self, job: LineJob) -> bool:
        """Remove a job; return whether it was there."""
        if self._jobs.pop(id(job), None) is None:
            return False
        self.unordered_count -= not job.request.is_ordered
        self.line_bytes -= job.request.line_bytes
        if job.request.tag:
            del self._by_key[job.request.tag]
        if job.work.key:
            del self._by_key[job.work.key]
        return True

    def stop(self, key: object) -> int:
        """Ask the job of a name, or all for None, to end with what it has; return how many there were."""
        if key is None:
            return self.stop_all()
        job = self._by_key.get(key)
        if job is None:
            return 0
        job.control.stop()
        return 1

    def stop_all(self) -> int:
        """Ask all to end with what they have; return how many there were."""
        for job in list(self):
            job.control.stop()
        return len(self)

    def clear(self) -> None:
        """Forget them."""
        self._jobs.clear()
        self._by_key.clear()
        self.unordered_count = self.line_bytes = 0


def run_batch(jobs: Sequence[LineJob]) -> list[bytes | Exception | None]:
    """Do quick jobs, those of one batch in one call; those without an item, and stopped ones, one by one.

    Returns:
        For each job what `gammond.protocol.core.connection.Connection.receive_result` takes; None where it
        needs a kernel that is not compiled, for which this thread does not wait: another can do it.
    """
    with PROMPTNESS:
        return _run_batch(jobs)


def _run_batch(jobs: Sequence[LineJob]) -> list[bytes | Exception | None]:
    members: dict[RequestBatch, list[tuple[int, Any]]] = {}
    results: list[bytes | Exception | None] = [None] * len(jobs)
    for place, job in enumerate(jobs):
        if job.work.batch_item is None or job.control.is_stopped:
            results[place] = _run_alone(job)
        else:
            members.setdefault(job.work.batch_item.batch, []).append((place, job.work.batch_item.item))
    for batch, items in members.items():
        try:
            replies = batch.answer([item for _, item in items])
        except (Exception, UncompiledKernel):  # that of one of them: each gets an answer of its own
            for place, _ in items:
                results[place] = _run_alone(jobs[place])
            continue
        for (place, _), reply in zip(items, replies, strict=True):
            results[place] = reply if isinstance(reply, Exception) else jobs[place].request.encode([reply])
    return results


def _run_alone(job: LineJob) -> bytes | Exception | None:
    """Do a job with its progress in the result; None as for `run_batch`."""
    progress: list[AnyReply] = []
    request, take_answer, began_s = job.request, job.work.take_answer, time.monotonic()
    try:
        result = job.run(progress.append)
    except UncompiledKernel:
        return None
    if isinstance(result, Exception):
        return result
    data = b"".join([request.encode(progress), *([result] if isinstance(result, bytes) else result)])
    is_whole = not job.control.is_stopped
    if take_answer is not None and is_whole and time.monotonic() - began_s < _AT_ONCE_S:
        take_answer(remove_tag(request.tag, data, writes_json=request.writes_json))
    return data


class StartGate(msgspec.Struct, frozen=True):
    """Which jobs of a client may start, by what it has not read yet.

    Attributes:
        is_open: Whether any may.
        is_closed: Whether none may: the client must read first.
        first: While neither, the only request with an ordered answer whose job may start: the others' answers
            would be held behind it. Jobs of unordered requests may start.
    """

    is_open: bool = True
    is_closed: bool = False
    first: PendingRequest | None = None

    def allows(self, job: Job) -> bool:
        """Return whether a job may start."""
        if self.is_open or self.is_closed:
            return self.is_open
        assert isinstance(job, LineJob)  # nothing else has to be read
        return not job.request.is_ordered or job.request is self.first


OPEN_GATE = StartGate()
CLOSED_GATE = StartGate(is_open=False, is_closed=True)
