"""Files of the data folder that are built at their first use: by one process of several, or in memory."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar, cast

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.machine import is_disk_full

_SILENT_WAIT_S = 1.0

_UNSAVED: dict[Path, Any] = {}
"""What this process has built and could not keep, by the files that should hold it."""

_BUILDING = Lock()

_ContentT = TypeVar("_ContentT")


@dataclass(frozen=True)
class BuiltFile(Generic[_ContentT]):
    """A file that is built where it is missing, in some seconds.

    Attributes:
        path: The file.
        what: What it holds, for messages.
        size_bytes: Its size.
        read: Reads it; raises DataFileError where it is damaged, which says how to build it again.
        build: Makes what it holds.
        save: Writes it.
    """

    path: Path
    what: str
    size_bytes: int
    read: Callable[[], _ContentT]
    build: Callable[[], _ContentT]
    save: Callable[[_ContentT], None]

    def load(self) -> _ContentT:
        """Read the file, or build it where it is missing, which is announced on stderr.

        Where the folder cannot be written, it is built once in each process; so is one whose file is damaged,
        which is left as it is. Of several processes one builds, and the others wait; where no file can be
        locked all build, and write the same content atomically.
        """
        with _BUILDING, nullcontext() if self.path.exists() else self._lock():
            problem = ""
            if self.path.exists():
                try:
                    return self.read()
                except DataFileError as error:
                    problem = f"{error.message}; until then each start builds it in memory (some seconds)"
            if self.path not in _UNSAVED:
                problem = problem or self._try_folder()
                _say(problem or f"building {self.what} once (some seconds): {self.path}")
                content = self.build()
                if not problem:
                    try:
                        self.save(content)
                        return content
                    except OSError as error:
                        _say(self._explain(error))
                _UNSAVED[self.path] = content
            return cast("_ContentT", _UNSAVED[self.path])

    def _try_folder(self) -> str:
        """Return why nothing can be written into the folder; empty where it can be."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path.parent) as probe:
                probe.write(b"gammond")
        except OSError as error:
            return self._explain(error)
        return ""

    def _explain(self, error: OSError) -> str:
        """Return in words that it is built at each start, and what ends that."""
        advice = "set GAMMOND_DATA to a folder that this user can write"
        if is_disk_full(error):
            room = f"make room for {self.size_bytes / 1e6:.0f} MB there"
            advice = f"{room}, or set GAMMOND_DATA to a folder on another disk"
        return (
            f"cannot write {self.path} ({error.strerror}), so {self.what} is built in memory at each start "
            f"(some seconds); {advice}"
        )

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Wait while another process builds it, and make others wait; not where no file can be locked."""
        import filelock  # takes a while, and is needed once

        lock = filelock.FileLock(self.path.with_name(f".{self.path.name}.lock"))
        with suppress(OSError, NotImplementedError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(timeout=_SILENT_WAIT_S)
            except filelock.Timeout:
                _say(f"another process is building {self.what}")
                lock.acquire()
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
