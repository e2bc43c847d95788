"""Evaluate a file of positions, one per line: GNU position IDs, XGIDs, OGIDs and FIBS board lines.

A match ID may follow a position ID, after a colon or a blank; the three formats may be mixed. Each position
has a row, in the same order; blank lines and comments ("#" at the start or after a blank) have none. csv has
the columns

    id,plies,win,win_g,win_bg,lose_g,lose_bg,equity,error,cubeful,mwc

with the line's text as id. Numbers are for the player on roll before the roll, with 6 decimals: the outcome
and its cubeless money equity; cubeful, the cubeful equity, where 1 is a single game at the present cube; mwc,
the match-winning chance, empty in money play. Score and cube are those of the line; a position ID by itself
is money play with a centred cube. Dice are not used. --cubeless evaluates every position as cubeless money
play and omits the last two columns; an impossible score or cube is still an error.

Bad lines get a row with only id and error. They do not stop the run; the exit status is then 1, and stderr
names the first 100 with their numbers. In csv the other columns of such a row are empty. jsonl has one object
per line: a good row has all fields except error, and mwc only in matches; a bad row has id and error.

After Ctrl-C or SIGTERM the output has whole rows, and the exit status is 130. --resume checks that the output
so far has this input's ids, this depth and, in a sample of rows, this net's values; it removes a half-written
last row, and continues after it.
"""

from __future__ import annotations

import argparse
import io
import itertools
import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.errors import DataFileError, FormatError, GammondError, StateError, ValueRangeError
from engine.runtime.cores import count_usable_cores
from engine.search import MAX_PLIES
from tools.batch.evaluation import BatchEvaluator, load_batch_evaluator
from tools.batch.lines import PositionLine, count_lines, decode_lines, read_lines
from tools.batch.resume import ExistingOutput, check_same_net, resume_output
from tools.batch.rows import ROW_FORMATS, RowFormat, format_error
from tools.common.interrupts import call_on_interrupt
from tools.common.locks import hold_lock
from tools.common.progress import Progress
from tools.common.strength import add_net_argument

SUMMARY = "evaluate a file of positions in any form"

BLOCK_LINES = (8192, 256, 64, 8, 1)
"""Lines in a block, by plies, for each thread that looks ahead: some tenths of a second of work."""

MAX_REPORTED_LINES = 100
"""Bad lines named on stderr; the others are only counted."""

_GZIP_MAGIC = b"\x1f\x8b"


@dataclass
class Tally:
    """Counts of a run: rows written, error rows among them, seconds without reading and writing."""

    rows: int = 0
    errors: int = 0
    compute_s: float = 0.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "file", metavar="FILE", help="positions, one per line, '#' for comments; - reads stdin"
    )
    parser.add_argument(
        "--plies",
        type=int,
        default=0,
        help=f"plies of look-ahead, {MAX_PLIES} at most; 0 is the net alone (default 0)",
    )
    parser.add_argument("--cubeless", action="store_true", help="ignore cube and score; the fastest at 0-ply")
    parser.add_argument("--threads", type=int, help="threads for look-ahead (default one for each core)")
    parser.add_argument(
        "--format", choices=sorted(ROW_FORMATS), default="csv", help="format of the rows (default csv)"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="file for the rows (default stdout)")
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument("--resume", action="store_true", help="continue an interrupted --output")
    existing.add_argument("--force", action="store_true", help="overwrite an existing --output")
    add_net_argument(parser)


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
    evaluator = load_batch_evaluator(args.net, args.plies, is_cubeful=not args.cubeless, threads=threads)
    try:
        return _run_files(args, evaluator, BLOCK_LINES[args.plies] * (threads if args.plies else 1))
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        if args.output is not None:
            resume = "--resume in place of --force" if args.force else "--resume"
            _write_message(f"stopped; {args.output} has whole rows, the same command with {resume} continues")
        raise
    except OSError as error:
        raise DataFileError(
            f"{error.filename or args.output or 'output'}: {error.strerror or error}", field="file"
        ) from None


def run_batch(
    lines: Iterator[PositionLine],
    evaluator: BatchEvaluator,
    rows: RowFormat,
    block_lines: int,
    write: Callable[[bytes], None],
    report: Callable[[PositionLine, GammondError], None],
    advance: Callable[[int, Tally], None],
) -> Tally:
    """Evaluate lines block by block; memory does not grow with their number.

    Args:
        lines: Lines with positions.
        evaluator: Evaluates them.
        rows: The format of the rows.
        block_lines: How many lines make a block.
        write: Receives the rows of a block, whole.
        report: Receives each bad line.
        advance: Called after each block with the number of its last line and the tally so far.

    Returns:
        The tally of all blocks.
    """
    tally = Tally()
    while block := list(itertools.islice(lines, block_lines)):
        started_s = time.perf_counter()
        texts, errors = _format_block(block, evaluator, rows)
        tally.compute_s += time.perf_counter() - started_s
        for place, error in errors.items():
            report(block[place], error)
        write("".join(texts).encode())
        tally.rows += len(block)
        tally.errors += len(errors)
        advance(block[-1].number, tally)
    return tally


def _format_block(
    block: list[PositionLine], evaluator: BatchEvaluator, rows: RowFormat
) -> tuple[list[str], dict[int, GammondError]]:
    found = decode_lines(block, evaluator.check_match)
    if not found.errors:
        evaluation = evaluator.evaluate(found.boards, found.matches, found.match_indices)
        return rows.format_rows([line.text for line in block], evaluator.plies, evaluation), found.errors
    good = np.flatnonzero(found.is_good)
    good_rows: Iterator[str] = iter(())
    if good.size:
        boards = np.ascontiguousarray(found.boards[good])
        evaluation = evaluator.evaluate(boards, found.matches, found.match_indices[good])
        good_rows = iter(
            rows.format_rows([block[i].text for i in good.tolist()], evaluator.plies, evaluation)
        )
    return [
        rows.format_error_row(line.text, found.errors[i]) if i in found.errors else next(good_rows)
        for i, line in enumerate(block)
    ], found.errors


def _check_options(args: argparse.Namespace) -> None:
    if args.resume and args.output is None:
        raise StateError("--resume needs the --output of the interrupted run", field="resume")
    if args.file != "-" and not Path(args.file).exists():
        raise DataFileError(f"no such file: {args.file}", field="file")
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


def _run_files(args: argparse.Namespace, evaluator: BatchEvaluator, block_lines: int) -> int:
    rows = ROW_FORMATS[args.format](evaluator.is_cubeful)
    started_s = time.perf_counter()
    with ExitStack() as opened:
        stream = opened.enter_context(_open_input(args.file))
        _refuse_gzip(stream, args.file)
        if args.output is not None:
            opened.enter_context(hold_lock(args.output, "output"))
        output = opened.enter_context(_open_output(args.output, args.resume))
        lines = read_lines(stream)
        written = (
            _resume_with_progress(args.output, output, lines, rows, evaluator)
            if args.resume
            else ExistingOutput()
        )
        if not written.has_header:
            _write_uninterrupted(output, rows.header.encode())
        total = _count_input_lines(args.file)
        with Progress(total, "batch", start=written.last_line) as bar, _BadLineReporter() as bad_lines:
            tally = run_batch(
                lines,
                evaluator,
                rows,
                block_lines,
                write=lambda data: _write_uninterrupted(output, data),
                report=bad_lines.report,
                advance=lambda number, tally: bar.update(
                    number, f"{tally.errors} bad" if tally.errors else ""
                ),
            )
    _write_message(_format_summary(tally, written, evaluator, time.perf_counter() - started_s))
    return 1 if tally.errors or written.errors else 0


def _open_input(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb")


def _refuse_gzip(stream: BinaryIO, name: str) -> None:
    """Refuse compressed input before reading or writing anything."""
    if isinstance(stream, io.BufferedReader) and stream.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
        what, file = ("the input", "FILE") if name == "-" else (name, shlex.quote(name))
        raise FormatError(f"{what} is gzip: zcat {file} | gammond batch -", field="file")


def _resume_with_progress(
    path: Path, output: BinaryIO, lines: Iterator[PositionLine], rows: RowFormat, evaluator: BatchEvaluator
) -> ExistingOutput:
    """Check the rows of an earlier run, with a progress bar, and report them."""
    count = _count_input_lines(str(path)) or 0
    with Progress(count - rows.header.count("\n"), "check") if count else nullcontext() as bar:
        advance = bar.update if bar else lambda rows: None
        written = resume_output(output, lines, rows, evaluator.plies, advance)
    check_same_net(written.sample, rows, evaluator)
    _write_message(_format_resume_note(path, written))
    return written


def _count_input_lines(name: str) -> int | None:
    """Count the lines of a file; None for stdin, pipes and devices, which counting would consume."""
    return count_lines(Path(name)) if name != "-" and Path(name).is_file() else None


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


def _format_summary(
    tally: Tally, written: ExistingOutput, evaluator: BatchEvaluator, elapsed_s: float
) -> str:
    errors = tally.errors + written.errors
    bad = f", {_format_count(errors, 'bad line')}" if errors else ""
    before = f" after {written.rows - written.errors:,} of an earlier run" if written.rows else ""
    positions = tally.rows - tally.errors
    return (
        f"{_format_count(positions, 'position')}{before} by {evaluator.name} at {evaluator.plies}-ply "
        f"in {elapsed_s:.1f} s ({positions / elapsed_s:,.0f}/s){bad}"
    )


def _format_count(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


class _BadLineReporter:
    """Names bad lines on stderr, the first ones each; at the end of the block it says how many more."""

    def __init__(self) -> None:
        self._count = 0

    def __enter__(self) -> _BadLineReporter:
        return self

    def report(self, line: PositionLine, error: GammondError) -> None:
        self._count += 1
        if self._count <= MAX_REPORTED_LINES:
            _write_message(f"line {line.number}: {format_error(error)}")

    def __exit__(self, *raised: object) -> None:
        if self._count > MAX_REPORTED_LINES:
            _write_message(
                f"{_format_count(self._count - MAX_REPORTED_LINES, 'more bad line')}; "
                f"their rows say what is wrong"
            )


def _write_message(text: str) -> None:
    clear_bar = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{clear_bar}gammond batch: {text}\n")
