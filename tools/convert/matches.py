"""Matches in other formats, one or those of files and folders, and what these leave out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.errors import (
    DataFileError,
    FormatError,
    GammondError,
    StateError,
    UnsupportedError,
    ValueRangeError,
)
from engine.match_files.mat.reader import parse_mat
from engine.match_files.mat.writer import format_match
from engine.match_files.model import ActionNotes, RecordedMatch
from engine.match_files.reading import holds_positions, read_head, read_positions, recognise_format
from engine.match_files.sgf.reader import parse_sgf
from engine.match_files.sgf.writer import format_sgf
from engine.rules.game_record import ResignationAction
from tools.common.files import write_atomically
from tools.common.match_inputs import MatchInput, are_whole, list_match_inputs
from tools.common.position_arguments import STDIN
from tools.common.progress import Progress, write_message


@dataclass(frozen=True)
class MatchFormat:
    """A format in which matches are written.

    Attributes:
        write: Writes a match.
        parse: Reads it again.
    """

    write: Callable[[RecordedMatch], str]
    parse: Callable[[str], tuple[RecordedMatch, ...]]


MATCH_FORMATS = {"mat": MatchFormat(format_match, parse_mat), "sgf": MatchFormat(format_sgf, parse_sgf)}
"""By their names, in which their files end."""

_RULES = {
    "crawford": "the Crawford rule",
    "jacoby": "the Jacoby rule",
    "beavers": "the rule about beavers",
    "raccoons": "the rule about raccoons",
    "automatic_doubles": "the rule about automatic doubles",
    "cube_limit": "the limit of the cube",
}
_NAME = "gammond convert"


def convert_matches(args: argparse.Namespace, name: str) -> int:
    """Write the matches of files, folders or standard input in another format.

    Args:
        args: Parsed arguments.
        name: The format.

    Returns:
        0, or 1 where a file could not be read or written, or not all of it.

    Raises:
        GammondError: The matches need a folder, or the one file cannot be written.
    """
    sources = args.source or [STDIN]
    inputs = list_match_inputs(sources)
    is_many = len(inputs) != 1 or Path(sources[0]).is_dir()
    writer, is_whole, count = _Writer(args, name, is_folder=is_many), True, 0
    with ExitStack() as stack:
        bar = stack.enter_context(Progress(len(inputs), "files", lines_of=_NAME)) if is_many else None
        say = partial(write_message, _NAME, bar=bar)
        for done, given in enumerate(inputs, 1):
            matches = given.read(say, strict=args.strict)
            is_whole &= are_whole(matches)
            writer.check(matches)
            for match in (match for match in matches if match.games):
                try:
                    losses = writer.write(given, match)
                except (FormatError, UnsupportedError, StateError, ValueRangeError) as error:
                    if bar is None:
                        raise
                    say(f"{given.name}: {error.message}")
                    is_whole = False
                    continue
                count += 1
                if losses:
                    say(f"{given.name}: {name} leaves out: {', '.join(losses)}")
            if bar is not None:
                bar.update(done)
    return 0 if count and is_whole else 1


def check_no_matches(files: Iterable[Path]) -> None:
    """Refuse match files, and folders, where positions are to be read.

    Raises:
        FormatError: There is one.
    """
    for file in files:
        if what := "a folder" if file.is_dir() else _name_match_file(file):
            options = " or ".join(f"--to {name}" for name in MATCH_FORMATS)
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


def list_losses(match: RecordedMatch, read: RecordedMatch) -> list[str]:
    """List what of a match is not in another one, which was written and read again."""
    one, other = match.rules, read.rules
    losses = [what for rule, what in _RULES.items() if getattr(one, rule) != getattr(other, rule)]
    losses += [f"header {word}" for word, said in match.headers.items() if read.headers.get(word) != said]
    if match.names != read.names:
        losses.append("characters of names")
    losses += _count_losses("comments", _list_comments(match), _list_comments(read))
    analysed, kept = _list_analysed(match), _list_analysed(read)
    losses += _count_losses("analysed decisions", analysed, kept)
    if kept and (depths := _collect_depths(analysed) - _collect_depths(kept)):
        losses.append(f"the depths {', '.join(sorted(depths))}")
    return losses + _count_losses("rejected resignations", _list_rejected(match), _list_rejected(read))


class _Writer:
    """Writes matches: one to stdout or a file, many each to a file of a folder.

    Args:
        args: Parsed arguments.
        name: The format.
        is_folder: Whether the output must be a folder.

    Raises:
        UnsupportedError: It must be one, and is none.
    """

    def __init__(self, args: argparse.Namespace, name: str, *, is_folder: bool) -> None:
        self._format, self._name = MATCH_FORMATS[name], name
        self._output: Path | None = args.output
        self._force: bool = args.force
        self._is_folder = is_folder or (args.output is not None and args.output.is_dir())
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
            StateError: The file exists.
            ValueRangeError: The file is the one that was read.
        """
        text = self._format.write(match)
        (read,) = self._format.parse(text)
        if self._output is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            target = self._choose_file(given, self._output)
            self._check_target(given, target)
            write_atomically(target, text.encode())
        return list_losses(match, read)

    def _choose_file(self, given: MatchInput, output: Path) -> Path:
        """Return a file of its own, in a folder named after the one that was read."""
        if not self._is_folder:
            return output
        stem, number = output / given.place.with_suffix(""), 1
        while (target := Path(f"{stem}{f'-{number}' if number > 1 else ''}.{self._name}")) in self._written:
            number += 1
        self._written.add(target)
        return target

    def _check_target(self, given: MatchInput, target: Path) -> None:
        if not target.exists():
            return
        if given.path is not None and target.samefile(given.path):
            raise ValueRangeError(f"the output would overwrite the input {target}", field="output")
        if not self._force:
            raise StateError(f"{target} already exists: --force overwrites it", field="output")

    def _check_folder(self, what: str) -> None:
        if self._output is None or self._output.is_file():
            raise UnsupportedError(f"{what} need a folder: --output FOLDER", field="output")


def _count_losses(what: str, whole: Collection[object], kept: Collection[object]) -> list[str]:
    lost = len(whole) - len(kept)
    return [f"{lost:,} {what if lost > 1 else what.removesuffix('s')}"] if lost > 0 else []


def _list_notes(match: RecordedMatch) -> Iterator[ActionNotes]:
    return (notes for game in match.games for notes in game.notes.values())


def _list_comments(match: RecordedMatch) -> list[str]:
    """List the lines of all comments: one may be joined to another."""
    of_games = (game.comment for game in match.games)
    said = [match.comment, *of_games, *(notes.comment for notes in _list_notes(match))]
    return [line for comment in said for line in comment.splitlines()]


def _list_rejected(match: RecordedMatch) -> list[ResignationAction]:
    actions = (action for game in match.games for action in game.actions)
    return [each for each in actions if isinstance(each, ResignationAction) and not each.is_accepted]


def _list_analysed(match: RecordedMatch) -> list[ActionNotes]:
    """List what was said about plays that could be chosen, and about the cube."""
    return [
        notes
        for notes in _list_notes(match)
        if notes.cube or any(candidate.play.moves for candidate in notes.candidates)
    ]


def _collect_depths(analysed: Iterable[ActionNotes]) -> set[str]:
    evaluations = [each.evaluation for notes in analysed for each in notes.candidates]
    of_cubes = (notes.cube.evaluation for notes in analysed if notes.cube is not None)
    return {each.depth for each in (*evaluations, *of_cubes) if each is not None and each.depth}
