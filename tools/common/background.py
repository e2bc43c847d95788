"""Preparing in the background: what a server has not compiled, another process compiles meanwhile."""

from __future__ import annotations

import atexit
import sys
from typing import TYPE_CHECKING

from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.machine import count_usable_cores

if TYPE_CHECKING:
    import subprocess

_COMMAND = (sys.executable, "-m", "gammond", "prepare", "--background")


def prepare_on_first_compile() -> None:
    """Start `gammond prepare` in the background once this process compiles its first kernel.

    A process that finds all kernels in the cache starts nothing. The other one compiles a part of what the
    first answer needs while this one compiles the rest, then goes on at the lowest priority, and ends with
    this one. On a single core it would only be in the way.
    """
    if count_usable_cores() > 1:
        COMPILATION.on_first = _start


def _start() -> None:
    import subprocess  # a start that compiles nothing does without it

    try:
        process = subprocess.Popen(
            _COMMAND,
            stdin=subprocess.PIPE,  # its end tells the process that this one has ended
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process
        )
    except OSError:
        return
    atexit.register(_end, process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()
