"""Files of solutions: a header of 128 bytes, the values, and the match equity table, with a checksum.

Little-endian throughout: magic (8 bytes), version, checkers (2 bytes each), 4 zero bytes, the length of the
payload (8 bytes), the record layout (32 bytes of text), 40 zero bytes, and SHA-256 of the 96 bytes so far
and the payload (32 bytes). The payload: for each layout on roll and each waiting one a record of nine
``float32``; then the match equity table as ``float64``: 25 by 25 before the Crawford game, and 25 after it.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import shlex
import struct
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.match_equity import MatchEquityTable
from engine.errors import DataFileError
from engine.hypergammon.match_equities import TABLE_POINTS, name_table
from engine.hypergammon.numbering import MAX_CHECKERS
from engine.hypergammon.table import HypergammonTable, shape_of_values
from engine.runtime.output_files import open_output
from engine.runtime.regular_files import open_regular

FORMAT_VERSION = 1
HEADER_BYTES = 128
READ_BYTES = 64_000_000
"""Files up to this size are read into memory; larger ones are mapped, and looked at before each use."""

MAGIC = b"GAMMHYPR"
_FIELDS = struct.Struct("<8s2H4xQ32s40x")
_LAYOUT = b"w wg wbg lg lbg c own opp j 9f4"
_EQUITIES = TABLE_POINTS * (TABLE_POINTS + 1)


def file_name(checkers: int) -> str:
    """Return the name of the file of a solution in the data folder."""
    return f"hypergammon-{checkers}.solution"


def find_state_folder(path: Path) -> Path:
    """Return the folder of the solver's state while a file is built."""
    return path.with_name(f"{path.name}.building")


def file_bytes(checkers: int) -> int:
    """Return the size of the file of a solution."""
    return HEADER_BYTES + int(np.prod(shape_of_values(checkers))) * 4 + _EQUITIES * 8


def command_line(checkers: int) -> str:
    """Return the command that builds the file of a solution."""
    return f"gammond hypergammon build --checkers {checkers}"


def write_table(
    path: Path,
    checkers: int,
    rows: Iterable[NDArray[np.float32]],
    make_equities: Callable[[], MatchEquityTable],
    on_row: Callable[[], None] = lambda: None,
) -> None:
    """Write the file of a solution; it appears when it is whole.

    Args:
        path: The file; an existing one is replaced in one step.
        checkers: 1 to 3.
        rows: The values, some layouts on roll at a time, in order.
        make_equities: Makes the match equity table once all rows are taken.
        on_row: Called after each part of the rows.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    fields = _FIELDS.pack(MAGIC, FORMAT_VERSION, checkers, file_bytes(checkers) - HEADER_BYTES, _LAYOUT)
    digest = hashlib.sha256(fields)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_output(path) as file:
        file.write(bytes(HEADER_BYTES))
        for part in _list_parts(rows, make_equities):
            digest.update(part)
            file.write(part)
            on_row()
        file.seek(0)
        file.write(fields + digest.digest())


def _list_parts(
    rows: Iterable[NDArray[np.float32]], make_equities: Callable[[], MatchEquityTable]
) -> Iterator[memoryview]:
    for part in rows:
        yield np.ascontiguousarray(part, "<f4").data.cast("B")
    table = make_equities()
    for equities in (table.pre_crawford, table.post_crawford[0]):
        yield np.ascontiguousarray(equities, "<f8").data.cast("B")


def open_file(path: Path, checkers: int) -> HypergammonTable:
    """Read the file of a solution, or map a large one into memory, and check it.

    Args:
        path: The file.
        checkers: The number of checkers that it must be for.

    Raises:
        DataFileError: The file is missing, no such file, of another version, truncated or altered.
    """
    guard, content = _read_or_map(path, checkers)
    _, version, found, payload_bytes, layout = _FIELDS.unpack(content[: _FIELDS.size])
    if version != FORMAT_VERSION or layout.rstrip(b"\0") != _LAYOUT or not 1 <= found <= MAX_CHECKERS:
        raise make_error(path, checkers, f"expected version {FORMAT_VERSION}, got {version}, or another kind")
    if found != checkers:
        raise make_error(path, checkers, f"expected a solution for {checkers} checkers, got {found}")
    if payload_bytes != file_bytes(checkers) - HEADER_BYTES or len(content) != file_bytes(checkers):
        raise make_error(
            path, checkers, f"expected {file_bytes(checkers)} bytes, got {len(content)}: it was truncated"
        )
    digest = hashlib.sha256(content[: _FIELDS.size])
    digest.update(content[HEADER_BYTES:])
    if digest.digest() != bytes(content[_FIELDS.size : HEADER_BYTES]):
        raise make_error(path, checkers, "its checksum does not match: it is damaged")
    shape = shape_of_values(checkers)
    values = np.frombuffer(content, "<f4", int(np.prod(shape)), HEADER_BYTES).reshape(shape)
    equities = np.frombuffer(content[-8 * _EQUITIES :].tobytes(), "<f8")
    return HypergammonTable(checkers, values, _make_equities(checkers, equities), guard)


def make_error(path: Path, checkers: int, reason: str) -> DataFileError:
    """Return the error for an unusable file, with the command that builds it again."""
    command = command_line(checkers)
    fault = f"cannot be used: {reason}; build it again with"
    return DataFileError(
        f"{path} {fault} `{command} --output {shlex.quote(str(path))}`",
        field="variant",
        public_message=f"the solution of hypergammon with {checkers} checkers a side {fault} `{command}`",
    )


class _Guard:
    """Sees whether a mapped file is as it was when its checksum was taken.

    Whoever cuts a file that a program has mapped ends that program at its next look behind the cut; a file
    that is replaced, as `write_table` does it, stays as it was for those who have it open.

    Args:
        descriptor: Of the open file.
        path: The file.
        checkers: What it is for.
    """

    def __init__(self, descriptor: int, path: Path, checkers: int) -> None:
        self._descriptor = os.dup(descriptor)
        self._path = path
        self._checkers = checkers
        self._state = _read_state(self._descriptor)
        weakref.finalize(self, os.close, self._descriptor)

    def __call__(self) -> None:
        if _read_state(self._descriptor) != self._state:
            reason = (
                "it was altered while this program used it, which is to be started again once it is whole"
            )
            raise make_error(self._path, self._checkers, reason)


def _read_state(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_size, found.st_mtime_ns


def _read_or_map(path: Path, checkers: int) -> tuple[Callable[[], None], memoryview]:
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if not size or file.read(len(MAGIC)) != MAGIC[:size]:
                raise make_error(path, checkers, "it is not a gammond solution of hypergammon")
            if size < HEADER_BYTES:
                raise make_error(path, checkers, f"expected at least {HEADER_BYTES} bytes, got {size}")
            if size > READ_BYTES:
                guard = _Guard(file.fileno(), path, checkers)
                return guard, memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            file.seek(0)
            return lambda: None, memoryview(file.read(size))
    except OSError as error:
        raise make_error(path, checkers, f"it cannot be read ({error.strerror})") from error


def _make_equities(checkers: int, equities: NDArray[np.float64]) -> MatchEquityTable:
    square = TABLE_POINTS * TABLE_POINTS
    pre_crawford = equities[:square].reshape(TABLE_POINTS, TABLE_POINTS)
    return name_table(checkers, pre_crawford, np.stack([equities[square:]] * 2))
