"""Files of databases: fields that say what is in one, arrays, and a checksum over both.

A file begins with 96 bytes of fields, of which the first 8 say the kind of database, and SHA-256 of the
fields and the payload (32 bytes). The payload follows: arrays, little-endian.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import open_output, open_regular

HEADER_BYTES = 128
READ_BYTES = 64_000_000
"""Files up to this size are read into memory; larger ones are mapped, and must not be cut while in use."""

_FIELDS_BYTES = 96
_MAGIC_BYTES = 8


def write_database_file(path: Path, fields: bytes, arrays: Iterable[NDArray[Any]]) -> None:
    """Write a database; it appears when it is whole.

    Args:
        path: The file; an existing one is replaced in one step.
        fields: 96 bytes.
        arrays: The payload in order, contiguous and little-endian; each is written before the next is asked
            for.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    digest = hashlib.sha256(fields)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_output(path) as file:
        file.write(bytes(HEADER_BYTES))
        for array in arrays:
            part = array.data.cast("B")
            digest.update(part)
            file.write(part)
        file.seek(0)
        file.write(fields + digest.digest())


class DatabaseFile:
    """A database that was opened.

    Args:
        path: The file.
        magic: The 8 bytes with which files of its kind begin.
        kind: What messages call them.
        is_mapped: Whether it is mapped whatever its size.

    Attributes:
        fields: 96 bytes.
        payload: The rest, read-only.

    Raises:
        DataFileError: It cannot be read, or is of another kind. The message is the reason alone, as in all
            errors here: whoever opens it knows what to do.
    """

    def __init__(self, path: Path, magic: bytes, kind: str, *, is_mapped: bool = False) -> None:
        self._descriptor: int | None = None
        try:
            with open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
                if not magic.startswith(file.read(_MAGIC_BYTES)):
                    raise DataFileError(f"it is not a gammond {kind}")
                if size < HEADER_BYTES:
                    raise DataFileError(f"expected at least {HEADER_BYTES} bytes, got {size}")
                if is_mapped or size > READ_BYTES:
                    content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
                    self._descriptor = os.dup(file.fileno())
                    weakref.finalize(self, os.close, self._descriptor)
                    self._state = _read_state(self._descriptor)
                else:
                    file.seek(0)
                    content = memoryview(file.read(size))
        except OSError as error:
            raise DataFileError(f"it cannot be read ({error.strerror})") from error
        self.fields = bytes(content[:_FIELDS_BYTES])
        self._digest = bytes(content[_FIELDS_BYTES:HEADER_BYTES])
        self.payload = content[HEADER_BYTES:]

    def check_size(self, payload_bytes: int) -> None:
        """Check that the payload has the size that it should have.

        Raises:
            DataFileError: It has another one.
        """
        if len(self.payload) != payload_bytes:
            raise DataFileError(
                f"expected {payload_bytes} bytes after the header, got {len(self.payload)}: it was truncated"
            )

    def check_content(self) -> None:
        """Check that the checksum is that of the content, which reads the whole file.

        Raises:
            DataFileError: It is not.
        """
        digest = hashlib.sha256(self.fields)
        digest.update(self.payload)
        if digest.digest() != self._digest:
            raise DataFileError("its checksum does not match: it is damaged")

    def check_unaltered(self) -> None:
        """Check that the file, if it is mapped, was not written to since it was opened.

        Whoever cuts a file that a program has mapped ends that program at its next look behind the cut; a
        file that is replaced stays as it was for those who have it open.

        Raises:
            DataFileError: It was.
        """
        if self._descriptor is not None and _read_state(self._descriptor) != self._state:
            raise DataFileError(
                "it was altered while this program used it, which is to be started again once it is whole"
            )


def _read_state(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_size, found.st_mtime_ns
