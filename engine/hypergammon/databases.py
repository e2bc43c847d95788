"""Solutions in the data folder: opening them, and building the small ones on first use."""

from __future__ import annotations

import sys
import time
from functools import cache
from pathlib import Path
from threading import Lock

from engine.bearoff.databases import data_folder
from engine.errors import DataFileError
from engine.hypergammon.numbering import MAX_CHECKERS
from engine.hypergammon.table import HypergammonTable
from engine.hypergammon.table_file import command_line, file_name, find_state_folder, open_file, write_table

_OPENING = Lock()


def find_path(checkers: int, folder: Path | None = None) -> Path:
    """Return the path of the file of a solution in the data folder."""
    return (data_folder() if folder is None else folder) / file_name(checkers)


def load_solution(checkers: int, folder: Path | None = None) -> HypergammonTable:
    """Open the solution for a number of checkers; each process opens a file once.

    Those for one and two checkers are built if they are missing, which takes seconds and is announced on
    stderr; where their file cannot be written or is damaged, they are built in memory in each process.

    Args:
        checkers: 1 to 3.
        folder: The folder of the file; None for the data folder.

    Raises:
        DataFileError: The solution for three checkers is missing, or its file is damaged.
    """
    check_solution(checkers, folder)
    with _OPENING:
        return _load(checkers, find_path(checkers, folder))


def check_solution(checkers: int, folder: Path | None = None) -> None:
    """Check that the solution for a number of checkers is there, or is built at its first use.

    Args:
        checkers: As for `load_solution`.
        folder: As for `load_solution`.

    Raises:
        DataFileError: It is missing.
    """
    path = find_path(checkers, folder)
    if checkers == MAX_CHECKERS and not path.exists():
        raise _make_missing_error(checkers, path)


def forget_solutions() -> None:
    """Open files again at their next use: they have been built anew."""
    _load.cache_clear()


@cache
def _load(checkers: int, path: Path) -> HypergammonTable:
    from engine.hypergammon.construction import build_table  # few starts solve anything

    if path.exists():
        try:
            return open_file(path, checkers)
        except DataFileError as error:
            if checkers == MAX_CHECKERS:
                raise
            _warn(error.message)
            return build_table(checkers)
    started_s = time.monotonic()
    _say(f"solving hypergammon with {checkers} a side once (seconds): {path}")
    table = build_table(checkers)
    _say(f"solved in {time.monotonic() - started_s:.0f} s")
    try:
        write_table(path, checkers, [table.values], lambda: table.match_equities)
    except OSError as error:
        _warn(f"cannot write {path} ({error.strerror})")
    return table


def _warn(reason: str) -> None:
    _say(f"{reason}; until then each start solves it in memory (seconds)")


def _say(text: str) -> None:
    """Write a line on stderr, on a terminal over the line that shows progress there."""
    clear_line = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{clear_line}gammond: {text}\n")


def _make_missing_error(checkers: int, path: Path) -> DataFileError:
    begun = " (what was begun goes on)" if find_state_folder(path).exists() else ""
    what = f"the solution of hypergammon with {checkers} checkers a side"
    advice = f"build it with `{command_line(checkers)}`, once, in some minutes{begun}"
    return DataFileError(
        f"{path} is missing, {what}: {advice}",
        field="variant",
        public_message=f"{what} is missing: {advice}",
    )
