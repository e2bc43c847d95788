"""What the program is made of: the sources of its modules, with all that these import."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the four packages."""

IS_CHECKOUT = ROOT.name != "_packages"
"""Whether the program runs from its source, which changes without its version; a wheel has another place."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\((?:[^)#]|#.*)*\)|(?:\\\n|.)*)"
    r"|import[ \t]+((?:\\\n|.)*))",
    re.MULTILINE,
)
"""An import, parsed in a hundredth of the time that `ast` takes; a text that looks like one does no harm."""

_NAME = re.compile(r"[\w.]+")


def hash_modules(*modules: str) -> str:
    """Return a hash of the sources of modules and of all that they import from this program.

    Args:
        modules: Their full names.

    Returns:
        64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    for name in sorted(_collect_imports(modules)):
        digest.update(name.encode())
        digest.update(_hash_source(name))
    return digest.hexdigest()


def _collect_imports(modules: tuple[str, ...]) -> set[str]:
    """Return modules and all modules of this program that they import, directly or not."""
    found, pending = set(modules), list(modules)
    while pending:
        more = _read_imports(pending.pop()) - found
        found |= more
        pending += more
    return found


@functools.cache
def _read_imports(module: str) -> frozenset[str]:
    """Return the modules of this program that a module imports, with the packages that they and it are in."""
    found = set(_list_packages(module))
    for package, names, modules in _IMPORT.findall((_read_source(module) or b"").decode()):
        for name in _NAME.findall(modules) or (package,):
            found.update((name, *_list_packages(name)))
        if package and _is_package(package):
            found.update(f"{package}.{name}" for name in _NAME.findall(names))
    return frozenset(name for name in found if _find_source(name) is not None)


def _list_packages(module: str) -> list[str]:
    """Return the packages that a module is in."""
    return [module[:place] for place, letter in enumerate(module) if letter == "."]


def _is_package(module: str) -> bool:
    file = _find_source(module)
    return file is not None and file.name == "__init__.py"


@functools.cache
def _hash_source(module: str) -> bytes:
    return hashlib.sha256(_read_source(module) or b"").digest()


@functools.cache
def _read_source(module: str) -> bytes | None:
    """Read the source of a module of this program; None for anything else."""
    file = _find_source(module)
    return None if file is None else file.read_bytes()


@functools.cache
def _find_source(module: str) -> Path | None:
    """Return the file of a module of this program; None for a module of another package, or no module."""
    package, loaded = module.rpartition(".")[0], sys.modules.get(module)
    if package and not _is_package(package):  # the import system would import others'
        return None
    spec = loaded.__spec__ if loaded is not None else find_spec(module)
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin)
    if ROOT not in file.parents or "site-packages" in file.relative_to(ROOT).parts:
        return None
    return file
