"""GNU Backgammon as an opponent and a peer: its program, its nets, its records of games."""

from __future__ import annotations

import shutil

_DEBIAN_GAMES = "/usr/games"


def find_gnubg() -> str | None:
    """Find gnubg on the path or where Debian puts it."""
    return shutil.which("gnubg") or shutil.which("gnubg", path=_DEBIAN_GAMES)
