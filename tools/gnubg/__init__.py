"""GNU Backgammon as an opponent and a peer: its program, its nets, its records of games."""

from __future__ import annotations

import shutil

from gammond.engine.errors import UnsupportedError

_DEBIAN_GAMES = "/usr/games"


def find_gnubg() -> str | None:
    """Find gnubg on the path or where Debian puts it."""
    return shutil.which("gnubg") or shutil.which("gnubg", path=_DEBIAN_GAMES)


def require_gnubg() -> str:
    """Find gnubg, as `find_gnubg`.

    Raises:
        UnsupportedError: It is not installed.
    """
    program = find_gnubg()
    if program is None:
        raise UnsupportedError("gnubg is not installed (Debian: apt-get install gnubg)", field="gnubg")
    return program
