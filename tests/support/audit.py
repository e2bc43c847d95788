"""What this process does to files, other hosts and other programs, noted by an audit hook."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from gammond.engine.kernels.disk_cache import cache_root

_REACHING_OUT = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "urllib.", "http.client")
_CHANGING = (
    *("os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink", "os.truncate", "os.chmod", "shutil."),
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CACHE = str(cache_root())

_noted: list[tuple[str, tuple[object, ...]]] | None = None


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if _noted is None or _CACHE in str(arguments):  # kernels that are compiled for the first time
        return
    if event.startswith((*_REACHING_OUT, *_CHANGING)):
        _noted.append((event, arguments))
    elif event == "open":
        path, mode, flags = arguments
        is_written = any(letter in str(mode or "") for letter in "wax+") or int(flags or 0) & _WRITING
        if is_written or "secret" in str(path):
            _noted.append((event, arguments))


@contextmanager
def watch_process() -> Iterator[list[tuple[str, tuple[object, ...]]]]:
    """Note, during the block, what the process opens for writing or changes, and where it reaches.

    Yields:
        Events of Python's audit hooks with their arguments. Files of which the name has ``secret`` in it are
        noted when they are read, too.
    """
    global _noted
    if not hasattr(sys, "_gammond_is_watched"):
        sys.addaudithook(_note)
        sys._gammond_is_watched = True  # type: ignore[attr-defined]
    _noted = noted = []
    try:
        yield noted
    finally:
        _noted = None
