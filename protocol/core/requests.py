"""Replies, and the work that makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from gammond.engine.runtime.threads import hold_turn
from gammond.protocol.core.interpreter import InterpreterTurns, WorkerTurn

ReplyValue = str | int | float | bool
"""The value of a key. Floats are written with six decimals."""


class Reply(msgspec.Struct, frozen=True):
    """One line of an answer: a word, plain words after it, then ``key=value`` pairs.

    Attributes:
        word: The first word, the kind of line.
        text: What follows it as it stands.
        values: What follows as ``key=value``, in this order.
        is_final: Whether it ends the answer; each request gets exactly one such line.
        error: What an error line was made of, for front ends that word it themselves; it is not written.
        fields: As the keys of an object, what ``text`` says where it is neither one value nor pairs, and
            ``values`` that are lists there.
        text_key: The key of ``text`` in an object, where it is one value; empty for ``text`` if there is any.
    """

    word: str
    text: str = ""
    values: Mapping[str, ReplyValue] = msgspec.field(default_factory=dict)
    is_final: bool = True
    error: Exception | None = None
    fields: Mapping[str, object] | None = None
    text_key: str = ""


class JsonReply(msgspec.Struct, frozen=True):
    """One line of an answer that is a JSON object.

    Attributes:
        document: What msgspec can encode.
        is_final: Whether it ends the answer.
        word: The kind of answer, as it is called among answers that are all objects.
    """

    document: Mapping[str, object]
    is_final: bool = True
    word: str = "query"


AnyReply = Reply | JsonReply

BLOCK_LINES = 64
"""Lines of an answer that are made in one turn in the interpreter; some 1 ms."""

_T = TypeVar("_T")
ResultT = TypeVar("ResultT")


class LongTurn(Protocol):
    """The turn of long work among that of all clients; for all threads that do it."""

    def pass_on(self) -> None:
        """Let other work have its turn, if this one had enough of it, and wait for the next."""
        ...

    def leave(self) -> AbstractContextManager[None]:
        """Have no turn meanwhile: the work waits for other work."""
        ...


def _ignore_reply(_: AnyReply) -> None:
    """Report nothing."""


class WorkControl:
    """The link to work that runs: a stop flag in, progress out.

    Attributes:
        report: Takes replies that come before the final one; called in the thread that does the work.
        answer_bytes: About how many bytes of the rest of the answer there are already.
        interpreter: Gives the worker turns (`take_interpreter`); None in the thread that serves the clients,
            which has one.
        turn: That of long work; None for other work.
    """

    def __init__(self, report: Callable[[AnyReply], None] = _ignore_reply) -> None:
        self.report = report
        self.answer_bytes = 0
        self.interpreter: InterpreterTurns | None = None
        self.turn: LongTurn | None = None
        self._is_stopped = False
        self._on_stop: Callable[[], None] | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether the work should end with the best answer it has."""
        return self._is_stopped

    def is_cancelled(self) -> bool:
        """Return whether the work should end. Asked between blocks of work, it is where others have turns."""
        if self.turn is not None and not self._is_stopped:
            self.turn.pass_on()
        return self.is_stopped

    def leave_turn(self) -> AbstractContextManager[None]:
        """Let other long work have the turn of this one, which waits for some of it."""
        return nullcontext() if self.turn is None else self.turn.leave()

    def stop(self) -> None:
        """Ask the work to end soon. Safe from any thread."""
        self._is_stopped = True
        on_stop = self._on_stop
        if on_stop is not None:
            on_stop()

    @contextmanager
    def take_interpreter(self) -> Iterator[None]:
        """Do what keeps the interpreter busy for about a millisecond, in a turn, or at once when stopped.

        The engine releases the turn where it evaluates; what may load or compile code needs none.
        """
        if self.interpreter is None:
            yield
            return
        with hold_turn(WorkerTurn(self.interpreter, lambda: self._is_stopped)):
            yield

    def run_in_blocks(
        self, count: int, run: Callable[[slice], Iterable[_T]], size: int = BLOCK_LINES
    ) -> list[_T]:
        """Make the lines of an answer, or what becomes of them, in several turns in the interpreter.

        Args:
            count: How many there are.
            run: Makes those of a slice.
            size: How many in a turn.
        """
        made: list[_T] = []
        for start in range(0, count, size):
            with self.take_interpreter():
                made += run(slice(start, min(start + size, count)))
        return made

    def notify_on_stop(self, callback: Callable[[], None]) -> None:
        """Call a function each time the work is asked to end."""
        self._on_stop = callback

    def disconnect(self) -> None:
        """Forget whom to call: the work is done, and they refer to it in turn."""
        self.report, self._on_stop, self.turn = _ignore_reply, None, None


class RequestBatch(Protocol):
    """Answers many requests of one kind in one call; equal, and hashed alike, for those that go together."""

    def answer(self, items: Sequence[Any]) -> Sequence[AnyReply | Exception]:
        """Answer requests, each with one final reply or error, the same as it would get alone.

        Args:
            items: What sets each request apart.
        """
        ...


class BatchItem(NamedTuple):
    """One request of a batch: it takes microseconds, so that no thread is needed for it.

    Attributes:
        batch: What answers it together with others.
        item: What sets it apart from these.
    """

    batch: RequestBatch
    item: object

    def answer_alone(self) -> Sequence[AnyReply]:
        """Return the answer to this request, found by itself.

        Raises:
            Exception: The error that is its answer.
        """
        (reply,) = self.batch.answer([self.item])
        if isinstance(reply, Exception):
            raise reply
        return [reply]


class KeptSource(Protocol):
    """Something that is kept, of which an answer is made."""

    @property
    def size(self) -> int:
        """How many bytes it takes in memory, about."""
        ...

    def ask_again(self) -> bool:
        """Return whether the same would be found now, and count the visit if so; takes microseconds."""
        ...


class Task(msgspec.Struct, Generic[ResultT], frozen=True):
    """Something that takes time: a function of what was captured when it was asked for, and of nothing else.

    Attributes:
        run: Does it, in any thread.
        is_long: Whether it takes longer than a 0-ply evaluation; long work never delays quick work.
        priority: Work of higher priority of the same client starts first.
        deadline_s: When it should end with its best result so far, by the service's clock; None for never.
        answer_bytes: About how many bytes its result takes.
    """

    run: Callable[[WorkControl], ResultT]
    is_long: bool = False
    priority: int = 0
    deadline_s: float | None = None
    answer_bytes: int = 1024


class Work(Task[Sequence[AnyReply]], frozen=True):
    """A request that takes time: its task returns the rest of the answer, of which the last reply is final.

    Attributes:
        key: Its name in later requests to stop it, besides its tag.
        make_error_reply: Makes the final reply when `run` raises; None for an error line.
        is_quick: Whether it takes microseconds, so that no thread is needed for it.
        batch_item: How a quick one can be answered in a batch; None where only `run` does it.
        size: About how long a quick one takes: 1 for a position that is evaluated in a batch, some 10 µs.
        sources: All that is kept of which the answer is made, if nothing is to be searched for it.
        take_answer: Takes the whole answer of a quick one, encoded without a tag, if nobody stopped it and it
            took less than a millisecond: so the next like it.
    """

    key: object = None
    make_error_reply: Callable[[Exception], AnyReply] | None = None
    is_quick: bool = False
    batch_item: BatchItem | None = None
    size: int = 1
    sources: tuple[KeptSource, ...] = ()
    take_answer: Callable[[bytes], object] | None = None


def make_preparation(prepare: Callable[[], object]) -> Work:
    """Return the work of something that has to be done before something else can be."""

    def run(_: WorkControl) -> Sequence[AnyReply]:
        prepare()
        return ()

    return Work(run)


class Unready(msgspec.Struct, frozen=True):
    """In place of the answer to a request that is to wait, and come again once what it needs is prepared.

    Attributes:
        preparation: The work of that. It has no replies; what it raises is the answer when the request comes
            again.
    """

    preparation: Work


class StopRequest(msgspec.Struct, frozen=True):
    """A request to stop work.

    Attributes:
        key: The tag or other key of the work; None for all work of the client.
        make_reply: Makes the reply, given the number of requests stopped.
    """

    key: object | None
    make_reply: Callable[[int], AnyReply]


class QuitRequest(msgspec.Struct, frozen=True):
    """A request to end the session once everything before it is answered; these are the answer to it."""

    replies: Sequence[AnyReply]


Answer = Sequence[AnyReply] | Work | StopRequest | QuitRequest
"""The result of a handler: the whole answer at once, or the work for it."""
