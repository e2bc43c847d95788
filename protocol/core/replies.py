"""Replies as text: numbers, words, plays and errors on the wire."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

import msgspec

from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.rules.outcome import Outcome
from gammond.engine.wording import escape_unprintable
from gammond.protocol.core.errors import INTERNAL_ERROR
from gammond.protocol.core.requests import AnyReply, JsonReply, Reply, ReplyValue

DECIMALS = 6
"""Decimals of probabilities and equities."""

_INFO = "info"
"""The first word of reports, whose pairs have no signs."""

_NO_RESULTS = b'"results":[]'
"""No text in an object looks like this: there a backslash precedes each quote."""

_FLOAT_FORMAT = f"%.{DECIMALS}f"
_NEGATIVE_ZERO = _FLOAT_FORMAT % -0.0
_PLAIN = re.compile(r"[^\s\"'\\=]+")
_is_plain_ascii = re.compile(r"[!#-&(-<>-\[\]-~]+").fullmatch


def encode_replies(tag: str, replies: Sequence[AnyReply], *, writes_json: bool = False) -> bytes:
    """Encode lines of an answer as they are sent, each after the tag, if there is one.

    Args:
        tag: The tag; empty for none.
        replies: The lines.
        writes_json: Whether each line is an object, with the tag in it.
    """
    if writes_json:
        objects = [msgspec.json.encode(make_document(tag, reply)) for reply in replies]
        return b"".join([line for each in objects for line in (each, b"\n")])
    before = f"{tag} " if tag else ""
    if len(replies) == 1:
        (reply,) = replies
        if isinstance(reply, JsonReply):  # it can be 20 MB: make few copies
            return b"".join((before.encode(), msgspec.json.encode(reply.document), b"\n"))
        return f"{before}{format_reply(reply)}\n".encode("utf-8", "backslashreplace")
    text = "".join([f"{before}{format_reply(reply)}\n" for reply in replies])
    return text.encode("utf-8", "backslashreplace")


def add_tag(tag: str, data: bytes, *, writes_json: bool = False) -> bytes:
    """Return the encoded lines of an answer with a tag, as `encode_replies` writes it.

    Args:
        tag: The tag; empty for none.
        data: The lines without it.
        writes_json: Whether each line is an object.
    """
    if not tag:
        return data
    before = _begin_tagged(tag, writes_json)
    start = 1 if writes_json else 0  # the tag takes the place of the brace
    return b"".join([before + line[start:] for line in data.splitlines(keepends=True)])


def remove_tag(tag: str, data: bytes, *, writes_json: bool = False) -> bytes:
    """Return the encoded lines of an answer without their tag; takes back `add_tag`."""
    if not tag:
        return data
    before = _begin_tagged(tag, writes_json)
    brace = b"{" if writes_json else b""
    return b"".join([brace + line.removeprefix(before) for line in data.splitlines(keepends=True)])


def _begin_tagged(tag: str, writes_json: bool) -> bytes:
    """Return what each line with a tag begins with."""
    return b'{"tag":%s,' % msgspec.json.encode(tag) if writes_json else f"{tag} ".encode()


def has_results(reply: AnyReply) -> bool:
    """Return whether a line is an object with a list of results, which can be long."""
    return isinstance(reply, JsonReply) and bool(reply.document.get("results"))


def split_results(tag: str, reply: AnyReply, *, writes_json: bool) -> tuple[bytes, list[object], bytes]:
    """Split the line of an object at its results.

    Args:
        tag: As for `encode_replies`.
        reply: One that `has_results`.
        writes_json: As for `encode_replies`.

    Returns:
        The line up to the first result, the results themselves, and the line after the last.
    """
    document = cast("JsonReply", reply).document
    short = JsonReply({**document, "results": []}, reply.is_final)
    before, empty, after = encode_replies(tag, [short], writes_json=writes_json).partition(_NO_RESULTS)
    return before + empty[:-1], cast("list[object]", document["results"]), b"]" + after


def format_reply(reply: AnyReply) -> str:
    """Write a reply as one line, without its end."""
    if isinstance(reply, JsonReply):
        return msgspec.json.encode(reply.document).decode("utf-8")
    if reply.word == _INFO:
        return " ".join([_INFO, *(f"{key} {_format_plain(value)}" for key, value in reply.values.items())])
    text = f"{reply.word} {escape_unprintable(reply.text)}" if reply.text else reply.word
    return text + _format_values(reply.values) if reply.values else text


def _format_values(values: Mapping[str, ReplyValue]) -> str:
    """Write ``key=value`` pairs, each after a blank."""
    found: list[ReplyValue] = list(values.values())
    template, others = _make_template(tuple(values), tuple(map(type, found)))
    for place in others:
        found[place] = format_value(found[place])
    text = template % tuple(found)
    if _NEGATIVE_ZERO in text:  # or what looks like one
        return "".join([f" {key}={format_value(value)}" for key, value in values.items()])
    return text


@lru_cache(maxsize=1024)  # few lines have pairs of their own
def _make_template(keys: tuple[str, ...], types: tuple[type, ...]) -> tuple[str, list[int]]:
    """Return how pairs are written in one step, and the places of those that are no plain numbers."""
    forms = [_FLOAT_FORMAT if each is float else "%s" for each in types]
    pairs = [f" {key}={form}" for key, form in zip(keys, forms, strict=True)]
    return "".join(pairs), [place for place, each in enumerate(types) if each not in (float, int)]


def make_document(tag: str, reply: AnyReply) -> dict[str, object]:
    """Return a line of an answer as an object, whose keys are those of the line.

    Args:
        tag: The tag of the request; empty for none.
        reply: The line.
    """
    document: dict[str, object] = {"tag": tag} if tag else {}
    if isinstance(reply, JsonReply):
        word = "error" if "error" in reply.document else reply.word
        return {**document, "answer": word, "final": reply.is_final, **reply.document}
    document |= {"answer": reply.word, "final": reply.is_final}
    if reply.word == "error":
        code_and_field, _, message = reply.text.partition(": ")
        code, _, field = code_and_field.partition(" ")
        document["error"] = {"code": code, "field": field, "message": escape_unprintable(message)}
    elif reply.text_key or (reply.text and reply.fields is None):
        document[reply.text_key or "text"] = escape_unprintable(reply.text)
    for key, value in reply.values.items():
        if isinstance(value, float):
            document[key] = round_value(value)
        else:
            document[key] = escape_unprintable(value) if isinstance(value, str) else value
    document |= reply.fields or {}
    return document


def format_value(value: ReplyValue) -> str:
    """Write one value: six decimals, ``true`` and ``false``, quotes around anything but a plain word."""
    if isinstance(value, str):
        return value if _is_plain_ascii(value) else _format_text(value)
    if isinstance(value, float):
        text = _FLOAT_FORMAT % value
        return text if text != _NEGATIVE_ZERO else text[1:]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@lru_cache(maxsize=4096)  # plays and names repeat themselves
def _format_text(value: str) -> str:
    """Write a text, in quotes unless it is a plain word."""
    text = escape_unprintable(value)
    if _PLAIN.fullmatch(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _format_plain(value: ReplyValue) -> str:
    """Write one value of a report: texts are not in quotes."""
    return value if isinstance(value, str) else format_value(value)


def make_info_reply(values: Mapping[str, ReplyValue]) -> Reply:
    """Return a report of work that goes on, in the words of UBGI: keys and values, a play last."""
    return Reply(_INFO, values=values, is_final=False)


def round_value(value: float) -> float:
    """Return a number as the wire has it; there is no negative zero."""
    return round(value, DECIMALS) + 0.0


def round_values(values: Mapping[str, ReplyValue]) -> dict[str, ReplyValue]:
    """Return the values of keys with numbers as the wire has them."""
    return {name: round_value(value) if isinstance(value, float) else value for name, value in values.items()}


def make_ok_reply(command: str, values: Mapping[str, ReplyValue] | None = None) -> list[Reply]:
    """Return the answer to a command that was carried out and has nothing else to say."""
    return [Reply("ok", command, values or {}, text_key="command")]


def make_error_reply(error: Exception) -> Reply:
    """Return the final line for a request that failed: ``error CODE FIELD: MESSAGE``."""
    code, field, message = describe_error(error)
    return Reply("error", f"{code} {field}: {message}", error=error)


def describe_error(error: Exception) -> tuple[str, str, str]:
    """Return code, field and message of an error for clients: no details of faults of the server itself."""
    if not isinstance(error, GammondError) or error.code == INTERNAL_ERROR:
        return (
            INTERNAL_ERROR,
            "server",
            "internal error, recorded in the server's log; other requests continue",
        )
    public = error.public_message if isinstance(error, DataFileError) else None
    return error.code, error.field or "request", public or error.message


def outcome_to_values(outcome: Outcome, equity: float) -> dict[str, ReplyValue]:
    """Return the keys of an outcome and its equity, in the order in which they are written."""
    return {**outcome._asdict(), "equity": equity}
