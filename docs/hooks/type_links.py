"""Links to the packages as they lie in a wheel: `build/types/gammond`.

mypy, import-linter and mkdocstrings read sources, and do not see how `gammond/__init__.py` finds the packages
beside it. mkdocs makes the links as a hook, `.ci/types` by running this file.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "types" / "gammond"
PACKAGES = ("engine", "nets", "protocol", "tools")


def on_startup(**_: object) -> None:
    """Make the links before plugins look for the folder."""
    make_links()


def make_links() -> None:
    """Make each link that is not there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for each in (*(ROOT / "gammond").iterdir(), *(ROOT / name for name in PACKAGES)):
        link = FOLDER / each.name
        if not link.is_symlink():
            link.symlink_to(os.path.relpath(each, FOLDER))


if __name__ == "__main__":
    make_links()
