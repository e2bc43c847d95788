"""Compiled loops: arrays in, arrays out, nothing else.

Kernels are plain functions under the `kernel` decorator (numba, cached on disk). The cache folder carries a
hash of all kernel sources, because numba's own cache does not see edits in functions that a cached one calls
from another file. ``NUMBA_DISABLE_JIT=1`` runs them as plain Python.
"""

from __future__ import annotations

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


def _prepare_cache() -> Path:
    """Make the cache folder of the present sources, and drop folders unused for a month."""
    parent = Path(os.environ.get("GAMMOND_CACHE") or platformdirs.user_cache_dir("gammond")) / "kernels"
    folder = parent / source_hash()
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            if not getattr(numba.config, "DISABLE_JIT", False):
                sys.stderr.write(
                    "gammond: first start with these sources, compiling kernels once (seconds)\n"
                )
        os.utime(folder)
        for other in parent.iterdir():
            if time.time() - other.stat().st_mtime > _STALE_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="gammond-kernels-"))
        sys.stderr.write(f"gammond: {parent} cannot be written, kernels are compiled again at each start\n")
    return folder


setattr(numba.config, "CACHE_DIR", str(_prepare_cache()))  # noqa: B010  (numba makes it at run time)


def float_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `kernel` does, and let sums of floats be reordered, so that they run in vector registers."""
    compiled: Callable[_P, _R] = numba.njit(
        cache=True, error_model="numpy", nogil=True, fastmath={"contract", "reassoc", "nsz"}
    )(function)
    return compiled


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function on its first call for each signature, without the GIL, cached on disk."""
    compiled: Callable[_P, _R] = numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    return compiled
