"""Files used safely: nobody waits for what is no file, and none is written over that is not the program's.

What is written for people appears whole or not at all; what is secret, or run, only its user can write.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from gammond.engine.errors import DataFileError, StateError, ValueRangeError

_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_ROOT_USER = 0
_NAME_CHARACTERS = 60
"""How much of a file's name its unfinished form takes, so that the system accepts names of any length."""

FileIds = frozenset[tuple[int, int]]
"""Files, by whatever path they are reached."""


def open_regular(file: Path) -> BinaryIO:
    """Open a file for reading, unless it is a pipe, which would be waited for, a device or a folder.

    Raises:
        OSError: It is missing, none of a regular kind, or cannot be opened.
    """
    try:
        descriptor = os.open(file, _READ_FLAGS)
    except ValueError as error:  # a NUL
        raise OSError(errno.EINVAL, "no file can have this name") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "expected a regular file")
    return os.fdopen(descriptor, "rb")


def read_data_file(file: Path, max_bytes: int, what: str, field: str) -> bytes:
    """Read a whole file that an answer needs.

    Args:
        file: The file.
        max_bytes: The most that it may have.
        what: What messages call it.
        field: The field of the error.

    Raises:
        DataFileError: It is missing, none of a regular kind, larger, or cannot be read.
    """
    try:
        with open_regular(file) as source:
            content = source.read(max_bytes + 1)
    except OSError as error:
        raise DataFileError(f"{what} cannot be read: {error.strerror}", field=field) from error
    if len(content) > max_bytes:
        raise DataFileError(f"{what} cannot be read: expected at most {max_bytes:,} bytes", field=field)
    return content


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


def check_output_folder(folder: Path, *, force: bool | None = False, field: str = "output") -> None:
    """Check that a folder holds nothing that files could overwrite whose names are known only later.

    Args:
        folder: The folder; one that is missing will be made. Hidden files in it do not matter.
        force: Whether the user said that files in it may be overwritten; None where a tool cannot be told.
        field: The option that names it, for errors.

    Raises:
        StateError: It holds files already.
        DataFileError: It is none, or cannot be read.
    """
    try:
        is_taken = folder.exists() and any(not file.name.startswith(".") for file in folder.iterdir())
    except OSError as error:
        raise DataFileError(f"{folder} cannot be written: {error.strerror}", field=field) from error
    if is_taken and not force:
        forced = "" if force is None else ", --force overwrites those of the same names"
        raise StateError(f"{folder} already holds files: choose another folder{forced}", field=field)


@contextmanager
def open_output(file: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its place whole at the end of the block, or not at all if that fails.

    A link stays one, and leads to the new file; devices and pipes are written as the block does. Where the
    system lets the file not be replaced, as Windows one that another program has open, and others one of
    another user in a folder with the sticky bit, the new one stays beside it.

    Raises:
        OSError: It cannot be written; the reason names the file that holds the content, if one does.
    """
    place = Path(os.path.realpath(file))
    if place.exists() and not place.is_file():
        with place.open("wb") as out:
            yield out
        return
    unfinished = place.with_name(f".{place.name[:_NAME_CHARACTERS]}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with unfinished.open("xb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileNotFoundError):
            unfinished.chmod(stat.S_IMODE(place.stat().st_mode))
        try:
            unfinished.replace(place)
        except PermissionError as error:
            beside = place.with_name(f"{place.stem[:_NAME_CHARACTERS]}.{os.urandom(4).hex()}{place.suffix}")
            unfinished.rename(beside)
            advice = (
                "close the program that has it open" if sys.platform == "win32" else "it is another user's"
            )
            reason = f"{error.strerror}: {advice}; its new content is in {beside}"
            raise PermissionError(error.errno, reason, str(file)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def data_folder() -> Path:
    """Return the folder of what is kept for the user: ``GAMMOND_DATA``, or the system's for user data."""
    if folder := os.environ.get("GAMMOND_DATA"):
        return Path(folder)
    import platformdirs  # most processes are told, or ask for no file

    return Path(platformdirs.user_data_dir("gammond"))


def make_data_folder(file: Path) -> None:
    """Make the data folder if a file in it is to be made; a folder that somebody named must be there.

    Raises:
        DataFileError: It is not.
        OSError: The data folder cannot be made.
    """
    if not file.parent.is_dir():
        if file.parent != data_folder():
            check_folder(file)
        make_private_folder(file.parent)


def make_private_folder(folder: Path, mode: int = 0o700) -> None:
    """Make a folder and its missing parents for this user alone; leave one that is there as it is.

    Args:
        folder: The folder.
        mode: Of the folder, by default closed to others; parents always are.

    Raises:
        OSError: It cannot be made, or is a file.
    """
    missing = [each for each in folder.parents if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=mode, exist_ok=True)


def make_private_file(file: Path) -> None:
    """Make an empty file that this user alone reads and writes; leave one that is there as it is.

    Raises:
        OSError: It cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def close_to_others(file: Path) -> None:
    """Let this user alone read and write a file, as far as it is there and his."""
    with suppress(OSError):
        if stat.S_IMODE(file.stat().st_mode) & 0o077:
            file.chmod(0o600)


def check_private_folder(folder: Path) -> None:
    """Check that nobody but this user and the administrator can change what a folder holds.

    The folder and all folders above it belong to one of the two and can be written by nobody else. Excepted
    are folders above it where each may only remove what is his own, such as ``/tmp``, and the group that has
    a user's own name. Where the system has no such owners, every folder passes.

    Raises:
        DataFileError: Somebody else can; the message names the folder and the reason.
        OSError: A folder cannot be examined.
    """
    if not hasattr(os, "getuid"):
        return
    own = os.getuid()
    place = folder.resolve()
    for each in (place, *place.parents):
        found = each.stat()
        if found.st_uid not in (own, _ROOT_USER):
            raise DataFileError(f"{each} belongs to another user")
        is_shared = bool(found.st_mode & stat.S_IWOTH) or (
            bool(found.st_mode & stat.S_IWGRP) and not _is_own_group(found.st_gid, own)
        )
        if is_shared and (each == place or not found.st_mode & stat.S_ISVTX):
            raise DataFileError(f"{each} can be written by other users")


def _is_own_group(group: int, user: int) -> bool:
    """Return whether a group is the one that systems make for a single user, or the administrator's."""
    import grp
    import pwd

    if group == _ROOT_USER:
        return True
    try:
        return grp.getgrgid(group).gr_name == pwd.getpwuid(user).pw_name
    except KeyError:
        return False
