"""The version of the program."""

from __future__ import annotations

NAME = "gammond"


def read_version() -> str:
    """Return the installed version, or ``0+checkout`` where the distribution is not installed."""
    import importlib.metadata  # takes as long as all kernels of a first answer

    try:
        return importlib.metadata.version(NAME)
    except importlib.metadata.PackageNotFoundError:
        return "0+checkout"
