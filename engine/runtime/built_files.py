"""Files of the data folder that are built at their first use: by one process of several, or in memory."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.machine import is_disk_full

_SILENT_WAIT_S = 1.0

_UNSAVED: dict[Path, Any] = {}
"""What this process has built and could not keep, by the files that should hold it."""

_BUILDING = Lock()

_ContentT = TypeVar("_ContentT")


def load_or_build(
    path: Path,
    what: str,
    size_bytes: int,
    *,
    read: Callable[[], _ContentT],
    build: Callable[[], _ContentT],
    save: Callable[[_ContentT], None],
) -> _ContentT:
    """Read a file, or build it where it is missing, in some seconds, which is announced on stderr.

    Where the folder cannot be written, it is built once in each process; so is one whose file is damaged,
    which is left as it is. Of several processes one builds, and the others wait; where no file can be
    locked all build, and write the same content atomically.

    Args:
        path: The file.
        what: What it holds, for messages.
        size_bytes: Its size.
        read: Reads it; raises DataFileError where it is damaged, which says how to build it again.
        build: Makes what it holds.
        save: Writes it.
    """
    announce = partial(_say, f"another process is building {what}")
    with _BUILDING, nullcontext() if path.exists() else build_alone(path, announce):
        problem = ""
        if path.exists():
            try:
                return read()
            except DataFileError as error:
                problem = f"{error.message}; until then each start builds it in memory (some seconds)"
        if path not in _UNSAVED:
            if not problem and (fault := _try_folder(path.parent)):
                problem = _describe_fault(fault, path, what, size_bytes)
            _say(problem or f"building {what} once (some seconds): {path}")
            content = build()
            if not problem:
                try:
                    save(content)
                    return content
                except OSError as error:
                    _say(_describe_fault(error, path, what, size_bytes))
            _UNSAVED[path] = content
        return cast("_ContentT", _UNSAVED[path])


def _try_folder(folder: Path) -> OSError | None:
    """Return the error of writing into a folder; None where that can be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"gammond")
    except OSError as error:
        return error
    return None


def _describe_fault(error: OSError, path: Path, what: str, size_bytes: int) -> str:
    """Return in words that a file is built at each start, and what ends that."""
    advice = "set GAMMOND_DATA to a folder that this user can write"
    if is_disk_full(error):
        room = f"make room for {size_bytes / 1e6:.0f} MB there"
        advice = f"{room}, or set GAMMOND_DATA to a folder on another disk"
    return (
        f"cannot write {path} ({error.strerror}), so {what} is built in memory at each start (some seconds); "
        f"{advice}"
    )


@contextmanager
def build_alone(
    path: Path, on_wait: Callable[[], None], *, silent_s: float = _SILENT_WAIT_S, most_s: float = -1.0
) -> Iterator[None]:
    """Wait while another process builds a file, and make others wait; not where no file can be locked.

    Args:
        path: The file, which need not be there.
        on_wait: Called once if another process builds it.
        silent_s: Seconds before that.
        most_s: Seconds to wait from then on; below 0 for ever.
    """
    import filelock  # takes a while, and is needed once

    lock = filelock.FileLock(path.with_name(f".{path.name}.lock"))
    with suppress(OSError, NotImplementedError, filelock.Timeout):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=silent_s)
        except filelock.Timeout:
            on_wait()
            lock.acquire(timeout=most_s)
    try:
        yield
    finally:
        if lock.is_locked:
            with suppress(OSError):
                Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()


def _say(text: str) -> None:
    """Write a line on stderr, on a terminal over the line that shows progress there."""
    clear_line = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{clear_line}gammond: {text}\n")
