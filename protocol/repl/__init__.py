"""The REPL: a person at a terminal, over the same session and command table as every other client."""

from __future__ import annotations


def main() -> int:
    """Talk with the person at the terminal, with the shipped nets; returns the exit status."""
    from protocol.repl.terminal import run_repl  # only a terminal needs prompt_toolkit

    return run_repl()
