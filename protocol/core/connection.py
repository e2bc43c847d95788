"""The sans-IO connection: bytes of one client in, jobs out; results of jobs in, bytes out.

It orders answers and keeps every cap, and never touches a socket, a thread or a clock. It does not schedule:
a pool of workers decides when a job runs, within what `gammond.protocol.core.jobs.StartGate` allows. A
transport

    - passes on what arrives (`receive_data`, `receive_eof`), while `wants_data`;
    - serves it (`advance`) in turns, while `has_lines`;
    - passes each `next_job`, and the `start_gate` as it changes, to the pool, and brings back what becomes of
      the jobs (`receive_progress`, `receive_result`);
    - sends what `data_to_send` returns, and ends when `is_done`.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from math import inf
from typing import Protocol

from gammond.engine.errors import CancelledWork, GammondError, LimitError, ValueRangeError
from gammond.protocol.core.answers import AnswerQueue
from gammond.protocol.core.arguments import TAG_PATTERN, parse_tag
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.framing import InputLine, LineSplitter
from gammond.protocol.core.jobs import (
    CLOSED_GATE,
    OPEN_GATE,
    LineJob,
    LineResult,
    PendingJobs,
    PendingRequest,
    StartGate,
)
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.core.replies import add_tag, encode_replies
from gammond.protocol.core.requests import (
    Answer,
    AnyReply,
    QuitRequest,
    StopRequest,
    Unready,
    Work,
)

_BYTES_FOR_LINE_BYTE = 4
"""About how many bytes the objects of a request take for each byte of its line."""

_FAULTY_LINE_TAG = re.compile(rf"[ \t]*({TAG_PATTERN.pattern})(?:[ \t]|$)")

IsInUse = Callable[[object], bool]
"""Returns whether a key is that of unfinished work."""


class RequestHandler(Protocol):
    """Answers the requests of one client. Nothing it does raises: errors are answers too."""

    @property
    def writes_json(self) -> bool:
        """Whether each line of the answers to requests of this moment is an object."""
        ...

    def keeps_order(self, text: str) -> bool:
        """Return whether a request without a tag waits for the answers to earlier ones."""
        ...

    def answer(self, text: str, is_in_use: IsInUse) -> Answer | bytes | Unready:
        """Answer a request, given without its tag, or return the answer as it is sent.

        State changes take effect before this returns.
        """
        ...

    def refuse(self, text: str, is_in_use: IsInUse, error: GammondError) -> Answer | bytes:
        """Answer a request with an error, whatever it asks for; the text is empty if it cannot be read."""
        ...

    def fail(self, error: Exception, work: Work | None = None) -> AnyReply:
        """Return the final reply for work that raised, or the last of all to a client."""
        ...


class Connection:
    """One client's side of the protocol, as a state machine without I/O. Not for several threads.

    Args:
        handler: Answers its requests.
        limits: Its caps.
        clock: Seconds; it ends turns.
        has_tags: Whether requests may begin with a tag.
        translation: What becomes of each byte of input, as for `bytes.translate`; None for nothing.

    Attributes:
        end_reason: Why no more is read from the client, in a few words; empty if it just ends its input.
    """

    def __init__(
        self,
        handler: RequestHandler,
        limits: ClientLimits,
        clock: Callable[[], float] = time.monotonic,
        *,
        has_tags: bool = True,
        translation: bytes | None = None,
    ) -> None:
        self.handler = handler
        self.end_reason = ""
        self._clock = clock
        self._has_tags = has_tags
        self._translation = translation
        self.request_count = 0
        self._limits = limits
        self._lines = LineSplitter(limits.line_bytes)
        self._answers = AnswerQueue()
        self._jobs = PendingJobs()
        self._new_jobs: deque[LineJob] = deque()
        self._quick_size = 0
        self._may_have_lines = False
        self._held_line: InputLine | None = None
        """The line that waits for what it needs; none is served before it."""
        self._preparation: LineJob | None = None
        """What prepares that, while it lasts."""
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
        return not self._jobs and not self._answers.ordered_count and self._held_line is None

    @property
    def has_lines(self) -> bool:
        """Whether lines that have come can be served by `advance`."""
        if self._held_line is not None:
            return self._preparation is None
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
        return self._is_closing and self.is_idle and not self._answers.sendable_bytes and not self._quit_reply

    @property
    def held_bytes(self) -> int:
        """About how many bytes are held for the client: lines to be served, requests, output that waits."""
        waiting_bytes = self._lines.buffered_bytes + self._answers.unsent_bytes
        return waiting_bytes + _BYTES_FOR_LINE_BYTE * self._jobs.line_bytes

    @property
    def start_gate(self) -> StartGate:
        """Which jobs may start at this moment."""
        cap = self._limits.unsent_bytes
        if self._answers.unsent_bytes <= cap:
            return OPEN_GATE
        if self._answers.sendable_bytes > cap:
            return CLOSED_GATE
        return StartGate(is_open=False, first=self._answers.first)

    def receive_data(self, data: bytes) -> None:
        """Take in bytes from the client; `advance` serves the lines in them."""
        if not (self._has_ended or self._is_closing):
            self._lines.feed(data if self._translation is None else data.translate(self._translation))
            self._may_have_lines = True

    def receive_eof(self) -> None:
        """Take in the end of the client's input: what it asked for is still answered."""
        self._has_ended = True
        self._lines.close()
        self._may_have_lines = True

    def advance(self, size: float = inf, end_s: float = inf) -> None:
        """Serve the next lines that have come: one, and more until a turn is over.

        Args:
            size: The size of quick requests (`Work.size`) that ends the turn.
            end_s: When it ends, by the clock.
        """
        self._quick_size = 0
        while self.has_lines:
            line, self._held_line = self._held_line or self._lines.next_line(), None
            if line is not None and (line.text or line.error):
                self._serve(line)
            if line is None or not self._lines.buffered_bytes:
                self._may_have_lines = False
                self._is_closing = self._is_closing or self._has_ended
            elif self._quick_size >= size or self._clock() > end_s:
                break
        self._say_goodbye()

    def next_job(self) -> LineJob | None:
        """Return the next new job, in the order of arrival; None when all are handed out."""
        return self._new_jobs.popleft() if self._new_jobs else None

    def receive_progress(self, job: LineJob, reply: AnyReply) -> None:
        """Take in a reply that comes before the final one; a client that must read first does not get it."""
        if job in self._jobs and self._answers.unsent_bytes <= self._limits.unsent_bytes:
            self._answers.append(job.request, [job.request.encode([reply])], is_last=False)

    def receive_result(self, job: LineJob, result: LineResult) -> None:
        """Take in the rest of an answer, or the exception that its work raised."""
        if not self._jobs.remove(job):
            return
        if job is self._preparation:
            self._preparation = None
            return
        if isinstance(result, Exception):
            result = job.request.encode([self.handler.fail(result, job.work)])
        self._answers.append(job.request, [result] if isinstance(result, bytes) else result, is_last=True)
        if self._quit_reply:
            self._say_goodbye()

    def data_to_send(self, max_bytes: int | None = None) -> bytes:
        """Return bytes to send, each once.

        Args:
            max_bytes: How many at most; None for all that there are.
        """
        return self._answers.take(max_bytes)

    def close(self) -> None:
        """Take no further requests; those that have come are still answered."""
        self._is_closing = True
        self._lines.clear()
        self._say_goodbye()

    def close_with_error(self, error: GammondError) -> None:
        """Send the client why it is not served any longer, and take no further requests."""
        if not self._is_closing:
            self.end_reason = error.message
            self._answers.add(self._encode("", [self.handler.fail(error)]))
            self.close()

    def cut_off(self, error: GammondError) -> None:
        """Send the client why it gets nothing more, and forget all that it asked for and has not read."""
        self.drop()
        self.end_reason = error.message
        self._jobs.clear()
        self._held_line = self._preparation = None
        self._quit_reply = b""
        self._answers.clear()
        self._answers.add(self._encode("", [self.handler.fail(error)]))

    def stop_all(self) -> int:
        """Ask all work to end with what it has; return how much there was."""
        return self._jobs.stop_all()

    def abandon(self) -> None:
        """Answer everything that is unfinished with an error: the server goes down."""
        self.drop()
        error = CancelledWork("the server is shutting down", field="server")
        for job in list(self._jobs):
            self.receive_result(job, error)
        line, self._held_line = self._held_line, None
        if line is not None:
            self._serve(line, error)

    def drop(self) -> None:
        """Stop all work and hand out no more: the client is gone."""
        self.close()
        self.stop_all()
        self._new_jobs.clear()

    @property
    def _has_room(self) -> bool:
        limits, answers = self._limits, self._answers
        return (
            answers.ordered_count + self._jobs.unordered_count < limits.queued_requests
            and self._jobs.line_bytes <= limits.queued_bytes
            and answers.unsent_bytes <= limits.unsent_bytes
        )

    def _serve(self, line: InputLine, refusal: GammondError | None = None) -> None:
        """Answer a line, hold it until what it needs is prepared, or refuse it."""
        self.request_count += 1
        is_in_use = self._jobs.has_key
        tag = ""
        try:
            if line.error:
                match = _FAULTY_LINE_TAG.match(line.text)
                tag = match[1] if match and self._has_tags else ""
                raise line.error
            tag, text = _split_tag(line.text) if self._has_tags else ("", line.text.strip(" \t"))
            if not text:
                raise CommandError("expected a command after the tag", field="command")
        except GammondError as error:
            tag = "" if is_in_use(tag) else tag
            self._open_request(tag, not tag, self.handler.refuse("", is_in_use, error), len(line.text))
            if isinstance(error, LimitError) and self._limits.close_on_long_line:
                self.end_reason = error.message
                self.close()
            return
        if is_in_use(tag):
            tag, refusal = (
                "",
                ValueRangeError(
                    f"{tag} is the tag of an unfinished request: choose another or wait for its final line",
                    field="tag",
                ),
            )
        if refusal is not None:
            answer: Answer | bytes | Unready = self.handler.refuse(text, is_in_use, refusal)
        else:
            answer = self.handler.answer(text, is_in_use)
        if isinstance(answer, Unready):
            self._held_line = line
            self._preparation = LineJob(
                work=answer.preparation, request=PendingRequest("", False, len(line.text))
            )
            self._add_job(self._preparation)
        else:
            self._open_request(tag, not tag and self.handler.keeps_order(text), answer, len(line.text))

    def _open_request(self, tag: str, is_ordered: bool, answer: Answer | bytes, line_bytes: int) -> None:
        if isinstance(answer, QuitRequest):
            self._quit_reply = self._encode(tag, answer.replies)
            self.end_reason = "it said goodbye"
            self.close()
            return
        if isinstance(answer, Work):
            request = PendingRequest(tag, is_ordered, line_bytes, writes_json=self.handler.writes_json)
            self._add_job(LineJob(work=answer, request=request))
            return
        if isinstance(answer, bytes):
            data = add_tag(tag, answer, writes_json=self.handler.writes_json)
            self._answers.add_answer(data, is_ordered=is_ordered)
            return
        if isinstance(answer, StopRequest):
            answer = [answer.make_reply(self._jobs.stop(answer.key))]
        self._answers.add_answer(self._encode(tag, answer), is_ordered=is_ordered)

    def _add_job(self, job: LineJob) -> None:
        self._jobs.add(job)
        self._answers.open(job.request)
        if job.work.is_quick:
            self._quick_size += job.work.size
        self._new_jobs.append(job)

    def _encode(self, tag: str, replies: Sequence[AnyReply]) -> bytes:
        """Encode lines of an answer that is there at once."""
        return encode_replies(tag, replies, writes_json=self.handler.writes_json)

    def _say_goodbye(self) -> None:
        """Answer ``quit`` once everything before it is answered."""
        if self._quit_reply and self.is_idle:
            self._answers.add(self._quit_reply)
            self._quit_reply = b""


def _split_tag(text: str) -> tuple[str, str]:
    """Separate the tag of a request, with its ``@``, from the text after it, both without blanks around them.

    Raises:
        FormatError: The line begins with ``@`` and has no proper tag.
    """
    text = text.strip(" \t")
    if not text.startswith("@"):
        return "", text
    tag = parse_tag(text.replace("\t", " ").partition(" ")[0])
    return tag, text[len(tag) :].strip(" \t")
