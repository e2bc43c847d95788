"""The ``gammond`` command."""

from __future__ import annotations

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
    from engine.runtime.garbage import collect_garbage_rarely

    collect_garbage_rarely()
    from tools.cli import main as run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
