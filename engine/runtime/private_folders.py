"""Folders and files that others cannot write or read: what lies in them can be trusted, and stays secret."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from engine.errors import DataFileError

_ROOT_USER = 0


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
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def close_to_others(file: Path) -> None:
    """Let this user alone read and write a file, as far as it is there and his."""
    with contextlib.suppress(OSError):
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
