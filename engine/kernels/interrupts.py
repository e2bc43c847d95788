"""What long kernels need from outside: to ask Python whether to stop, and what it alone can do; locks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.instructions import INT, Builder, Value, emitted_by

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64)
_MEMORY = ctypes.c_char * (1 << 40)
"""From an address on: one type for arrays of all sizes, which takes less time than one for each."""

_FUNCTION = ir.FunctionType(ir.VoidType(), [INT])

_ADDRESS, _ANSWER, WHO, _ROWS, _COLUMNS, _FIRST = range(6)
"""Cells of a question: whom to call; whether to stop; who of several is asked; the number of positions, and
of results of each or room for plays; where the arrays begin that are shared with Python."""

_GO_ON, _STOP, _UNANSWERED = range(3)

QUESTION_CELLS = _FIRST + 6

RESULTS, PLAYS = -1, -2
"""What a kernel says that wants results of positions, or plays."""

NO_QUESTION = np.zeros(QUESTION_CELLS, np.int64)
"""The cells for kernels that ask nothing."""


class Question:
    """What kernels ask now and then: whether to stop.

    Handlers of signals run in the main thread while a kernel asks. What they or the function raise, Ctrl-C
    above all, stops the kernel.

    Args:
        ask: Returns whether to stop, given what the kernel says.
        cells: ``int64[QUESTION_CELLS]``, for an ``ask`` that reads them; new ones if None.

    Attributes:
        cells: ``int64[QUESTION_CELLS]``, for the functions that ask, while this object lives.
    """

    def __init__(self, ask: Callable[[int], object], cells: NDArray[np.int64] | None = None) -> None:
        self.cells = np.zeros(QUESTION_CELLS, np.int64) if cells is None else cells
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
            del self._errors[1:]
            raise self._errors.pop()  # in no variable, which its traceback would keep alive
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


def read_request(cells: NDArray[np.int64]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return what a kernel shares that wants `RESULTS`: positions, and room for results of each.

    The arrays are the kernel's own: they end with the answer.

    Args:
        cells: Those of the question.

    Returns:
        ``int8[n, 2, 26]`` and ``float32[n, k]``.
    """
    rows, columns = int(cells[_ROWS]), int(cells[_COLUMNS])
    return (
        _view(cells[_FIRST], np.int8, (rows, 2, 26)),
        _view(cells[_FIRST + 1], np.float32, (rows, columns)),
    )


def read_plays_request(cells: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Return what a kernel shares that wants `PLAYS`, as `ask_plays` describes it; see `read_request`."""
    rows, room = int(cells[_ROWS]), int(cells[_COLUMNS])
    kinds: tuple[tuple[type[np.generic], tuple[int, ...]], ...] = (
        (np.int8, (rows, 2, 26)),
        (np.int8, (rows, 2)),
        (np.int8, (room, 2, 26)),
        (np.int8, (room, 8)),
        (np.float32, (room,)),
        (np.int64, (rows + 1,)),
    )
    return tuple(_view(cells[_FIRST + place], *kind) for place, kind in enumerate(kinds))


def _view(address: np.int64, dtype: type[np.generic], shape: tuple[int, ...]) -> NDArray[Any]:
    memory: Any = _MEMORY.from_address(int(address))
    return np.ndarray(shape, dtype, memory)


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
    _CALLBACK(int(cells[_ADDRESS]))(int(said))
    return bool(cells[_ANSWER] != _GO_ON)


@kernel
def ask_results(
    cells: NDArray[np.int64], who: int, boards: NDArray[np.int8], results: NDArray[np.float32]
) -> bool:
    """Have Python write results of positions; return whether to stop, and then the results are anything.

    Args:
        cells: Those of a `Question`.
        who: Who is asked.
        boards: ``int8[n, 2, 26]``.
        results: out, ``float32[n, k]``.
    """
    cells[WHO], cells[_ROWS], cells[_COLUMNS] = who, boards.shape[0], results.shape[1]
    cells[_FIRST] = boards.ctypes.data
    cells[_FIRST + 1] = results.ctypes.data
    return ask_question(cells, RESULTS)


@kernel
def ask_plays(
    cells: NDArray[np.int64],
    who: int,
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    equities: NDArray[np.float32],
    offsets: NDArray[np.int64],
) -> bool:
    """Have Python write promising plays of one roll in each of many positions; return whether to stop.

    Args:
        cells: Those of a `Question`.
        who: Who is asked.
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``.
        children: out, ``int8[room, 2, 26]``; these and the next three as
            `gammond.engine.evaluation.pruning.Replies`, from the start of each.
        moves: out, ``int8[room, 8]``.
        equities: out, ``float32[room]``.
        offsets: out, ``int64[n + 1 or more]``; the first stays as it is.
    """
    cells[WHO], cells[_ROWS], cells[_COLUMNS] = who, boards.shape[0], children.shape[0]
    cells[_FIRST] = boards.ctypes.data
    cells[_FIRST + 1] = dice.ctypes.data
    cells[_FIRST + 2] = children.ctypes.data
    cells[_FIRST + 3] = moves.ctypes.data
    cells[_FIRST + 4] = equities.ctypes.data
    cells[_FIRST + 5] = offsets.ctypes.data
    return ask_question(cells, PLAYS)


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
