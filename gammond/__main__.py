"""The ``gammond`` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from gammond._finder import install_finder


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The arguments after the command's name; None takes those of the process.

    Returns:
        The exit status.
    """
    install_finder()
    from engine.runtime.garbage import pause_collection

    pause_collection()
    _leave_out_what_only_takes_time()
    from tools.cli import main as run

    return run(arguments)


def _leave_out_what_only_takes_time() -> None:
    """Start without what takes a fifth of the time and is not used: to be called before NumPy is imported."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # kernels do the work; matrix products are small
    if "coverage" not in sys.modules:
        # numba imports it where it is installed, to note which lines of kernels were compiled.
        sys.modules["coverage"] = None  # type: ignore[assignment]  # an import raises ImportError


if __name__ == "__main__":
    sys.exit(main())
