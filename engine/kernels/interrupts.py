"""What long kernels need from outside: to ask Python now and then whether to stop, and locks for threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from engine.kernels.instructions import INT, Builder, Value, emitted_by

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64)
_FUNCTION = ir.FunctionType(ir.VoidType(), [INT])

_ADDRESS, _ANSWER = range(2)
_GO_ON, _STOP, _UNANSWERED = range(3)


class Question:
    """What kernels ask now and then: whether to stop.

    Handlers of signals run in the main thread while a kernel asks. What they or the function raise, Ctrl-C
    above all, stops the kernel.

    Args:
        ask: Returns whether to stop, given what the kernel says.

    Attributes:
        cells: ``int64[2]``, for `ask_question`, while this object lives.
    """

    def __init__(self, ask: Callable[[int], object]) -> None:
        self.cells = np.zeros(2, np.int64)
        self._errors: list[BaseException] = []
        answers = _answer(ask, self.cells, self._errors)
        next(answers)
        self._callback = _CALLBACK(answers.send)
        self.cells[_ADDRESS] = ctypes.c_void_p.from_buffer(self._callback).value or 0

    def check(self) -> None:
        """Raise what was raised while a kernel asked, if anything was, and forget it.

        Raises:
            BaseException: That.
        """
        is_answered = self.cells[_ANSWER] != _UNANSWERED
        self.cells[_ANSWER] = _GO_ON
        if self._errors:
            error = self._errors[0]
            self._errors.clear()
            raise error
        if not is_answered:  # a second interrupt came at once, and ended what answers
            raise KeyboardInterrupt


def _answer(
    ask: Callable[[int], object], cells: NDArray[np.int64], errors: list[BaseException]
) -> Generator[None, int, None]:
    """Answer question after question.

    A function that is called would be left, and the interrupt lost, before its first line; what is resumed
    here can catch what a signal raises.
    """
    while True:
        try:
            while True:
                said = yield
                cells[_ANSWER] = _STOP if ask(said) else _GO_ON
        except GeneratorExit:
            return
        except BaseException as error:
            cells[_ANSWER] = _STOP
            errors.append(error)


def _emit_question(builder: Builder, arguments: list[Value]) -> Value:
    cells, said = arguments[0].data, arguments[1]
    answer = builder.gep(cells, [INT(_ANSWER)])
    builder.store(INT(_UNANSWERED), answer)
    address = builder.load(builder.gep(cells, [INT(_ADDRESS)]))
    builder.call(builder.inttoptr(address, _FUNCTION.as_pointer()), [said])
    return builder.icmp_signed("!=", builder.load(answer), INT(_GO_ON))


def _emit_try_lock(builder: Builder, arguments: list[Value]) -> Value:
    before = builder.atomic_rmw("xchg", arguments[0].data, INT(1), "acquire")
    return builder.icmp_signed("==", before, INT(0))


def _emit_unlock(builder: Builder, arguments: list[Value]) -> None:
    builder.atomic_rmw("xchg", arguments[0].data, INT(0), "release")


@emitted_by(_emit_question, types.boolean, types.int64[::1], types.int64)
def ask_question(cells: NDArray[np.int64], said: int) -> bool:
    """Return whether to stop; the interpreter's lock is taken meanwhile.

    Args:
        cells: Those of a `Question`.
        said: What it is told.
    """
    cells[_ANSWER] = _UNANSWERED
    _CALLBACK(int(cells[_ADDRESS]))(said)
    return bool(cells[_ANSWER] != _GO_ON)


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
