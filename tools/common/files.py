"""Files that appear whole or not at all, and their names in errors."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import open_output


@contextmanager
def name_in_errors(file: Path, done: str, field: str | None = None) -> Iterator[None]:
    """Raise a `DataFileError` that names a file, and what cannot be done with it, for one of the system."""
    try:
        yield
    except OSError as error:
        raise DataFileError(f"{file} cannot be {done}: {error.strerror}", field=field) from error


def write_atomically(file: Path, content: bytes) -> None:
    """Write a file, whole or not at all; create its folder if missing.

    Raises:
        DataFileError: It cannot be written.
    """
    with name_in_errors(file, "written"):
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_output(file) as out:
            out.write(content)


def write_arrays(file: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write named arrays to an ``.npz`` file, whole or not at all.

    Raises:
        DataFileError: It cannot be written.
    """
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    write_atomically(file, content.getvalue())
