"""Bearoff database files (`gammond.engine.formats.database_file`): their contents, and the table's arrays.

The fields are magic (8 bytes), version, kind, points, checkers (2 bytes each), record layout (16 bytes of
text), payload length (8 bytes), and 56 zero bytes.
"""

from __future__ import annotations

import enum
import math
import shlex
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gammond.engine.bearoff.numbering import MAX_POINTS, MAX_TWO_SIDED_CHECKERS, MAX_TWO_SIDED_POINTS
from gammond.engine.errors import DataFileError
from gammond.engine.formats.database_file import DatabaseFile, write_database_file
from gammond.engine.rules.position import CHECKERS

FORMAT_VERSION = 1
MAGIC = b"GAMMBOFF"
_FIELDS = struct.Struct("<8s4H16sQ56x")
_MIN_ROW_BYTES = 14
"""Size of a row of a one-sided database with a single probability."""
_MAX_PAYLOAD_BYTES = 1 << 40
"""A header with a larger payload is damaged: no machine can build such a database."""
_COMMAND_TEMPLATE = "gammond bearoff make --kind KIND --points N --checkers N"
_TEMPLATE_NOTE = " (KIND: one-sided or two-sided; N: the highest point, and the checkers of a side)"


class BearoffKind(enum.IntEnum):
    """Kinds of databases."""

    ONE_SIDED = 1
    TWO_SIDED = 2

    @property
    def label(self) -> str:
        """``one-sided`` or ``two-sided``."""
        return self.name.lower().replace("_", "-")


_LAYOUTS = {
    (BearoffKind.ONE_SIDED, False): "rolls u64 f4 u1",
    (BearoffKind.TWO_SIDED, False): "win f4",
    (BearoffKind.TWO_SIDED, True): "win f4 cube 3f4",
}
"""Record layouts as files name them, by kind and whether they are cubeful."""


@dataclass(frozen=True)
class BearoffHeader:
    """The contents of a database file.

    Attributes:
        kind: One-sided or two-sided.
        points: The highest point.
        checkers: The largest number of checkers of a side.
        cubeful: Whether it has cubeful money equities beside winning chances; two-sided databases only.
    """

    kind: BearoffKind
    points: int
    checkers: int
    cubeful: bool = False

    def __str__(self) -> str:
        cube = " cubeful" if self.cubeful else " cubeless" if self.kind is BearoffKind.TWO_SIDED else ""
        return f"{self.kind.label} {self.points}x{self.checkers}{cube}"

    @property
    def file_name(self) -> str:
        """The name of the file in the data folder."""
        cube = "-cubeful" if self.cubeful else ""
        return f"{self.kind.label}-{self.points}x{self.checkers}{cube}.bearoff"

    @property
    def command_line(self) -> str:
        """The command that builds the file, for messages."""
        size = f"--kind {self.kind.label} --points {self.points} --checkers {self.checkers}"
        cube = " --cubeless" if self.kind is BearoffKind.TWO_SIDED and not self.cubeful else ""
        return f"gammond bearoff make {size}{cube}"

    @property
    def layout(self) -> str:
        """The record layout as the file names it."""
        return _LAYOUTS[self.kind, self.cubeful]

    @property
    def is_valid(self) -> bool:
        """Whether points and checkers are within the limits of the kind."""
        two_sided = self.kind is BearoffKind.TWO_SIDED
        most_points = MAX_TWO_SIDED_POINTS if two_sided else MAX_POINTS
        most_checkers = MAX_TWO_SIDED_CHECKERS if two_sided else CHECKERS
        return 1 <= self.points <= most_points and 1 <= self.checkers <= most_checkers

    @property
    def side_count(self) -> int:
        """The number of sides, the empty one included."""
        return math.comb(self.points + self.checkers, self.checkers)

    def includes(self, other: BearoffHeader) -> bool:
        """Return whether a valid database of this size has all positions of another of the kind."""
        return self.is_valid and self.points >= other.points and self.checkers >= other.checkers

    @property
    def min_payload_bytes(self) -> int:
        """The smallest payload; for a two-sided database the only size."""
        if self.kind is BearoffKind.ONE_SIDED:
            return _MIN_ROW_BYTES * self.side_count
        return (16 if self.cubeful else 4) * self.side_count**2

    def can_have_payload(self, payload_bytes: int) -> bool:
        """Return whether a payload may have a given size."""
        if self.kind is BearoffKind.TWO_SIDED:
            return payload_bytes == self.min_payload_bytes <= _MAX_PAYLOAD_BYTES
        return self.min_payload_bytes <= payload_bytes <= _MAX_PAYLOAD_BYTES


def write_database(path: Path, header: BearoffHeader, arrays: Sequence[NDArray[Any]]) -> None:
    """Write a database; it appears when it is whole.

    Args:
        path: The file; an existing one is replaced in one step.
        header: Its contents.
        arrays: The payload in order; contiguous and little-endian.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    size = sum(array.nbytes for array in arrays)
    contents = (header.kind, header.points, header.checkers, header.layout.encode())
    write_database_file(path, _FIELDS.pack(MAGIC, FORMAT_VERSION, *contents, size), arrays)


def open_database(
    path: Path, expected: BearoffHeader | None = None, *, has_checksum: bool = True
) -> tuple[BearoffHeader, memoryview]:
    """Read a database, or map a large one into memory, and check it.

    Args:
        path: The file.
        expected: The contents that it must have; any if None.
        has_checksum: Whether to check the checksum too, which reads the whole file; if not, the file is
            mapped whatever its size, and only its header and length are checked.

    Returns:
        Its contents, and the payload, read-only.

    Raises:
        DataFileError: The file is missing, not a database, of another version, truncated or altered, or has
            other contents.
    """
    known = expected
    try:
        file = DatabaseFile(path, MAGIC, "bearoff database", is_mapped=not has_checksum)
        header, payload_bytes = _read_header(file.fields)
        known = expected or header
        file.check_size(payload_bytes)
        if has_checksum:
            file.check_content()
        if header != known:
            raise DataFileError(f"expected a {known} database, got {header}")
    except DataFileError as error:
        raise make_database_error(path, error.message, known) from error
    return header, file.payload


def make_database_error(path: Path, reason: str, header: BearoffHeader | None) -> DataFileError:
    """Return the error for an unusable database, with the command that builds it again.

    Args:
        path: The file.
        reason: What is wrong.
        header: The contents that the file should have; None if unknown, then the command has placeholders.
    """
    command = f"{header.command_line if header else _COMMAND_TEMPLATE} --output {shlex.quote(str(path))}"
    explained = "" if header else _TEMPLATE_NOTE
    message = f"{path} cannot be used: {reason}; build it again with `{command}`{explained}"
    return DataFileError(message, field="bearoff")


def _read_header(fields: bytes) -> tuple[BearoffHeader, int]:
    """Read the contents of a file and the size of its payload; impossible values are refused."""
    _, version, kind, points, checkers, layout, payload_bytes = _FIELDS.unpack(fields)
    if version != FORMAT_VERSION:
        raise DataFileError(f"expected version {FORMAT_VERSION}, got {version}")
    holds = [each for each, text in _LAYOUTS.items() if text.encode() == layout.rstrip(b"\0")]
    if not holds or holds[0][0] != kind:
        raise DataFileError(f"unknown kind {kind} with layout {layout!r}")
    header = BearoffHeader(holds[0][0], points, checkers, holds[0][1])
    if not header.is_valid:
        raise DataFileError(f"no {header.kind.label} database has {points} points and {checkers} checkers")
    if not header.can_have_payload(payload_bytes):
        raise DataFileError(f"{payload_bytes} bytes are impossible for a {header} database")
    return header, payload_bytes
