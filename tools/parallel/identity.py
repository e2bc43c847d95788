"""What a program is made of: on several machines the same program gives the same bits."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond import engine, nets, protocol, tools
from gammond.engine.bearoff import defer_bearoff
from gammond.engine.errors import StateError
from gammond.engine.kernels.disk_cache import identify_target
from gammond.engine.runtime.version import read_version
from gammond.tools.common.opponents import collect_net_hashes

_PACKAGES = engine, nets, protocol, tools
_LIBRARIES = "numpy", "numba", "llvmlite", "onnxruntime"
_PAGE = "web/page"
"""The folder of `protocol` whose files only browsers read."""

_LEFT_BEHIND = "~", ".orig", ".rej", ".part", ".pyc", "-wal", "-shm", ".lock"
_SHOWN_DIGITS = 12
_ARITHMETIC_DIGITS = 8


@dataclass(frozen=True)
class ProgramIdentity:
    """What results depend on besides tasks and nets.

    Attributes:
        version: Of gammond.
        sources: sha256 of all its modules and data files: the match equity table, the manifest, the nets, the
            opening book.
        databases: The bearoff databases that its evaluators look positions up in.
        processor: The kind that kernels are compiled for, and a hash of its features: on another one sums may
            round differently.
        arithmetic: A hash of what numpy and the C library compute here, by code that they choose for the
            processor when they run.
        libraries: The versions of Python and of the libraries that compute.
    """

    version: str
    sources: str
    databases: tuple[str, ...]
    processor: str
    arithmetic: str
    libraries: tuple[str, ...]

    def __str__(self) -> str:
        libraries, databases = ", ".join(self.libraries), ", ".join(self.databases)
        processor = f"{self.processor}, arithmetic {self.arithmetic}"
        return (
            f"gammond {self.version} ({self.sources[:_SHOWN_DIGITS]}; {processor}; {libraries}; bearoff "
            f"{databases})"
        )


@cache
def read_identity() -> ProgramIdentity:
    """Return the identity of this program."""
    libraries = tuple(f"{name} {version(name)}" for name in _LIBRARIES)
    return ProgramIdentity(
        read_version(),
        _hash_files(),
        tuple(str(each.header) for each in defer_bearoff()),
        identify_target(),
        _hash_arithmetic(),
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
            f"a worker on {platform.node()} runs {own}, expected {expected}: {_advise(own, expected)}",
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


def _advise(own: ProgramIdentity, expected: ProgramIdentity) -> str:
    """Return what to do where two programs differ."""
    if replace(own, processor=expected.processor, arithmetic=expected.arithmetic) == expected:
        return "their processors round differently; docs/guide/cluster.md says how all compute alike"
    if replace(own, databases=expected.databases) == expected:
        return "the data folders have other bearoff databases; copy the same to every machine"
    return "install the same on every machine, and start the worker again"


def _hash_arithmetic() -> str:
    """Return a hash of the bits of sums, products and functions of fixed numbers; takes milliseconds.

    The products are so small that one thread makes them.
    """
    random, digest = np.random.default_rng(0), hashlib.sha256()
    for kind in (np.float32, np.float64):
        for rows in (1, 7, 64):
            left: NDArray[Any] = random.random((rows, 100)).astype(kind)
            right: NDArray[Any] = random.random((100, 32)).astype(kind)
            results = (left @ right, left @ right[:, 0], left.sum(), left.mean(axis=0), left * left + 0.1)
            for result in (*results, np.exp(left), np.log(left), np.tanh(left), np.sqrt(left)):
                digest.update(np.ascontiguousarray(result).tobytes())
    for number in random.random(100).tolist():
        found = (math.exp(number), math.log(number), math.erf(number), math.pow(number, 1.7))
        digest.update(np.array(found).tobytes())
    return digest.hexdigest()[:_ARITHMETIC_DIGITS]


_collect_hashes = cache(collect_net_hashes)


def _format_hashes(hashes: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {sha256[:_SHOWN_DIGITS]}" for name, sha256 in hashes.items()) or "none"


def _hash_files() -> str:
    """Return a hash of all modules and data files, without what Python and editors leave beside them."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        folder = Path(package.__path__[0])
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            is_left = "__pycache__" in name or file.name.startswith(".") or file.name.endswith(_LEFT_BEHIND)
            if is_left or name.startswith(_PAGE) or not file.is_file():
                continue
            digest.update(f"{package.__name__}/{name}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
