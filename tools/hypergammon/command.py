"""`gammond hypergammon`: solve hypergammon, describe the solutions, and check them.

    gammond hypergammon build   solve it with three checkers a side, once
    gammond hypergammon status  the solutions that there are, and the start
    gammond hypergammon verify  check values by the rules, decisions by values

Solutions are in the data folder (GAMMOND_DATA, or the system's folder for user data). Those with one and two
checkers a side are also built when they are first needed. A build that was stopped or killed goes on where it
was.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.errors import DataFileError
from gammond.engine.hypergammon.construction import build_file, estimate_disk, estimate_memory
from gammond.engine.hypergammon.layouts import MAX_CHECKERS, VARIANTS
from gammond.engine.hypergammon.solution import find_path, forget_solutions, load_solution
from gammond.engine.hypergammon.table import MAGIC, command_line, file_bytes, find_state_folder, open_file
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.rules.rules import Rules
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.files import begins_with, check_output
from gammond.engine.runtime.machine import check_disk_space, check_memory, format_size
from gammond.nets.catalogue import load_engine
from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.command_options import CORES, Force, Threads, ToolCommand, option, written_file
from gammond.tools.common.files import name_in_errors
from gammond.tools.common.locks import hold_lock
from gammond.tools.common.progress import Progress, format_bar, format_duration
from gammond.tools.hypergammon.verification import (
    VALUE_NAMES,
    compute_residuals,
    draw_positions,
    measure_losses,
)

SUMMARY = "solve hypergammon, describe and check the solutions"

_UNITS = 1000


class SolvingProgress(Progress):
    """Shows how far a solver is, in one line, on terminals and elsewhere.

    Args:
        clock: As `Progress`.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(_UNITS, "solving", lines_of="gammond hypergammon", clock=clock)

    def show(self, share: float, text: str) -> None:
        """Take how far it is, as `gammond.engine.hypergammon.solver.Report`."""
        self.update(int(_UNITS * share), text)

    def finish(self) -> None:
        """Say that the file is written."""
        self.update(_UNITS, "solved")

    def _format_parts(self, elapsed_s: float, share: float | None) -> dict[str, str]:
        """Format bar and share, what is computed, and the time since the beginning."""
        computed = self._extra or "listing plays"
        return {"share": format_bar(share or 0.0), "extra": computed, "time": format_duration(elapsed_s)}


DEFAULT_POSITIONS = 30_000
MAX_POSITIONS = 10_000_000


Checkers = Annotated[int, option(f"checkers a side, 1 to {MAX_CHECKERS}", "N", ge=1, le=MAX_CHECKERS)]


class _BuildOptions(Struct, frozen=True, kw_only=True):
    """What is solved, and where the solution goes."""

    checkers: Checkers = MAX_CHECKERS
    output: Annotated[Path, written_file("the file (default in the data folder)")] | None = None
    force: Force = False
    threads: Threads = CORES


class _StatusOptions(Struct, frozen=True, kw_only=True):
    """Nothing: all solutions are shown."""


class _VerifyOptions(Struct, frozen=True, kw_only=True):
    """What is checked."""

    checkers: Checkers = MAX_CHECKERS
    positions: Annotated[
        int, option("random positions to decide and compute in", "N", ge=1, le=MAX_POSITIONS)
    ] = DEFAULT_POSITIONS
    seed: Annotated[int, option("chooses them, 0 or more", "N", ge=0, le=MAX_SEED)] = 0


def _build(options: _BuildOptions) -> int:
    if options.output is not None:
        check_output(options.output, force=options.force, is_own=begins_with(MAGIC))
    return build_solution(options.checkers, options.output or find_path(options.checkers), options.threads)


def build_solution(checkers: int, path: Path, threads: int | None) -> int:
    """Solve hypergammon, with the needs and the progress on stderr.

    Args:
        checkers: 1 to 3.
        path: The file.
        threads: None for one for each core.

    Raises:
        LimitError: Memory or disk space is short.
        StateError: Another process builds it.
        DataFileError: The file cannot be written.
    """
    memory, disk = estimate_memory(checkers), estimate_disk(checkers)
    begun = find_state_folder(path).exists()
    sys.stderr.write(
        f"hypergammon with {checkers} a side: needs about {format_size(memory)} of memory beside the "
        f"program's, and {format_size(disk)} of disk space; the file {format_size(file_bytes(checkers))}\n"
        + (f"going on with what {find_state_folder(path)} has\n" if begun else "")
    )
    check_memory(memory, "solving")
    started_s, started_cpu_s = time.monotonic(), time.process_time()
    with hold_lock(path, "output"), SolvingProgress() as bar, name_in_errors(path, "written", "output"):
        if not begun:
            check_disk_space(path.parent, disk, "GAMMOND_DATA")
        build_file(path, checkers, threads, bar.show)
        bar.finish()
    forget_solutions()
    elapsed_s, cpu_s = time.monotonic() - started_s, time.process_time() - started_cpu_s
    sys.stdout.write(
        f"{path}: hypergammon with {checkers} a side, {format_size(path.stat().st_size)}, "
        f"{elapsed_s:.0f} s, {cpu_s:.0f} s of processor time\n"
    )
    return 0


def show_status() -> int:
    """Describe the solutions of the data folder, a line or two for each; return the exit code."""
    status = EXIT_OK
    for checkers in range(1, MAX_CHECKERS + 1):
        path = find_path(checkers)
        if not path.exists():
            state = "begun" if find_state_folder(path).exists() else "missing"
            sys.stdout.write(f"{checkers} a side: {state}; `{command_line(checkers)}` builds {path}\n")
            continue
        try:
            table = open_file(path, checkers)
        except DataFileError as error:
            sys.stdout.write(f"{checkers} a side: {error.message}\n")
            status = EXIT_FAULTS
            continue
        board = VARIANTS[checkers].starting_position.board[None]
        outcome = " ".join(f"{chance:.4f}" for chance in table.evaluate(board)[0])
        centred, owned, opponents, jacoby = table.cubeful_equities(board)[0]
        sys.stdout.write(
            f"{checkers} a side: {path} ({format_size(path.stat().st_size)}, checksum correct)\n"
            f"  on roll at the start: outcome {outcome}; cube centred {centred:+.4f}, "
            f"with Jacoby {jacoby:+.4f}, owned {owned:+.4f}, the opponent's {opponents:+.4f}\n"
        )
    return status


def verify_solution(checkers: int, count: int, seed: int) -> int:
    """Check random values by the rules, and what the engine's decisions lose; return the exit code."""
    table = load_solution(checkers)
    boards = draw_positions(checkers, count, seed)
    largest = np.zeros(len(VALUE_NAMES))
    with Progress(count, "values", lines_of="gammond hypergammon") as bar:
        for first in range(0, count, 500):
            largest = np.maximum(largest, compute_residuals(table, boards[first : first + 500]).max(axis=0))
            bar.update(min(count, first + 500))
    engine = load_engine().with_rules(Rules(VARIANTS[checkers]))
    with Progress(count, "decisions", lines_of="gammond hypergammon") as bar:
        lost = measure_losses(engine, table, count, seed, bar.update)
    differences = "; ".join(f"{name} {value:.1e}" for name, value in zip(VALUE_NAMES, largest, strict=True))
    is_right = bool((largest <= RESIDUAL_LIMIT).all()) and lost.points == 0.0
    sys.stdout.write(
        f"{count:,} random positions with {checkers} a side, seed {seed}\n"
        f"largest differences from the mean of the best plays: {differences}\n"
        f"{lost.plays:,} plays and {lost.doubles:,} cube decisions of {engine.name}: {lost.wrong} wrong, "
        f"{lost.points:.6f} points lost\n"
        f"{'PASS' if is_right else 'FAIL'}\n"
    )
    return EXIT_OK if is_right else EXIT_FAULTS


RESIDUAL_LIMIT = 6e-7
"""The largest difference in points that the rounding of values to ``float32`` explains."""


COMMAND = CommandGroup(
    {
        "build": ToolCommand(_BuildOptions, _build, "solve hypergammon, or go on where a stopped build was"),
        "status": ToolCommand(
            _StatusOptions,
            lambda _: show_status(),
            "show which solutions there are, and the value of the start",
        ),
        "verify": ToolCommand(
            _VerifyOptions,
            lambda options: verify_solution(options.checkers, options.positions, options.seed),
            "check a solution by the rules, and the engine's decisions by the solution",
        ),
    },
    "ACTION",
)
