"""The version of the program. Imports nothing heavy, so that ``--version`` is fast."""

from __future__ import annotations

import importlib.metadata

NAME = "gammond"


def read_version() -> str:
    """Return the installed version, or ``0+checkout`` where the distribution is not installed."""
    try:
        return importlib.metadata.version(NAME)
    except importlib.metadata.PackageNotFoundError:
        return "0+checkout"
