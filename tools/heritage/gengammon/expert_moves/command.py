"""``gammond heritage expert-moves``: extract the moves of experts from match files, to learn from.

Reads match files of every format that gammond reads, which their content shows: single files, and all files
in folders and .tar.gz archives that are not hidden. It checks every move by the rules. A move that is illegal
or cannot be read is reported with file and line, and ends its game; the moves before it count.

Filters then remove moves, in order: homebound, moves made after the sides had passed each other;
contradicting, all but the first where the same position and roll were played in different ways; unmovable,
turns without a legal move. --filters selects them; --filters none keeps all moves.
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.runtime.files import check_output, identify_files
from gammond.engine.wording import escape_unprintable
from gammond.tools.common.command_options import Force, ToolCommand, option, read_file, written_file
from gammond.tools.common.progress import Progress
from gammond.tools.heritage.gengammon.expert_moves.dataset import (
    FILTERS,
    ExpertMoves,
    filter_moves,
    write_expert_moves,
)
from gammond.tools.heritage.gengammon.expert_moves.extraction import (
    ExtractionReport,
    extract_moves,
    iterate_match_files,
)

SUMMARY = "extract the moves of experts from match files"

_NONE = "none"


class ExpertMovesOptions(Struct, frozen=True, kw_only=True):
    """What is read, which moves are kept, and where they go."""

    sources: Annotated[tuple[Path, ...], read_file("match files, folders and archives", "SOURCE", count="+")]
    output: Annotated[Path, written_file("file for the moves (.npz)")]
    force: Force = False
    players: Annotated[
        tuple[str, ...], option("whose moves count, comma-separated (default all players)", "LIST")
    ] = ()
    filters: Annotated[tuple[str, ...], option(f"filters in this order, or {_NONE}", "LIST")] = tuple(FILTERS)
    faults: Annotated[int, option("number of faults to list", "N", ge=0)] = 20


def run(options: ExpertMovesOptions) -> int:
    """Read the sources, report what is in them, and write the moves; return the exit status.

    Raises:
        GammondError: A source does not exist, an option is invalid, no move is left, or the file cannot be
            written; no file is written then.
    """
    began_s = time.monotonic()
    check_output(options.output, identify_files(options.sources), force=options.force)
    filters = () if options.filters == (_NONE,) else options.filters
    for name in filters:
        if name not in FILTERS:
            known = ", ".join((*FILTERS, _NONE))
            raise ValueRangeError(f"expected filters of {known}, got {name!r}", field="filters")
    files = iterate_match_files(options.sources)
    with Progress(None, "files") as bar:
        moves, report = extract_moves(files, options.players, bar.update)
    _write_faults(report, options.faults)
    _check_players(moves, options.players)
    kept, counts = filter_moves(moves, filters)
    sys.stdout.write("\n".join([*_format_counts(report, moves), *_format_filters(counts)]) + "\n")
    if not len(kept):
        raise DataFileError("no moves left: use other sources or fewer filters", field="sources")
    write_expert_moves(options.output, replace(kept, command=_format_command(options)))
    seconds = time.monotonic() - began_s
    sys.stdout.write(f"kept: {len(kept):,} moves in {options.output}, {seconds:.1f} seconds\n")
    return 0


def _format_command(options: ExpertMovesOptions) -> str:
    words = ["gammond heritage expert-moves", *(shlex.quote(str(source)) for source in options.sources)]
    words += ["--output", shlex.quote(str(options.output))]
    if options.players:
        words += ["--players", shlex.quote(",".join(options.players))]
    return " ".join([*words, "--filters", ",".join(options.filters)])


def _check_players(moves: ExpertMoves, players: Sequence[str]) -> None:
    missing = [name for name in players if name not in moves.player_names]
    if missing:
        raise ValueRangeError(f"no moves by {' or '.join(missing)} in the sources", field="players")


def _write_faults(report: ExtractionReport, limit: int) -> None:
    lines = [f"{each.name}: {each.fault}" for each in report.skipped]
    lines += [f"{name}: {fault}" for name, fault in report.faults]
    shown = lines[: max(limit, 0)]
    if len(lines) > len(shown):
        shown.append(f"{len(lines) - len(shown)} more faults: --faults {len(lines)} lists them all")
    sys.stderr.writelines(line + "\n" for line in shown)


def _format_counts(report: ExtractionReport, moves: ExpertMoves) -> list[str]:
    counts = np.bincount(moves.players, minlength=len(moves.player_names)).tolist()
    by_player = sorted(zip(counts, moves.player_names, strict=True), reverse=True)
    lines = [
        f"read: {report.files:,} files, {report.matches:,} matches, {report.games:,} games, "
        f"{report.moves:,} moves",
        f"skipped: {len(report.skipped)} files",
        *(f"faults: {count} {kind}" for kind, count in report.count_faults_by_kind().items()),
    ]
    shown = ", ".join(f"{escape_unprintable(name)} {count:,}" for count, name in by_player[:4])
    others = len(by_player) - 4
    return [*lines, f"moves: {len(moves):,} ({shown}{f', {others} others' if others > 0 else ''})"]


def _format_filters(counts: dict[str, int]) -> list[str]:
    return [f"filtered: {count:,} {name}" for name, count in counts.items()]


COMMAND = ToolCommand(ExpertMovesOptions, run)
