"""Evaluate a file of positions: evaluations, best plays, cube decisions, by search or by rollout.

FILE has a position on each line, in any form: GNU position IDs, alone or with a match ID behind a colon or a
blank, 'GNUbg ID: ...', 'Position ID: ... Match ID: ...', XGIDs, OGIDs, FIBS board and Snowie's lines; '#'
begins a comment. Or it is a table, csv or with tabs or semicolons, JSON lines, parquet: the positions are in
the column --column, else in one that is called xgid, ogid, gnubgid, positionid, position or id, with a column
matchid beside it if need be; its other columns are carried over. It reads what 'gammond batch' wrote, too.

Each position has a row, in the same order. After id, the text of the line, or the columns of the table, come

    --ids  xgid, ogid, gnubgid, matchid: the position in these forms
    eval   plies, win, win_g, win_bg, lose_g, lose_bg, equity, cubeful, mwc
    moves  dice, best, best_equity, best_mwc, second, second_equity, second_mwc
    cube   action, no_double, double_take, double_pass

and error. Numbers are for the player on roll, with 6 decimals. equity is the cubeless money equity of the
outcome; cubeful and those of moves and cube are cubeful equities, where 1 is a single game at the present
cube; mwc is the match-winning chance, empty in money play. Score and cube are those of the line; a position
ID by itself is money play with a centred cube. Dice are those of a column dice or roll (31, 3-1) or die1 and
die2, else those behind the position (4HPwATDgc/ABMA 31), else the position's own; without dice the cells of
moves are empty. --cubeless treats every position as cubeless money play and has no column cubeful or mwc.

--rollout rolls out each position, its best plays or its cube decision in place of a search; the presets and
numbers are those of 'gammond rollout', --quick unless another is named. Columns trials and, for the standard
error of an equity, equity_se, cubeful_se, mwc_se, best_se, ... come with it.

Bad lines get a row with only id and error. They do not stop the run; the exit status is then 1, and stderr
names the first 100 with their numbers at the end. jsonl has one object per line, without the empty cells;
parquet needs pyarrow.

After Ctrl-C or SIGTERM the output has whole rows, and the exit status is 130. --resume checks that the output
so far has this input's positions, this depth and, in a sample of rows, this net's values; it removes a
half-written last row, and continues after it. Parquet cannot be resumed.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from engine.errors import (
    DataFileError,
    FormatError,
    GammondError,
    StateError,
    UnsupportedError,
    ValueRangeError,
)
from engine.runtime.cores import count_usable_cores
from engine.search import MAX_PLIES
from tools.batch.evaluation import (
    DECISION_COLUMNS,
    EVAL,
    MOVES,
    WANTS,
    Answerer,
    load_batch_evaluator,
)
from tools.batch.ids import ID_FORMS
from tools.batch.lines import PositionLine, count_lines
from tools.batch.parquet import ParquetRows
from tools.batch.resume import ExistingOutput, check_same_net, resume_output
from tools.batch.rollouts import BatchRollouts
from tools.batch.rows import ERROR_COLUMN, ROW_FORMATS, RowFormat, format_error
from tools.batch.run import RowMaker, Tally, run_batch
from tools.batch.tables import PositionInput, open_input
from tools.common.interrupts import call_on_interrupt
from tools.common.locks import hold_lock
from tools.common.opponents import load_net_engine
from tools.common.progress import Progress
from tools.common.rollout_options import (
    QUICK,
    add_rollout_arguments,
    find_rollout_option,
    read_rollout_options,
)
from tools.common.strength import add_net_argument

SUMMARY = "evaluate a file of positions: values, best plays, cube decisions"

BLOCK_LINES = (8192, 256, 64, 8, 1)
"""Lines in a block, by plies, for each thread that looks ahead: some tenths of a second of work."""

_BLOCK_SHARE = 8
"""Blocks are so much smaller where plays or cube decisions are wanted, which take longer."""

PARQUET = "parquet"
"""The format that is no text."""

_CSV_SUFFIXES = ("", "txt", "gz")
"""Endings of names that say nothing about the format, which is then csv."""

_TEXT_COLUMNS = ("dice", "best", "second", DECISION_COLUMNS[0], ERROR_COLUMN)
"""Columns of rows that hold text."""

MAX_REPORTED_LINES = 100
"""Bad lines named on stderr; the others are only counted."""

_GZIP_MAGIC = b"\x1f\x8b"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="positions, one per line, or a table; - reads stdin")
    parser.add_argument(
        "--want",
        type=_parse_wants,
        default=(EVAL,),
        metavar="WHAT,...",
        help=f"what to say about each position: {', '.join(WANTS)} (default {EVAL})",
    )
    parser.add_argument("--column", metavar="NAME", help="the column of positions, where FILE is a table")
    parser.add_argument(
        "--ids",
        type=_parse_id_forms,
        default=(),
        metavar="FORM,...",
        help=f"also write each position as {', '.join(ID_FORMS)}",
    )
    parser.add_argument(
        "--plies",
        type=int,
        help=f"plies of look-ahead, {MAX_PLIES} at most; 0 is the net alone (default 0)",
    )
    parser.add_argument("--cubeless", action="store_true", help="ignore cube and score; the fastest at 0-ply")
    parser.add_argument("--threads", type=int, help="threads (default one for each core)")
    parser.add_argument(
        "--format",
        choices=(*ROW_FORMATS, PARQUET),
        help="format of the rows (default that of the name of --output, else csv)",
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="file for the rows (default stdout)")
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument("--resume", action="store_true", help="continue an interrupted --output")
    existing.add_argument("--force", action="store_true", help="overwrite an existing --output")
    add_net_argument(parser)
    rollouts = parser.add_argument_group("rollouts")
    rollouts.add_argument("--rollout", action="store_true", help="roll out in place of a search")
    add_rollout_arguments(rollouts, QUICK)


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0 when every line held a position, 1 otherwise.

    Raises:
        GammondError: The options contradict each other, or a file cannot be read, written or resumed.
    """
    _check_options(args)
    if args.output is not None and args.output.suffix == ".gz":
        _write_message(f"{args.output} will be plain text: rows are not compressed")
    threads = count_usable_cores() if args.threads is None else args.threads
    answerer = _load_answerer(args, threads)
    try:
        return _run_files(args, answerer, _count_block_lines(args, threads))
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        if args.output is not None and _choose_format(args) == PARQUET:
            _write_message(f"stopped; {args.output} has the rows so far")
        elif args.output is not None:
            resume = "--resume in place of --force" if args.force else "--resume"
            _write_message(f"stopped; {args.output} has whole rows, the same command with {resume} continues")
        raise
    except OSError as error:
        raise DataFileError(
            f"{error.filename or args.output or 'output'}: {error.strerror or error}", field="file"
        ) from None


def _parse_wants(text: str) -> tuple[str, ...]:
    return _parse_choices(text, WANTS)


def _parse_id_forms(text: str) -> tuple[str, ...]:
    return _parse_choices(text, ID_FORMS)


def _parse_choices(text: str, choices: Sequence[str]) -> tuple[str, ...]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in choices:
            raise argparse.ArgumentTypeError(
                f"expected some of {', '.join(choices)}, with commas between them, got {word!r}"
            )
    return tuple(choice for choice in choices if choice in words)


def _load_answerer(args: argparse.Namespace, threads: int) -> Answerer:
    is_cubeful = not args.cubeless
    if not args.rollout:
        return load_batch_evaluator(
            args.net, args.plies or 0, is_cubeful=is_cubeful, threads=threads, wants=args.want
        )
    options = read_rollout_options(args, threads, QUICK)
    return BatchRollouts(load_net_engine(args.net, threads), options, is_cubeful=is_cubeful, wants=args.want)


def _count_block_lines(args: argparse.Namespace, threads: int) -> int:
    """Return how many lines make a block."""
    if args.rollout:
        return 1
    lines = BLOCK_LINES[args.plies or 0] * (threads if args.plies else 1)
    return lines if args.want == (EVAL,) else max(lines // _BLOCK_SHARE, threads if args.plies else 1)


def _choose_format(args: argparse.Namespace) -> str:
    """Return the name of the format: that of the options, else of the output's name."""
    if args.format is not None:
        return str(args.format)
    suffix = "" if args.output is None else args.output.suffix.lower().removeprefix(".")
    return suffix if suffix in (*ROW_FORMATS, PARQUET) else "csv"


def _check_options(args: argparse.Namespace) -> None:
    if args.resume and args.output is None:
        raise StateError("--resume needs the --output of the interrupted run", field="resume")
    if _choose_format(args) == PARQUET and args.output is None:
        raise StateError("parquet is written to a file: --output FILE.parquet", field="output")
    if _choose_format(args) == PARQUET and args.resume:
        raise UnsupportedError("--resume continues csv, tsv and jsonl, not parquet", field="resume")
    suffix = "" if args.output is None else args.output.suffix.lower().removeprefix(".")
    if args.format is None and suffix not in (*ROW_FORMATS, PARQUET, *_CSV_SUFFIXES):
        known = ", ".join((*ROW_FORMATS, PARQUET))
        raise UnsupportedError(
            f"--output {args.output}: rows are written as {known}: give the file one of these endings, or "
            "--format",
            field="output",
        )
    if not args.rollout and (option := find_rollout_option(args)):
        raise UnsupportedError(f"{option} is for rollouts: add --rollout", field="rollout")
    if args.file != "-" and not Path(args.file).exists():
        raise DataFileError(f"{args.file}: no such file", field="file")
    if args.output is not None and args.output.exists():
        _check_existing_output(args)


def _check_existing_output(args: argparse.Namespace) -> None:
    path: Path = args.output
    if path.is_file() and _is_input(path, args.file):
        raise ValueRangeError(
            f"the output would overwrite the input {path if args.file == '-' else args.file}", field="output"
        )
    if path.is_file() and path.stat().st_size and not (args.resume or args.force):
        raise StateError(
            f"{path} already exists, with {path.stat().st_size:,} bytes: --resume continues after its rows,"
            " --force overwrites it",
            field="output",
        )


def _is_input(path: Path, name: str) -> bool:
    """Return whether a file is the input, which is standard input for the name ``-``."""
    if name != "-":
        return path.samefile(name)
    with suppress(OSError):  # standard input is closed, or not a file
        return os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()))
    return False


def _run_files(args: argparse.Namespace, answerer: Answerer, block_lines: int) -> int:
    started_s = time.perf_counter()
    with ExitStack() as opened:
        stream = opened.enter_context(_open_input(args.file))
        _refuse_gzip(stream, args.file)
        maker, given = _open_rows(args, answerer, stream)
        if args.output is not None:
            opened.enter_context(hold_lock(args.output, "output"))
        written, lines = ExistingOutput(), given.lines
        if _choose_format(args) == PARQUET:
            texts = (*maker.id_forms, *_TEXT_COLUMNS)
            table = opened.enter_context(ParquetRows(args.output, maker.carried, texts))

            def write(columns: Mapping[str, Sequence[Any]]) -> None:
                with hold_interrupts():
                    table.write(columns)
        else:
            rows = ROW_FORMATS[_choose_format(args)](maker.columns)
            output = opened.enter_context(_open_output(args.output, args.resume))
            if args.resume:
                written = _resume_with_progress(args, output, given, rows, answerer)
            if not written.has_header:
                _write_uninterrupted(output, rows.header.encode())

            def write(columns: Mapping[str, Sequence[Any]]) -> None:
                _write_uninterrupted(output, rows.format_rows(columns).encode())

        total = _count_input_lines(args.file)
        with (
            _BadLineReporter() as bad_lines,
            Progress(total, "batch", start=written.last_line, lines_of="gammond batch") as bar,
        ):
            bar.update(written.last_line)
            if isinstance(answerer, BatchRollouts):
                answerer.report = lambda trials: bar.update(bar.done, f"{trials} trials of the next")
            tally = run_batch(
                lines,
                maker,
                block_lines,
                write=write,
                report=bad_lines.report,
                advance=lambda number, tally: bar.update(
                    number, f"{tally.errors} bad" if tally.errors else ""
                ),
            )
    _write_message(_format_summary(tally, written, answerer, time.perf_counter() - started_s))
    return 1 if tally.errors or written.errors else 0


def _open_rows(
    args: argparse.Namespace, answerer: Answerer, stream: BinaryIO
) -> tuple[RowMaker, PositionInput]:
    """Open the input, and return what makes rows of its lines."""
    maker = RowMaker(answerer, (), args.ids, needs_dice=MOVES in args.want or bool(args.ids))
    path = None if args.file == "-" else Path(args.file)
    given = open_input(stream, path, args.column, (*maker.columns, "trials"))
    return replace(maker, carried=given.columns), given


def _open_input(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb")


def _refuse_gzip(stream: BinaryIO, name: str) -> None:
    """Refuse compressed input before reading or writing anything."""
    if isinstance(stream, io.BufferedReader) and stream.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
        what, file = ("the input", "FILE") if name == "-" else (name, shlex.quote(name))
        raise FormatError(f"{what} is gzip: zcat {file} | gammond batch -", field="file")


def _resume_with_progress(
    args: argparse.Namespace, output: BinaryIO, given: PositionInput, rows: RowFormat, answerer: Answerer
) -> ExistingOutput:
    """Check the rows of an earlier run, with a progress bar, and report them."""
    count = _count_input_lines(str(args.output)) or 0
    with Progress(count - rows.header.count("\n"), "check") if count else nullcontext() as bar:
        advance = bar.update if bar else lambda rows: None
        written = resume_output(output, given.lines, given.columns, rows, answerer.plies, advance)
    check_same_net(written.sample, answerer, most=1 if args.rollout else None)
    _write_message(_format_resume_note(args.output, written))
    return written


def _count_input_lines(name: str) -> int | None:
    """Count the lines of a file; None for stdin, pipes and devices, which counting would consume."""
    if name == "-" or not Path(name).is_file() or name.endswith(f".{PARQUET}"):
        return None
    return count_lines(Path(name))


def _open_output(path: Path | None, resume: bool) -> AbstractContextManager[BinaryIO]:
    if path is None:
        return nullcontext(sys.stdout.buffer)
    if not resume:
        return path.open("wb")
    return path.open("r+b" if path.exists() else "w+b")


def _write_uninterrupted(output: BinaryIO, data: bytes) -> None:
    """Write data whole even if an interrupt comes."""
    with hold_interrupts():
        output.write(data)
        output.flush()


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the block has ended; a second one some seconds later breaks in.

    Does nothing where they have other handlers, as in a background job that ignores Ctrl-C.
    """
    came = threading.Event()
    with call_on_interrupt(came.set):
        yield
    if came.is_set():
        raise KeyboardInterrupt


def _format_resume_note(path: Path, written: ExistingOutput) -> str:
    cut = ", a half-written row was removed" if written.is_truncated else ""
    errors = f" ({written.errors:,} with errors)" if written.errors else ""
    return (
        f"{path} has {_format_count(written.rows, 'row')} of this input{errors}{cut}; "
        f"continuing after line {written.last_line:,}"
    )


def _format_summary(tally: Tally, written: ExistingOutput, answerer: Answerer, elapsed_s: float) -> str:
    errors = tally.errors + written.errors
    bad = f", {_format_count(errors, 'bad line')}" if errors else ""
    before = f" after {written.rows - written.errors:,} of an earlier run" if written.rows else ""
    positions = tally.rows - tally.errors
    return (
        f"{_format_count(positions, 'position')}{before} by {answerer.name} at {answerer.plies}-ply "
        f"in {elapsed_s:.1f} s ({positions / elapsed_s:,.0f}/s){bad}"
    )


def _format_count(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


class _BadLineReporter:
    """Names bad lines on stderr at the end of the block: the first ones each, then how many more."""

    def __init__(self) -> None:
        self._count = 0
        self._messages: list[str] = []

    def __enter__(self) -> _BadLineReporter:
        return self

    def report(self, line: PositionLine, error: GammondError) -> None:
        self._count += 1
        if self._count <= MAX_REPORTED_LINES:
            self._messages.append(f"line {line.number}: {format_error(error)}")

    def __exit__(self, *raised: object) -> None:
        for message in self._messages:
            _write_message(message)
        if self._count > MAX_REPORTED_LINES:
            _write_message(
                f"{_format_count(self._count - MAX_REPORTED_LINES, 'more bad line')}; "
                f"their rows say what is wrong"
            )


def _write_message(text: str) -> None:
    clear_bar = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{clear_bar}gammond batch: {text}\n")
