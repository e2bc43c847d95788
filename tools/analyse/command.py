"""Analyse matches: what each player did wrong, with performance ratings, error rates and luck.

    gammond analyse match.mat
    gammond analyse matches/ --plies 3 --format json --output analyses.jsonl
    gammond analyse match.xg --deepen 3 --format sgf --output match.sgf

FILE is a match in any format that gammond reads, recognised by its content; of a folder, all files below it;
- is standard input. Every play, cube decision and roll is judged at the score. Decisions that are wrong, or
close, by .02 or so are judged again at --deepen plies, all their choices alike.

The text has the statistics of both players, each number on the scale of the program that it is named after,
and the errors, the worst first. --format json writes an object for each match, with every decision; --format
sgf writes the match with its analysis, as GNU Backgammon keeps it: for several matches --output is a folder.

What of a file could not be read is said on stderr, with its place; --strict refuses such a file. The exit
status is then 1. Ctrl-C keeps the matches that are finished.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from engine.analysis.engine import Engine
from engine.cubeful.match_equity import load_default_table
from engine.errors import CancelledWork, GammondError, UnsupportedError
from engine.match_analysis.analysis import AnalysisSettings, analyse_match
from engine.match_files.model import RecordedMatch
from engine.match_files.reading import MAX_FILE_BYTES, read_matches
from engine.match_files.sgf_writer import format_sgf
from engine.options import escape_unprintable
from engine.runtime.cores import count_usable_cores
from engine.runtime.threads import Workers
from engine.runtime.version import read_version
from engine.search import FILTERS
from engine.search.filters import DEFAULT_FILTER
from tools.analyse.analysed_match import AnalysedMatch
from tools.analyse.json_report import format_json
from tools.analyse.text_report import format_text
from tools.common.files import write_atomically
from tools.common.interrupts import call_on_interrupt
from tools.common.opponents import load_net_engine
from tools.common.position_arguments import STDIN
from tools.common.progress import Progress
from tools.common.strength import add_net_argument

SUMMARY = "what the players of match files did wrong: ratings, errors, luck"

DEFAULT_PLIES = 2
DEFAULT_ERRORS = 20

_MAX_REPORTED_ISSUES = 20
_TEXT, _JSON, _SGF = "text", "json", "sgf"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help=f"match files, or folders of them; {STDIN} is standard input"
    )
    parser.add_argument(
        "--plies", type=int, default=DEFAULT_PLIES, help="look-ahead of every decision (default %(default)s)"
    )
    parser.add_argument(
        "--deepen",
        type=int,
        default=0,
        metavar="PLIES",
        help="look-ahead of decisions that are close or wrong (default none)",
    )
    parser.add_argument(
        "--filter", choices=FILTERS, default=DEFAULT_FILTER, help="move filter (default %(default)s)"
    )
    parser.add_argument(
        "--format", choices=(_TEXT, _JSON, _SGF), default=_TEXT, help="what is written (default %(default)s)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write here, in place of stdout; a folder for many .sgf files",
    )
    parser.add_argument(
        "--errors", type=int, default=DEFAULT_ERRORS, metavar="N", help="errors to list (default %(default)s)"
    )
    parser.add_argument("--strict", action="store_true", help="refuse files with a fault")
    parser.add_argument("--threads", type=int, help="threads (default one for each core)")
    add_net_argument(parser)


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0, or 1 where a file could not be read, or not all of it.

    Raises:
        GammondError: An option is wrong, or the output cannot be written.
        KeyboardInterrupt: Ctrl-C or SIGTERM; what is finished has been written.
    """
    settings = AnalysisSettings(args.plies, args.deepen, args.filter)
    workers = Workers(count_usable_cores() if args.threads is None else args.threads)
    matches, is_whole = _read_all(args)
    is_folder = args.format == _SGF and len(matches) > 1
    if is_folder and (args.output is None or args.output.suffix):
        raise UnsupportedError(
            f"--format sgf: {len(matches)} matches need a folder: --output FOLDER", field="output"
        )
    stopped, texts = threading.Event(), list[str]()
    with call_on_interrupt(stopped.set, has_nothing=lambda: not texts):
        engine = load_net_engine(args.net) if matches else None
        for number, (name, match) in enumerate(matches, 1):
            assert engine is not None
            label = name if len(matches) == 1 else f"{name}, {number} of {len(matches)}"
            try:
                judged = _analyse(engine, match, settings, workers, label, stopped)
            except CancelledWork:
                break
            table = engine.table or load_default_table()
            method = _describe_method(engine.name, settings, table.name)
            text = _format(AnalysedMatch(name, judged, method, table), args)
            texts.append(text)
            if is_folder:
                write_atomically(
                    args.output / f"{number:03d}-{Path(name).stem or 'match'}.sgf", text.encode()
                )
            elif args.output is None:
                sys.stdout.write(text if number == 1 or args.format != _TEXT else f"\n{text}")
                sys.stdout.flush()
    if args.output is not None and texts and not is_folder:
        write_atomically(args.output, ("\n" * (args.format == _TEXT)).join(texts).encode())
    if stopped.is_set():
        raise KeyboardInterrupt
    return 0 if matches and is_whole else 1


def _analyse(
    engine: Engine,
    match: RecordedMatch,
    settings: AnalysisSettings,
    workers: Workers,
    label: str,
    stopped: threading.Event,
) -> RecordedMatch:
    with Progress(None, label, lines_of="gammond analyse") as progress:

        def show(done: int, total: int) -> None:
            progress.total = total
            progress.update(done)

        return analyse_match(
            engine, match, settings, workers=workers, progress=show, cancelled=stopped.is_set
        )


def _describe_method(net: str, settings: AnalysisSettings, table: str) -> str:
    deeper = f", close and wrong decisions {settings.deeper_plies}-ply" if settings.is_deepening else ""
    return f"gammond {read_version()}, net {net}, {settings.plies}-ply{deeper}, match equities of {table}"


def _format(analysed: AnalysedMatch, args: argparse.Namespace) -> str:
    if args.format == _TEXT:
        return format_text(analysed, args.errors)
    return format_json(analysed) if args.format == _JSON else format_sgf(analysed.marked_match)


def _read_all(args: argparse.Namespace) -> tuple[list[tuple[str, RecordedMatch]], bool]:
    """Read all matches, and say what could not be read.

    Returns:
        Each match with the name of its file, and whether everything could be read.
    """
    matches: list[tuple[str, RecordedMatch]] = []
    is_whole = True
    for name in args.files:
        for file in _list_files(name):
            shown = "standard input" if file is None else str(file)
            try:
                source = sys.stdin.buffer.read(MAX_FILE_BYTES + 1) if file is None else file
                found = read_matches(source, name=shown, strict=args.strict)
            except GammondError as error:
                is_whole = False
                _write_message(error.message)
                continue
            for match in found:
                is_whole &= not match.issues
                _report_issues(shown, match)
                matches += [(shown, match)] * bool(match.games)
    return matches, is_whole


def _list_files(name: str) -> Iterator[Path | None]:
    """Yield the files of an argument, in order: those below a folder without hidden ones; None for stdin."""
    if name == STDIN:
        yield None
        return
    path = Path(name)
    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for each in sorted(files):
            file = Path(folder, each)
            if not each.startswith(".") and file.is_file():
                yield file


def _report_issues(name: str, match: RecordedMatch) -> None:
    for issue in match.issues[:_MAX_REPORTED_ISSUES]:
        _write_message(f"{name}: {issue}")
    if len(match.issues) > _MAX_REPORTED_ISSUES:
        _write_message(f"{name}: {len(match.issues) - _MAX_REPORTED_ISSUES} more faults")


def _write_message(text: str) -> None:
    sys.stderr.write(f"gammond analyse: {escape_unprintable(text)}\n")
