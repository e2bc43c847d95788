"""Analyse matches: what each player did wrong, with performance ratings, error rates and luck.

    gammond analyse match.mat
    gammond analyse matches/ --plies 3 --format json --output analyses.jsonl
    gammond analyse match.xg --deepen 3 --format html --output report.html
    gammond analyse match.xg --format sgf --output match.sgf

FILE is a match in any format that gammond reads, recognised by its content; of a folder, all files below it;
- is standard input. Every play, cube decision and roll is judged at the score. Decisions that are wrong, or
close, by .02 or so are judged again at --deepen plies, all their choices alike.

The text has the statistics of both players, each number on the scale of the program that it is named after,
and the errors, the worst first; in the end those of players over several matches. --format html writes a page
for a browser, with the course of the match and a board for every decision; json an object for each match,
with every decision; csv a row for each decision; sgf the match with its analysis, as GNU Backgammon keeps it.
For several matches --output of html and sgf is a folder.

What of a file could not be read is said on stderr, with its place; --strict refuses such a file. The exit
status is then 1. Ctrl-C keeps the matches that are finished.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from engine.analysis.engine import Engine
from engine.cubeful.match_equity import load_default_table
from engine.errors import CancelledWork, PositionError, UnsupportedError
from engine.match_analysis.analysed_match import AnalysedMatch, describe_method
from engine.match_analysis.analysis import AnalysisSettings, analyse_match
from engine.match_analysis.documents import describe_match
from engine.match_files.model import RecordedMatch
from engine.match_files.sgf.writer import format_sgf
from engine.options import escape_unprintable
from engine.runtime.cores import count_usable_cores
from engine.runtime.threads import Workers
from engine.search import FILTERS
from engine.search.filters import DEFAULT_FILTER
from tools.analyse.csv_report import format_csv
from tools.analyse.html_report import format_html
from tools.analyse.players_report import PlayersReport
from tools.analyse.text_report import format_text
from tools.common.files import write_atomically
from tools.common.interrupts import call_on_interrupt
from tools.common.match_inputs import list_match_inputs
from tools.common.opponents import collect_net_hashes, load_net_engine
from tools.common.position_arguments import STDIN
from tools.common.progress import Progress
from tools.common.strength import add_net_argument

SUMMARY = "what the players of match files did wrong: ratings, errors, luck"

DEFAULT_PLIES = 2
DEFAULT_ERRORS = 20

_TEXT, _HTML, _SGF = "text", "html", "sgf"
_FORMATS = (_TEXT, _HTML, "json", "csv", _SGF)
_ONE_MATCH_FORMATS = (_HTML, _SGF)


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
        "--format", choices=_FORMATS, default=_TEXT, help="what is written (default %(default)s)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write here, in place of stdout; a folder for many .html or .sgf files",
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
    files = list_match_inputs(args.files)
    writer, stopped, is_whole = _Writer(args, len(files)), threading.Event(), True
    with call_on_interrupt(stopped.set, has_nothing=lambda: not writer.count):
        engine = load_net_engine(args.net)
        table = engine.table or load_default_table()
        nets = collect_net_hashes(args.net)
        method = describe_method(engine.name, settings, table.name)
        try:
            for number, file in enumerate(files, 1):
                label = escape_unprintable(file.name) + f", {number} of {len(files)}" * (len(files) > 1)
                matches = file.read(_write_message, strict=args.strict)
                is_whole &= bool(matches) and not any(match.issues for match in matches)
                writer.check(matches)
                for match in (match for match in matches if match.games):
                    try:
                        judged = _analyse(engine, match, settings, workers, label, stopped)
                    except (PositionError, UnsupportedError) as error:
                        _write_message(f"{file.name}: {error.message}")
                        is_whole = False
                        continue
                    writer.write(AnalysedMatch(file.name, judged, method, table, nets))
        except CancelledWork:
            pass
    writer.finish()
    if stopped.is_set():
        raise KeyboardInterrupt
    return 0 if writer.count and is_whole else 1


class _Writer:
    """Writes analysed matches: to stdout as they come, to a file together, as SGF and HTML one to a file.

    Args:
        args: Parsed arguments.
        files: The number of files that are analysed.

    Attributes:
        count: The matches written so far.

    Raises:
        UnsupportedError: The matches need a folder.
    """

    def __init__(self, args: argparse.Namespace, files: int) -> None:
        self.count = 0
        self._args = args
        self._texts: list[str] = []
        self._players = PlayersReport()
        self._is_folder = args.format in _ONE_MATCH_FORMATS and files > 1
        if self._is_folder:
            self._check_folder(f"{files} files")

    def check(self, matches: Sequence[RecordedMatch]) -> None:
        """Refuse a file with more matches than the output can take.

        Raises:
            UnsupportedError: They need a folder.
        """
        if self._args.format in _ONE_MATCH_FORMATS and len(matches) > 1:
            self._is_folder = True
            self._check_folder(f"{len(matches)} matches")

    def write(self, analysed: AnalysedMatch) -> None:
        """Write a match."""
        args = self._args
        text = self._format(analysed)
        self.count += 1
        self._players.add(analysed)
        if self._is_folder:
            file = args.output / f"{self.count:03d}-{Path(analysed.name).stem or 'match'}.{args.format}"
            write_atomically(file, text.encode())
        else:
            self._put(text)

    def finish(self) -> None:
        """Write what is known only in the end."""
        args = self._args
        if args.format == _TEXT and (players := self._players.format()):
            self._put(f"\n{players}")
        if args.output is not None and self._texts:
            write_atomically(args.output, "".join(self._texts).encode())

    def _format(self, analysed: AnalysedMatch) -> str:
        match self._args.format:
            case "json":
                return json.dumps(describe_match(analysed), ensure_ascii=False) + "\n"
            case "csv":
                return format_csv(analysed, has_header=not self.count)
            case "html":
                return format_html(analysed, datetime.now().astimezone())
            case "sgf":
                return format_sgf(analysed.marked_match)
            case _:
                return "\n" * (self.count > 0) + format_text(analysed, self._args.errors)

    def _put(self, text: str) -> None:
        if self._args.output is not None:
            self._texts.append(text)
            return
        sys.stdout.write(text)
        sys.stdout.flush()

    def _check_folder(self, what: str) -> None:
        output = self._args.output
        if output is None or output.suffix:
            raise UnsupportedError(
                f"--format {self._args.format}: {what} need a folder: --output FOLDER", field="output"
            )


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


def _write_message(text: str) -> None:
    sys.stderr.write(f"gammond analyse: {escape_unprintable(text)}\n")
