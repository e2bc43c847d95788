"""Ctrl-C, SIGTERM and SIGHUP mean the same to a tool: stop, and keep the results so far.

The first one raises `KeyboardInterrupt`, or calls a function of a tool that has a better way to stop. Those
within `GRACE_PERIOD_S` of one are ignored, so that neither an impatient second Ctrl-C nor the signal that
``timeout`` sends twice cuts a report in half; a later one raises.

The compiler of kernels can be neither stopped nor left, and may hold the main thread, where Python calls
handlers of signals. A tool that has nothing to keep yet is ended from another thread.

What the interrupt that ends a tool is given, `gammond.tools.cli` says in one line: what is there, and how to
go on.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.exit_codes import EXIT_INTERRUPTED
from gammond.protocol.transports.process_end import end_process

GRACE_PERIOD_S = 2.0
"""Seconds after an interrupt in which further ones are ignored: the tool is writing its results."""

GOES_ON = "the same command goes on from here"
RESUMES = "the same command with --resume goes on from here"
RESUMES_WITHOUT_FORCE = "the same command with --resume in place of --force goes on from here"

_HANG_UP = getattr(signal, "SIGHUP", None) or getattr(signal, "SIGBREAK", None)
"""What comes when a terminal is closed: Windows has the other one."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, *(() if _HANG_UP is None else (_HANG_UP,)))

_OUTPUTS = (1, 2)
"""Standard output and standard error."""

_POLL_S = 0.05
"""How often is looked whether a kernel is being compiled, once a signal has come."""


def end_with_partial(things: str, how_to_go_on: str = "") -> KeyboardInterrupt:
    """Make the interrupt that ends a tool which has written what is done of its answer.

    Args:
        things: What the answer is of, such as ``games``.
        how_to_go_on: Such as `GOES_ON`; empty where nothing was kept.
    """
    sys.stdout.flush()
    return KeyboardInterrupt(f"the answer is of the {things} so far", how_to_go_on)


class _InterruptHandler:
    """A signal handler: acts on the first signal, raises KeyboardInterrupt on a much later one.

    Args:
        on_interrupt: Called on the first signal.
    """

    def __init__(self, on_interrupt: Callable[[], None]) -> None:
        self.last_s: float | None = None
        self._on_interrupt = on_interrupt
        self._terminals = [number for number in _OUTPUTS if _is_terminal(number)]

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if number == _HANG_UP:
            self._leave_lost_terminals()
        now_s = time.monotonic()
        before_s, self.last_s = self.last_s, now_s
        if before_s is None:
            self._on_interrupt()
        elif now_s - before_s >= GRACE_PERIOD_S:
            raise KeyboardInterrupt
        else:
            self.last_s = before_s

    def _leave_lost_terminals(self) -> None:
        """Discard what is still written to terminals that are gone: it would fail before results are kept."""
        for number in self._terminals:
            if not _is_terminal(number):
                os.dup2(nothing := os.open(os.devnull, os.O_WRONLY), number)
                os.close(nothing)


def _is_terminal(number: int) -> bool:
    """Return whether a descriptor is a terminal that somebody is at; one that was closed is none."""
    try:
        return os.isatty(number)
    except OSError:
        return False


def _raise_interrupt() -> None:
    raise KeyboardInterrupt


@contextmanager
def raise_on_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP as on Ctrl-C during the block.

    A signal that is ignored, as Ctrl-C in a background job and SIGHUP under ``nohup``, or that has a handler
    keeps it. Outside the main thread, the only one that receives signals, nothing changes.
    """
    with _handle_signals(_raise_interrupt, (signal.SIG_DFL, signal.default_int_handler)):
        try:
            yield
        except Exception as error:
            if interrupt := _find_interrupt(error):
                raise KeyboardInterrupt(*interrupt.args) from error
            raise


def _find_interrupt(error: BaseException) -> KeyboardInterrupt | None:
    """Find what an error came of, as where the compiler of kernels cleans up after an interrupt in vain."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause


@contextmanager
def advise_on_interrupt(advise: Callable[[], str]) -> Iterator[None]:
    """Say in the line that ends a tool what an interrupt of the block leaves.

    Args:
        advise: Returns what is there and how to go on, such as `GOES_ON`; empty where nothing was kept.
    """
    try:
        yield
    except BaseException as error:
        if _find_interrupt(error):
            raise KeyboardInterrupt(advise()) from error
        raise


@contextmanager
def call_on_interrupt(
    on_interrupt: Callable[[], None], has_nothing: Callable[[], bool] | None = None
) -> Iterator[None]:
    """Call a function instead of raising KeyboardInterrupt during the block.

    Does nothing for signals that would not raise it, as Ctrl-C in a background job.

    Args:
        on_interrupt: Called on the first signal, between two instructions of the main thread.
        has_nothing: Whether nothing would be lost if the process ended now. If so while a kernel is compiled
            after a signal, the process ends at once, as after a KeyboardInterrupt. Called in another thread;
            None where there is always something.
    """
    with (
        _handle_signals(on_interrupt, (signal.default_int_handler,)) as handled,
        _end_amid_compiling(handled, has_nothing),
    ):
        yield


@contextmanager
def _end_amid_compiling(handled: Sequence[int], has_nothing: Callable[[], bool] | None) -> Iterator[None]:
    """End the process where one of these signals came in the block and a kernel is being compiled."""
    if has_nothing is None or not handled:
        yield
        return
    reader, writer = os.pipe()
    if sys.platform != "win32":
        os.set_blocking(writer, False)
    is_over = threading.Event()

    def watch() -> None:
        with open(reader, "rb", buffering=0) as came:
            while numbers := came.read(64):
                if not set(numbers).isdisjoint(handled):
                    break
        while not is_over.wait(_POLL_S):
            if COMPILATION.is_compiling and has_nothing():
                COMPILATION.is_silent = True
                sys.stderr.write("gammond: interrupted\n")
                end_process(EXIT_INTERRUPTED)

    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=watch, name="end amid compiling", daemon=True).start()
    try:
        yield
    finally:
        is_over.set()
        signal.set_wakeup_fd(before)
        os.close(writer)


def follow_parent() -> None:
    """Make a worker process ignore interrupts, and end when the process that started it has ended."""
    for kind in _SIGNALS:
        signal.signal(kind, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    from multiprocessing import parent_process  # a program without processes of its own starts without it

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _handle_signals(
    on_interrupt: Callable[[], None], replaced: tuple[object, ...]
) -> Iterator[Sequence[int]]:
    """Handle the signals whose handler is one of these or one of ours, and restore it in the end.

    Yields:
        The signals that are handled.
    """
    if threading.current_thread() is not threading.main_thread():
        yield ()
        return
    before = {kind: signal.getsignal(kind) for kind in _SIGNALS}
    outer = {
        kind: held for kind, held in before.items() if isinstance(held, _InterruptHandler) or held in replaced
    }
    interrupt = _InterruptHandler(on_interrupt)
    for kind in outer:
        signal.signal(kind, interrupt)
    try:
        yield tuple(outer)
    finally:
        for kind, handler in outer.items():
            if isinstance(handler, _InterruptHandler) and interrupt.last_s is not None:
                handler.last_s = interrupt.last_s
            signal.signal(kind, handler)
