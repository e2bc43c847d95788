"""Framing: bytes in, lines out. UTF-8, one line each, ended by LF or CR LF.

A byte order mark, with which some shells begin what they pipe, is no part of the first line.
"""

from __future__ import annotations

import codecs
import re

import msgspec

from gammond.engine.errors import FormatError, GammondError, LimitError

_CONTROL_BYTES = bytes([*range(0x09), *range(0x0A, 0x20), 0x7F])
_CONTROL_BYTE = re.compile(b"[" + re.escape(_CONTROL_BYTES) + b"]")
_PREFIX_BYTES = 80


class InputLine(msgspec.Struct, frozen=True):
    """One line.

    Attributes:
        text: Its text without the line end, empty for a blank one; of a faulty line the readable beginning,
            enough to hold a tag.
        error: What is wrong with it as a line, if anything.
    """

    text: str
    error: GammondError | None = None


_BLANK_LINE = InputLine("")


class LineSplitter:
    """Cuts a byte stream into lines, and holds no more of it than one line may be long and one piece brought.

    Args:
        max_bytes: The longest line, without its end. A longer one yields a single faulty line; the rest of
            it is dropped up to the next line end.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._start = self._searched = 0
        self._is_dropping = False
        self._is_closed = False
        self._is_at_start = True

    def feed(self, data: bytes) -> None:
        """Take in a piece of the stream."""
        self._drop_taken()
        self._buffer += data

    def close(self) -> None:
        """Take in the end of the stream: what follows the last line end is a line too."""
        self._is_closed = True

    def clear(self) -> None:
        """Forget everything not yet taken out."""
        self._buffer.clear()
        self._start = self._searched = 0

    @property
    def buffered_bytes(self) -> int:
        """Bytes held: complete lines not yet taken, and a piece of the next."""
        return len(self._buffer) - self._start

    @property
    def has_partial_line(self) -> bool:
        """Whether an unfinished line has begun; true only once all complete lines are taken out."""
        return self.buffered_bytes > 0 or self._is_dropping

    def next_line(self) -> InputLine | None:
        """Return the next line, or None until more arrives."""
        raw = self._next_raw()
        if raw is None:
            return None
        if self._is_at_start:
            self._is_at_start = False
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if len(raw) > self._max_bytes:
            error = LimitError(f"expected a line of at most {self._max_bytes} bytes, got more", field="line")
            return InputLine(_decode_prefix(raw), error)
        if not raw or (raw.isspace() and not raw.strip(b" \t\r")):
            return _BLANK_LINE
        return _decode_line(raw)

    def _next_raw(self) -> bytearray | None:
        while (end := self._buffer.find(b"\n", self._searched)) >= 0:
            raw = self._buffer[self._start : end]
            self._start = self._searched = end + 1
            if not self._is_dropping:
                return raw.removesuffix(b"\r")
            self._is_dropping = False
        self._drop_taken()
        rest = self._buffer
        self._searched = len(rest)
        if self._is_dropping:
            self.clear()
        elif len(rest) > self._max_bytes + 1 or (self._is_closed and rest):
            self._is_dropping = not self._is_closed
            self._buffer, self._searched = bytearray(), 0
            return rest.removesuffix(b"\r") if self._is_closed else rest
        return None

    def _drop_taken(self) -> None:
        del self._buffer[: self._start]
        self._searched -= self._start
        self._start = 0


def _decode_line(raw: bytearray) -> InputLine:
    has_control_byte = len(raw.translate(None, _CONTROL_BYTES)) < len(raw)  # ten times as fast as a search
    control = _CONTROL_BYTE.search(raw) if has_control_byte else None
    if control:
        message = f"expected text, got control byte 0x{control[0][0]:02x} at byte {control.start() + 1}"
        return InputLine(_decode_prefix(raw), FormatError(message, field="line"))
    try:
        return InputLine(raw.decode("utf-8"))
    except UnicodeDecodeError as fault:
        message = f"expected UTF-8, got byte 0x{raw[fault.start]:02x} at byte {fault.start + 1}"
        return InputLine(_decode_prefix(raw), FormatError(message, field="line"))


def _decode_prefix(raw: bytearray) -> str:
    return raw[:_PREFIX_BYTES].decode("ascii", "replace")
