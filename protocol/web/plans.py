"""Endpoints: what they take, how their requests are read, and the work of one request to them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from gammond.engine.errors import FormatError
from gammond.engine.options import MAX_QUOTED_CHARS, Field, did_you_mean
from gammond.protocol.commands.dispatch import count_failure
from gammond.protocol.core.jobs import PendingRequest, encode_answer
from gammond.protocol.core.requests import JsonReply, Task, Work, WorkControl
from gammond.protocol.dialects.json_documents import decode_fields
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import (
    JSON,
    NOT_FOUND,
    MalformedBodyError,
    WebAnswer,
    WebRequest,
    make_failure,
    make_refusal,
)
from gammond.protocol.web.schemas import Operation, Schema

API = "/api/v1"
"""What the paths of the server's own endpoints begin with."""

SMALL_BODY_BYTES = 16 * 1024
"""The longest body of requests that are for one position, one game or one account."""

ANY_MEDIA = ("*/*",)
"""The media types of an endpoint that looks at none: clients of its dialect send what they like."""

_SERVED_BYTES = 64 * 1024
"""The longest body that is read in the thread that serves the clients; workers read the others."""

_LINE_KEYS = ("id", "final")
"""What an answer has among lines, and needs not where a request has one answer."""


WebTask = Task[WebAnswer]
"""The work of one request over HTTP."""

Ask = Callable[[Session, WebRequest], WebTask | WebAnswer]
"""What an endpoint does with a request: nothing yet that takes long, and it raises a GammondError."""

WebPlan = WebAnswer | WebTask | Task[WebAnswer | WebTask]
"""The answer to a request, or the work that finds it, or finds what work that is."""


def answer_query_of(work: Work, make_answer: Callable[[JsonReply], WebAnswer] | None = None) -> WebTask:
    """Return the work of a request that has the answer of a query.

    Args:
        work: That of the query; the last of its replies is an object.
        make_answer: Makes the answer of that, in the worker's thread; None for the object without the keys
            that tell lines apart.
    """

    def run(control: WorkControl) -> WebAnswer:
        final = cast("JsonReply", work.run(control)[-1])
        if make_answer is not None:
            return make_answer(final)
        size = max(work.answer_bytes, control.answer_bytes)
        reply = JsonReply(strip_document(final.document))
        encoded = encode_answer(PendingRequest("", False), [reply], control, size)
        return WebAnswer(200, encoded if isinstance(encoded, bytes) else b"".join(encoded))

    return Task(run, is_long=work.is_long, deadline_s=work.deadline_s, answer_bytes=work.answer_bytes)


def strip_document(document: Mapping[str, object]) -> dict[str, object]:
    """Return the object of a query's answer without the keys that tell lines apart."""
    return {key: value for key, value in document.items() if key not in _LINE_KEYS}


@dataclass(frozen=True)
class Endpoint:
    """A path with a method, and what is done with its requests. It takes no paths of files and no addresses.

    Attributes:
        method: ``GET`` or ``POST``.
        path: The path, with names in braces for the parts that differ.
        ask: What it does with a request that is read.
        media_types: Those of bodies; empty where there is none. A body that is not JSON is a file.
        max_bytes: The longest body.
        parameters: What may come after the question mark; a POST without any does not look there.
        fields: What objects may have; None for what `ask` knows better.
        takes_long: Whether its work may take seconds: there are places for such, and others for the rest.
        allows_pages: Whether pages of other origins may use it, if the server is told which.
        fail: Makes the answer of an error, with the status if that does not follow from the error.
        missing: Why a server has it not; empty where it has.
        operation: What its description says beside that.
        needs: The kernels and modules that `ask` itself needs, and not only its work; None for none.
    """

    method: str
    path: str
    ask: Ask
    media_types: tuple[str, ...] = ()
    max_bytes: int = 0
    parameters: Mapping[str, Field] = field(default_factory=dict)
    fields: Mapping[str, Field | Schema] | None = None
    takes_long: bool = False
    allows_pages: bool = False
    fail: Callable[[Exception, int | None], WebAnswer] = make_failure
    missing: str = ""
    operation: Operation = Operation()  # noqa: RUF009  (it is frozen)
    needs: Readiness | None = None

    def plan(self, session: Session, request: WebRequest) -> WebPlan:
        """Read a request, and return what is to be done for it. Errors are answers too.

        Args:
            session: A fresh session: requests leave nothing behind for each other.
            request: The request, of one of the media types and no longer than allowed.
        """
        session.count_request()
        if self.missing:
            return make_refusal(NOT_FOUND, "path", self.missing)
        try:
            if not (self.needs is None or self.needs.is_ready) or len(request.body) > _SERVED_BYTES:
                return self._ask_later(session, request)
            return self.ask(session, self._read(request))
        except Exception as error:
            count_failure(session, error)
            return self.fail(error, None)

    def finish(self, session: Session, result: WebPlan | Exception) -> WebPlan:
        """Return the answer, or what else is to be done for it, given what work came to.

        Args:
            session: Counts its error.
            result: What the work of `plan` returned, or raised.
        """
        if isinstance(result, Exception):
            count_failure(session, result)
            return self.fail(result, None)
        return result

    def takes(self, media_type: str) -> bool:
        """Return whether bodies may be of a media type."""
        return self.media_types == ANY_MEDIA or media_type in self.media_types

    def _read(self, request: WebRequest) -> WebRequest:
        """Return a request with the values after its question mark and the object of its body.

        Raises:
            GammondError: They are not what the endpoint takes.
        """
        values: dict[str, Any] = {}
        if self.parameters or self.method == "GET":
            values = _read_parameters(request, self.parameters)
        document: dict[str, Any] = {}
        is_file = request.media_type != JSON and len(self.media_types) > 1
        if self.media_types and not is_file:
            document = _decode_body(request)
            if self.fields is not None:
                check_names(document, self.fields)
        return msgspec.structs.replace(request, values=values, document=document)

    def _ask_later(self, session: Session, request: WebRequest) -> Task[WebAnswer | WebTask]:
        """Return work that reads the request, which takes long, or needs what is not there."""

        def run(_: WorkControl) -> WebAnswer | WebTask:
            if self.needs is not None:
                self.needs.warm()
            return self.ask(session, self._read(request))

        return Task(run, is_long=True)


def check_names(document: Mapping[str, object], names: Collection[str]) -> None:
    """Check that an object has no other fields than an endpoint takes, and leaves out what it does not say.

    Raises:
        FormatError: It has another field, or one that is null.
    """
    for name, value in document.items():
        if name not in names:
            known = ", ".join(names) or "none"
            raise FormatError(
                f"expected one of the fields {known}, got {name[:MAX_QUOTED_CHARS]!r}"
                f"{did_you_mean(name, names)}",
                field=name[:MAX_QUOTED_CHARS],
            )
        if value is None:
            raise FormatError(f"expected a value for {name}, got null: leave the field out", field=name)


def _decode_body(request: WebRequest) -> dict[str, object]:
    """Decode the body as a JSON object, as `decode_fields` does; it may begin with a byte order mark.

    Raises:
        MalformedBodyError: It is none.
        LimitError: It has too many fields or texts.
    """
    try:
        return decode_fields(request.body.removeprefix(codecs.BOM_UTF8))
    except FormatError as error:
        raise MalformedBodyError(error.message, field="body") from error
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise MalformedBodyError(f"expected a JSON object as body: {error}", field="body") from error


def _read_parameters(request: WebRequest, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the values after the question mark as JSON has them.

    Raises:
        GammondError: A name is unknown or comes twice, or its value is of another type or out of range.
    """
    values: dict[str, Any] = {}
    for name, text in request.query:
        if name in values:
            raise FormatError(f"expected {name} once, got it twice", field=name)
        check_names({name: text}, fields)
        values[name] = fields[name].parse(text)
    return values
