"""The REPL: a person at a terminal, over the same session and command table as every other client."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from gammond.engine.runtime.version import NAME, read_version

if TYPE_CHECKING:
    from gammond.protocol.state.player_registry import FilePlayers


def main(make_file_players: Callable[[], FilePlayers]) -> int:
    """Talk with the person at the terminal, with the shipped nets; returns the exit status.

    Args:
        make_file_players: Makes the players that name files.
    """
    sys.stdout.write(f"{NAME} {read_version()}, a backgammon engine\n")
    sys.stdout.flush()  # the imports take a second
    from gammond.protocol.repl.terminal.prompt_loop import run_repl  # only a terminal needs prompt_toolkit

    return run_repl(make_file_players())
