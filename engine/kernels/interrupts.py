"""What long kernels need from outside: a function of Python to ask now and then, and locks for threads."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from engine.kernels.instructions import INT, Builder, Value, emitted_by

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
"""A function of Python that `call_back` can call: it takes and returns an integer, and raises nothing."""

_FUNCTION = ir.FunctionType(INT, [INT])


def find_address(callback: Any) -> int:  # noqa: ANN401
    """Return the address of a `CALLBACK`, which the caller keeps alive while a kernel may call it."""
    return ctypes.c_void_p.from_buffer(callback).value or 0  # `cast` would keep it alive for good


def _emit_call(builder: Builder, arguments: list[Value]) -> Value:
    address, argument = arguments
    return builder.call(builder.inttoptr(address, _FUNCTION.as_pointer()), [argument])


def _emit_try_lock(builder: Builder, arguments: list[Value]) -> Value:
    before = builder.atomic_rmw("xchg", arguments[0].data, INT(1), "acquire")
    return builder.icmp_signed("==", before, INT(0))


def _emit_unlock(builder: Builder, arguments: list[Value]) -> None:
    builder.atomic_rmw("xchg", arguments[0].data, INT(0), "release")


@emitted_by(_emit_call, types.int64, types.int64, types.int64)
def call_back(address: int, argument: int) -> int:
    """Call a `CALLBACK`, which takes the interpreter's lock by itself.

    Args:
        address: Its address.
        argument: What it gets.

    Returns:
        What it returns.
    """
    result: int = CALLBACK(address)(argument)
    return result


@emitted_by(_emit_try_lock, types.boolean, types.int64[::1])
def try_lock(lock: NDArray[np.int64]) -> bool:
    """Take a lock if nobody has it.

    Args:
        lock: in and out, ``int64[1]``: 0 while it is free.

    Returns:
        Whether it was taken.
    """
    is_free = bool(lock[0] == 0)
    lock[0] = 1
    return is_free


@emitted_by(_emit_unlock, types.void, types.int64[::1])
def unlock(lock: NDArray[np.int64]) -> None:
    """Free a lock that was taken, ``int64[1]``."""
    lock[0] = 0
