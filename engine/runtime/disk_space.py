"""Disks that take no more: seen by the error of a write, or before the work whose result they are to keep."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

from engine.errors import LimitError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_PROBE_BYTES = 64 * 1024


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
