"""Where analysed matches are written: to stdout as they come, to one file, or one file each."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO

from engine.errors import DataFileError, UnsupportedError
from engine.match_analysis.analysed_match import AnalysedMatch
from engine.match_analysis.documents import describe_match
from engine.match_files.model import RecordedMatch
from engine.match_files.sgf.writer import format_sgf
from engine.match_reports.html_report import format_html
from engine.match_reports.text_report import format_text
from engine.runtime.output_files import (
    check_folder,
    check_output,
    check_output_folder,
    identify_files,
    open_output,
)
from tools.analyse.csv_report import format_csv
from tools.analyse.html_player import format_player_html
from tools.analyse.kept_decisions import find_kept_file
from tools.analyse.player_history import (
    PlayerHistory,
    format_history,
    format_history_csv,
    format_history_json,
)
from tools.analyse.players_report import PlayersReport
from tools.common.files import write_atomically

TEXT, HTML, SGF = "text", "html", "sgf"
FORMATS = (TEXT, HTML, "json", "csv", SGF)
ONE_MATCH_FORMATS = (HTML, SGF)


def check_report_file(args: argparse.Namespace, inputs: Sequence[Path | None]) -> None:
    """Check before the work that the one file of ``--output`` may be written.

    Args:
        args: Parsed arguments.
        inputs: The files that are read; None for standard input.

    Raises:
        GammondError: As `engine.runtime.output_files.check_output`.
    """
    if args.output is not None:
        check_output(args.output, identify_files(inputs), force=_may_replace(args))


def _may_replace(args: argparse.Namespace) -> bool:
    """Return whether files may be replaced; those of an unfinished run are its own."""
    return args.force or find_kept_file(args.output).is_file()


class ReportStream:
    """Text that goes to stdout at once, or to a file, which appears whole in the end.

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

    def write(self, text: str) -> None:
        """Write a text.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._path is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        try:
            if self._file is None:
                folder = self._path.parent if os.access(self._path.parent, os.W_OK) else None
                self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (open to the end)
            self._file.write(text.encode())
        except OSError as error:
            raise DataFileError(f"{self._path} cannot be written: {error.strerror}") from error

    def finish(self) -> None:
        """Let the file appear, if anything was written.

        Raises:
            DataFileError: It cannot be written.
        """
        if self._path is None or self._file is None:
            return
        try:
            self._file.seek(0)
            with open_output(self._path) as out:
                shutil.copyfileobj(self._file, out)
        except OSError as error:
            raise DataFileError(f"{self._path} cannot be written: {error.strerror}") from error


class MatchWriter:
    """Writes analysed matches: SGF and HTML one to a file, others together.

    Args:
        args: Parsed arguments.
        inputs: The files that are analysed; None for standard input.
        stream: Takes what is not one file for each match.

    Attributes:
        count: The matches written so far.
        date: When the analysis was begun.

    Raises:
        UnsupportedError: The matches need a folder.
        GammondError: The output may not be written.
    """

    def __init__(self, args: argparse.Namespace, inputs: Sequence[Path | None], stream: ReportStream) -> None:
        self.count = 0
        self.date = datetime.now().astimezone()
        self._args = args
        self._stream = stream
        self._players = PlayersReport()
        self._inputs = identify_files(inputs)
        has_folder = args.output is not None and args.output.is_dir()
        self._is_folder = args.format in ONE_MATCH_FORMATS and (len(inputs) > 1 or has_folder)
        if self._is_folder:
            self._check_folder(f"{len(inputs)} files")
        else:
            check_report_file(args, inputs)

    def check(self, matches: Sequence[RecordedMatch]) -> None:
        """Refuse a file with more matches than the output can take.

        Raises:
            UnsupportedError: They need a folder.
        """
        if self._args.format in ONE_MATCH_FORMATS and len(matches) > 1 and not self._is_folder:
            self._is_folder = True
            self._check_folder(f"{len(matches)} matches")

    def write(self, analysed: AnalysedMatch) -> None:
        """Write a match."""
        args = self._args
        text = self._format(analysed)
        self.count += 1
        if args.format == TEXT:
            self._players.add(analysed)
        if self._is_folder:
            file = args.output / f"{self.count:03d}-{Path(analysed.name).stem or 'match'}.{args.format}"
            check_output(file, self._inputs, force=True, new_folder=args.output)
            write_atomically(file, text.encode())
        else:
            self._stream.write(text)

    def finish(self) -> None:
        """Write what is known only in the end."""
        if self._args.format == TEXT and (players := self._players.format()):
            self._stream.write(f"\n{players}")
        self._stream.finish()

    def _format(self, analysed: AnalysedMatch) -> str:
        match self._args.format:
            case "json":
                return json.dumps(describe_match(analysed), ensure_ascii=False) + "\n"
            case "csv":
                return format_csv(analysed, has_header=not self.count)
            case "html":
                return format_html(analysed, self.date)
            case "sgf":
                return format_sgf(analysed.marked_match)
            case _:
                return "\n" * (self.count > 0) + format_text(analysed, self._args.errors)

    def _check_folder(self, what: str) -> None:
        output = self._args.output
        if output is None or (output.suffix and not output.is_dir()):
            raise UnsupportedError(
                f"--format {self._args.format}: {what} need a folder: --output FOLDER", field="output"
            )
        check_folder(output, "output")
        check_output_folder(output, force=_may_replace(self._args))


class PlayerWriter:
    """Writes the history of a player, once all matches are analysed.

    Args:
        history: Takes the matches.
        form: The format, one of `FORMATS`.
        stream: Takes the report.

    Attributes:
        date: When the analysis was begun.
        history: As given.

    Raises:
        UnsupportedError: The format is for matches.
    """

    def __init__(self, history: PlayerHistory, form: str, stream: ReportStream) -> None:
        if form == SGF:
            raise UnsupportedError(
                "--player has no SGF: give --format text, html, json or csv", field="format"
            )
        self.date = datetime.now().astimezone()
        self.history = history
        self._form = form
        self._stream = stream

    @property
    def count(self) -> int:
        """The matches analysed so far."""
        return len(self.history.rows)

    def finish(self) -> None:
        """Write the history, if there is a match."""
        if not self.count:
            return
        match self._form:
            case "json":
                self._stream.write(format_history_json(self.history))
            case "csv":
                self._stream.write(format_history_csv(self.history))
            case "html":
                self._stream.write(format_player_html(self.history, self.date))
            case _:
                self._stream.write(format_history(self.history))
        self._stream.finish()
