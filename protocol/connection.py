"""The sans-IO connection: bytes of one client in, work out; finished work in, bytes out.

It knows the order of answers and every cap, and never touches a socket, a thread or a clock. A transport

    - gives it what arrives (`receive_data`, `receive_eof`), while `wants_data`;
    - runs what `next_job` hands out, anywhere, and reports back (`progressed`, `finished`);
    - sends what `data_to_send` returns, and ends when `is_done`.
"""

from __future__ import annotations

import heapq
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.errors import CancelledWork, GammondError, LimitError, ValueRangeError
from protocol.dispatch import TAG, answer_command, failed, split_tag
from protocol.errors import CommandError
from protocol.framing import Line, LineSplitter
from protocol.json_query import answer_query
from protocol.replies import error_reply, rendered
from protocol.requests import Answer, AnyReply, Control, Quit, Stop, Work
from protocol.session import Session

_FAULTY_TAG = re.compile(rf"[ \t]*({TAG.pattern})(?:[ \t]|$)")


@dataclass
class Ticket:
    """A request that is not fully answered.

    Attributes:
        tag: What each line of its answer begins with; empty for none.
        is_ordered: Whether its lines wait for the answers to earlier ordered requests.
        held: Lines that wait.
        is_answered: Whether its final line is written or held.
    """

    tag: str
    is_ordered: bool
    held: list[bytes] = field(default_factory=list)
    is_answered: bool = False


@dataclass
class Job:
    """Work of one request, handed to a transport to be run.

    Attributes:
        work: What to do.
        ticket: The request.
        control: Stops and watches it.
    """

    work: Work
    ticket: Ticket
    control: Control = field(default_factory=Control)

    def run(self, report: Callable[[AnyReply], None]) -> Sequence[AnyReply] | Exception:
        """Do it, in any thread.

        Args:
            report: Takes replies that come before the final one, in this thread.

        Returns:
            What `Connection.finished` is to be given.
        """
        self.control.report = report
        try:
            return self.work.run(self.control)
        except Exception as error:
            return error


class Connection:
    """One client's side of the protocol, as a value machine. Not for several threads.

    Args:
        session: The client's state; its service gives the caps.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._limits = session.service.limits
        self._lines = LineSplitter(self._limits.line_bytes)
        self._ordered: deque[Ticket] = deque()
        self._jobs: dict[int, Job] = {}
        self._by_key: dict[object, Job] = {}
        self._overtaking = 0
        self._waiting: list[tuple[int, int, Job]] = []
        self._arrivals = 0
        self._out = bytearray()
        self._farewell: bytes = b""
        self._has_ended = False
        self._is_closing = False

    @property
    def wants_data(self) -> bool:
        """Whether more input may be read: no queue is full and the client has not ended."""
        has_room = self._has_room and self._lines.buffered_bytes <= self._limits.line_bytes
        return has_room and not self._has_ended and not self._is_closing

    @property
    def is_idle(self) -> bool:
        """Whether every request is answered."""
        return not self._jobs and not self._ordered

    @property
    def has_partial_line(self) -> bool:
        """Whether the client began a line and has not ended it."""
        return self._has_room and self._lines.has_partial_line

    @property
    def is_done(self) -> bool:
        """Whether the client has ended, everything is answered, and nothing is left to send."""
        return self._is_closing and self.is_idle and not self._out and not self._farewell

    def receive_data(self, data: bytes) -> None:
        """Take in bytes from the client; whole lines in them take effect at once, as far as caps allow."""
        if not self._has_ended and not self._is_closing:
            self._lines.feed(data)
            self._advance()

    def receive_eof(self) -> None:
        """Take in the end of the client's input: what it asked for is still answered."""
        self._has_ended = True
        self._lines.close()
        self._advance()

    def next_job(self) -> Job | None:
        """Return the next work to run, or None while there is none or the client must read first."""
        if not self._waiting or len(self._out) > self._limits.unsent_bytes:
            return None
        return heapq.heappop(self._waiting)[2]

    def progressed(self, job: Job, reply: AnyReply) -> None:
        """Take in a reply that comes before the final one."""
        if id(job) in self._jobs:
            self._write(job.ticket, [reply])
            self._flush()

    def finished(self, job: Job, result: Sequence[AnyReply] | Exception) -> None:
        """Take in the rest of an answer, or what was raised on the way to it."""
        if self._jobs.pop(id(job), None) is None:
            return
        self._overtaking -= not job.ticket.is_ordered
        for key in _keys(job):
            del self._by_key[key]
        if isinstance(result, Exception):
            result = [failed(self.session, result, job.work)]
        self._write(job.ticket, result)
        self._advance()

    def data_to_send(self) -> bytes:
        """Return what is to be sent, once."""
        data = bytes(self._out)
        self._out.clear()
        self._advance()
        return data

    def close(self) -> None:
        """Take no further requests; those that have come are still answered."""
        self._is_closing = True
        self._lines.clear()
        self._flush()

    def close_with(self, error: GammondError) -> None:
        """Tell the client why it is not served any longer, and take no further requests."""
        if not self._is_closing:
            self._out += _encoded("", error_reply(error))
            self.close()

    def stop_all(self) -> int:
        """Tell all work to end with what it has; return how much there was."""
        for job in self._jobs.values():
            job.control.stop()
        return len(self._jobs)

    def abandon(self) -> None:
        """Answer everything that is unfinished with an error: the server goes down."""
        self.close()
        self.stop_all()
        self._waiting.clear()
        for job in list(self._jobs.values()):
            self.finished(job, CancelledWork("the server is shutting down", field="server"))

    @property
    def _has_room(self) -> bool:
        unanswered = len(self._ordered) + self._overtaking
        return unanswered < self._limits.queued_requests and len(self._out) <= self._limits.unsent_bytes

    def _advance(self) -> None:
        self._flush()
        while not self._is_closing and self._has_room:
            line = self._lines.next_line()
            if line is None:
                self._is_closing = self._has_ended
                break
            self._serve(line)
            self._flush()
        self._flush()

    def _serve(self, line: Line) -> None:
        tag = ""
        try:
            if line.error:
                found = _FAULTY_TAG.match(line.text)
                tag = found[1] if found else ""
                raise line.error
            tag, command = split_tag(line.text)
            if not command:
                raise CommandError("expected a command after the tag", field="command")
        except GammondError as error:
            self.session.requests += 1
            self._open(tag, not tag, [failed(self.session, error)])
            if isinstance(error, LimitError) and self._limits.close_on_long_line:
                self.close()
            return
        is_query = command.startswith("{")
        answer = (answer_query if is_query else answer_command)(self.session, command)
        self._open(tag, not tag and not is_query, answer)

    def _open(self, tag: str, is_ordered: bool, answer: Answer) -> None:
        if isinstance(answer, Quit):
            self._farewell = _encoded(tag, answer.reply)
            self.close()
            return
        ticket = Ticket(tag, is_ordered)
        if is_ordered:
            self._ordered.append(ticket)
        if isinstance(answer, Work):
            self._enqueue(Job(answer, ticket))
        elif isinstance(answer, Stop):
            self._write(ticket, [answer.answered(self._stop(answer.key))])
        else:
            self._write(ticket, answer)

    def _enqueue(self, job: Job) -> None:
        keys = _keys(job)
        if any(key in self._by_key for key in keys):
            name = "tag" if job.ticket.tag in self._by_key else "id"
            error = ValueRangeError("an unfinished request has the same: choose another", field=name)
            self._write(job.ticket, [failed(self.session, error, job.work)])
            return
        self._jobs[id(job)] = job
        self._by_key |= dict.fromkeys(keys, job)
        self._overtaking += not job.ticket.is_ordered
        self._arrivals += 1
        heapq.heappush(self._waiting, (-job.work.priority, self._arrivals, job))

    def _stop(self, key: object) -> int:
        if key is None:
            return self.stop_all()
        job = self._by_key.get(key)
        if job is None:
            return 0
        job.control.stop()
        return 1

    def _write(self, ticket: Ticket, replies: Sequence[AnyReply]) -> None:
        lines = [_encoded(ticket.tag, reply) for reply in replies]
        if ticket.is_ordered:
            ticket.held += lines
        else:
            self._out += b"".join(lines)
        ticket.is_answered = ticket.is_answered or any(reply.is_final for reply in replies)

    def _flush(self) -> None:
        while self._ordered:
            ticket = self._ordered[0]
            self._out += b"".join(ticket.held)
            ticket.held.clear()
            if not ticket.is_answered:
                return
            self._ordered.popleft()
        if self._farewell and self.is_idle:
            self._out += self._farewell
            self._farewell = b""


def _keys(job: Job) -> set[object]:
    return {key for key in (job.ticket.tag or None, job.work.key) if key is not None}


def _encoded(tag: str, reply: AnyReply) -> bytes:
    text = rendered(reply)
    return (f"{tag} {text}\n" if tag else f"{text}\n").encode("utf-8", "backslashreplace")
