"""Compiled loops: arrays in, arrays out.

Kernels are plain functions under the `kernel` decorator: numba compiles them at their first call, and
`gammond.engine.kernels.disk_cache` stores the result. ``NUMBA_DISABLE_JIT=1`` runs them as plain Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels.disk_cache import KernelCache
from gammond.engine.kernels.linking import Kernel

_P = ParamSpec("_P")
_R = TypeVar("_R")
_S = TypeVar("_S", bound=np.generic)

# Nothing calls kernels from C. Where the last three are not given, numba takes those of the first caller.
_OPTIONS: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": True,
    "fastmath": False,
    "forceinline": False,
}
_FUSED = {"contract"}
_REORDERED = {"contract", "reassoc", "nsz"}


def as_kernel_array(array: NDArray[Any], dtype: type[_S]) -> NDArray[_S]:
    """Return an array C-contiguous and writable: so each kernel has one signature, compiled once.

    Args:
        array: Any array; if it is such an array, it is returned as it is.
        dtype: The type of the elements.
    """
    if array.dtype == dtype and array.flags.carray:
        return array
    return np.array(array, dtype, order="C")


def kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile a function at its first call for each signature, without the GIL, cached on disk."""
    return _compile(function)


def inlined(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `kernel` does, inlined into every caller: for work as short as a call.

    It makes no arrays. A product and the sum it goes into may become one instruction: sums that have at most
    one product at each step round alike in every caller.
    """
    return _compile(function, forceinline=True, _nrt=False, fastmath=_FUSED)


def fastmath(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `kernel` does, with reordered float sums, which vectorise."""
    return _compile(function, fastmath=_REORDERED)


def borrowing(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `kernel` does, but without counting references to arrays.

    Counting takes longer than a short step, above all if threads share an array. For kernels that neither
    make arrays nor get any from the kernels that they call.
    """
    return _compile(function, _nrt=False)


def inlined_fastmath(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Compile as `inlined` and `fastmath` do."""
    return _compile(function, forceinline=True, _nrt=False, fastmath=_REORDERED)


DECORATORS = (kernel, inlined, fastmath, borrowing, inlined_fastmath)
"""All ways to declare a kernel; ``docs/architecture.md`` has what the last two are worth."""


def _compile(function: Callable[_P, _R], **options: Any) -> Callable[_P, _R]:  # noqa: ANN401  (numba's)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # made at run time
        return function
    typed: Any = Kernel(function, {**_OPTIONS, **options}, functools.partial(KernelCache, function))
    compiled: Callable[_P, _R] = typed
    return compiled
