"""The options of `gammond batch`, and what contradicts each other among them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gammond.engine.errors import DataFileError, StateError, UnsupportedError
from gammond.engine.runtime.files import check_output, identify_files
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.protocol.games import OTHER_GAMES
from gammond.tools.batch.evaluation import CUBE, EVAL, ID_FORMS, MOVES, WANTS
from gammond.tools.batch.rows import LINE_COLUMN, ROW_FORMATS
from gammond.tools.common.options import add_force_option, written_path
from gammond.tools.common.position_arguments import STDIN, add_variant_argument
from gammond.tools.common.rollout_options import QUICK, add_rollout_arguments, find_rollout_option
from gammond.tools.common.strength import add_net_argument
from gammond.tools.parallel.options import add_cluster_option, add_threads_option

PARQUET = "parquet"
"""The format that is no text."""

_CSV_SUFFIXES = ("", "txt", "gz")
"""Endings of names that say nothing about the format, which is then csv."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="positions, one per line, or a table; - reads stdin")
    parser.add_argument(
        "--want",
        type=partial(_parse_choices, WANTS),
        default=(EVAL,),
        metavar="WHAT,...",
        help=f"what to say about each position: {', '.join(WANTS)} (default {EVAL})",
    )
    parser.add_argument("--column", metavar="NAME", help="the column of positions, where FILE is a table")
    parser.add_argument(
        "--ids",
        type=partial(_parse_choices, ID_FORMS),
        default=(),
        metavar="FORM,...",
        help=f"also write each position as {', '.join(ID_FORMS)}",
    )
    parser.add_argument(
        "--line-numbers",
        action="store_true",
        help=f"begin each row with the number of its line in FILE, as {LINE_COLUMN}",
    )
    parser.add_argument(
        "--plies",
        type=int,
        help=f"plies of look-ahead, {MAX_PLIES} at most, in barca 48; 0 is the net alone (default 0)",
    )
    parser.add_argument(
        "--filter",
        choices=tuple(FILTERS),
        help=f"move filter of the search of plays (default {DEFAULT_FILTER})",
    )
    add_variant_argument(parser, OTHER_GAMES)
    parser.add_argument("--weights", metavar="NAME", help="in barca, the board evaluation vector")
    parser.add_argument("--cubeless", action="store_true", help="ignore cube and score; the fastest at 0-ply")
    add_threads_option(parser)
    add_cluster_option(parser)
    parser.add_argument(
        "--format",
        choices=(*ROW_FORMATS, PARQUET),
        help="format of the rows (default that of the name of --output, else csv)",
    )
    parser.add_argument(
        "--output", type=written_path, metavar="FILE", help="file for the rows (default stdout)"
    )
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument("--resume", action="store_true", help="continue an interrupted --output")
    add_force_option(existing)
    add_net_argument(parser)
    rollouts = parser.add_argument_group("rollouts")
    rollouts.add_argument("--rollout", action="store_true", help="roll out in place of a search")
    add_rollout_arguments(rollouts, QUICK)


def choose_format(args: argparse.Namespace) -> str:
    """Return the name of the format: that of the options, else of the output's name."""
    if args.format is not None:
        return str(args.format)
    suffix = "" if args.output is None else args.output.suffix.lower().removeprefix(".")
    return suffix if suffix in (*ROW_FORMATS, PARQUET) else "csv"


def check_options(args: argparse.Namespace) -> None:
    """Check that the options do not contradict each other, and that the files are there or not.

    Raises:
        GammondError: What is wrong; the message names the option.
    """
    if args.resume and args.output is None:
        raise StateError("--resume needs the --output of the interrupted run", field="resume")
    if choose_format(args) == PARQUET and args.output is None:
        raise StateError("parquet is written to a file: --output FILE.parquet", field="output")
    if choose_format(args) == PARQUET and args.resume:
        raise UnsupportedError("--resume continues csv, tsv and jsonl, not parquet", field="resume")
    suffix = "" if args.output is None else args.output.suffix.lower().removeprefix(".")
    if args.format is None and suffix not in (*ROW_FORMATS, PARQUET, *_CSV_SUFFIXES):
        known = ", ".join((*ROW_FORMATS, PARQUET))
        raise UnsupportedError(
            f"--output {args.output}: rows are written as {known}: give the file one of these endings, or "
            "--format",
            field="output",
        )
    if args.filter is not None and (args.rollout or MOVES not in args.want or not args.plies):
        raise UnsupportedError(
            "--filter is for plays that are searched: add --want moves and --plies 1 or more"
            + ", without --rollout" * args.rollout,
            field="filter",
        )
    if not args.rollout and (option := find_rollout_option(args)):
        raise UnsupportedError(f"{option} is for rollouts: add --rollout", field="rollout")
    if args.weights is not None and args.variant not in OTHER_GAMES:
        raise UnsupportedError(f"--weights is not for {args.variant}: remove it", field="weights")
    if args.file != STDIN and not Path(args.file).exists():
        raise DataFileError(f"{args.file}: no such file", field="file")
    if args.output is not None:
        check_output(
            args.output,
            identify_files([None if args.file == STDIN else Path(args.file)]),
            force=args.force or args.resume,
            instead="--resume continues after its rows",
        )
    if CUBE in args.want and args.cubeless and args.variant not in OTHER_GAMES:
        raise UnsupportedError(
            "--cubeless leaves the cube out: remove it, or 'cube' from --want", field="want"
        )


def _parse_choices(choices: Sequence[str], text: str) -> tuple[str, ...]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in choices:
            raise argparse.ArgumentTypeError(
                f"expected some of {', '.join(choices)}, with commas between them, got {word!r}"
            )
    return tuple(choice for choice in choices if choice in words)
