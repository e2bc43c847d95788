"""Files of named arrays (``.npz``), read as far as they can be trusted."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import open_regular

MAX_ARRAY_FILE_BYTES = 2_000_000_000
"""The most that the arrays of a file may have in all, unpacked."""

_KINDS = "biufSU"
_LARGEST = float(np.finfo(np.float32).max)


def read_array_file(file: Path, names: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Read arrays; no code of the file is run, and no more memory taken than it holds.

    Args:
        file: The file.
        names: The arrays that it must have, and which are read; all that it has if None.

    Returns:
        The arrays by name. Every number is finite and fits into ``float32``.

    Raises:
        DataFileError: The file is missing, truncated, damaged, too large or of another kind, or has numbers
            that are not finite.
    """
    try:
        with open_regular(file) as source, zipfile.ZipFile(source) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > MAX_ARRAY_FILE_BYTES:
                raise DataFileError(f"expected at most {MAX_ARRAY_FILE_BYTES:,} bytes, got {size:,}")
            wanted = [f"{name}.npy" for name in names] if names is not None else archive.namelist()
            arrays = {member.removesuffix(".npy"): _read_member(archive, member) for member in wanted}
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror or error}") from error
    except DataFileError as error:
        raise DataFileError(f"{file} cannot be read: {error.message}") from error
    except Exception as error:  # readers of archives and of their headers raise anything
        raise DataFileError(
            f"{file} cannot be read: it was cut short or altered, or is another kind of file ({error})"
        ) from error
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not (np.abs(array) <= _LARGEST).all():
            raise DataFileError(f"{file} cannot be used: {name} has numbers that are not finite")
    return arrays


def _read_member(archive: zipfile.ZipFile, member: str) -> NDArray[Any]:
    """Read one array, after comparing the size that its header claims with the bytes that there are."""
    size = archive.getinfo(member).file_size
    with archive.open(member) as content:
        version = np.lib.format.read_magic(content)
        read_header = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read_header(content)
    if dtype.kind not in _KINDS or any(length < 0 for length in shape):
        raise DataFileError(f"{member} is no array of numbers or texts")
    claimed = dtype.itemsize
    for length in shape:
        claimed *= length
    if claimed > size:
        raise DataFileError(f"{member} claims {claimed:,} bytes and has {size:,}")
    with archive.open(member) as content:
        return np.lib.format.read_array(content, allow_pickle=False)
