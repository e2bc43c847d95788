"""Files that appear whole or not at all, and logs that survive a kill."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import open_output


def write_atomically(file: Path, content: bytes) -> None:
    """Write a file, whole or not at all; create its folder if missing.

    Raises:
        DataFileError: It cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_output(file) as out:
            out.write(content)
    except OSError as error:
        raise DataFileError(f"{file} cannot be written: {error.strerror}") from error


def write_arrays(file: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays to an ``.npz`` file, whole or not at all.

    Raises:
        DataFileError: It cannot be written.
    """
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    write_atomically(file, content.getvalue())


def append_record(log: Path, record: Mapping[str, object]) -> None:
    """Append a line of JSON to a log; remove a last line that a kill cut short first.

    Raises:
        DataFileError: It cannot be written.
    """
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as out:
            out.truncate(len(_read_whole_lines(log)))
            out.write(json.dumps(record).encode() + b"\n")
    except OSError as error:
        raise DataFileError(f"{log} cannot be written: {error.strerror}") from error


def append_new_record(log: Path, record: Mapping[str, object], key: str) -> None:
    """Append a line of JSON to a log, unless its last one has the same key: a run that was killed repeats it.

    Raises:
        DataFileError: The log cannot be read or written.
    """
    if not any(last[key] == record[key] for last in read_records(log)[-1:]):
        append_record(log, record)


def read_records(log: Path) -> list[dict[str, Any]]:
    """Read a log, without a last line that a kill cut short; a log that does not exist is empty.

    Raises:
        DataFileError: A line before the last cannot be read.
    """
    records = []
    for number, line in enumerate(_read_whole_lines(log).splitlines(), 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise DataFileError(f"{log} line {number} cannot be read: {error}") from error
        if not isinstance(record, dict):
            raise DataFileError(f"{log} line {number}: expected a JSON object, got {record!r:.40}")
        records.append(record)
    return records


def _read_whole_lines(log: Path) -> bytes:
    content = log.read_bytes() if log.exists() else b""
    return content[: content.rfind(b"\n") + 1]
