"""Jobs: the work of requests, for a scheduler to run, and which of them may start.

A connection makes them and takes in what becomes of them; it does not know when they run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from engine.errors import GammondError, forget_frames
from protocol.core.replies import encode_replies
from protocol.core.requests import BLOCK_LINES, AnyReply, RequestBatch, Work, WorkControl


class PendingRequest(msgspec.Struct, eq=False):
    """A request that is not fully answered.

    Attributes:
        tag: What each line of its answer begins with; empty for none.
        is_ordered: Whether its lines wait for the answers to earlier ordered requests.
        line_bytes: The length of its line.
        held_output: Lines that wait, whole.
        is_answered: Whether its final line is written or held.
        writes_json: Whether its answer consists of objects.
    """

    tag: str
    is_ordered: bool
    line_bytes: int = 0
    held_output: bytearray = msgspec.field(default_factory=bytearray)
    is_answered: bool = False
    writes_json: bool = False

    def encode(self, replies: Sequence[AnyReply]) -> bytes:
        """Encode lines of its answer."""
        return encode_replies(self.tag, replies, writes_json=self.writes_json)


class Job(msgspec.Struct, eq=False):
    """Work of one request, for a scheduler to run.

    Attributes:
        work: What to do.
        request: The request.
        control: Stops and watches it.
    """

    work: Work
    request: PendingRequest
    control: WorkControl = msgspec.field(default_factory=WorkControl)

    @property
    def answer_bytes(self) -> int:
        """About how many bytes its answer takes: as expected, or as there are already if these are more."""
        return max(self.work.answer_bytes, self.control.answer_bytes)

    def run(self, report: Callable[[AnyReply], None]) -> bytes | Exception:
        """Do it, in any thread, and format the rest of its answer there too: it can be thousands of lines.

        Args:
            report: Takes replies that come before the final one, in this thread.

        Returns:
            What `protocol.core.connection.Connection.receive_result` takes.
        """
        self.control.report = report
        try:
            replies, request = self.work.run(self.control), self.request
            if len(replies) <= BLOCK_LINES:
                return request.encode(replies)
            blocks = self.control.run_in_blocks(len(replies), lambda block: [request.encode(replies[block])])
            return b"".join(blocks)
        except GammondError as error:
            forget_frames(error)
            return error
        except Exception as error:  # its frames are logged
            return error
        finally:
            self.control.disconnect()


def run_batch(jobs: Sequence[Job]) -> list[bytes | Exception]:
    """Do jobs, those of one batch in one call; those without a batch item, and stopped ones, one by one.

    Returns:
        For each job what `protocol.core.connection.Connection.receive_result` takes.
    """
    members: dict[RequestBatch, list[tuple[int, Any]]] = {}
    results: list[bytes | Exception] = [b""] * len(jobs)
    for place, job in enumerate(jobs):
        if job.work.batch_item is None or job.control.is_stopped:
            results[place] = _run_alone(job)
        else:
            members.setdefault(job.work.batch_item.batch, []).append((place, job.work.batch_item.item))
    for batch, items in members.items():
        try:
            replies = batch.answer([item for _, item in items])
        except Exception:  # one of them is at fault: each gets an answer of its own
            for place, _ in items:
                results[place] = _run_alone(jobs[place])
            continue
        for (place, _), reply in zip(items, replies, strict=True):
            results[place] = reply if isinstance(reply, Exception) else jobs[place].request.encode([reply])
    return results


def _run_alone(job: Job) -> bytes | Exception:
    """Do a job with its progress in the result."""
    progress: list[AnyReply] = []
    result = job.run(progress.append)
    if isinstance(result, Exception):
        return result
    return job.request.encode(progress) + result


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
        return not job.request.is_ordered or job.request is self.first


OPEN_GATE = StartGate()
CLOSED_GATE = StartGate(is_open=False, is_closed=True)
