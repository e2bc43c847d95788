"""The ``gammond`` command."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import FrameType

_EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The arguments after the command's name; None takes those of the process.

    Returns:
        The exit status.
    """
    with _end_on_interrupt() if arguments is None else nullcontext():
        from gammond.engine.runtime.garbage import pause_collection

        pause_collection()
        _leave_out_what_only_takes_time()
        from gammond.tools.cli import main as run

    return run(arguments)


@contextmanager
def _end_on_interrupt() -> Iterator[None]:
    """End the process quietly on Ctrl-C during the block: nothing can be lost while modules are imported."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # as in a background job
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        sys.stderr.write("gammond: interrupted\n")
        os._exit(_EXIT_INTERRUPTED)

    signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave_out_what_only_takes_time() -> None:
    """Start without what takes a fifth of the time and is not used: to be called before NumPy is imported."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # kernels do the work; matrix products are small
    if "coverage" not in sys.modules:
        # numba imports it where it is installed, to note which lines of kernels were compiled.
        sys.modules["coverage"] = None  # type: ignore[assignment]  # an import raises ImportError


if __name__ == "__main__":
    sys.exit(main())
