"""Bearoff databases in use: their folder, opening them, building the default ones, and packed for kernels."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from gammond.engine.bearoff.file_format import (
    BearoffHeader,
    BearoffKind,
    make_database_error,
    open_database,
    write_database,
)
from gammond.engine.bearoff.one_sided import OneSidedTable, build_one_sided
from gammond.engine.bearoff.tables import BearoffTable
from gammond.engine.bearoff.two_sided import TwoSidedTable, build_two_sided
from gammond.engine.errors import DataFileError
from gammond.engine.evaluation.evaluator import ExactEvaluator
from gammond.engine.kernels.bearoff_one_sided import Distributions
from gammond.engine.kernels.bearoff_tables import NO_TABLES, BearoffTables, lock
from gammond.engine.rules.position import CHECKERS
from gammond.engine.runtime.built_files import load_or_build
from gammond.engine.runtime.files import data_folder

DEFAULT_TWO_SIDED = BearoffHeader(BearoffKind.TWO_SIDED, 6, 6, cubeful=True)
DEFAULT_ONE_SIDED = BearoffHeader(BearoffKind.ONE_SIDED, 6, CHECKERS)

DEFAULT_BYTES = {DEFAULT_TWO_SIDED: 13_660_544, DEFAULT_ONE_SIDED: 2_953_948}
"""Sizes of their files."""

_SIZE = re.compile(r"(?:one|two)-sided-([0-9]{1,2})x([0-9]{1,2})(?:-cubeful)?\.bearoff")
_MOST = 1.001
"""Chances, and equities for a cube of 1, are at most 1, and what rounding adds."""

_TableT = TypeVar("_TableT", OneSidedTable, TwoSidedTable)


class BearoffEvaluators(NamedTuple):
    """The bearoff evaluators in the order in which to ask.

    Attributes:
        two_sided: Exact, cubeful too, for few checkers.
        one_sided: By the two sides' distributions, for up to 15 checkers.
    """

    two_sided: TwoSidedTable
    one_sided: OneSidedTable


def open_table(path: Path) -> OneSidedTable | TwoSidedTable:
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


def load_bearoff(folder: Path | None = None) -> BearoffEvaluators:
    """Open the default databases; missing and damaged ones are built, as `load_or_build` builds.

    Args:
        folder: Their folder; None for `data_folder`.
    """
    folder = data_folder() if folder is None else folder
    return BearoffEvaluators(
        _open_or_build(TwoSidedTable, DEFAULT_TWO_SIDED, folder, build_two_sided),
        _open_or_build(OneSidedTable, DEFAULT_ONE_SIDED, folder, build_one_sided),
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
        TwoSidedTable(
            two_sided, lambda: _open_or_build(TwoSidedTable, two_sided, folder, build_two_sided).arrays
        ),
        OneSidedTable(
            one_sided, lambda: _open_or_build(OneSidedTable, one_sided, folder, build_one_sided).arrays
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


def pack_tables(exact: Sequence[ExactEvaluator], *, cubeful: bool = False) -> BearoffTables:
    """Pack databases for the kernels, which answer as the evaluators do in their order.

    Args:
        exact: At most a two-sided database, and after it a one-sided one.
        cubeful: Whether they have to know the cube.

    Raises:
        TypeError: They are others.
    """
    two_sided, one_sided = None, None
    for table in exact:
        if isinstance(table, TwoSidedTable) and (table.is_cubeful or not cubeful) and table is exact[0]:
            two_sided = table
        elif isinstance(table, OneSidedTable) and one_sided is None and not cubeful:
            one_sided = table
        else:
            raise TypeError(f"expected a two-sided and then a one-sided bearoff database, got {table}")
    return _pack(two_sided, one_sided)


@lru_cache(maxsize=8)
def _pack(two_sided: TwoSidedTable | None, one_sided: OneSidedTable | None) -> BearoffTables:
    tables = NO_TABLES
    if two_sided:
        tables = tables._replace(pair_ranks=lock(two_sided.numbering.ranks), wins=lock(two_sided.wins))
        if two_sided.equities is not None:
            tables = tables._replace(equities=lock(two_sided.equities))
    if one_sided:
        sides, starts, values, firsts, counts = one_sided.distributions
        distributions = Distributions(sides, lock(starts), lock(values), lock(firsts), lock(counts))
        tables = tables._replace(side_ranks=lock(one_sided.numbering.ranks), distributions=distributions)
    return tables


def _open_or_build(
    kind: type[_TableT], header: BearoffHeader, folder: Path, build: Callable[[int, int], _TableT]
) -> _TableT:
    """Open a database: a default one is read, or built where it is missing; another is mapped."""
    path = folder / header.file_name
    if header not in DEFAULT_BYTES:
        return _read_table(kind, path, *open_database(path, header, has_checksum=False), has_all=False)
    return load_or_build(
        path,
        f"the {header} bearoff database",
        DEFAULT_BYTES[header],
        read=lambda: _read_table(kind, path, *open_database(path, header)),
        build=lambda: build(header.points, header.checkers),
        save=lambda table: save_table(table, path),
    )


def _read_table(
    kind: type[_TableT], path: Path, header: BearoffHeader, payload: memoryview, *, has_all: bool = True
) -> _TableT:
    """Read a table in place from a payload, and look at its numbers too if the file was read, and not mapped.

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
