"""Locks by which two processes do not write the same file or folder at the same time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from gammond.engine.errors import StateError
from gammond.engine.kernels.disk_cache import cache_root


@contextmanager
def hold_lock(path: Path, field: str | None = None) -> Iterator[None]:
    """Keep other processes from writing a file or folder, as long as the block runs.

    The locks are in the cache folder, by a hash of the path, so that nothing is left beside the output. Where
    that folder cannot be written, nothing is locked.

    Args:
        path: What is to be written; it need not exist.
        field: The option that names it, for the error.

    Raises:
        StateError: Another process writes it.
    """
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:32]
    folder = cache_root() / "locks"
    lock = filelock.FileLock(folder / name, blocking=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except filelock.Timeout:
        raise StateError(
            f"another process writes {path}: wait for its end, or choose another place", field=field
        ) from None
    except OSError:
        yield
        return
    try:
        yield
    finally:
        lock.release()
