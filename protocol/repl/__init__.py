"""The REPL: a person at a terminal, over the same session and command table as every other client."""

from __future__ import annotations

import sys

from engine.runtime.version import NAME, read_version


def main() -> int:
    """Talk with the person at the terminal, with the shipped nets; returns the exit status."""
    sys.stdout.write(f"{NAME} {read_version()}, a backgammon engine\n")
    sys.stdout.flush()  # the imports take a second
    from protocol.repl.terminal.prompt_loop import run_repl  # only a terminal needs prompt_toolkit

    return run_repl()
