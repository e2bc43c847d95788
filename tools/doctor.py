"""`gammond doctor`: examine this installation, for bug reports and after an upgrade.

It says what gammond is made of and where it keeps things, reads every net and database, and asks the engine
questions whose answers are known, with the time that each took. Nothing is changed but caches. The exit
status is 1 if something is wrong; each such line says what to do.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
from msgspec import Struct

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.bearoff.databases import DEFAULT_BYTES, find_largest, open_table
from gammond.engine.errors import DataFileError, GammondError, StateError
from gammond.engine.kernels.disk_cache import cache_root, processor_name
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.files import data_folder
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.runtime.version import read_version
from gammond.engine.store.options import read_store_options
from gammond.engine.wording import format_count
from gammond.nets.catalogue import load_engine
from gammond.tools.common.command_options import Json, ToolCommand
from gammond.tools.common.wings import find_wings
from gammond.tools.nets import check_net, list_nets
from gammond.tools.prepare import count_kernels
from gammond.tools.store.files import open_store

SUMMARY = "examine this installation, for bug reports"

_PACKAGES = {
    **dict.fromkeys(("numpy", "onnxruntime", "numba", "llvmlite", "prompt_toolkit", "msgspec"), ""),
    **{"matplotlib": "plots", "pyarrow": "parquet", "onnx": "export", "torch": "train"},
    **dict.fromkeys(("starlette", "uvicorn", "websockets"), "web"),
    "distributed": "cluster",
}
"""Packages that are used, with the extra that brings each; the needed ones first."""

_OPENING_CHANCE = 0.5266
"""The winning chance before the first roll by the default net at 0-ply, of whoever is on roll."""

_CHANCE_TOLERANCE = 0.02
"""Nets of one's own as the default may say something else, but not much."""

_BEST_OPENING_PLAYS = {(3, 1): "8/5 6/5", (6, 1): "13/7 8/7"}
_LEAST_FREE_BYTES = 100_000_000


class Finding(msgspec.Struct, omit_defaults=True):
    """What one look at the installation found.

    Attributes:
        part: What was looked at.
        text: What is there, or what is wrong and what to do.
        is_wrong: Whether something is.
        took_s: Seconds, where it took some.
    """

    part: str
    text: str
    is_wrong: bool = False
    took_s: float = 0.0


class DoctorOptions(Struct, frozen=True, kw_only=True):
    """How the findings are written."""

    json: Json = False


def run(options: DoctorOptions) -> int:
    """Examine the installation.

    Returns:
        0, or 1 if something is wrong.
    """
    findings = []
    for finding in examine():
        findings.append(finding)
        if not options.json:
            sys.stdout.write(format_finding(finding))
            sys.stdout.flush()
    faults = sum(finding.is_wrong for finding in findings)
    if options.json:
        sys.stdout.write(msgspec.json.encode({"faults": faults, "findings": findings}).decode() + "\n")
    else:
        sys.stdout.write(f"{format_count(faults, 'fault')}\n" if faults else "nothing is wrong\n")
    return EXIT_FAULTS if faults else EXIT_OK


def examine() -> Iterator[Finding]:
    """Yield what is found, part after part."""
    yield Finding("gammond", f"{read_version()} in {Path(__file__).resolve().parent.parent}")
    yield Finding(
        "python", f"{platform.python_version()} {platform.python_implementation()}, {sys.executable}"
    )
    yield Finding("system", f"{platform.system()} {platform.release()}, {platform.machine()}")
    yield Finding("processor", f"{processor_name()}, {format_count(count_usable_cores(), 'core')} to use")
    yield Finding("packages", ", ".join(_list_packages()))
    settings = [
        f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("GAMMOND_")
    ]
    yield Finding("environment", " ".join(settings) or "no GAMMOND_ variable is set")
    yield _look("cache folder", _check_cache)
    yield _look("data folder", lambda: _check_folder(data_folder(), "GAMMOND_DATA"))
    yield _look("kernels", _check_kernels)
    for name, is_own in list_nets():
        yield _look(f"net {name}", partial(check_net, name, is_own))
    for header in dict.fromkeys(
        [*DEFAULT_BYTES, *(find_largest(data_folder(), default) for default in DEFAULT_BYTES)]
    ):
        yield _look(str(header), lambda header=header: _check_database(header.file_name))  # type: ignore[misc]
    for wing in find_wings():
        for part, check in wing.list_checks():
            yield _look(part, check)
    yield _look("store of analyses", _check_store)
    yield _look("0-ply", _check_evaluation)
    yield _look("2-ply", _check_plays)


def format_finding(finding: Finding) -> str:
    """Format a finding as a line."""
    took = f" ({finding.took_s:.2f} s)" if finding.took_s >= 0.005 else ""
    return f"{'WRONG ' if finding.is_wrong else ''}{finding.part}: {finding.text}{took}\n"


def _look(part: str, check: Callable[[], str]) -> Finding:
    """Do a check that returns what is there, or raises what is wrong."""
    began_s = time.perf_counter()
    try:
        text, is_wrong = check(), False
    except GammondError as error:
        text, is_wrong = error.message, True
    except OSError as error:
        text, is_wrong = f"{error.filename or part}: {error.strerror or error}", True
    return Finding(part, text, is_wrong, round(time.perf_counter() - began_s, 3))


def _list_packages() -> Iterator[str]:
    for name, extra in _PACKAGES.items():
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"no {name} (pip install '.[{extra}]' brings it)" if extra else f"no {name}"


def _check_folder(folder: Path, variable: str) -> str:
    """Describe a folder of files that are kept.

    Raises:
        DataFileError: It cannot be written, or hardly anything more fits.
    """
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        raise DataFileError(f"{folder} cannot be written: set {variable} to a folder of this user")
    if there != folder:
        return f"{folder}, not made yet"
    files = [file.stat().st_size for file in folder.rglob("*") if file.is_file()]
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE_BYTES:
        raise DataFileError(f"{folder}: {free / 1e6:.0f} MB of disk space left: make room, or set {variable}")
    return (
        f"{folder}, {format_count(len(files), 'file')}, {sum(files) / 1e6:.1f} MB, {free / 1e9:.0f} GB free"
    )


def _check_cache() -> str:
    """Describe the folder of kernels, which need not be this user's once all are compiled.

    Raises:
        DataFileError: They are not, and it cannot be written, or hardly anything more fits.
    """
    try:
        return _check_folder(cache_root(), "GAMMOND_CACHE")
    except DataFileError:
        compiled, total = count_kernels()
        if compiled < total:
            raise
        return f"{cache_root()}, with all that another user prepared"


def _check_kernels() -> str:
    compiled, total = count_kernels()
    if compiled < total:
        return f"{compiled} of {total} compiled, so first answers wait: `gammond prepare` compiles all"
    return f"all {total} compiled"


def _check_database(name: str) -> str:
    path = data_folder() / name
    if not path.exists():
        return "not built yet: `gammond prepare` does, or the first use"
    open_table(path)
    return f"{path}, checksum correct"


def _check_store() -> str:
    """Describe the store of analyses.

    Raises:
        DataFileError: It cannot be read.
    """
    options = read_store_options()
    file = options.find_file()
    if not options.on or not file.exists():
        return f"{file}, nothing kept yet" if options.on else "switched off by GAMMOND_STORE"
    with open_store(file) as database:
        used, questions = database.count_used_bytes(), database.count_questions()
        if fault := database.find_structural_fault():
            raise DataFileError(f"{file}: {fault}; `gammond store verify --repair` removes what is wrong")
    return f"{file}, {format_count(questions, 'question')}, {used / 1e6:.1f} of {options.megabytes} MB"


def _check_evaluation() -> str:
    """Evaluate the opening.

    Raises:
        StateError: The chances are not what they should be.
    """
    engine = load_engine()
    outcome = engine.evaluate(STANDARD_RULES.starting_position, MatchState(), EvalSettings(0)).outcome
    assert outcome is not None
    chance = outcome.win
    if abs(chance - _OPENING_CHANCE) > _CHANCE_TOLERANCE:
        raise StateError(f"{engine.name} gives the opening {chance:.4f}, expected about {_OPENING_CHANCE}")
    return f"{engine.name} wins {100 * chance:.2f} % from the opening"


def _check_plays() -> str:
    """Search for the best plays of rolls whose best play everybody knows.

    Raises:
        StateError: It finds another one.
    """
    engine, opening = load_engine(), STANDARD_RULES.starting_position
    for roll, expected in _BEST_OPENING_PLAYS.items():
        ranked = engine.rank_plays(opening, roll, MatchState(), EvalSettings(2))
        best = format_play(ranked.best.play)
        if best != expected:
            raise StateError(f"{engine.name} plays {best} with {roll[0]}-{roll[1]}, expected {expected}")
    return ", ".join(f"{play} with {roll[0]}-{roll[1]}" for roll, play in _BEST_OPENING_PLAYS.items())


COMMAND = ToolCommand(DoctorOptions, run)
