"""The REPL: a person at a terminal, over the same session and command table as every other client."""

from __future__ import annotations


def main() -> int:
    """Talk with the person at the terminal, with the shipped nets; returns the exit status."""
    from protocol.repl.terminal import talk_at_terminal  # only a terminal needs prompt_toolkit

    return talk_at_terminal()
