"""The version of the program."""

from __future__ import annotations

import functools

NAME = "gammond"


@functools.cache
def read_version() -> str:
    """Return the installed version, or ``0+checkout`` where the distribution is not installed.

    It is read once: a server that runs on after an upgrade is still of the version that it began with.
    """
    import importlib.metadata  # takes as long as all kernels of a first answer

    try:
        return importlib.metadata.version(NAME)
    except importlib.metadata.PackageNotFoundError:
        return "0+checkout"
