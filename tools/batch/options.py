"""The options of `gammond batch`, and what contradicts each other among them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from gammond.engine.errors import DataFileError, StateError, UnsupportedError
from gammond.engine.rules.rules import BACKGAMMON
from gammond.engine.runtime.files import check_output, identify_files
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.protocol.games import OTHER_GAMES
from gammond.tools.batch.evaluation import CUBE, EVAL, ID_FORMS, MOVES, WANTS
from gammond.tools.batch.rows import LINE_COLUMN, ROW_FORMATS
from gammond.tools.common.command_options import (
    CORES,
    Threads,
    argument,
    force_option,
    list_given,
    option,
    spell_option,
    written_file,
)
from gammond.tools.common.position_arguments import STDIN, variant_option
from gammond.tools.common.rollout_options import QuickNumbers
from gammond.tools.common.strength import DEFAULT_NET, Net
from gammond.tools.parallel.options import Cluster

PARQUET = "parquet"
"""The format that is no text."""

_CSV_SUFFIXES = ("", "txt", "gz")
"""Endings of names that say nothing about the format, which is then csv."""


class RolloutChoice(Struct, frozen=True, kw_only=True):
    """Whether positions are rolled out, and how."""

    TITLE: ClassVar[str] = "rollouts"

    rollout: Annotated[bool, option("roll out in place of a search")] = False
    numbers: QuickNumbers = QuickNumbers()

    def __post_init__(self) -> None:
        if not self.rollout and (given := list_given(self)):
            raise UnsupportedError(
                f"{spell_option(given[0])} is for rollouts: add --rollout", field="rollout"
            )


class BatchOptions(Struct, frozen=True, kw_only=True):
    """What is evaluated, how, and what is written of it."""

    file: Annotated[str, argument("FILE", "positions, one per line, or a table; - reads stdin")]
    want: Annotated[
        tuple[str, ...],
        option(f"what to say about each position: {', '.join(WANTS)}", "WHAT,...", choices=WANTS),
    ] = (EVAL,)
    column: Annotated[str, option("the column of positions, where FILE is a table", "NAME")] | None = None
    ids: Annotated[
        tuple[str, ...],
        option(f"also write each position as {', '.join(ID_FORMS)}", "FORM,...", choices=tuple(ID_FORMS)),
    ] = ()
    line_numbers: Annotated[
        bool, option(f"begin each row with the number of its line in FILE, as {LINE_COLUMN}")
    ] = False
    plies: (
        Annotated[
            int,
            option(
                f"plies of look-ahead, {MAX_PLIES} at most, in barca 48; 0 is the net alone (default 0)", ge=0
            ),
        ]
        | None
    ) = None
    filter: (
        Annotated[
            str,
            option(f"move filter of the search of plays (default {DEFAULT_FILTER})", choices=tuple(FILTERS)),
        ]
        | None
    ) = None
    variant: Annotated[str, variant_option(OTHER_GAMES)] = BACKGAMMON.name
    weights: Annotated[str, option("in barca, the board evaluation vector", "NAME")] | None = None
    cubeless: Annotated[bool, option("ignore cube and score; the fastest at 0-ply")] = False
    threads: Threads = CORES
    cluster: Cluster = ""
    format: (
        Annotated[
            str,
            option(
                "format of the rows (default that of the name of --output, else csv)",
                choices=(*ROW_FORMATS, PARQUET),
            ),
        ]
        | None
    ) = None
    output: Annotated[Path, written_file("file for the rows (default stdout)")] | None = None
    resume: Annotated[bool, option("continue an interrupted --output", one_of="existing")] = False
    force: Annotated[bool, force_option(one_of="existing")] = False
    net: Net = DEFAULT_NET
    rollouts: RolloutChoice = RolloutChoice()

    def __post_init__(self) -> None:
        if self.resume and self.output is None:
            raise StateError("--resume needs the --output of the interrupted run", field="resume")
        if self.row_format == PARQUET and self.output is None:
            raise StateError("parquet is written to a file: --output FILE.parquet", field="output")
        if self.row_format == PARQUET and self.resume:
            raise UnsupportedError("--resume continues csv, tsv and jsonl, not parquet", field="resume")
        if self.format is None and self._suffix not in (*ROW_FORMATS, PARQUET, *_CSV_SUFFIXES):
            known = ", ".join((*ROW_FORMATS, PARQUET))
            raise UnsupportedError(
                f"--output {self.output}: rows are written as {known}: give the file one of these endings, "
                "or --format",
                field="output",
            )
        if self.filter is not None and (self.is_rollout or MOVES not in self.want or not self.plies):
            raise UnsupportedError(
                "--filter is for plays that are searched: add --want moves and --plies 1 or more"
                + ", without --rollout" * self.is_rollout,
                field="filter",
            )
        if self.weights is not None and self.variant not in OTHER_GAMES:
            raise UnsupportedError(f"--weights is not for {self.variant}: remove it", field="weights")
        if CUBE in self.want and self.cubeless and self.variant not in OTHER_GAMES:
            raise UnsupportedError(
                "--cubeless leaves the cube out: remove it, or 'cube' from --want", field="want"
            )

    @property
    def wants(self) -> tuple[str, ...]:
        """What is said about each position, in the order of the columns."""
        return tuple(each for each in WANTS if each in self.want)

    @property
    def id_forms(self) -> tuple[str, ...]:
        """The forms in which each position is written, in the order of the columns."""
        return tuple(each for each in ID_FORMS if each in self.ids)

    @property
    def is_rollout(self) -> bool:
        """Whether positions are rolled out."""
        return self.rollouts.rollout

    @property
    def row_format(self) -> str:
        """The name of the format: that of the options, else of the output's name."""
        if self.format is not None:
            return self.format
        return self._suffix if self._suffix in (*ROW_FORMATS, PARQUET) else "csv"

    @property
    def _suffix(self) -> str:
        return "" if self.output is None else self.output.suffix.lower().removeprefix(".")

    def check_files(self) -> None:
        """Check that the input is there, and that the output may be written.

        Raises:
            DataFileError: There is no input.
            GammondError: As `gammond.engine.runtime.files.check_output`.
        """
        if self.file != STDIN and not Path(self.file).exists():
            raise DataFileError(f"{self.file}: no such file", field="file")
        if self.output is not None:
            check_output(
                self.output,
                identify_files([None if self.file == STDIN else Path(self.file)]),
                force=self.force or self.resume,
                instead="--resume continues after its rows",
            )
