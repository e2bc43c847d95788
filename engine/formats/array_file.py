"""Files of named arrays (``.npz``), read as far as they can be trusted."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import open_regular

MAX_ARRAY_FILE_BYTES = 2_000_000_000
"""The most that the arrays of a file may have in all, unpacked."""

Arrays = Mapping[str, NDArray[Any]]
"""What a file holds, by name."""

_Loaded = TypeVar("_Loaded")

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


def load_arrays(
    file: Path,
    load: Callable[[Arrays], _Loaded],
    arrays: Arrays | None = None,
    what: str = "cannot be used",
    field: str = "",
) -> _Loaded:
    """Return what a function makes of the arrays of a file.

    Args:
        file: The file.
        load: Makes it; may raise what a missing array, or one of another type or shape, raises.
        arrays: All that the file holds; read from it if None.
        what: What it is not, if the function refuses the arrays: ``is no shard of labelled positions``.
        field: Of errors that have none.

    Raises:
        DataFileError: The file cannot be read, or the function refuses the arrays; the message names the
            file.
    """
    try:
        return load(read_array_file(file) if arrays is None else arrays)
    except DataFileError as error:
        message = error.message if str(file) in error.message else f"{file}: {error.message}"
        raise DataFileError(message, field=error.field or field) from error
    except (KeyError, IndexError, TypeError, ValueError) as error:
        reason = f"it has no array {error}" if isinstance(error, KeyError) else error
        raise DataFileError(f"{file} {what}: {reason}", field=field) from error


def read_array(arrays: Arrays, name: str, shape: tuple[int, ...] = ()) -> NDArray[Any]:
    """Read an array.

    Raises:
        DataFileError: It is missing, or has another shape.
    """
    if name not in arrays or arrays[name].shape != shape:
        found = list(arrays[name].shape) if name in arrays else "nothing"
        raise DataFileError(f"expected {name} of shape {list(shape)}, got {found}")
    return arrays[name]


def read_count(arrays: Arrays, name: str) -> int:
    """Read a count.

    Raises:
        DataFileError: It is missing, or no whole number of 0 or more.
    """
    value = arrays.get(name)
    if value is None or value.shape != () or value.dtype.kind not in "iu" or int(value) < 0:
        raise DataFileError(f"expected {name} as one whole number of 0 or more, got {value!r}")
    return int(value)


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
