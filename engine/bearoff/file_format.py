"""Bearoff database files: a header of 128 bytes and the arrays of the table, with a checksum over both.

Little-endian throughout: magic (8 bytes), version, kind, points, checkers (2 bytes each), record layout
(16 bytes of text), payload length (8 bytes), 56 zero bytes, and SHA-256 of the 96 bytes so far and the
payload (32 bytes).
"""

from __future__ import annotations

import enum
import hashlib
import mmap
import os
import secrets
import shlex
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from engine.bearoff.numbering import MAX_POINTS
from engine.errors import DataFileError
from engine.position import CHECKERS

VERSION = 1
HEADER_BYTES = 128

_MAGIC = b"GAMMBOFF"
_FIELDS = struct.Struct("<8s4H16sQ56x")
_ANY_COMMAND = "gammond bearoff make --kind KIND --points N --checkers N"
_PLACEHOLDERS = ", KIND being one-sided or two-sided, the Ns the highest point and the checkers a side"


class BearoffKind(enum.IntEnum):
    """What a database holds."""

    ONE_SIDED = 1
    TWO_SIDED = 2

    @property
    def label(self) -> str:
        """``one-sided`` or ``two-sided``."""
        return self.name.lower().replace("_", "-")

    @property
    def layout(self) -> str:
        """The record layout that files of this kind name."""
        return "rolls u64 f4 u1" if self is BearoffKind.ONE_SIDED else "win f4"


@dataclass(frozen=True)
class BearoffHeader:
    """What a database file says of itself.

    Attributes:
        kind: One-sided or two-sided.
        points: Points 1 to so many.
        checkers: Up to so many checkers a side.
    """

    kind: BearoffKind
    points: int
    checkers: int

    def __str__(self) -> str:
        return f"{self.kind.label} {self.points}x{self.checkers}"

    @property
    def file_name(self) -> str:
        """The name of such a file in the data folder."""
        return f"{self.kind.label}-{self.points}x{self.checkers}.bearoff"

    @property
    def make_command(self) -> str:
        """The command that builds such a file, for messages."""
        return (
            f"gammond bearoff make --kind {self.kind.label} --points {self.points} --checkers {self.checkers}"
        )


def write_file(path: Path, header: BearoffHeader, arrays: Sequence[NDArray[Any]]) -> None:
    """Write a database so that the file is there whole or not at all.

    Args:
        path: Where to; an existing file is replaced in one step.
        header: What it holds.
        arrays: The payload in order; contiguous and little-endian.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    parts = [array.data.cast("B") for array in arrays]
    fields = _FIELDS.pack(
        _MAGIC,
        VERSION,
        header.kind,
        header.points,
        header.checkers,
        header.kind.layout.encode(),
        sum(part.nbytes for part in parts),
    )
    digest = hashlib.sha256(fields)
    for part in parts:
        digest.update(part)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes that write at once have different names until the one step that replaces the file.
    unfinished = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with unfinished.open("xb") as file:
            file.write(fields + digest.digest())
            for part in parts:
                file.write(part)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def open_file(path: Path) -> tuple[BearoffHeader, memoryview]:
    """Map a database into memory and check it.

    Args:
        path: The file.

    Returns:
        What it holds, and the payload, read-only.

    Raises:
        DataFileError: There is no such file, or it is no database, of another version, truncated or altered.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not _MAGIC.startswith(file.read(len(_MAGIC))):
                raise DataFileError(f"{path} is no gammond bearoff database", field="bearoff")
            if size < HEADER_BYTES:
                reason = f"expected at least {HEADER_BYTES} bytes, got {size}"
                raise DataFileError(_broken(path, reason), field="bearoff")
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {error.strerror}", field="bearoff") from error
    fields = content[: _FIELDS.size]
    digest = bytes(content[_FIELDS.size : HEADER_BYTES])
    payload = content[HEADER_BYTES:]
    header = _read_header(path, fields, len(payload))
    actual = hashlib.sha256(fields)
    actual.update(payload)
    if actual.digest() != digest:
        raise DataFileError(
            _broken(path, "its checksum does not match: it was altered", header), field="bearoff"
        )
    return header, payload


def _read_header(path: Path, fields: memoryview, payload_bytes: int) -> BearoffHeader:
    _, version, kind, points, checkers, layout, expected_bytes = _FIELDS.unpack(fields)
    if version != VERSION:
        raise DataFileError(_broken(path, f"expected version {VERSION}, got {version}"), field="bearoff")
    if kind not in list(BearoffKind) or layout.rstrip(b"\0") != BearoffKind(kind).layout.encode():
        raise DataFileError(_broken(path, f"kind {kind} with layout {layout!r} is unknown"), field="bearoff")
    if not (1 <= points <= MAX_POINTS and 1 <= checkers <= CHECKERS):
        reason = f"there is no database of {points} points and {checkers} checkers"
        raise DataFileError(_broken(path, reason), field="bearoff")
    header = BearoffHeader(BearoffKind(kind), points, checkers)
    if payload_bytes != expected_bytes:
        reason = f"expected {expected_bytes} bytes after the header, got {payload_bytes}: it was truncated"
        raise DataFileError(_broken(path, reason, header), field="bearoff")
    return header


def _broken(path: Path, reason: str, header: BearoffHeader | None = None) -> str:
    """What is wrong, and the command that mends it: with placeholders where the header does not tell."""
    command = f"{header.make_command if header else _ANY_COMMAND} --output {shlex.quote(str(path))}"
    explained = "" if header else _PLACEHOLDERS
    return f"{path} cannot be used: {reason}; build it again with `{command}`{explained}"
