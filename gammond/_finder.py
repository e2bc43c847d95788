"""Where the packages behind `gammond` are, and how Python finds them.

The source has them as top-level folders: ``engine``, ``nets``, ``protocol``, ``tools``. Installed under such
common names they would collide with other projects. So a wheel keeps them in ``gammond/_packages``, and a
finder that goes before all others leads these four names there, or to the checkout if gammond runs from one.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

NAMES = ("engine", "nets", "protocol", "tools")
"""The packages that belong to gammond."""

_INSTALLED = Path(__file__).resolve().parent / "_packages"
_CHECKOUT = Path(__file__).resolve().parent.parent


def find_root() -> Path:
    """Return the folder that holds the four packages."""
    return _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


class PackageFinder:
    """Finds gammond's own packages in one folder, whatever else ``sys.path`` offers under their names.

    Args:
        root: The folder that holds them.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of one of the four packages; None for every other module."""
        if fullname not in NAMES:
            return None
        return importlib.machinery.PathFinder.find_spec(fullname, [str(self.root)], target)


def install_finder() -> None:
    """Let the four names mean gammond's packages from now on, in this process and in those it starts.

    Raises:
        ImportError: A package of another project is already imported under one of the names.
    """
    root = find_root()
    for name in NAMES:
        _refuse_foreign(name, root)
    if not any(isinstance(finder, PackageFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, PackageFinder(root))
    if str(root) not in sys.path:
        sys.path.append(str(root))  # worker processes inherit the path before they import gammond


def _refuse_foreign(name: str, root: Path) -> None:
    module = sys.modules.get(name)
    if module is None:
        return
    places = [Path(place).resolve() for place in getattr(module, "__path__", [])]
    if root / name not in places:
        place = places[0] if places else getattr(module, "__file__", "an unknown place")
        raise ImportError(
            f"gammond needs the name {name!r} for a package of its own, but this process has imported "
            f"another one from {place}: import gammond first, or run it in a process of its own"
        )
