"""The sans-IO connection: bytes of one client in, work out; finished work in, bytes out.

It knows the order of answers and every cap, and never touches a socket, a thread or a clock. A transport

    - gives it what arrives (`receive_data`, `receive_eof`), while `wants_data`;
    - lets it go on (`advance`) in a turn of its own, while `has_lines`;
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
from protocol.commands.dispatch import answer_command, fail_request, split_tag
from protocol.core.arguments import TAG_PATTERN
from protocol.core.errors import CommandError
from protocol.core.framing import InputLine, LineSplitter
from protocol.core.replies import format_reply, make_error_reply
from protocol.core.requests import Answer, AnyReply, QuitRequest, StopRequest, Work, WorkControl
from protocol.dialects.json_query import answer_query, refuse_query
from protocol.state.session import Session

_FAULTY_LINE_TAG = re.compile(rf"[ \t]*({TAG_PATTERN.pattern})(?:[ \t]|$)")


@dataclass
class PendingRequest:
    """A request that is not fully answered.

    Attributes:
        tag: What each line of its answer begins with; empty for none.
        is_ordered: Whether its lines wait for the answers to earlier ordered requests.
        held_output: Lines that wait, whole.
        is_answered: Whether its final line is written or held.
    """

    tag: str
    is_ordered: bool
    held_output: bytearray = field(default_factory=bytearray)
    is_answered: bool = False


@dataclass
class Job:
    """Work of one request, handed to a transport to be run.

    Attributes:
        work: What to do.
        request: The request.
        control: Stops and watches it.
    """

    work: Work
    request: PendingRequest
    control: WorkControl = field(default_factory=WorkControl)

    def run(self, report: Callable[[AnyReply], None]) -> bytes | Exception:
        """Do it, in any thread, and write the rest of its answer there too: it can be thousands of lines.

        Args:
            report: Takes replies that come before the final one, in this thread.

        Returns:
            What `Connection.receive_result` is to be given.
        """
        self.control.report = report
        try:
            return _encode_replies(self.request.tag, self.work.run(self.control))
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
        self._ordered: deque[PendingRequest] = deque()
        self._jobs: dict[int, Job] = {}
        self._by_key: dict[object, Job] = {}
        self._unordered_count = 0
        self._quick: list[tuple[int, int, Job]] = []
        self._long: list[tuple[int, int, Job]] = []
        self._arrival_count = 0
        self._out = bytearray()
        self._held_bytes = 0
        self._may_have_lines = False
        self._quit_reply: bytes = b""
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
    def has_lines(self) -> bool:
        """Whether lines that have come can be served by `advance`."""
        return self._may_have_lines and not self._is_closing and self._has_room

    @property
    def has_partial_line(self) -> bool:
        """Whether the client began a line and has not ended it."""
        return not self._may_have_lines and self._lines.has_partial_line

    @property
    def is_ending(self) -> bool:
        """Whether no more is read from a client that has not ended by itself."""
        return self._is_closing and not self._has_ended

    @property
    def is_done(self) -> bool:
        """Whether the client has ended, everything is answered, and nothing is left to send."""
        return self._is_closing and self.is_idle and not self._out and not self._quit_reply

    def receive_data(self, data: bytes) -> None:
        """Take in bytes from the client; lines in them take effect at once, as many as one turn serves."""
        if not self._has_ended and not self._is_closing:
            self._lines.feed(data)
            self._may_have_lines = True
            self.advance()

    def receive_eof(self) -> None:
        """Take in the end of the client's input: what it asked for is still answered."""
        self._has_ended = True
        self._lines.close()
        self._may_have_lines = True
        self.advance()

    def advance(self) -> None:
        """Serve the next lines that have come, `ClientLimits.lines_per_turn` of them at most."""
        for _ in range(self._limits.lines_per_turn):
            if not self.has_lines:
                break
            line = self._lines.next_line()
            if line is None:
                self._may_have_lines = False
                self._is_closing = self._has_ended
                break
            self._serve(line)
            self._flush()
        self._flush()

    def next_job(self, *, quick: bool = True, long: bool = True) -> Job | None:
        """Return the next work to run, or None while there is none or the client must read first.

        While too much is held behind an unfinished answer, only that answer's work and work whose answers are
        not held are begun.

        Args:
            quick: Whether it may be quick work, or long work that was stopped before it began.
            long: Whether it may be long work.
        """
        waiting = [lane for lane, may in ((self._quick, quick), (self._long, long)) if may and lane]
        if not waiting or len(self._out) > self._limits.unsent_bytes:
            return None
        if self._unsent_bytes <= self._limits.unsent_bytes:
            return heapq.heappop(min(waiting, key=lambda lane: lane[0][:2]))[2]
        for entry in sorted(entry for lane in waiting for entry in lane):
            ticket = entry[2].request
            if not ticket.is_ordered or ticket is self._ordered[0]:
                lane = next(lane for lane in waiting if entry in lane)
                lane.remove(entry)
                heapq.heapify(lane)
                return entry[2]
        return None

    def receive_progress(self, job: Job, reply: AnyReply) -> None:
        """Take in a reply that comes before the final one."""
        if id(job) in self._jobs:
            self._write(job.request, [reply])
            self._flush()

    def receive_result(self, job: Job, result: bytes | Exception) -> None:
        """Take in the rest of an answer, or what was raised on the way to it."""
        if self._jobs.pop(id(job), None) is None:
            return
        self._unordered_count -= not job.request.is_ordered
        for key in _list_keys(job):
            del self._by_key[key]
        if isinstance(result, Exception):
            result = _encode_replies(job.request.tag, [fail_request(self.session, result, job.work)])
        self._append(job.request, result)
        job.request.is_answered = True
        self._flush()

    def data_to_send(self) -> bytes:
        """Return what is to be sent, once."""
        data = bytes(self._out)
        self._out.clear()
        self._flush()
        return data

    def close(self) -> None:
        """Take no further requests; those that have come are still answered."""
        self._is_closing = True
        self._lines.clear()
        self._flush()

    def close_with_error(self, error: GammondError) -> None:
        """Tell the client why it is not served any longer, and take no further requests."""
        if not self._is_closing:
            self._out += _encode_replies("", [make_error_reply(error)])
            self.close()

    def stop_all(self) -> int:
        """Tell all work to end with what it has; return how much there was."""
        for job in self._jobs.values():
            job.control.stop()
        self._promote_stopped()
        return len(self._jobs)

    def abandon(self) -> None:
        """Answer everything that is unfinished with an error: the server goes down."""
        self.drop()
        for job in list(self._jobs.values()):
            self.receive_result(job, CancelledWork("the server is shutting down", field="server"))

    def drop(self) -> None:
        """Stop all work and begin no more: the client is gone."""
        self.close()
        self.stop_all()
        self._quick.clear()

    @property
    def _unsent_bytes(self) -> int:
        return len(self._out) + self._held_bytes

    @property
    def _has_room(self) -> bool:
        unanswered = len(self._ordered) + self._unordered_count
        return unanswered < self._limits.queued_requests and self._unsent_bytes <= self._limits.unsent_bytes

    def _serve(self, line: InputLine) -> None:
        tag = ""
        try:
            if line.error:
                found = _FAULTY_LINE_TAG.match(line.text)
                tag = found[1] if found else ""
                raise line.error
            tag, command = split_tag(line.text)
            if not command:
                raise CommandError("expected a command after the tag", field="command")
        except GammondError as error:
            self.session.request_count += 1
            tag = "" if tag in self._by_key else tag
            self._open_request(tag, not tag, [fail_request(self.session, error)])
            if isinstance(error, LimitError) and self._limits.close_on_long_line:
                self.close()
            return
        is_query = command.startswith("{")
        if tag in self._by_key:
            answer = self._refuse_tag_in_use(tag, command, is_query)
            tag = ""
        elif is_query:
            answer = answer_query(self.session, command, self._by_key.__contains__)
        else:
            answer = answer_command(self.session, command)
        self._open_request(tag, not tag and not is_query, answer)

    def _refuse_tag_in_use(self, tag: str, command: str, is_query: bool) -> Answer:
        """Refuse a request whose tag is in use; nothing of it takes effect."""
        error = ValueRangeError(
            f"{tag} is the tag of an unfinished request: choose another or wait for its final line",
            field="tag",
        )
        if is_query:
            return refuse_query(self.session, command, self._by_key.__contains__, error)
        self.session.request_count += 1
        return [fail_request(self.session, error)]

    def _open_request(self, tag: str, is_ordered: bool, answer: Answer) -> None:
        if isinstance(answer, QuitRequest):
            self._quit_reply = _encode_replies(tag, [answer.reply])
            self.close()
            return
        ticket = PendingRequest(tag, is_ordered)
        if is_ordered:
            self._ordered.append(ticket)
        if isinstance(answer, Work):
            self._enqueue(Job(answer, ticket))
        elif isinstance(answer, StopRequest):
            self._write(ticket, [answer.make_reply(self._stop(answer.key))])
        else:
            self._write(ticket, answer)

    def _enqueue(self, job: Job) -> None:
        self._jobs[id(job)] = job
        self._by_key |= dict.fromkeys(_list_keys(job), job)
        self._unordered_count += not job.request.is_ordered
        self._arrival_count += 1
        lane = self._long if job.work.is_long else self._quick
        heapq.heappush(lane, (-job.work.priority, self._arrival_count, job))

    def _stop(self, key: object) -> int:
        if key is None:
            return self.stop_all()
        job = self._by_key.get(key)
        if job is None:
            return 0
        job.control.stop()
        self._promote_stopped()
        return 1

    def _promote_stopped(self) -> None:
        """Let long work that was stopped before it began go with the quick: it does no more than that."""
        for entry in [entry for entry in self._long if entry[2].control.is_stopped]:
            self._long.remove(entry)
            heapq.heappush(self._quick, entry)
        heapq.heapify(self._long)

    def _write(self, request: PendingRequest, replies: Sequence[AnyReply]) -> None:
        self._append(request, _encode_replies(request.tag, replies))
        request.is_answered = request.is_answered or any(reply.is_final for reply in replies)

    def _append(self, request: PendingRequest, data: bytes) -> None:
        if request.is_ordered:
            request.held_output += data
            self._held_bytes += len(data)
        else:
            self._out += data

    def _flush(self) -> None:
        while self._ordered:
            ticket = self._ordered[0]
            self._out += ticket.held_output
            self._held_bytes -= len(ticket.held_output)
            ticket.held_output.clear()
            if not ticket.is_answered:
                return
            self._ordered.popleft()
        if self._quit_reply and self.is_idle:
            self._out += self._quit_reply
            self._quit_reply = b""


def _list_keys(job: Job) -> set[object]:
    return {key for key in (job.request.tag or None, job.work.key) if key is not None}


def _encode_replies(tag: str, replies: Sequence[AnyReply]) -> bytes:
    before = f"{tag} " if tag else ""
    text = "".join(f"{before}{format_reply(reply)}\n" for reply in replies)
    return text.encode("utf-8", "backslashreplace")
