"""The version of the program, and hashes of the sources that it is made of."""

from __future__ import annotations

import functools
import hashlib
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

NAME = "gammond"

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the packages: ``gammond`` where it is installed, else the top of the source."""

IS_CHECKOUT = (ROOT / NAME).is_dir()
"""Whether the program runs from its source, which changes without its version."""

_HASH_DIGITS = 12

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\((?:[^)#]|#.*)*\)|(?:\\\n|.)*)"
    r"|import[ \t]+((?:\\\n|.)*))",
    re.MULTILINE,
)
"""An import, parsed in a hundredth of the time that `ast` takes; a text that looks like one does no harm."""

_NAME = re.compile(r"[\w.]+")


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
def identify_program(*modules: ModuleType) -> str:
    """Return the version, followed in a checkout by a hash of modules and of all that they import.

    Args:
        modules: Those that do the work which is to be recognised.
    """
    if not IS_CHECKOUT:
        return read_version()
    return f"{read_version()}+{hash_modules(*(module.__name__ for module in modules))[:_HASH_DIGITS]}"


def hash_modules(*modules: str) -> str:
    """Return a hash of the sources of modules and of all that they import from this program.

    Args:
        modules: Their full names.

    Returns:
        64 hexadecimal digits.
    """
    found, pending = set(modules), list(modules)
    while pending:
        more = _read_module(pending.pop())[1] - found
        found |= more
        pending += more
    digest = hashlib.sha256()
    for name in sorted(found):
        digest.update(name.encode())
        digest.update(_read_module(name)[0])
    return digest.hexdigest()


@functools.cache
def _read_module(module: str) -> tuple[bytes, frozenset[str]]:
    """Return the hash of a module of this program, and the modules that it imports.

    Among these are the packages that they and it are in, but for the outermost: it has no part in any work,
    and names the whole public API. A name that is none of this program has neither.
    """
    file = _find_source(module)
    source = b"" if file is None else file.read_bytes()
    names: set[str] = set()
    for package, members, modules in _IMPORT.findall(source.decode()):
        names.update(_NAME.findall(modules) or (package,))
        if package and _is_package(package):
            names.update(f"{package}.{name}" for name in _NAME.findall(members))
    parents = {
        name[:place] for name in (module, *names) for place, letter in enumerate(name) if letter == "."
    }
    inside = {name for name in names | parents if name.startswith(f"{NAME}.")}
    imports = frozenset(name for name in inside if _find_source(name) is not None)
    return hashlib.sha256(source).digest(), imports


def _is_package(module: str) -> bool:
    file = _find_source(module)
    return file is not None and file.name == "__init__.py"


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
