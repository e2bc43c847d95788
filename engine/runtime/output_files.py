"""Files that programs write for people: none in place of what is not theirs, each whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from engine.errors import DataFileError, StateError, ValueRangeError

_NAME_CHARACTERS = 60
"""How much of a file's name its unfinished form takes, so that the system accepts names of any length."""

FileIds = frozenset[tuple[int, int]]
"""Files, by whatever path they are reached."""


def identify_files(files: Iterable[Path | None]) -> FileIds:
    """Return what tells these files from all others; those that cannot be found are left out.

    Args:
        files: Their paths; of a folder, all files below it. None is the file that standard input reads, if
            it is one.
    """
    found = set()
    for file in files:
        for each in file.rglob("*") if file is not None and file.is_dir() else (file,):
            with suppress(OSError, ValueError, AttributeError):  # standard input may be closed, or no file
                there = os.fstat(sys.stdin.fileno()) if each is None else os.stat(each)
                found.add((there.st_dev, there.st_ino))
    return frozenset(found)


def check_output(
    file: Path,
    inputs: FileIds = frozenset(),
    *,
    force: bool | None = False,
    is_own: Callable[[Path], bool] | None = None,
    field: str = "output",
    instead: str = "",
    new_folder: Path | None = None,
) -> None:
    """Check that a file may be written, before the work whose result it is to hold.

    What is there and not empty may be overwritten only where the user said so, or where the program made it.
    What is read never may. Devices and pipes hold nothing.

    Args:
        file: The file.
        inputs: The files that are read.
        force: Whether the user said so; None where a tool cannot be told.
        is_own: Returns whether a file is one that the program made and may make again.
        field: The option that names it, for errors.
        instead: What else the user may do, for errors.
        new_folder: A folder that the tool makes before it writes the file.

    Raises:
        ValueRangeError: It is one that is read.
        StateError: It is there.
        DataFileError: It is a folder, or in none, or in one that cannot be written.
    """
    if file.is_dir():
        raise DataFileError(f"{file} is a folder: expected a file to write", field=field)
    if file.exists() and not file.is_file():
        return
    if file.parent != new_folder:
        check_folder(file, field)
    if not file.exists():
        return
    if not inputs.isdisjoint(identify_files([file])):
        raise ValueRangeError(f"the output would overwrite the input {file}", field=field)
    size = file.stat().st_size
    if size and not force and not (is_own is not None and is_own(file)):
        advice = "choose another name, or move it away" if force is None else "--force overwrites it"
        raise StateError(
            f"{file} already exists, with {size:,} bytes: {', '.join(filter(None, (instead, advice)))}",
            field=field,
        )


def begins_with(mark: bytes) -> Callable[[Path], bool]:
    """Return what tells files of the program's own by the bytes that they begin with."""

    def is_own(file: Path) -> bool:
        with suppress(OSError), file.open("rb") as there:
            return there.read(len(mark)) == mark
        return False

    return is_own


def check_folder(file: Path, field: str | None = None) -> None:
    """Check that a file can be made, or made anew, in its folder.

    Raises:
        DataFileError: The folder is not there, or cannot be written.
    """
    folder = file.parent
    if not folder.is_dir():
        raise DataFileError(
            f"{file} cannot be written: there is no folder {folder}: make it, or correct the name",
            field=field,
        )
    if not os.access(folder, os.W_OK):
        raise DataFileError(f"{file} cannot be written: no permission to write in {folder}", field=field)


def check_output_folder(
    folder: Path, *, force: bool | None = False, field: str = "output", instead: str = ""
) -> None:
    """Check that a folder holds nothing that files could overwrite whose names are known only later.

    Args:
        folder: The folder; one that is missing will be made. Hidden files in it do not matter.
        force: Whether the user said that files in it may be overwritten; None where a tool cannot be told.
        field: The option that names it, for errors.
        instead: What else the user may do, for errors.

    Raises:
        StateError: It holds files already.
        DataFileError: It is none, or cannot be read.
    """
    try:
        is_taken = folder.exists() and any(not file.name.startswith(".") for file in folder.iterdir())
    except OSError as error:
        raise DataFileError(f"{folder} cannot be written: {error.strerror}", field=field) from error
    if is_taken and not force:
        forced = "" if force is None else "--force overwrites those of the same names"
        advice = ", ".join(filter(None, ("choose another folder", instead, forced)))
        raise StateError(f"{folder} already holds files: {advice}", field=field)


@contextmanager
def open_output(file: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its place whole at the end of the block, or not at all if that fails.

    A link stays one, and leads to the new file; devices and pipes are written as the block does.

    Raises:
        OSError: It cannot be written.
    """
    place = Path(os.path.realpath(file))
    if place.exists() and not place.is_file():
        with place.open("wb") as out:
            yield out
        return
    unfinished = place.with_name(f".{place.name[:_NAME_CHARACTERS]}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with unfinished.open("xb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(place, unfinished)
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
