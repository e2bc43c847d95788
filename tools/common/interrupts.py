"""Ctrl-C and SIGTERM mean the same to a tool: stop, and keep the results so far.

The first one raises `KeyboardInterrupt`, or calls a function of a tool that has a better way to stop. Those
within `GRACE_PERIOD_S` of one are ignored, so that neither an impatient second Ctrl-C nor the signal that
``timeout`` sends twice cuts a report in half; a later one raises.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

GRACE_PERIOD_S = 2.0
"""Seconds after an interrupt in which further ones are ignored: the tool is writing its results."""

EXIT_INTERRUPTED = 130
"""Exit status after Ctrl-C or SIGTERM: tools stop on both alike, and keep what they have."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _InterruptHandler:
    """A signal handler: acts on the first signal, raises KeyboardInterrupt on a much later one.

    Args:
        on_interrupt: Called on the first signal.
    """

    def __init__(self, on_interrupt: Callable[[], None]) -> None:
        self.last_s: float | None = None
        self._on_interrupt = on_interrupt

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now_s = time.monotonic()
        before_s, self.last_s = self.last_s, now_s
        if before_s is None:
            self._on_interrupt()
        elif now_s - before_s >= GRACE_PERIOD_S:
            raise KeyboardInterrupt
        else:
            self.last_s = before_s


def _raise_interrupt() -> None:
    raise KeyboardInterrupt


@contextmanager
def raise_on_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM as on Ctrl-C during the block.

    A signal that is ignored, as Ctrl-C in a background job, or that has a handler keeps it. Outside the main
    thread, the only one that receives signals, nothing changes.
    """
    with _handle_signals(_raise_interrupt, (signal.SIG_DFL, signal.default_int_handler)):
        yield


@contextmanager
def call_on_interrupt(on_interrupt: Callable[[], None]) -> Iterator[None]:
    """Call a function instead of raising KeyboardInterrupt during the block.

    Does nothing for signals that would not raise it, as Ctrl-C in a background job.

    Args:
        on_interrupt: Called on the first signal, between two instructions of the main thread.
    """
    with _handle_signals(on_interrupt, (signal.default_int_handler,)):
        yield


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
def _handle_signals(on_interrupt: Callable[[], None], replaced: tuple[object, ...]) -> Iterator[None]:
    """Handle the signals whose handler is one of these or one of ours, and restore it in the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {kind: signal.getsignal(kind) for kind in _SIGNALS}
    outer = {
        kind: held for kind, held in before.items() if isinstance(held, _InterruptHandler) or held in replaced
    }
    interrupt = _InterruptHandler(on_interrupt)
    for kind in outer:
        signal.signal(kind, interrupt)
    try:
        yield
    finally:
        for kind, handler in outer.items():
            if isinstance(handler, _InterruptHandler) and interrupt.last_s is not None:
                handler.last_s = interrupt.last_s
            signal.signal(kind, handler)
