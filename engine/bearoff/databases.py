"""Bearoff databases on disk: their folder, opening them, building the default ones on first use."""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import platformdirs

from engine.bearoff.file_format import (
    BearoffHeader,
    BearoffKind,
    make_database_error,
    open_database,
    write_database,
)
from engine.bearoff.numbering import SideNumbering
from engine.bearoff.one_sided import OneSidedTable, build_one_sided
from engine.bearoff.two_sided import TwoSidedTable, build_two_sided, make_two_sided_numbering
from engine.errors import DataFileError
from engine.rules.position import CHECKERS
from engine.runtime.disk_space import is_disk_full

DEFAULT_TWO_SIDED = BearoffHeader(BearoffKind.TWO_SIDED, 6, 6, cubeful=True)
DEFAULT_ONE_SIDED = BearoffHeader(BearoffKind.ONE_SIDED, 6, CHECKERS)

DEFAULT_BYTES = {DEFAULT_TWO_SIDED: 13_660_544, DEFAULT_ONE_SIDED: 2_953_948}
"""Sizes of their files."""

_SIZE = re.compile(r"(?:one|two)-sided-([0-9]{1,2})x([0-9]{1,2})(?:-cubeful)?\.bearoff")
_SILENT_WAIT_S = 1.0
_MOST = 1.001
"""Chances, and equities for a cube of 1, are at most 1, and what rounding adds."""

BearoffTable = OneSidedTable | TwoSidedTable
_TableT = TypeVar("_TableT", OneSidedTable, TwoSidedTable)


_UNSAVED: dict[Path, Any] = {}
"""Tables that this process has built and could not keep, by the files that they should have."""

_BUILDING = Lock()


@dataclass(frozen=True)
class BearoffEvaluators:
    """The bearoff evaluators; iterating gives them in the order in which to ask.

    Attributes:
        two_sided: Exact, cubeful too, for few checkers.
        one_sided: By the two sides' distributions, for up to 15 checkers.
    """

    two_sided: TwoSidedTable
    one_sided: OneSidedTable

    def __iter__(self) -> Iterator[BearoffTable]:
        yield self.two_sided
        yield self.one_sided


def data_folder() -> Path:
    """Return the folder of databases: ``GAMMOND_DATA``, or the system's folder for user data."""
    return Path(os.environ.get("GAMMOND_DATA") or platformdirs.user_data_dir("gammond"))


def open_table(path: Path) -> BearoffTable:
    """Read a database file, or map a large one into memory, and check it.

    Args:
        path: The file.

    Raises:
        DataFileError: The file is missing, not a database, of another version, truncated or altered.
    """
    header, payload = open_database(path)
    if header.kind is BearoffKind.TWO_SIDED:
        return _read_table(TwoSidedTable, path, header, payload)
    return _read_table(OneSidedTable, path, header, payload)


def save_table(table: BearoffTable, path: Path) -> None:
    """Write a database file atomically.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    write_database(path, table.header, table.arrays)


def load_bearoff(folder: Path | None = None, build: bool = True) -> BearoffEvaluators:
    """Open the default databases and build missing ones, which takes seconds and is announced on stderr.

    Where the folder cannot be written, they are built once in each process; so is one whose file is damaged,
    which is left as it is. Of several processes one builds, and the others wait; where no file can be locked
    all build, and write the same content atomically.

    Args:
        folder: Their folder; None for `data_folder`.
        build: Whether to build missing and damaged databases.

    Raises:
        DataFileError: A database is missing, altered, truncated or of another kind, with `build` off.
    """
    folder = data_folder() if folder is None else folder
    return BearoffEvaluators(
        _open_or_build(TwoSidedTable, DEFAULT_TWO_SIDED, folder, build_two_sided if build else None),
        _open_or_build(OneSidedTable, DEFAULT_ONE_SIDED, folder, build_one_sided if build else None),
    )


def defer_bearoff(folder: Path | None = None, *, is_default: bool = False) -> BearoffEvaluators:
    """Return databases unopened: each is opened, or built, when a position is first looked up.

    Few first requests are about a bearoff, and a start need not wait for the databases. Larger databases that
    the folder has take the place of the default ones; they are mapped.

    Args:
        folder: Their folder; None for `data_folder`.
        is_default: Whether to use the default ones whatever the folder has.
    """
    return _defer_bearoff(data_folder() if folder is None else folder, is_default)


@cache
def _defer_bearoff(folder: Path, is_default: bool) -> BearoffEvaluators:
    two_sided, one_sided = (
        default if is_default else find_largest(folder, default)
        for default in (DEFAULT_TWO_SIDED, DEFAULT_ONE_SIDED)
    )
    return BearoffEvaluators(
        _DeferredTwoSided(
            lambda: _open_chosen(TwoSidedTable, two_sided, folder, build_two_sided),
            make_two_sided_numbering(two_sided.points, two_sided.checkers),
            two_sided,
        ),
        _DeferredOneSided(
            lambda: _open_chosen(OneSidedTable, one_sided, folder, build_one_sided),
            SideNumbering(one_sided.points, one_sided.checkers),
            one_sided,
        ),
    )


def find_largest(folder: Path, default: BearoffHeader) -> BearoffHeader:
    """Return the contents of the largest database of a kind in a folder, by sides, the default among them.

    A larger file that cannot be used is left out, which stderr says.

    Args:
        folder: Where files with the names that `BearoffHeader.file_name` gives are.
        default: What is used if there is no larger one that covers its positions too.
    """
    found = [default]
    for path in folder.glob(f"{default.kind.label}-*.bearoff"):
        size = _SIZE.fullmatch(path.name)
        if size is None:
            continue
        header = BearoffHeader(default.kind, int(size[1]), int(size[2]), default.cubeful)
        if header != default and header.file_name == path.name and header.includes(default):
            try:
                open_database(path, header, has_checksum=False)
                found.append(header)
            except DataFileError as error:
                sys.stderr.write(f"gammond: {error.message}; until then a smaller one is used\n")
    return max(found, key=lambda header: (header.side_count, header.points))


def _open_chosen(
    kind: type[_TableT], header: BearoffHeader, folder: Path, build: Callable[[int, int], _TableT]
) -> _TableT:
    if header in DEFAULT_BYTES:
        return _open_or_build(kind, header, folder, build)
    path = folder / header.file_name
    return _read_table(kind, path, *open_database(path, header, has_checksum=False), has_all=False)


class _Deferred:
    """Gives a table its arrays when one of them is first asked for.

    Args:
        open_table: Opens or builds the table.
        numbering: Its numbering.
        header: Its contents.
    """

    def __init__(
        self, open_table: Callable[[], BearoffTable], numbering: SideNumbering, header: BearoffHeader
    ) -> None:
        self.numbering = numbering
        self.header = header
        self._open_table = open_table
        self._opening = Lock()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (of any type; asked for what is not there yet)
        if name.startswith("_"):
            raise AttributeError(name)
        with self._opening:
            if name not in self.__dict__:
                self.__dict__.update(vars(self._open_table()))
        if name not in self.__dict__:
            raise AttributeError(f"a bearoff table has no {name!r}", name=name, obj=self)
        return self.__dict__[name]


class _DeferredTwoSided(_Deferred, TwoSidedTable):
    """A two-sided table that is opened when it is first needed."""


class _DeferredOneSided(_Deferred, OneSidedTable):
    """A one-sided table that is opened when it is first needed."""


def _open_or_build(
    kind: type[_TableT], expected: BearoffHeader, folder: Path, build: Callable[[int, int], _TableT] | None
) -> _TableT:
    path = folder / expected.file_name
    if build is None:
        return _open_expected(kind, path, expected)
    with _BUILDING:
        if path.exists():
            return _open_or_rebuild(kind, path, expected, build)
        with _lock_building(path, expected):
            if path.exists():
                return _open_or_rebuild(kind, path, expected, build)
            if path not in _UNSAVED:
                return _build_and_save(path, expected, build)
        return cast("_TableT", _UNSAVED[path])


def _build_and_save(path: Path, expected: BearoffHeader, build: Callable[[int, int], _TableT]) -> _TableT:
    fault = _find_fault(path.parent)
    if fault is None:
        sys.stderr.write(f"gammond: building the {expected} bearoff database once (some seconds): {path}\n")
    else:
        _report_unsaved(path, expected, fault)
    table = build(expected.points, expected.checkers)
    if fault is None:
        try:
            save_table(table, path)
        except OSError as error:
            fault = error
            _report_unsaved(path, expected, fault)
    if fault is not None:
        _UNSAVED[path] = table
    return table


def _find_fault(folder: Path) -> OSError | None:
    """Return the error of writing into a folder; None if it can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"gammond")
    except OSError as error:
        return error
    return None


def _report_unsaved(path: Path, expected: BearoffHeader, error: OSError) -> None:
    """Say that a database is built at each start, and what ends that."""
    advice = "set GAMMOND_DATA to a folder that this user can write"
    if is_disk_full(error):
        size = f"{DEFAULT_BYTES[expected] / 1e6:.0f} MB"
        advice = f"make room for {size} there, or set GAMMOND_DATA to a folder on another disk"
    sys.stderr.write(
        f"gammond: cannot write {path} ({error.strerror}), so the {expected} bearoff database is built in "
        f"memory at each start (some seconds); {advice}\n"
    )


@contextmanager
def _lock_building(path: Path, expected: BearoffHeader) -> Iterator[None]:
    """Wait while another process builds a database, and make others wait; not where no file can be locked."""
    import filelock  # takes a while, and is needed once

    lock = filelock.FileLock(path.with_name(f".{path.name}.lock"))
    with suppress(OSError, NotImplementedError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=_SILENT_WAIT_S)
        except filelock.Timeout:
            sys.stderr.write(f"gammond: another process is building the {expected} bearoff database\n")
            lock.acquire()
    try:
        yield
    finally:
        if lock.is_locked:
            with suppress(OSError):
                Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()


def _open_or_rebuild(
    kind: type[_TableT], path: Path, expected: BearoffHeader, build: Callable[[int, int], _TableT]
) -> _TableT:
    try:
        return _open_expected(kind, path, expected)
    except DataFileError as error:
        if path not in _UNSAVED:
            sys.stderr.write(
                f"gammond: {error.message}; until then each start builds it in memory (some seconds)\n"
            )
            _UNSAVED[path] = build(expected.points, expected.checkers)
        return cast("_TableT", _UNSAVED[path])


def _open_expected(kind: type[_TableT], path: Path, expected: BearoffHeader) -> _TableT:
    if not path.exists():
        command = f"{expected.command_line} --output {shlex.quote(str(path))}"
        raise DataFileError(f"{path} is missing: build it with `{command}`", field="bearoff")
    header, payload = open_database(path, expected)
    return _read_table(kind, path, header, payload)


def _read_table(
    kind: type[_TableT], path: Path, header: BearoffHeader, payload: memoryview, *, has_all: bool = True
) -> _TableT:
    """Read a table in place.

    Args:
        kind: What it is.
        path: Its file.
        header: Its contents.
        payload: As `open_database` returns it.
        has_all: Whether the file was read, so that its numbers are looked at too; else it is mapped.

    Raises:
        DataFileError: The payload has the wrong size, or something impossible.
    """
    try:
        table = kind.from_payload(header, payload)
    except DataFileError as error:
        raise make_database_error(path, error.message, header) from error
    numbers = [array for array in table.arrays if array.dtype.kind == "f"]
    if has_all and not all(array.min() >= -_MOST and array.max() <= _MOST for array in numbers if array.size):
        raise make_database_error(path, "it has numbers that are neither chances nor equities", header)
    return table
