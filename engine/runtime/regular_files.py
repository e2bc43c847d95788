"""Files that the program itself looks for: regular ones, of a bounded size, and nothing is waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(file: Path) -> BinaryIO:
    """Open a file for reading, unless it is a pipe, which would be waited for, a device or a folder.

    Raises:
        OSError: It is missing, none of a regular kind, or cannot be opened.
    """
    try:
        descriptor = os.open(file, _FLAGS)
    except ValueError as error:  # a NUL
        raise OSError(errno.EINVAL, "no file can have this name") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "expected a regular file")
    return os.fdopen(descriptor, "rb")


def read_regular(file: Path, max_bytes: int) -> bytes:
    """Read a whole file.

    Args:
        file: The file.
        max_bytes: The most that it may have.

    Raises:
        OSError: As `open_regular`, or it has more.
    """
    with open_regular(file) as source:
        content = source.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"expected at most {max_bytes:,} bytes")
    return content
