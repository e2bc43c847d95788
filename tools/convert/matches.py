"""Matches in other formats, one or those of files and folders, and what these leave out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from gammond.engine.errors import (
    DataFileError,
    FormatError,
    GammondError,
    StateError,
    UnsupportedError,
    ValueRangeError,
)
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.match_files.reading import holds_positions, read_head, read_positions, recognise_format
from gammond.engine.match_files.writing import MATCH_FORMATS, write_match
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.files import check_output, identify_files
from gammond.tools.common.command_options import Force, option, written_file
from gammond.tools.common.files import write_atomically
from gammond.tools.common.match_inputs import MatchInput, MatchTally, list_match_inputs
from gammond.tools.common.position_arguments import STDIN
from gammond.tools.common.progress import Progress, write_message

_NAME = "gammond convert"


class MatchOutputOptions(Struct, frozen=True, kw_only=True):
    """Where matches go, and which are refused."""

    TITLE: ClassVar[str] = "matches"

    output: (
        Annotated[Path, written_file("write here, in place of stdout; a folder for many matches")] | None
    ) = None
    force: Force = False
    strict: Annotated[bool, option("refuse files with a fault")] = False


def convert_matches(source: Sequence[str], options: MatchOutputOptions, name: str) -> int:
    """Write the matches of files, folders, archives or standard input in another format.

    Args:
        source: Files, folders or archives; nothing is standard input.
        options: Where to, and how.
        name: The format.

    Returns:
        0, or 1 where a file could not be read or written, or decisions of it were lost.

    Raises:
        GammondError: The matches need a folder, or the one file cannot be written.
    """
    sources = source or [STDIN]
    inputs = list_match_inputs(sources)
    is_many = len(inputs) != 1 or Path(sources[0]).is_dir() or bool(inputs[0].member)
    writer, tally, is_written, count = (
        _Writer(options, name, inputs, is_folder=is_many),
        MatchTally(),
        True,
        0,
    )
    with ExitStack() as stack:
        bar = stack.enter_context(Progress(len(inputs), "files", lines_of=_NAME)) if is_many else None
        say = partial(write_message, _NAME, bar=bar)
        for done, given in enumerate(inputs, 1):
            matches = given.read(say, strict=options.strict, tally=tally)
            writer.check(matches)
            for match in (match for match in matches if match.games):
                try:
                    losses = writer.write(given, match)
                except (FormatError, UnsupportedError, StateError, ValueRangeError) as error:
                    if bar is None:
                        raise
                    say(f"{given.name}: {error.message}")
                    is_written = False
                    continue
                count += 1
                if losses:
                    say(f"{given.name}: {name} leaves out: {', '.join(losses)}")
            if bar is not None:
                bar.update(done)
        for line in tally.summarise() if is_many else ():
            say(line)
    return EXIT_OK if count and is_written and tally.is_whole else EXIT_FAULTS


def check_no_matches(files: Iterable[Path]) -> None:
    """Refuse match files, and folders, where positions are to be read.

    Raises:
        FormatError: There is one.
    """
    for file in files:
        if what := "a folder" if file.is_dir() else _name_match_file(file):
            *others, last = (f"--to {name}" for name in MATCH_FORMATS)
            options = f"{', '.join(others)} or {last}"
            raise FormatError(f"{file} is {what}: {options} writes matches in another format", field="to")


def _name_match_file(file: Path) -> str:
    """Return what a match file is called; empty for another one, and one that cannot be read."""
    try:
        head = read_head(file)
    except DataFileError:
        return ""
    found = recognise_format(head)
    if found is None or (holds_positions(head) and _has_positions(file)):
        return ""
    return f"a match file ({found})"


def _has_positions(file: Path) -> bool:
    try:
        return bool(read_positions(file))
    except GammondError:
        return False


class _Writer:
    """Writes matches: one to stdout or a file, many each to a file of a folder.

    Args:
        source: Files, folders or archives; nothing is standard input.
        options: Where to, and how.
        name: The format.
        inputs: What is read.
        is_folder: Whether the output must be a folder.

    Raises:
        UnsupportedError: It must be one, and is none.
    """

    def __init__(
        self, options: MatchOutputOptions, name: str, inputs: Sequence[MatchInput], *, is_folder: bool
    ) -> None:
        self._name = name
        self._output: Path | None = options.output
        self._force: bool = options.force
        self._inputs = identify_files(given.path for given in inputs)
        self._is_folder = is_folder or (options.output is not None and options.output.is_dir())
        self._written: set[Path] = set()
        if is_folder:
            self._check_folder("many files")

    def check(self, matches: Sequence[RecordedMatch]) -> None:
        """Refuse a file with more matches than the output can take.

        Raises:
            UnsupportedError: They need a folder.
        """
        if len(matches) > 1 and not self._is_folder:
            self._is_folder = True
            self._check_folder(f"{len(matches):,} matches")

    def write(self, given: MatchInput, match: RecordedMatch) -> list[str]:
        """Write a match, and return what the format leaves out.

        Raises:
            FormatError: It has no game.
            UnsupportedError: The format has no place for something without which it is another match.
            LimitError: It is longer than readers take.
            StateError: The file exists.
            ValueRangeError: The file is one that is read.
        """
        content, losses = write_match(match, self._name)
        if self._output is None:
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        else:
            target = self._choose_file(given, self._output)
            below = target.parent if self._is_folder else None
            check_output(target, self._inputs, force=self._force, new_folder=below)
            write_atomically(target, content)
        return losses

    def _choose_file(self, given: MatchInput, output: Path) -> Path:
        """Return a file of its own, in a folder named after the one that was read."""
        if not self._is_folder:
            return output
        stem, number = output / given.place.with_suffix(""), 1
        while (target := Path(f"{stem}{f'-{number}' if number > 1 else ''}.{self._name}")) in self._written:
            number += 1
        self._written.add(target)
        return target

    def _check_folder(self, what: str) -> None:
        if self._output is None or self._output.is_file():
            raise UnsupportedError(f"{what} need a folder: --output FOLDER", field="output")
