"""Endpoints, and the work of one request to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import msgspec

from engine.errors import CancelledWork
from engine.runtime.prompt_threads import UncompiledKernel
from protocol.commands.dispatch import count_failure
from protocol.core.jobs import Job, JobResult, PendingRequest
from protocol.core.requests import AnyReply, JsonReply, Work, WorkControl
from protocol.games import load_part
from protocol.state.session import Session
from protocol.web.answers import JSON, WebAnswer, WebRequest, make_failure

ANY_MEDIA = ("*/*",)
"""The media types of an endpoint that looks at none: clients of its dialect send what they like."""

_SERVED_BYTES = 64 * 1024
"""The longest body that is read in the thread that serves the clients; workers read the others."""

_LINE_KEYS = ("id", "final")
"""What an answer has among lines, and needs not where a request has one answer."""


class Question(msgspec.Struct, frozen=True):
    """What is to be done for a request.

    Attributes:
        work: The work.
        make_answer: Makes the answer of its replies, in the worker's thread; None for the last of them, an
            object, without the keys that tell lines apart.
    """

    work: Work
    make_answer: Callable[[Sequence[AnyReply]], WebAnswer] | None = None


Ask = Callable[[Session, WebRequest], Question | WebAnswer]
"""What an endpoint does with a request: nothing yet that takes long, and it raises a GammondError."""


@dataclass(frozen=True)
class NamedAsk:
    """An `Ask` in a module that is imported at the first request, by a worker: a server starts without it.

    Attributes:
        path: Where it is, as ``MODULE:NAME``.
    """

    path: str

    @property
    def is_loaded(self) -> bool:
        """Whether the module is there."""
        return self.path in _LOADED_PATHS

    def load(self) -> Ask:
        """Return what the name means."""
        ask: Ask = load_part(self.path)
        _LOADED_PATHS.add(self.path)
        return ask

    def __call__(self, session: Session, request: WebRequest) -> Question | WebAnswer:
        """Do with a request what the function of that name does."""
        return self.load()(session, request)


_LOADED_PATHS: set[str] = set()


def strip_document(document: Mapping[str, object]) -> dict[str, object]:
    """Return the object of a query's answer without the keys that tell lines apart."""
    return {key: value for key, value in document.items() if key not in _LINE_KEYS}


class WebJob(Job, kw_only=True, eq=False):
    """The work of one request over HTTP, for a scheduler to run.

    Attributes:
        make_answer: As `Question.make_answer`.
        answer: The answer, once it is there.
    """

    make_answer: Callable[[Sequence[AnyReply]], WebAnswer] | None = None
    answer: WebAnswer | None = None

    def encode_answer(self, replies: Sequence[AnyReply]) -> JobResult:
        """Make the answer; return its body."""
        if self.make_answer is not None:
            self.answer = self.make_answer(replies)
            return self.answer.body
        final = cast("JsonReply", replies[-1])
        encoded = super().encode_answer([JsonReply(strip_document(final.document))])
        assert not isinstance(encoded, Exception)  # those are raised
        self.answer = WebAnswer(200, encoded if isinstance(encoded, bytes) else b"".join(encoded))
        return self.answer.body


@dataclass(frozen=True)
class PlannedWork:
    """A request that takes work.

    Attributes:
        job: The work.
        session: Counts its errors.
        fail: Makes the answer of an error.
    """

    job: WebJob
    session: Session
    fail: Callable[[Exception, int | None], WebAnswer]

    def finish(self, result: JobResult) -> WebAnswer:
        """Return the answer, given what the scheduler says became of the job."""
        if isinstance(result, Exception):
            count_failure(self.session, result)
            return self.fail(result, None)
        if self.job.answer is None:  # a scheduler may end jobs that it never ran
            return self.fail(CancelledWork("the request was stopped before it was answered"), None)
        return self.job.answer


@dataclass(frozen=True)
class Endpoint:
    """A path with a method, and what is done with its requests. It takes no paths of files and no addresses.

    Attributes:
        method: ``GET`` or ``POST``.
        path: The path, with names in braces for the parts that differ.
        ask: What it does.
        media_types: Those of bodies; empty where there is none.
        max_bytes: The longest body.
        takes_long: Whether its work may take seconds: there are places for such, and others for the rest.
        allows_pages: Whether pages of other origins may use it, if the server is told which.
        fail: Makes the answer of an error, with the status if that does not follow from the error.
    """

    method: str
    path: str
    ask: Ask
    media_types: tuple[str, ...] = ()
    max_bytes: int = 0
    takes_long: bool = False
    allows_pages: bool = False
    fail: Callable[[Exception, int | None], WebAnswer] = make_failure

    def plan(self, session: Session, request: WebRequest) -> PlannedWork | WebAnswer:
        """Read a request, and return what is to be done for it. Errors are answers too.

        Args:
            session: A fresh session: requests leave nothing behind for each other.
            request: The request, of one of the media types and no longer than allowed.
        """
        session.count_request()
        try:
            if isinstance(self.ask, NamedAsk) and not self.ask.is_loaded:
                asked: Question | WebAnswer = self._ask_later(session, request, self.ask.load)
            elif len(request.body) > _SERVED_BYTES:
                asked = self._ask_later(session, request, lambda: None)
            else:
                asked = self.ask(session, request)
        except UncompiledKernel as missing:
            asked = self._ask_later(session, request, missing.compile)
        except Exception as error:
            count_failure(session, error)
            return self.fail(error, None)
        if isinstance(asked, WebAnswer):
            return asked
        pending = PendingRequest("", False)
        return PlannedWork(WebJob(asked.work, pending, make_answer=asked.make_answer), session, self.fail)

    def takes(self, media_type: str) -> bool:
        """Return whether bodies may be of a media type."""
        return self.media_types == ANY_MEDIA or media_type in self.media_types

    def _ask_later(self, session: Session, request: WebRequest, prepare: Callable[[], object]) -> Question:
        """Return work that first prepares what reading the request needs: a module, a compiled kernel."""
        answers: list[WebAnswer] = []

        def run(control: WorkControl) -> Sequence[AnyReply]:
            prepare()
            asked = self.ask(session, request)
            if isinstance(asked, WebAnswer):
                answers.append(asked)
                return ()
            replies = asked.work.run(control)
            answers.append(
                make_document_answer(replies) if asked.make_answer is None else asked.make_answer(replies)
            )
            return ()

        return Question(Work(run, is_long=True), lambda _: answers[0])


def make_document_answer(replies: Sequence[AnyReply]) -> WebAnswer:
    """Return the last of some replies, an object, as an answer."""
    document = strip_document(cast("JsonReply", replies[-1]).document)
    return WebAnswer(200, msgspec.json.encode(document) + b"\n", JSON)
