"""The version of the program."""

from __future__ import annotations

import functools

from engine.runtime.sources import IS_CHECKOUT, hash_modules

NAME = "gammond"

_HASH_DIGITS = 12


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


@functools.cache
def identify_program(*modules: str) -> str:
    """Return the version, followed in a checkout by a hash of modules and of all that they import.

    Args:
        modules: The full names of those that do the work which is to be recognised.
    """
    if not IS_CHECKOUT:
        return read_version()
    return f"{read_version()}+{hash_modules(*modules)[:_HASH_DIGITS]}"
