"""Where analysed matches are written: to stdout as they come, to one file, or one file each."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO

from gammond.engine.errors import DataFileError, UnsupportedError
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.documents import describe_match
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
from gammond.tools.analyse.csv_report import format_csv
from gammond.tools.analyse.html_player import format_player_html
from gammond.tools.analyse.kept_decisions import find_kept_file
from gammond.tools.analyse.player_history import (
    PlayerHistory,
    format_history,
    format_history_csv,
    format_history_json,
)
from gammond.tools.analyse.players_report import PlayersReport
from gammond.tools.common.files import write_atomically

TEXT, HTML = "text", "html"
FORMATS = (TEXT, HTML, "json", "csv", *ANALYSED_FORMATS)
ONE_MATCH_FORMATS = (HTML, *ANALYSED_FORMATS)


def check_report_file(args: argparse.Namespace, inputs: Sequence[Path | None]) -> None:
    """Check before the work that the one file of ``--output`` may be written.

    Args:
        args: Parsed arguments.
        inputs: The files that are read; None for standard input.

    Raises:
        GammondError: As `gammond.engine.runtime.files.check_output`.
    """
    if args.output is not None:
        check_output(args.output, identify_files(inputs), force=_may_replace(args))


def _may_replace(args: argparse.Namespace) -> bool:
    """Return whether files may be replaced; those of an unfinished run are its own."""
    return args.force or find_kept_file(args.output).is_file()


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

    def write(self, text: str) -> None:
        """Write a text.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._path is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            self.write_bytes(text.encode())

    def write_bytes(self, content: bytes) -> None:
        """Write what may be no text.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._path is None:
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
            return
        try:
            if self._file is None:
                folder = self._path.parent if os.access(self._path.parent, os.W_OK) else None
                self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (open to the end)
            self._file.write(content)
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
    """Writes analysed matches: match files and HTML one to a file, others together.

    Args:
        args: Parsed arguments.
        inputs: The files that are analysed; None for standard input.
        stream: Takes what is not one file for each match.
        say: Says what a match file leaves out.

    Attributes:
        count: The matches written so far.
        date: When the analysis was begun.

    Raises:
        UnsupportedError: The matches need a folder, or the format a package.
        GammondError: The output may not be written.
    """

    def __init__(
        self,
        args: argparse.Namespace,
        inputs: Sequence[Path | None],
        stream: ReportStream,
        say: Callable[[str], object],
    ) -> None:
        self.count = 0
        self.date = datetime.now().astimezone()
        self._args, self._stream, self._say = args, stream, say
        if args.format in ANALYSED_FORMATS:
            MATCH_FORMATS[args.format].check()
        self._players = PlayersReport()
        self._are_several = len(inputs) > 1
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
        """Write a match.

        Raises:
            UnsupportedError: The format has no place for something without which it is another match.
            GammondError: It cannot be written.
        """
        args = self._args
        content = self._format(analysed)
        self.count += 1
        if args.format == TEXT:
            self._players.add(analysed)
        if self._is_folder:
            file = args.output / f"{self.count:03d}-{Path(analysed.name).stem or 'match'}.{args.format}"
            check_output(file, self._inputs, force=True, new_folder=args.output)
            write_atomically(file, content if isinstance(content, bytes) else content.encode())
        elif isinstance(content, bytes):
            self._stream.write_bytes(content)
        else:
            self._stream.write(content)

    def finish(self) -> None:
        """Write what is known only in the end."""
        if self._args.format == TEXT and (players := self._players.format()):
            self._stream.write(f"\n{players}")
        self._stream.finish()

    def _format(self, analysed: AnalysedMatch) -> str | bytes:
        match self._args.format:
            case "json":
                return json.dumps(describe_match(analysed), ensure_ascii=False) + "\n"
            case "csv":
                return format_csv(analysed, has_header=not self.count)
            case "html":
                return format_html(analysed, self.date)
            case name if name in ANALYSED_FORMATS:
                content, losses = write_match(analysed.marked_match, name)
                if losses:
                    self._say(f"{analysed.name}: {name} leaves out: {', '.join(losses)}")
                return content
            case _:
                name = f"{escape_unprintable(analysed.name)}\n" if self._are_several else ""
                return "\n" * (self.count > 0) + name + format_text(analysed, self._args.errors)

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
        if form in ANALYSED_FORMATS:
            raise UnsupportedError(
                f"--player has no {form}: give --format text, html, json or csv", field="format"
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
