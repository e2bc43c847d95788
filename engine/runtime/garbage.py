"""Garbage collection for a process that keeps nearly all it makes: modules, kernels, nets, databases."""

from __future__ import annotations

import atexit
import gc

_STARTING = (50_000, 20, 100)
"""New objects until the youngest are searched, and searches of each age until the next age is searched."""
_SERVING = (5_000, 4, 3)
"""The same among objects made since the start: few live long, and searching them all takes milliseconds."""


def collect_garbage_rarely() -> None:
    """Search for garbage less often, and not when the process ends.

    Starting makes some hundred thousand objects that stay, and each search walks over them again; the last
    one, as the process ends, takes longer than to start. Objects that nothing refers to go at once as ever:
    the searches are for those that refer to each other.
    """
    gc.set_threshold(*_STARTING)
    atexit.register(gc.freeze)


def pause_collection() -> None:
    """Search for no garbage while the program starts, until `resume_collection`."""
    gc.disable()


def resume_collection() -> None:
    """Search again, and only among what is made from now on: what is there stays as long as the process.

    Has no effect unless searching is paused.
    """
    if not gc.isenabled():
        gc.freeze()
        collect_garbage_rarely()
        gc.set_threshold(*_SERVING)
        gc.enable()
