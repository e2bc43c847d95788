"""The matches that are analysed, and where they are written: to stdout, to one file, or one file each."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import IO

from gammond.engine.errors import UnsupportedError
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.documents import describe_match, list_decision
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.match_files.writing import ANALYSED_FORMATS, MATCH_FORMATS, write_match
from gammond.engine.match_reports.html_report import format_html
from gammond.engine.match_reports.text_report import format_text
from gammond.engine.runtime.files import (
    check_folder,
    check_output,
    check_output_folder,
    identify_files,
    open_output,
)
from gammond.engine.wording import escape_unprintable
from gammond.tools.analyse.html_player import format_player_html
from gammond.tools.analyse.kept_decisions import find_kept_file
from gammond.tools.analyse.options import DEFAULT_WINDOW, HTML, TEXT, AnalyseOptions
from gammond.tools.analyse.player_history import (
    PlayerHistory,
    format_history,
    format_history_csv,
    format_history_json,
)
from gammond.tools.analyse.player_search import find_player
from gammond.tools.analyse.players_report import PlayersReport
from gammond.tools.common.files import name_in_errors, write_atomically
from gammond.tools.common.match_inputs import MatchInput, MatchTally

ONE_MATCH_FORMATS = (HTML, *ANALYSED_FORMATS)

_DECISION_COLUMNS = (
    *("file", "length", "player", "opponent", "game", "move", "action", "seat", "own_score", "other_score"),
    "phase",
    *("decision", "roll", "chosen", "best", "error", "error_mwc", "counts_for_xg", "counts_for_gnubg"),
    *("depth", "se", "trials", "no_double", "double_take", "double_pass", "xgid"),
)


def _check_report_file(options: AnalyseOptions, inputs: Sequence[Path | None]) -> None:
    """Check before the work that the one file of ``--output`` may be written.

    Args:
        options: Of the command.
        inputs: The files that are read; None for standard input.

    Raises:
        GammondError: As `gammond.engine.runtime.files.check_output`.
    """
    if options.output is not None:
        check_output(options.output, identify_files(inputs), force=_may_replace(options, options.output))


def _may_replace(options: AnalyseOptions, output: Path) -> bool:
    """Return whether files may be replaced; those of an unfinished run are its own."""
    return options.force or find_kept_file(output).is_file()


class ReportStream:
    """A report that goes to stdout at once, or to a file, which appears whole in the end.

    Args:
        path: The file; None for stdout.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def __enter__(self) -> ReportStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, content: str | bytes) -> None:
        """Write a text, or what may be none.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._path is None:
            if isinstance(content, str):
                sys.stdout.write(content)
            else:
                sys.stdout.buffer.write(content)
            sys.stdout.flush()
            return
        with name_in_errors(self._path, "written"):
            if self._file is None:
                folder = self._path.parent if os.access(self._path.parent, os.W_OK) else None
                self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (open to the end)
            self._file.write(_encode(content))

    def finish(self) -> None:
        """Let the file appear, if anything was written.

        Raises:
            DataFileError: It cannot be written.
        """
        if self._path is None or self._file is None:
            return
        with name_in_errors(self._path, "written"):
            self._file.seek(0)
            with open_output(self._path) as out:
                shutil.copyfileobj(self._file, out)


def _encode(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


MatchTask = tuple[RecordedMatch, str, str, Callable[[AnalysedMatch], None]]
"""A match, the name of its file, what the progress calls it, and what takes its analysis."""


class MatchReports:
    """The matches of files, each with a report: match files and HTML one to a file, others together.

    Args:
        options: Of the command.
        sources: The files.
        stream: Takes what is not one file for each match.
        say: Says what is wrong in a file, and what a match file leaves out.

    Attributes:
        tally: Counts how the files were read.
        count: The matches written so far.
        date: When the analysis was begun.

    Raises:
        UnsupportedError: The matches need a folder, or the format a package; or an option is for players.
        GammondError: The output may not be written.
    """

    def __init__(
        self,
        options: AnalyseOptions,
        sources: Sequence[MatchInput],
        stream: ReportStream,
        say: Callable[[str], None],
    ) -> None:
        if options.window is not None:
            raise UnsupportedError(
                "--window is for the history of a player: add --player NAME", field="window"
            )
        self.tally = MatchTally()
        self.count = 0
        self.date = datetime.now().astimezone()
        self._options, self._sources, self._stream, self._say = options, sources, stream, say
        if options.format in ANALYSED_FORMATS:
            MATCH_FORMATS[options.format].check()
        self._players = PlayersReport()
        inputs = [source.path for source in sources]
        self._inputs = identify_files(inputs)
        has_folder = options.output is not None and options.output.is_dir()
        self._is_folder = options.format in ONE_MATCH_FORMATS and (len(inputs) > 1 or has_folder)
        if self._is_folder:
            self._check_folder(f"{len(inputs)} files")
        else:
            _check_report_file(options, inputs)

    def list_matches(self) -> Iterator[MatchTask]:
        """Yield the matches in the order of the files.

        Raises:
            UnsupportedError: A file has more matches than the output can take.
        """
        for number, source in enumerate(self._sources, 1):
            matches = source.read(self._say, strict=self._options.strict, tally=self.tally)
            if self._options.format in ONE_MATCH_FORMATS and len(matches) > 1 and not self._is_folder:
                self._is_folder = True
                self._check_folder(f"{len(matches)} matches")
            for match in (match for match in matches if match.games):
                yield match, source.name, _label(source.name, number, len(self._sources)), self._write

    def _write(self, analysed: AnalysedMatch) -> None:
        """Write a match.

        Raises:
            UnsupportedError: The format has no place for something without which it is another match.
            GammondError: It cannot be written.
        """
        options = self._options
        content = self._format(analysed)
        self.count += 1
        if options.format == TEXT:
            self._players.add(analysed)
        if self._is_folder:
            assert options.output is not None  # `_check_folder` refuses many files otherwise
            file = options.output / f"{self.count:03d}-{Path(analysed.name).stem or 'match'}.{options.format}"
            check_output(file, self._inputs, force=True, new_folder=options.output)
            write_atomically(file, _encode(content))
        else:
            self._stream.write(content)

    def finish(self) -> None:
        """Write what is known only in the end."""
        if self._options.format == TEXT and (players := self._players.format()):
            self._stream.write(f"\n{players}")
        self._stream.finish()

    def _format(self, analysed: AnalysedMatch) -> str | bytes:
        match self._options.format:
            case "json":
                return json.dumps(describe_match(analysed), ensure_ascii=False) + "\n"
            case "csv":
                return _format_csv(analysed, has_header=not self.count)
            case "html":
                return format_html(analysed, self.date)
            case name if name in ANALYSED_FORMATS:
                content, losses = write_match(analysed.marked_match, name)
                if losses:
                    self._say(f"{analysed.name}: {name} leaves out: {', '.join(losses)}")
                return content
            case _:
                name = f"{escape_unprintable(analysed.name)}\n" if len(self._sources) > 1 else ""
                return "\n" * (self.count > 0) + name + format_text(analysed, self._options.errors)

    def _check_folder(self, what: str) -> None:
        output = self._options.output
        if output is None or (output.suffix and not output.is_dir()):
            raise UnsupportedError(
                f"--format {self._options.format}: {what} need a folder: --output FOLDER", field="output"
            )
        check_folder(output, "output")
        check_output_folder(output, force=_may_replace(self._options, output))


class PlayerReports:
    """The matches of one player, with one report; arguments and attributes as `MatchReports`.

    Raises:
        UnsupportedError: The format is for matches.
        GammondError: No player is called like that, or several are; or the output may not be written.
    """

    def __init__(
        self,
        options: AnalyseOptions,
        sources: Sequence[MatchInput],
        stream: ReportStream,
        say: Callable[[str], None],
    ) -> None:
        _check_report_file(options, [source.path for source in sources])
        found = find_player(options.player or "", sources, say, strict=options.strict)
        self.tally = found.tally
        self.date = datetime.now().astimezone()
        self._history = PlayerHistory(
            found.name, DEFAULT_WINDOW if options.window is None else options.window
        )
        self._options, self._matches, self._stream = options, found.matches, stream
        if options.format in ANALYSED_FORMATS:
            raise UnsupportedError(
                f"--player has no {options.format}: give --format text, html, json or csv", field="format"
            )

    def list_matches(self) -> Iterator[MatchTask]:
        """Yield the matches in the order of their dates."""
        for number, (found, seat) in enumerate(self._matches, 1):
            name = found.source.name
            write = partial(self._history.add, seat=seat, date=found.date)
            yield (
                found.read(strict=self._options.strict),
                name,
                _label(name, number, len(self._matches)),
                write,
            )

    @property
    def count(self) -> int:
        """The matches analysed so far."""
        return len(self._history.rows)

    def finish(self) -> None:
        """Write the history, if there is a match."""
        if not self.count:
            return
        match self._options.format:
            case "json":
                self._stream.write(format_history_json(self._history))
            case "csv":
                self._stream.write(format_history_csv(self._history))
            case "html":
                self._stream.write(format_player_html(self._history, self.date))
            case _:
                self._stream.write(format_history(self._history))
        self._stream.finish()


def _label(name: str, number: int, count: int) -> str:
    """Return what the progress of a match is called."""
    return escape_unprintable(name) + f", {number} of {count}" * (count > 1)


def _format_csv(analysed: AnalysedMatch, *, has_header: bool) -> str:
    """Format the decisions of a match, a row each; what a row has not is empty."""
    text = io.StringIO()
    rows = csv.DictWriter(text, _DECISION_COLUMNS, extrasaction="ignore", lineterminator="\n")
    if has_header:
        rows.writeheader()
    names = analysed.match.names
    for decision in analysed.decisions:
        listed = list_decision(decision, analysed.table)
        seat = decision.seat
        score = decision.situation.match.score
        rows.writerow(
            {
                **{name: int(value) if isinstance(value, bool) else value for name, value in listed.items()},
                "file": analysed.name,
                "chosen": decision.chosen if decision.is_legal else decision.chosen_name,
                "length": analysed.match.length,
                "player": names[seat],
                "opponent": names[1 - seat],
                "own_score": score[seat],
                "other_score": score[1 - seat],
            }
        )
    return text.getvalue()
