"""Compiled loops: arrays in, arrays out, nothing else.

Kernels are plain functions under the `kernel` decorator (numba, cached on disk). The cache folder carries a
hash of all kernel sources, because numba's own cache does not see edits in functions that a cached one calls
from another file. ``NUMBA_DISABLE_JIT=1`` runs them as plain Python.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

import numba
import platformdirs

_P = ParamSpec("_P")
_R = TypeVar("_R")

_ROOT = Path(__file__).resolve().parent.parent.parent
_KERNEL_FOLDERS = ("engine/kernels", "nets/kernels", "tools/train/kernels")
_WARM_MARK = "warm"
_STALE_AFTER_S = 30 * 24 * 3600.0


def source_hash() -> str:
    """Hash all kernel sources and the compiler's version.

    Returns:
        16 hexadecimal digits.
    """
    digest = hashlib.sha256(f"numba {numba.__version__} python {sys.version}".encode())
    for folder in _KERNEL_FOLDERS:
        for file in sorted((_ROOT / folder).glob("*.py")):
            digest.update(file.name.encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """The folder of the compiled kernels of the present sources, whether it exists or not."""
    parent = Path(os.environ.get("GAMMOND_CACHE") or platformdirs.user_cache_dir("gammond"))
    return parent / "kernels" / source_hash()


def prepare_cache(folder: Path) -> Path | None:
    """Make a cache folder ready, and drop its neighbours that were unused for a month.

    Until a process that used the folder has ended well (`_WARM_MARK` is written then), each one says on
    stderr that it may have to compile.

    Returns:
        The folder, or one for this process alone where that one cannot be written; None where no folder can
        be had at all.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        sys.stderr.write(
            f"gammond: {folder} cannot be written ({error.strerror}), kernels are compiled at each start\n"
        )
        return _private_folder()
    _drop_stale(folder)
    if not (folder / _WARM_MARK).exists():
        sys.stderr.write("gammond: first start with these sources, compiling kernels once (seconds)\n")
        atexit.register(_mark_warm, folder)
    return folder


def _private_folder() -> Path | None:
    try:
        folder = tempfile.mkdtemp(prefix="gammond-kernels-")
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _drop_stale(folder: Path) -> None:
    for other in folder.parent.iterdir():
        with contextlib.suppress(OSError):  # another process may drop it at the same time
            if time.time() - other.stat().st_mtime > _STALE_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)


def _mark_warm(folder: Path) -> None:
    with contextlib.suppress(OSError):
        if any(folder.rglob("*.nbi")):
            (folder / _WARM_MARK).touch()


_DISABLED = bool(getattr(numba.config, "DISABLE_JIT", False))
_FOLDER = None if _DISABLED else prepare_cache(cache_folder())
_CACHED = _FOLDER is not None
if _CACHED:
    setattr(numba.config, "CACHE_DIR", str(_FOLDER))  # noqa: B010  (numba makes it at run time)

_REORDERED = {"contract", "reassoc", "nsz"}


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function on its first call for each signature, without the GIL, cached on disk."""
    compiled: Callable[_P, _R] = numba.njit(cache=_CACHED, error_model="numpy", nogil=True)(function)
    return compiled


def float_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `kernel` does, and let sums of floats be reordered, so that they run in vector registers."""
    compiled: Callable[_P, _R] = numba.njit(
        cache=_CACHED, error_model="numpy", nogil=True, fastmath=_REORDERED
    )(function)
    return compiled


def quick_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `kernel` does, but keep the GIL: where handing it over takes longer than the work."""
    compiled: Callable[_P, _R] = numba.njit(cache=_CACHED, error_model="numpy")(function)
    return compiled


def inlined_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `kernel` does, but into every caller: where a call costs as much as its work."""
    compiled: Callable[_P, _R] = numba.njit(cache=_CACHED, error_model="numpy", nogil=True, forceinline=True)(
        function
    )
    return compiled


def inlined_float_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `float_kernel` and `inlined_kernel` do."""
    compiled: Callable[_P, _R] = numba.njit(
        cache=_CACHED, error_model="numpy", nogil=True, forceinline=True, fastmath=_REORDERED
    )(function)
    return compiled
