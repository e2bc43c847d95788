"""Compile all kernels and build the bearoff databases ahead of their first use.

Whatever is missing is otherwise prepared when a request first needs it. The kernels are those of evaluation,
plays, the cube, search, rollouts and matches, and of other games; training compiles its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.analysis.engine import CACHE_COLUMNS, Engine
from gammond.engine.bearoff.databases import DEFAULT_BYTES, defer_bearoff, load_bearoff, open_table
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import CancelledWork, DataFileError, StateError
from gammond.engine.kernels import DECORATORS
from gammond.engine.kernels.disk_cache import cache_root, find_folders, hash_sources, identify_target
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import CHECKERS, Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.files import data_folder
from gammond.engine.runtime.machine import check_disk_space
from gammond.engine.search import ValueCache
from gammond.protocol.commands.readiness import READY_GROUPS, READY_TEXTS
from gammond.protocol.games import FIRST_GAME, GAMES, OTHER_GAMES
from gammond.tools.common.command_options import CORES, HIDDEN, ToolCommand, option, threads_option
from gammond.tools.common.files import write_atomically
from gammond.tools.common.interrupts import GOES_ON, advise_on_interrupt
from gammond.tools.common.progress import Progress
from gammond.tools.common.pulse import PULSE
from gammond.tools.common.wings import find_wings
from gammond.tools.parallel.processes import ProcessPool, is_stopping

SUMMARY = "compile kernels and build databases ahead of their first use"

*_FIRST_GROUPS, _LAST_GROUP = READY_GROUPS.items()

JOBS: dict[str, tuple[str, ...]] = {
    "bearoff databases": (),
    **dict(_FIRST_GROUPS),
    "plays": (
        *READY_GROUPS["plays"],
        json.dumps({"id": 1, "positions": READY_TEXTS}),
        json.dumps({"id": 2, "positions": READY_TEXTS, "want": ["eval"], "cubeful": False}),
        "set engine.player pubeval",
        "newgame",
        "dice 3 1",
        "go chequer",
    ),
    **{
        name: (f"set game.variant {next(iter(entry.variants))}", *entry.load_commands().ready_lines)
        for name, entry in GAMES.items()
        if name != FIRST_GAME
    },
    **dict([_LAST_GROUP]),
}
"""What is prepared, in the order in which processes take it: name -> lines of the protocol whose answers need
it; `_prepare_without_lines` does the rest. The last one needs what takes longest to compile for another."""

_PACKAGES = (
    "gammond.engine.kernels",
    *(f"gammond.engine.{name}.kernels" for name in OTHER_GAMES),
    "gammond.engine.kernels.nets",
)
"""Packages of kernels of evaluation and play."""

_THREADS = 2
_SEED = 1
_POLL_S = 0.2
_IDLE_PRIORITY = 19
_MARK = "prepared.json"

_KERNEL_BYTES = 20_000_000
"""What all kernels take on disk, with some to spare."""

_LEAST_BYTES = 100_000
"""What each further kernel needs on disk."""


class PrepareOptions(Struct, frozen=True, kw_only=True):
    """How the work is done."""

    threads: Annotated[int, threads_option("processes that share the work")] = CORES
    background: Annotated[bool, option(HIDDEN)] = False


def run(options: PrepareOptions) -> int:
    """Prepare what is missing, and print where it is.

    Returns:
        0.

    Raises:
        DataFileError: The cache or data folder cannot be written, or a database is damaged.
        LimitError: The disk is full.
        ValueRangeError: The number of processes is out of range.
    """
    folders = _find_kernel_folders()
    if options.background:
        _prepare_in_background(folders)
    elif not is_prepared(folders):
        with advise_on_interrupt(lambda: GOES_ON):
            prepare(folders, options.threads)
    else:
        sys.stdout.write("all is prepared\n")
    if not options.background:
        sys.stdout.write(_describe(folders))
    return 0


def prepare(folders: list[Path], processes: int) -> None:
    """Do all jobs in several processes, with their progress on stderr, and leave a mark.

    Raises:
        DataFileError: A database is damaged, or cannot be kept.
        LimitError: The disk is full.
    """
    for file in _list_databases():
        if file.exists():
            open_table(file)
    _check_disks(folders)
    started_s = time.monotonic()
    with ProcessPool(processes) as pool, _show_progress(folders) as finished:
        for name in pool.map(run_job, JOBS):
            finished.append(name)
    for file in _list_databases():
        open_table(file)
    _leave_mark(folders)
    sys.stdout.write(f"prepared in {time.monotonic() - started_s:.1f} s\n")


def _check_disks(folders: list[Path]) -> None:
    """Check that there is room for what is missing, both folders on one disk included.

    Raises:
        LimitError: There is not.
        DataFileError: A folder cannot be written.
    """
    if not all(os.access(folder, os.W_OK) for folder in folders):
        raise _make_unwritable_error()
    total, compiled = len(_name_all_kernels()), len(_name_compiled(folders))
    kernel_bytes = _KERNEL_BYTES * max(0, total - compiled) // total
    missing = [
        size for header, size in DEFAULT_BYTES.items() if not (data_folder() / header.file_name).exists()
    ]
    try:
        check_disk_space(cache_root(), kernel_bytes + sum(missing), "GAMMOND_CACHE")
        check_disk_space(data_folder(), sum(missing), "GAMMOND_DATA")
    except OSError as error:
        raise DataFileError(
            f"{data_folder()} cannot be written ({error.strerror}): set GAMMOND_DATA to a folder that this "
            "user can write",
            field="data",
        ) from error


def run_job(name: str) -> str:
    """Compile what one of `JOBS` needs and has not been compiled, by asking for its answers.

    Returns:
        The name.

    Raises:
        StateError: A line was answered with an error.
        LimitError: The disk is full.
        CancelledWork: The pool of processes is being left.
    """
    COMPILATION.is_silent = True
    lines = JOBS[name]
    errors: list[BaseException | str] = []

    def work() -> None:
        try:
            if lines:
                errors.extend(_ask(lines))
            _prepare_without_lines(name)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work, name=name, daemon=True)  # the main thread gets Ctrl-C
    thread.start()
    while thread.is_alive():
        thread.join(_POLL_S)
        if is_stopping():
            raise CancelledWork("interrupted")
        check_disk_space(cache_root(), _LEAST_BYTES, "GAMMOND_CACHE")
    for error in errors:
        if isinstance(error, BaseException):
            raise error
        raise StateError(f"preparing {name}: {error}", field="prepare")
    return name


def _prepare_without_lines(name: str) -> None:
    for wing in find_wings():
        if make_counter := wing.counters.get(name):
            make_counter(None).count(2)
    if name == "bearoff databases":
        load_bearoff()
        build_two_sided(2, 2)  # kernels that build databases, where these are there already
        board = np.zeros((2, 26), np.int8)
        board[:, 1] = CHECKERS
        build_one_sided(1, CHECKERS).evaluate(board[None])


def _ask(lines: tuple[str, ...]) -> list[str]:
    """Send lines of the protocol to a server in this process; return the errors among its replies."""
    from gammond.protocol.state.service import Service, make_shipped_catalogue
    from gammond.protocol.transports.stdio import serve_stdio

    with tempfile.TemporaryFile() as requests, tempfile.TemporaryFile() as replies:
        requests.write("".join(f"{line}\n" for line in lines).encode())
        requests.seek(0)
        service = Service(make_shipped_catalogue(), threads=_THREADS)
        serve_stdio(service, input_fd=requests.fileno(), output_fd=replies.fileno(), seed=_SEED)
        replies.seek(0)
        lines_back = replies.read().decode().splitlines()
    return [line for line in lines_back if line.startswith("error") or '"error"' in line]


def count_kernels() -> tuple[int, int]:
    """Count the kernels of evaluation and play that are compiled, and all of them.

    Raises:
        DataFileError: None are, and none can be kept.
    """
    return len(_name_compiled(_find_kernel_folders())), len(_name_all_kernels())


def is_prepared(folders: list[Path]) -> bool:
    """Return whether everything is there for this version of the program and this processor."""
    try:
        mark = json.loads(_find_mark(folders).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    is_same = mark["program"] == _hash_program() and mark["processor"] == identify_target()
    if not is_same or len(_list_kernels(folders)) < mark["kernels"]:
        return False
    try:
        for file in _list_databases():
            open_table(file)
    except DataFileError:
        return False
    return True


def _find_kernel_folders() -> list[Path]:
    """Return the cache folders of all modules of kernels but those of training and of founding documents.

    Raises:
        DataFileError: The cache has no such folders, and cannot be written.
    """
    folders = []
    for package in _PACKAGES:
        for file in _list_sources(package):
            if not _find_kernels(file):
                continue
            found = find_folders(f"{package}.{file.stem}")
            if not found or found[0].parent != cache_root() / "kernels":
                raise _make_unwritable_error()
            folders.append(found[0])
    return folders


def _make_unwritable_error() -> DataFileError:
    return DataFileError(
        f"{cache_root()} cannot be written, so nothing can be kept: set GAMMOND_CACHE to a writable folder",
        field="cache",
    )


def _list_sources(package: str) -> list[Path]:
    """Return the files of a package of kernels."""
    folder = _find_sources().joinpath(*package.split(".")[1:])
    return sorted(folder.glob("[a-z]*.py"))


def _find_sources() -> Path:
    return Path(__file__).resolve().parent.parent


def _list_kernels(folders: list[Path]) -> list[Path]:
    return [file for folder in folders for file in folder.rglob("*.nbc")]


def _name_compiled(folders: list[Path]) -> set[str]:
    """Return the names of the kernels that are compiled: with their module, and their first line behind."""
    return {file.name.partition(".py")[0] for file in _list_kernels(folders)}


def _name_all_kernels() -> set[str]:
    """Return the names of the kernels of evaluation and play, with their module."""
    names = set()
    for package in _PACKAGES:
        for file in _list_sources(package):
            names |= {f"{file.stem}.{name}" for name in _find_kernels(file)}
    return names


def _find_kernels(file: Path) -> list[str]:
    """Return the names of the kernels in a file."""
    decorators = "|".join(each.__name__ for each in DECORATORS)
    return re.findall(rf"^@(?:{decorators})\ndef (\w+)", file.read_text("utf-8"), re.MULTILINE)


def _list_databases() -> list[Path]:
    return [data_folder() / header.file_name for header in DEFAULT_BYTES]


def _find_mark(folders: list[Path]) -> Path:
    return folders[0] / _MARK


def _hash_program() -> str:
    """Return a hash of the sources that decide which kernels are compiled, and for which arguments."""
    digest = hashlib.sha256(hash_sources(__name__).encode())
    for package in ("engine", "nets", "protocol"):
        for file in sorted((_find_sources() / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _leave_mark(folders: list[Path]) -> None:
    kernels = len(_list_kernels(folders))
    mark = {"program": _hash_program(), "processor": identify_target(), "kernels": kernels}
    write_atomically(_find_mark(folders), json.dumps(mark).encode())


def _describe(folders: list[Path]) -> str:
    kernels, databases = _list_kernels(folders), _list_databases()
    return (
        f"{len(_name_compiled(folders))} kernels, {_format_total(kernels)}, in {cache_root() / 'kernels'}\n"
        f"{len(databases)} bearoff databases, {_format_total(databases)}, in {data_folder()}\n"
    )


def _format_total(files: list[Path]) -> str:
    return f"{sum(file.stat().st_size for file in files if file.exists()) / 1e6:.1f} MB"


def _format_kernels(begun: int, compiled: int, total: int, elapsed_s: float) -> str:
    """Format how many kernels are compiled, and how long the others take if they take as long as those."""
    text = f"{compiled} of {total} kernels"
    if begun < compiled < total:
        text += f", about {elapsed_s / (compiled - begun) * (total - compiled):.0f} s left"
    return text


class _PreparingProgress(Progress):
    """The bar of preparing; away from a terminal, lines have what stands behind it."""

    def _write_line(self) -> None:
        self._stream.write(f"gammond: preparing: {self._extra}\n")
        self._stream.flush()
        PULSE.note()


@contextmanager
def _show_progress(folders: list[Path]) -> Iterator[list[str]]:
    """Show what is finished and how many kernels are compiled, on a terminal several times a second.

    Yields:
        The names of finished jobs, which the caller fills in.
    """
    finished: list[str] = []
    ended = threading.Event()
    total, begun, began_s = len(_name_all_kernels()), len(_name_compiled(folders)), time.monotonic()

    def watch() -> None:
        while not ended.wait(_POLL_S):
            show()

    def describe() -> str:
        current = next((name for name in JOBS if name not in finished), "")
        compiled, elapsed_s = len(_name_compiled(folders)), time.monotonic() - began_s
        text = _format_kernels(begun, compiled, total, elapsed_s)
        return f"{text}; step {len(finished) + 1} of {len(JOBS)}: {current}" if current else text

    def show() -> None:
        bar.update(len(finished), describe())

    with _PreparingProgress(len(JOBS), "preparing", lines_of="gammond prepare") as bar:
        show()
        bar.repeat()
        watcher = threading.Thread(target=watch, name="progress", daemon=True)
        watcher.start()
        try:
            yield finished
        finally:
            ended.set()
            watcher.join()
            show()


def _prepare_in_background(folders: list[Path]) -> None:
    """Do all jobs one after the other, beside the program that started this one, and end with it."""
    COMPILATION.is_silent = True
    threading.Thread(target=_exit_with_starter, name="starter", daemon=True).start()
    _check_disks(folders)
    compile_around_nets()
    if hasattr(os, "nice"):  # the first answer waits for nothing else
        os.nice(_IDLE_PRIORITY)
        COMPILATION.claims_kernels = False
    for name in JOBS:
        run_job(name)
    _leave_mark(folders)


def compile_around_nets() -> None:
    """Compile what an evaluation needs besides nets.

    A first evaluation needs it last: another process is still compiling the nets, which takes longer.
    """
    exact = (defer_bearoff().two_sided,)
    engine = Engine(_NoNet(), exact=exact, cache=ValueCache(columns=CACHE_COLUMNS))
    engine.evaluate_boards(STANDARD_RULES.starting_position.board[None], MatchState())


class _NoNet:
    """An `gammond.engine.evaluation.evaluator.Evaluator` that needs no kernel."""

    name = "none"
    plies = 0

    def evaluate(self, boards: Board) -> Outcomes:
        """Give each side half of the games."""
        return np.tile(np.array([0.5, 0.0, 0.0, 0.0, 0.0], np.float32), (len(boards), 1))


def _exit_with_starter() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


COMMAND = ToolCommand(PrepareOptions, run)
