"""Solutions in the data folder: opening them, and building the small ones on first use."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock

from gammond.engine.cubeful.solutions import SolutionSource
from gammond.engine.errors import DataFileError
from gammond.engine.hypergammon.layouts import MAX_CHECKERS, VARIANTS
from gammond.engine.hypergammon.table import (
    HypergammonTable,
    command_line,
    file_bytes,
    find_state_folder,
    name_solution,
    open_file,
    write_table,
)
from gammond.engine.runtime.built_files import BuiltFile
from gammond.engine.runtime.files import data_folder

_OPENING = Lock()


def find_path(checkers: int) -> Path:
    """Return the path of the file of a solution in the data folder."""
    return data_folder() / f"{name_solution(checkers)}.solution"


def load_solution(checkers: int) -> HypergammonTable:
    """Open the solution for a number of checkers; each process opens a file once.

    Those for one and two checkers are built where they are missing, as `BuiltFile.load` builds.

    Args:
        checkers: 1 to 3.

    Raises:
        DataFileError: The solution for three checkers is missing, or its file is damaged.
    """
    check_solution(checkers)
    with _OPENING:
        return _load(checkers, find_path(checkers))


def check_solution(checkers: int) -> None:
    """Check that the solution for a number of checkers is there, or is built at its first use.

    Raises:
        DataFileError: It is missing.
    """
    path = find_path(checkers)
    if checkers == MAX_CHECKERS and not path.exists():
        begun = " (what was begun goes on)" if find_state_folder(path).exists() else ""
        what = f"the solution of hypergammon with {checkers} checkers a side"
        advice = f"build it with `{command_line(checkers)}`, once, in some minutes{begun}"
        raise DataFileError(
            f"{path} is missing, {what}: {advice}",
            field="variant",
            public_message=f"{what} is missing: {advice}",
        )


SOURCE = SolutionSource(
    tuple(VARIANTS.values()),
    load=lambda variant: load_solution(variant.checkers),
    check=lambda variant: check_solution(variant.checkers),
)


def forget_solutions() -> None:
    """Open files again at their next use: they have been built anew."""
    _load.cache_clear()


@cache
def _load(checkers: int, path: Path) -> HypergammonTable:
    if checkers == MAX_CHECKERS:
        return open_file(path, checkers)

    def build() -> HypergammonTable:
        from gammond.engine.hypergammon.construction import build_table  # few starts solve anything

        return build_table(checkers)

    return BuiltFile(
        path,
        f"the solution of hypergammon with {checkers} a side",
        file_bytes(checkers),
        read=lambda: open_file(path, checkers),
        build=build,
        save=lambda table: write_table(path, checkers, table.arrays),
    ).load()
