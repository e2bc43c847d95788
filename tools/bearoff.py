"""Build bearoff databases, and describe database files."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from gammond.engine.bearoff.databases import DEFAULT_ONE_SIDED, DEFAULT_TWO_SIDED, open_table, save_table
from gammond.engine.bearoff.file_format import MAGIC, BearoffHeader, BearoffKind
from gammond.engine.bearoff.one_sided import OneSidedTable, build_one_sided, estimate_one_sided_bytes
from gammond.engine.bearoff.two_sided import TwoSidedTable, build_two_sided, estimate_two_sided_bytes
from gammond.engine.errors import StateError
from gammond.engine.runtime.exit_codes import EXIT_OK
from gammond.engine.runtime.files import begins_with, check_output, data_folder
from gammond.engine.runtime.machine import check_memory, format_size
from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.command_options import (
    CORES,
    Force,
    Threads,
    ToolCommand,
    list_given,
    option,
    read_file,
    written_file,
)
from gammond.tools.common.files import name_in_errors
from gammond.tools.common.progress import Progress

SUMMARY = "build bearoff databases (make), or check and describe one (info)"

_DEFAULTS = {header.kind: header for header in (DEFAULT_TWO_SIDED, DEFAULT_ONE_SIDED)}
_KINDS = {kind.label: kind for kind in BearoffKind}


class MakeOptions(Struct, frozen=True, kw_only=True):
    """Which databases are built, and where."""

    kind: Annotated[str, option("kind of database (default both)", choices=sorted(_KINDS))] | None = None
    points: (
        Annotated[int, option("checkers on points 1 to N (default 6; up to 18 one-sided, 12 two-sided)", "N")]
        | None
    ) = None
    checkers: (
        Annotated[int, option("up to N checkers per side (default 15 one-sided, 6 two-sided)", "N")] | None
    ) = None
    cubeless: Annotated[
        bool, option("two-sided: winning chances only, no cubeful equities (a quarter of the size)")
    ] = False
    output: Annotated[Path, written_file("the file (default in the data folder)")] | None = None
    force: Force = False
    threads: Threads = CORES

    def __post_init__(self) -> None:
        for name in list_given(self) if self.kind is None else ():
            if name not in ("force", "threads"):
                raise StateError(f"--{name} needs --kind {' or '.join(sorted(_KINDS))}", field="kind")

    def select_databases(self) -> list[tuple[BearoffHeader, Path]]:
        """Return what is to be built, and where.

        Raises:
            StateError: One-sided databases have no equities to leave out.
        """
        if self.kind is None:
            return [(header, data_folder() / header.file_name) for header in _DEFAULTS.values()]
        default = _DEFAULTS[_KINDS[self.kind]]
        if self.cubeless and default.kind is not BearoffKind.TWO_SIDED:
            raise StateError(
                "--cubeless needs --kind two-sided: no other database has equities", field="cubeless"
            )
        header = BearoffHeader(
            default.kind,
            default.points if self.points is None else self.points,
            default.checkers if self.checkers is None else self.checkers,
            default.cubeful and not self.cubeless,
        )
        return [(header, self.output or data_folder() / header.file_name)]


class InfoOptions(Struct, frozen=True, kw_only=True):
    """The database that is described."""

    file: Annotated[Path, read_file("a database file", count="")]


def _make(options: MakeOptions) -> int:
    for header, path in options.select_databases():
        if options.output is not None:
            check_output(path, force=options.force, is_own=begins_with(MAGIC))
        make_table(header, path, options.threads)
    return EXIT_OK


def _describe(options: InfoOptions) -> int:
    sys.stdout.write(describe_table(options.file))
    return EXIT_OK


def make_table(header: BearoffHeader, path: Path, threads: int | None = None) -> None:
    """Build a database, with its memory use on stderr and a progress bar; the file appears when it is whole.

    Args:
        header: What to build.
        path: Of the file.
        threads: None for one for each core.

    Raises:
        ValueRangeError: Points or checkers are out of range.
        LimitError: This machine has too little memory.
        DataFileError: The file cannot be written.
    """
    _check_memory(header)
    started_s = time.perf_counter()
    with name_in_errors(path, "written", "output"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass  # fails before the work if the folder cannot be written
        save_table(_build(header, threads), path)
    sys.stdout.write(
        f"{path}: {header}, {format_size(path.stat().st_size)}, {time.perf_counter() - started_s:.1f} s\n"
    )


def describe_table(path: Path) -> str:
    """Check and describe a database, a line for each property.

    Raises:
        DataFileError: It cannot be read or is broken.
    """
    table = open_table(path)
    numbering = table.numbering
    lines = [
        ("file", f"{path} ({format_size(path.stat().st_size)}, checksum correct)"),
        ("kind", table.header.kind.label),
        ("points", f"1 to {numbering.points}"),
        ("checkers", f"up to {numbering.checkers} per side"),
        ("sides", f"{numbering.side_count:,} including the empty one"),
        *(_describe_two_sided(table) if isinstance(table, TwoSidedTable) else _describe_one_sided(table)),
    ]
    return "".join(f"{name:<10}{text}\n" for name, text in lines)


def _describe_one_sided(table: OneSidedTable) -> list[tuple[str, str]]:
    chances, rows = table.roll_distribution(table.numbering.side_count - 1), table.distributions
    mean = sum(rolls * float(chance) for rolls, chance in enumerate(chances))
    return [
        ("rows", f"{len(rows.starts):,} distributions, {len(rows.values):,} chances"),
        ("longest", f"{mean:.4f} rolls on average to bear off all checkers from the highest point"),
    ]


def _describe_two_sided(table: TwoSidedTable) -> list[tuple[str, str]]:
    last = table.numbering.side_count - 1
    holds = "winning chances"
    if table.is_cubeful:
        holds += ", and money equities with the cube centred, own and the opponent's"
    return [
        ("holds", holds),
        ("records", f"{table.wins.size:,}; {(last**2):,} without the empty side"),
        (
            "longest",
            f"the side on roll has a winning chance of {table.wins[last, last]:.6f}"
            " when both have all checkers on the highest point",
        ),
    ]


def _check_memory(header: BearoffHeader) -> None:
    if header.kind is BearoffKind.TWO_SIDED:
        building_bytes, file_bytes = estimate_two_sided_bytes(header.points, header.checkers, header.cubeful)
    else:
        building_bytes, file_bytes = estimate_one_sided_bytes(header.points, header.checkers)
    sys.stderr.write(
        f"{header}: needs about {format_size(building_bytes)} of memory,"
        f" the file about {format_size(file_bytes)}\n"
    )
    check_memory(building_bytes, f"building {header}")


def _build(header: BearoffHeader, threads: int | None) -> OneSidedTable | TwoSidedTable:
    with Progress(None, str(header)) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done)

        size = header.points, header.checkers
        if header.kind is BearoffKind.TWO_SIDED:
            return build_two_sided(*size, cubeful=header.cubeful, threads=threads, progress=show)
        return build_one_sided(*size, threads=threads, progress=show)


COMMAND = CommandGroup(
    {
        "make": ToolCommand(
            MakeOptions, _make, "build databases; by default the two that the engine uses, in the data folder"
        ),
        "info": ToolCommand(InfoOptions, _describe, "check and describe a database file"),
    },
    "ACTION",
)
