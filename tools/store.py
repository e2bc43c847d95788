"""`gammond store`: look at kept analyses, take them elsewhere, and check them.

    gammond store status               what is kept, by net, kind and depth
    gammond store export > kept.jsonl  all entries, one JSON object a line
    gammond store import kept.jsonl    take entries in
    gammond store verify               check all, search some of them again

The store is in the data folder (GAMMOND_DATA, or the system's folder for user data), unless --file names
another one.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from engine.analysis.engine import Engine
from engine.analysis.kept_analyses import search_entry
from engine.errors import DataFileError, GammondError
from engine.runtime.private_folders import make_private_folder
from engine.store.analysis_store import MAX_STORE_BYTES, find_store_file
from engine.store.database import BadRow, StoreDatabase, StoreRow, is_damage
from engine.store.entries import EngineIdentity, StoreQuestion
from engine.store.exchange import MAX_LINE_BYTES, check_header, format_rows, parse_row
from nets.catalogue import identify_engine, load_engine
from tools.common.progress import Progress

SUMMARY = "describe, export, import and check kept analyses"

DEFAULT_SAMPLE = 100
_ROWS_A_STEP = 500
_SHOWN_FAULTS = 10


@dataclass(frozen=True)
class StoredKind:
    """Entries of one kind.

    Attributes:
        net: The net that they are of.
        program: The version of gammond.
        is_usable: Whether that net gives the same answers now.
        asks_for_plays: Whether they are plays of a roll, not positions.
        plies: Their depth.
        entries: How many there are.
        visits: How often their questions were asked.
    """

    net: str
    program: str
    is_usable: bool
    asks_for_plays: bool
    plies: int
    entries: int
    visits: int


@dataclass(frozen=True)
class StoreStatus:
    """What a store holds.

    Attributes:
        file: The file.
        used_bytes: What of it is in use.
        max_bytes: What may be in use.
        questions: How many questions have entries.
        visits: How often these were asked.
        kinds: The entries by kind, the most numerous first.
    """

    file: str
    used_bytes: int
    max_bytes: int
    questions: int
    visits: int
    kinds: tuple[StoredKind, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    status = _add_action(actions, "status", "what is kept, by net, kind and depth")
    status.add_argument("--json", action="store_true", help="one JSON object instead of text")
    export = _add_action(actions, "export", "write all entries, one JSON object a line")
    export.add_argument("--output", type=Path, metavar="FILE", help="the file (default standard output)")
    take = _add_action(actions, "import", "take entries of exported files")
    take.add_argument("files", nargs="+", type=Path, metavar="FILE", help="an exported file")
    verify = _add_action(actions, "verify", "check all entries, and search some of them again")
    verify.add_argument(
        "--sample",
        type=int,
        default=DEFAULT_SAMPLE,
        metavar="N",
        help=f"entries to search again; 0 for none (default {DEFAULT_SAMPLE})",
    )
    verify.add_argument("--seed", type=int, default=0, metavar="N", help="chooses them (default 0)")
    verify.add_argument("--repair", action="store_true", help="remove what is not as it should be")


def _add_action(actions: argparse._SubParsersAction, name: str, meaning: str) -> argparse.ArgumentParser:  # type: ignore[type-arg]
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=meaning, description=f"{meaning[:1].upper()}{meaning[1:]}."
    )
    parser.add_argument("--file", type=Path, metavar="FILE", help="the store (default in the data folder)")
    return parser


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0; 1 where something is not as it should be.

    Raises:
        GammondError: A file is missing, damaged or of another kind, or cannot be read or written.
    """
    file = args.file or find_store_file()
    if args.action == "import":
        return _import(file, args.files)
    if not file.exists():
        raise DataFileError(
            f"{file}: there is no store yet; `gammond store import FILE` fills one", field="file"
        )
    with _open(file) as database:
        if args.action == "status":
            return _show_status(database, args.json)
        if args.action == "export":
            return _export(database, args.output)
        return _verify(database, args.sample, args.seed, args.repair)


@contextmanager
def _open(file: Path) -> Iterator[StoreDatabase]:
    """Open a store for the block, and name the file in its errors."""
    try:
        database = StoreDatabase(file)
        try:
            yield database
        finally:
            database.close()
    except sqlite3.Error as error:
        advice = "move it away: a new one is then begun" if is_damage(error) else "try again, or make room"
        message = f"{file}: expected a store of analyses: {error}; {advice}"
        raise DataFileError(message, field="file") from error


def describe_store(database: StoreDatabase) -> StoreStatus:
    """Count what a store holds."""
    engines, now_s = database.list_engines(), int(time.time())
    kinds = []
    for digest, asks_for_plays, plies, entries, visits in database.count_by_kind(now_s):
        engine = engines.get(digest, EngineIdentity("unknown", "", "", "unknown"))
        kind = StoredKind(
            engine.net, engine.program, _is_usable(engine), bool(asks_for_plays), plies, entries, visits
        )
        kinds.append(kind)
    return StoreStatus(
        str(database.file),
        database.count_used_bytes(),
        MAX_STORE_BYTES,
        database.count_questions(),
        database.count_visits_of_all(now_s),
        tuple(kinds),
    )


def _is_usable(engine: EngineIdentity) -> bool:
    """Return whether a net of that name gives the answers that are kept."""
    with suppress(GammondError):
        return identify_engine(engine.net).digest == engine.digest
    return False


def _show_status(database: StoreDatabase, as_json: bool) -> int:
    status = describe_store(database)
    if as_json:
        sys.stdout.write(msgspec.json.encode(status).decode() + "\n")
        return 0
    entries = sum(kind.entries for kind in status.kinds)
    lines = [
        f"file     {status.file}",
        f"size     {status.used_bytes / 1e6:.1f} MB of {status.max_bytes / 1e6:.0f} MB",
        f"entries  {entries:,} for {status.questions:,} questions, asked {status.visits:,} times",
    ]
    for kind in status.kinds:
        what = "plays" if kind.asks_for_plays else "positions"
        note = "" if kind.is_usable else ", not used: other nets, tables or version than now"
        lines.append(
            f"         {kind.entries:,} {what} at {kind.plies}-ply by {kind.net} ({kind.program}), "
            f"asked {kind.visits:,} times{note}"
        )
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _export(database: StoreDatabase, output: Path | None) -> int:
    found = {"rows": 0, "bad": 0}

    def list_good() -> Iterator[StoreRow]:
        for row in database.iterate():
            if isinstance(row, BadRow):
                found["bad"] += 1
            else:
                found["rows"] += 1
                yield row

    lines = format_rows(list_good())
    try:
        if output is None:
            for line in lines:
                sys.stdout.write(line.decode())
        else:
            part = output.with_name(output.name + ".part")
            with part.open("wb") as out:
                out.writelines(lines)
            part.replace(output)
    except OSError as error:
        raise DataFileError(f"{output} cannot be written: {error.strerror}", field="output") from error
    sys.stderr.write(f"gammond: {_count(found['rows'], 'entry', 'entries')} exported\n")
    if found["bad"]:
        damaged = _count(found["bad"], "damaged entry", "damaged entries")
        sys.stderr.write(f"gammond: {damaged} left out: see `gammond store verify`\n")
    return 1 if found["bad"] else 0


def _import(file: Path, sources: list[Path]) -> int:
    """Take the entries of files, some at a time, so that servers can write in between."""
    try:
        make_private_folder(file.parent)
    except OSError as error:
        raise DataFileError(f"{file.parent} cannot be made: {error.strerror}", field="file") from error
    read = new = faults = 0
    with _open(file) as database:
        for source in sources:

            def report(place: int, error: DataFileError, source: Path = source) -> None:
                nonlocal faults
                faults += 1
                if faults <= _SHOWN_FAULTS:
                    sys.stderr.write(f"gammond: {source}, line {place}: {error.message}\n")

            rows = _read_rows(source, report)
            while step := list(itertools.islice(rows, _ROWS_A_STEP)):
                with database.write():
                    new += sum(map(database.put_row, step))
                    database.evict(MAX_STORE_BYTES, int(time.time()))
                read += len(step)
    sys.stdout.write(f"{_count(read, 'entry', 'entries')} read, {new:,} of them new\n")
    if faults > _SHOWN_FAULTS:
        sys.stderr.write(f"gammond: {faults} lines in all are no entries\n")
    return 1 if faults else 0


def _read_rows(source: Path, report: Callable[[int, DataFileError], None]) -> Iterator[StoreRow]:
    """Read the rows of a file; what is none is reported with its line.

    Raises:
        DataFileError: The file cannot be read, or is of another kind.
    """
    try:
        with source.open("rb") as lines:
            check_header(lines.readline(MAX_LINE_BYTES))
            place = 1
            while line := lines.readline(MAX_LINE_BYTES + 1):
                place += 1
                try:
                    yield parse_row(line)
                except DataFileError as error:
                    report(place, error)
    except OSError as error:
        raise DataFileError(f"{source} cannot be read: {error.strerror}", field="files") from error
    except DataFileError as error:
        raise DataFileError(f"{source}: {error.message}", field="files") from error


def _verify(database: StoreDatabase, sample_size: int, seed: int, repairs: bool) -> int:
    if fault := database.find_structural_fault():
        raise DataFileError(
            f"{database.file} is damaged ({fault}): move it away, a new one is then begun", field="file"
        )
    bad: list[BadRow] = []
    sample: list[StoreRow] = []
    rows = usable = 0
    chooser = random.Random(seed)
    is_usable: dict[str, bool] = {}
    for row in database.iterate():
        rows += 1
        if fault_of_row := _find_fault(row):
            bad.append(fault_of_row)
            continue
        assert isinstance(row, StoreRow)
        digest = row.engine.digest
        if digest not in is_usable:
            is_usable[digest] = _is_usable(row.engine)
        if is_usable[digest]:
            usable += 1
            if len(sample) < sample_size:
                sample.append(row)
            elif (place := chooser.randrange(usable)) < sample_size:
                sample[place] = row
    different = _search_again(sample)
    bad += different
    sys.stdout.write(
        f"entries         {rows:,}\n"
        f"not usable now  {rows - usable - len(bad) + len(different):,} of other nets, tables or versions\n"
        f"damaged         {len(bad) - len(different):,}\n"
        f"searched again  {len(sample):,}, {len(different):,} of them different\n"
    )
    for each in bad[:_SHOWN_FAULTS]:
        sys.stdout.write(f"{_describe(each.question)}: {each.problem}\n")
    if repairs and bad:
        with database.write():
            for each in bad:
                database.remove(each.question, each.digest)
        sys.stdout.write(f"removed         {len(bad):,}\n")
    return 1 if bad else 0


def _find_fault(row: StoreRow | BadRow) -> BadRow | None:
    """Return what is wrong with a row, without a search."""
    if isinstance(row, BadRow):
        return row
    try:
        row.question.read()
    except DataFileError as error:
        return BadRow(row.question, row.engine.digest, error.message)
    return None


def _search_again(sample: list[StoreRow]) -> list[BadRow]:
    """Search for the answers of rows afresh, and return those that are different in any bit."""
    engines: dict[str, Engine] = {}
    different = []
    with Progress(len(sample), "search again") as bar:
        for done, row in enumerate(sample, 1):
            engine = engines.get(row.engine.net) or load_engine(row.engine.net)
            engines[row.engine.net] = engine
            try:
                problem = ""
                if not search_entry(engine, row.question, row.entry.plies).is_same_as(row.entry):
                    problem = f"a fresh search at {row.entry.plies}-ply gives other values"
            except GammondError as error:
                problem = f"it cannot be searched: {error.message}"
            if problem:
                different.append(BadRow(row.question, row.engine.digest, problem))
            bar.update(done)
    return different


def _describe(question: StoreQuestion) -> str:
    """Return a question for a terminal, without anything unprintable."""
    return ascii(f"{question.xgid} ({question.settings})"[:160])[1:-1]


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
