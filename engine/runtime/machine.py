"""What the machine has: processor cores, memory, and room on its disks."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

from gammond.engine.errors import LimitError

MAX_THREADS = 256
"""The largest number of threads that any setting allows."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PROBE_BYTES = 64 * 1024


def choose_thread_count(threads: int | None) -> int:
    """Return the number of threads to work with: the given one, or one for each usable core."""
    return count_usable_cores() if threads is None else max(1, threads)


def count_usable_cores() -> int:
    """Return the number of cores that this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def format_size(size_bytes: int) -> str:
    """Format the size of a file or of memory: ``12.5 MB``, ``34.4 kB``."""
    return f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:.1f} kB"


def count_memory_bytes() -> int | None:
    """Return the memory of the machine; None where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(wanted_bytes: int, work: str) -> None:
    """Check that the machine has the memory for some work, as far as the system says.

    Args:
        wanted_bytes: What the work needs.
        work: Its name in the error.

    Raises:
        LimitError: It has less.
    """
    present = count_memory_bytes()
    if present is not None and wanted_bytes > present:
        raise LimitError(
            f"{work} needs {format_size(wanted_bytes)} of memory, this machine has {format_size(present)}",
            field="checkers",
        )


def is_disk_full(error: OSError) -> bool:
    """Return whether a write failed because the disk, or what its user may keep there, is full."""
    return error.errno in _FULL


def check_disk_space(folder: Path, wanted_bytes: int, variable: str) -> None:
    """Check that a folder has room, before the work whose result it is to keep.

    The system says how much is free, and a short file is written for what it does not say, such as quotas.

    Args:
        folder: The folder; where it is missing, that in which it would be made is looked at.
        wanted_bytes: What it is to keep.
        variable: The variable of the environment that chooses another folder.

    Raises:
        LimitError: The disk is full, or too full.
        OSError: The folder cannot be written or examined for another reason.
    """
    place = next(each for each in (folder, *folder.parents) if each.exists())
    free_bytes = shutil.disk_usage(place).free
    if free_bytes >= wanted_bytes:
        try:
            with tempfile.TemporaryFile(dir=place) as probe:
                probe.write(bytes(_PROBE_BYTES))
            return
        except OSError as error:
            if not is_disk_full(error):
                raise
            free_bytes = 0
    raise LimitError(
        f"the disk of {folder} is full: expected {wanted_bytes / 1e6:.1f} MB free, got "
        f"{free_bytes / 1e6:.1f} MB; make room there, or set {variable} to a folder on another disk",
        field="disk",
    )
