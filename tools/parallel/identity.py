"""What a program is made of: on several machines the same program gives the same bits."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import engine
import nets
import protocol
import tools
from engine.errors import StateError
from engine.kernels.disk_cache import processor_name
from engine.runtime.version import read_version
from tools.common.opponents import collect_net_hashes

_PACKAGES = engine, nets, protocol, tools
_LIBRARIES = "numpy", "numba"
_SHOWN_DIGITS = 12


@dataclass(frozen=True)
class ProgramIdentity:
    """What results depend on besides tasks and nets.

    Attributes:
        version: Of gammond.
        sources: sha256 of all its modules and data files.
        processor: The kind that kernels are compiled for: on another one sums may round differently.
        libraries: The versions of Python and of the libraries that compute.
    """

    version: str
    sources: str
    processor: str
    libraries: tuple[str, ...]

    def __str__(self) -> str:
        libraries = ", ".join(self.libraries)
        return f"gammond {self.version} ({self.sources[:_SHOWN_DIGITS]}; {self.processor}; {libraries})"


@cache
def read_identity() -> ProgramIdentity:
    """Return the identity of this program."""
    libraries = tuple(f"{name} {version(name)}" for name in _LIBRARIES)
    return ProgramIdentity(
        read_version(),
        _hash_sources(),
        processor_name(),
        (f"Python {platform.python_version()}", *libraries),
    )


def check_identity(expected: ProgramIdentity) -> None:
    """Refuse to work for another program.

    Raises:
        StateError: It is another one.
    """
    own = read_identity()
    if own != expected:
        raise StateError(
            f"a worker on {platform.node()} runs {own}, expected {expected}: install the same on every "
            "machine, and start the worker again",
            field="cluster",
        )


def check_nets(expected: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse to work with other nets.

    Args:
        expected: Name of a player or evaluator -> sha256 of its nets by their names.

    Raises:
        StateError: A player has other nets here.
        GammondError: A player cannot be loaded.
    """
    for name, hashes in expected.items():
        if hashes != (own := _collect_hashes(name)):
            raise StateError(
                f"a worker on {platform.node()} has other nets for {name}: {_format_hashes(own)}, expected "
                f"{_format_hashes(hashes)}; copy the same to every machine",
                field="cluster",
            )


_collect_hashes = cache(collect_net_hashes)


def _format_hashes(hashes: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {sha256[:_SHOWN_DIGITS]}" for name, sha256 in hashes.items()) or "none"


def _hash_sources() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        folder = Path(package.__path__[0])
        for file in sorted(folder.rglob("*.py")):
            digest.update(f"{package.__name__}/{file.relative_to(folder).as_posix()}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
