"""Evaluate a file of positions: evaluations, best plays, cube decisions, by search or by rollout.

FILE has a position on each line, in any form: GNU position IDs, alone or with a match ID behind a colon or a
blank, 'GNUbg ID: ...', 'Position ID: ... Match ID: ...', XGIDs, OGIDs and others; '#' begins a comment. Or
it is a table, csv or with tabs or semicolons, JSON lines, parquet: the positions are in the column --column,
else in one that is called as a form (xgid, ogid, ...), gnubgid, positionid, position or id, with a column
matchid beside it if need be; its other columns are carried over. It reads what 'gammond batch' wrote, too.

Each position has a row, in the same order. With --line-numbers it begins with the column line. After id, the
text of the line, or the columns of the table, come

    --ids  the position in the forms that are named
    eval   plies, win, win_g, win_bg, lose_g, lose_bg, equity, cubeful, mwc
    moves  dice, best, best_equity, best_mwc, second, second_equity, second_mwc
    cube   action, no_double, double_take, double_pass

and error. Numbers are for the player on roll, with 6 decimals. equity is the cubeless money equity of the
outcome; cubeful and those of moves and cube are cubeful equities, where 1 is a single game at the present
cube; mwc is the match-winning chance, empty in money play. Score and cube are those of the line; a position
ID by itself is money play with a centred cube. Dice are those of a column dice or roll (31, 3-1) or die1 and
die2, else those behind the position (4HPwATDgc/ABMA 31), else the position's own; without dice the cells of
moves are empty. The second play is searched as deep as the best one. --cubeless treats every position as
cubeless money play and has no column cubeful or mwc.

--rollout rolls out each position, its best plays or its cube decision in place of a search; the presets and
numbers are those of 'gammond rollout', --quick unless another is named. Columns trials and, for the standard
error of an equity, equity_se, cubeful_se, mwc_se, best_se, ... come with it.

Bad lines get a row with only id and error. They do not stop the run; the exit status is then 1, and stderr
names the first 100 with their numbers at the end. jsonl has one object per line, without the empty cells;
parquet needs pyarrow.

After Ctrl-C, SIGTERM or SIGHUP the output has whole rows, and the exit status is 130. --resume checks that
the output so far has this input's positions, this depth and, in a sample of rows, this net's values; it
removes a half-written last row, and continues after it. Rows with errors whose lines were corrected meanwhile
are done again. Parquet cannot be resumed.
"""

from __future__ import annotations

import io
import itertools
import shlex
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from gammond.engine.errors import DataFileError, FormatError, GammondError
from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.wording import format_count
from gammond.tools.batch.evaluation import DECISION_COLUMNS, EVAL, LineAnalysis, PositionAnalysis
from gammond.tools.batch.lines import PositionLine, count_lines
from gammond.tools.batch.options import PARQUET, BatchOptions
from gammond.tools.batch.resume import ExistingOutput, check_same_net, redo_rows, resume_output
from gammond.tools.batch.rollouts import BatchRollouts
from gammond.tools.batch.rows import ERROR_COLUMN, ROW_FORMATS, ParquetRows, RowFormat, format_error
from gammond.tools.batch.run import (
    BatchCounts,
    BlockAnalysis,
    load_analysis,
    run_batch,
    share_rows,
    split_blocks,
)
from gammond.tools.batch.tables import PositionInput, open_input
from gammond.tools.common.command_options import ToolCommand
from gammond.tools.common.interrupts import (
    RESUMES,
    RESUMES_WITHOUT_FORCE,
    advise_on_interrupt,
    call_on_interrupt,
)
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.progress import Progress, format_short_number, write_message
from gammond.tools.common.pulse import open_stdin
from gammond.tools.parallel.options import open_cluster

SUMMARY = "evaluate a file of positions: values, best plays, cube decisions"

BLOCK_LINES = (8192, 256, 64, 8, 1)
"""Lines in a block, by plies, for each thread that looks ahead: some tenths of a second of work."""

_ROLLOUT_LINES = 1
"""Lines in a block that is rolled out."""

_BLOCK_SHARE = 8
"""Blocks are so much smaller where plays or cube decisions are wanted, which take longer."""

_TEXT_COLUMNS = ("dice", "best", "second", DECISION_COLUMNS[0], ERROR_COLUMN)
"""Columns of rows that hold text."""

_GZIP_MAGIC = b"\x1f\x8b"

MAX_REPORTED_LINES = 100
"""Bad lines named on stderr; the others are only counted."""

_LISTED_LINES = 10
"""Corrected lines whose numbers are listed."""

say = partial(write_message, "gammond batch")
"""Writes a line on standard error."""


def run(options: BatchOptions) -> int:
    """Run the tool.

    Returns:
        0 when every line held a position, 1 otherwise.

    Raises:
        GammondError: The options contradict each other, or a file cannot be read, written or resumed.
    """
    options.check_files()
    if options.output is not None and options.output.suffix == ".gz":
        say(f"{options.output} will be plain text: rows are not compressed")
    analysis = load_analysis(options, options.threads)
    try:
        with advise_on_interrupt(lambda: _describe_output(options)):
            return _run_files(options, analysis, _count_block_lines(options))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataFileError(
            f"{error.filename or options.output or 'output'}: {error.strerror or error}", field="file"
        ) from None


def _describe_output(options: BatchOptions) -> str:
    """Tell what an interrupted run leaves, and how to go on."""
    if options.output is None or not options.output.exists():
        return ""
    if options.row_format == PARQUET:
        return f"{options.output} has the rows so far"
    return f"{options.output} has whole rows, {RESUMES_WITHOUT_FORCE if options.force else RESUMES}"


def _count_block_lines(options: BatchOptions) -> int:
    """Return how many lines make a block."""
    if options.is_rollout:
        return _ROLLOUT_LINES
    threads = options.threads if options.plies else 1
    lines = BLOCK_LINES[min(options.plies or 0, len(BLOCK_LINES) - 1)] * threads
    return lines if options.wants == (EVAL,) else max(lines // _BLOCK_SHARE, threads)


def _run_files(options: BatchOptions, analysis: LineAnalysis, block_lines: int) -> int:
    started_s = time.perf_counter()
    with ExitStack() as opened:
        stream = opened.enter_context(_open_input(options.file))
        _refuse_gzip(stream, options.file)
        blocks, given = _open_rows(options, analysis, stream)
        if options.output is not None:
            opened.enter_context(hold_lock(options.output, "output"))
        written = ExistingOutput()
        if options.row_format == PARQUET:
            texts = (*options.id_forms, *_TEXT_COLUMNS)
            assert options.output is not None  # the options refuse parquet on stdout
            table = opened.enter_context(ParquetRows(options.output, blocks.carried, texts))

            def write(columns: Mapping[str, Sequence[Any]]) -> None:
                with hold_interrupts():
                    table.write(columns)
        else:
            rows = ROW_FORMATS[options.row_format](blocks.columns)
            if options.resume and options.output is not None and options.output.exists():
                written = _resume_with_progress(options.output, given, rows, blocks, options.is_rollout)
            output = opened.enter_context(_open_output(options.output, options.resume))
            if not written.has_header:
                _write_uninterrupted(output, rows.header.encode())

            def write(columns: Mapping[str, Sequence[Any]]) -> None:
                _write_uninterrupted(output, rows.format_rows(columns).encode())

        total = given.count or _count_input_lines(options.file)
        with (
            BadLines(written.bad_lines) as bad_lines,
            Progress(total, "batch", start=written.last_line, lines_of="gammond batch") as bar,
        ):
            bar.update(written.last_line)
            if isinstance(analysis, BatchRollouts):
                analysis.report = lambda trials: bar.update(bar.count, f"{trials} trials of the next")
            lines = split_blocks(itertools.chain(written.lines_ahead, given.lines), block_lines)
            executor = opened.enter_context(open_cluster(options.cluster, options.net))
            counts = run_batch(
                map(blocks.make_rows, lines)
                if executor is None
                else share_rows(executor, options, blocks.carried, lines),
                write=write,
                report=bad_lines.report,
                advance=lambda number, counts: bar.update(
                    number, f"{counts.errors} bad" if counts.errors else ""
                ),
            )
    for note, count in counts.assumed.items():
        say(f"{note} ({format_count(count, 'line')})")
    say(format_summary(counts, written, analysis, time.perf_counter() - started_s))
    return EXIT_FAULTS if counts.errors or written.errors else EXIT_OK


def _open_rows(
    options: BatchOptions, analysis: LineAnalysis, stream: BinaryIO
) -> tuple[BlockAnalysis, PositionInput]:
    """Open the input, and return what makes rows of its lines."""
    blocks = BlockAnalysis(analysis, (), options.line_numbers)
    path = None if options.file == "-" else Path(options.file)
    given = open_input(stream, path, options.column, (*blocks.columns, "trials"))
    return replace(blocks, carried=given.columns), given


def _open_input(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(open_stdin()) if name == "-" else Path(name).open("rb")


def _refuse_gzip(stream: BinaryIO, name: str) -> None:
    """Refuse compressed input before reading or writing anything."""
    if isinstance(stream, io.BufferedReader) and stream.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
        what, file = ("the input", "FILE") if name == "-" else (name, shlex.quote(name))
        raise FormatError(f"{what} is gzip: zcat {file} | gammond batch -", field="file")


def _resume_with_progress(
    path: Path, given: PositionInput, rows: RowFormat, blocks: BlockAnalysis, is_rollout: bool
) -> ExistingOutput:
    """Check the rows of an earlier run, with a progress bar, redo those of corrected lines, and report."""
    analysis, count = blocks.analysis, _count_input_lines(str(path)) or 0
    assert isinstance(analysis, PositionAnalysis)  # others refuse --resume
    with (
        path.open("r+b") as output,
        Progress(count - rows.header.count("\n"), "check") if count else nullcontext() as bar,
    ):
        advance = bar.update if bar else lambda rows: None
        written = resume_output(output, given.lines, given.columns, rows, analysis.plies, advance)
    check_same_net(written.sample, analysis, most=1 if is_rollout else None)
    redo_rows(path, written, blocks, rows)
    say(format_resume_note(path, written))
    return written


def _count_input_lines(name: str) -> int | None:
    """Count the lines of a file; None for stdin, pipes and devices, which counting would consume."""
    if name == "-" or not Path(name).is_file() or name.endswith(f".{PARQUET}"):
        return None
    return count_lines(Path(name))


def _open_output(path: Path | None, resume: bool) -> AbstractContextManager[BinaryIO]:
    if path is None:
        return nullcontext(sys.stdout.buffer)
    return path.open("ab" if resume else "wb")


def _write_uninterrupted(output: BinaryIO, data: bytes) -> None:
    """Write data whole even if an interrupt comes."""
    with hold_interrupts():
        output.write(data)
        output.flush()


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Delay Ctrl-C, SIGTERM and SIGHUP until the block has ended; a second one some seconds later breaks in.

    Does nothing where they have other handlers, as in a background job that ignores Ctrl-C.
    """
    came = threading.Event()
    with call_on_interrupt(came.set):
        yield
    if came.is_set():
        raise KeyboardInterrupt


class BadLines:
    """Names bad lines on stderr at the end of the block: the first ones each, then how many more.

    Args:
        earlier: The number and the error of each bad line of an earlier run.
    """

    def __init__(self, earlier: Sequence[tuple[int, str]] = ()) -> None:
        self._count = len(earlier)
        self._messages = [f"line {number}: {error}" for number, error in earlier[:MAX_REPORTED_LINES]]

    def __enter__(self) -> BadLines:
        return self

    def report(self, line: PositionLine, error: GammondError) -> None:
        """Note a bad line."""
        self._count += 1
        if self._count <= MAX_REPORTED_LINES:
            self._messages.append(f"line {line.number}: {format_error(error)}")

    def __exit__(self, *raised: object) -> None:
        for message in self._messages:
            say(message)
        if self._count > MAX_REPORTED_LINES:
            say(
                f"{format_count(self._count - MAX_REPORTED_LINES, 'more bad line')}; "
                "their rows say what is wrong"
            )


def format_resume_note(path: Path, written: ExistingOutput) -> str:
    """Format what a resumed run found in its output."""
    cut = ", a half-written row was removed" if written.is_truncated else ""
    errors = f" ({written.errors:,} with errors)" if written.errors else ""
    redone = ""
    if written.corrected:
        numbers = [f"{row.line.number:,}" for row in written.corrected]
        listed = ", ".join(numbers[:_LISTED_LINES]) + ", ..." * (len(numbers) > _LISTED_LINES)
        redone = f", {format_count(len(numbers), 'row')} of corrected lines done again (line {listed})"
    return (
        f"{path} has {format_count(written.rows, 'row')} of this input{errors}{cut}{redone}; "
        f"continuing after line {written.last_line:,}"
    )


def format_summary(
    counts: BatchCounts, written: ExistingOutput, analysis: LineAnalysis, elapsed_s: float
) -> str:
    """Format what a run did; compiling does not count in its speed.

    Args:
        counts: Of the run.
        written: What an earlier run had done.
        analysis: What it asked.
        elapsed_s: How long it took.
    """
    errors = counts.errors + written.errors
    bad = f", {format_count(errors, 'bad line')}" if errors else ""
    before = f" after {written.rows - written.errors:,} of an earlier run" if written.rows else ""
    positions = counts.rows - counts.errors
    return (
        f"{format_count(positions, 'position')}{before} by {analysis.name} at {analysis.plies}-ply "
        f"in {elapsed_s:.1f} s{_format_speed(positions, elapsed_s)}{bad}"
    )


def _format_speed(positions: int, elapsed_s: float) -> str:
    compiling_s = COMPILATION.total_s
    if not positions or elapsed_s <= compiling_s:
        return ""
    rate = format_short_number(positions / (elapsed_s - compiling_s))
    compiling = f" beside {compiling_s:.0f} s of compiling" if compiling_s >= 1 else ""
    return f" ({rate}/s{compiling})"


COMMAND = ToolCommand(BatchOptions, run)
