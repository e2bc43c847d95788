"""Match files as tools are given them: files, folders, archives, standard input; their faults in words."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from gammond.engine.errors import DataFileError, GammondError, LimitError
from gammond.engine.formats.position_text import find_position
from gammond.engine.match_files.model import ONE_POSITION_ADVICE, IssueKind, RecordedMatch, describe_issues
from gammond.engine.match_files.reading import MAX_FILE_BYTES, read_matches
from gammond.engine.wording import escape_unprintable, format_count
from gammond.tools.common.position_arguments import STDIN
from gammond.tools.common.pulse import PULSE

MAX_ARCHIVE_FILES = 100_000
MAX_ARCHIVE_BYTES = 2_000_000_000
"""The most that the files of an archive may have in all, unpacked; one at a time is in memory."""

_MAX_REPORTED_ISSUES = 20
_ZIP_SIGNATURE = b"PK"


@dataclass(frozen=True)
class MatchInput:
    """A file to be read.

    Attributes:
        path: Where it is, or the archive that has it; None for standard input.
        place: Its path below the folder or the archive that was named, or its name alone.
        member: Its name in the archive; empty for a file of its own.
    """

    path: Path | None
    place: Path
    member: str = ""

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.path is None:
            return "standard input"
        return f"{self.path}/{self.member}" if self.member else str(self.path)

    def read(
        self, write_message: Callable[[str], None], *, strict: bool, tally: MatchTally | None = None
    ) -> tuple[RecordedMatch, ...]:
        """Read its matches.

        Args:
            write_message: Takes a line about each fault, and why a file cannot be read.
            strict: Whether a file with a fault is refused.
            tally: Counts how it was read.

        Returns:
            The matches; none if it cannot be read.
        """
        tally = MatchTally() if tally is None else tally
        try:
            matches = read_matches(self._load(), name=self.name, strict=strict)
        except GammondError as error:
            tally.add_unreadable(error, strict=strict)
            write_message(self._explain(error))
            return ()
        tally.add(matches)
        for issues in (describe_issues(match.issues) for match in matches):
            for issue in issues[:_MAX_REPORTED_ISSUES]:
                write_message(f"{self.name}: {issue}")
            if len(issues) > _MAX_REPORTED_ISSUES:
                more = format_count(len(issues) - _MAX_REPORTED_ISSUES, "more fault")
                write_message(f"{self.name}: {more}")
        return matches

    def _explain(self, error: GammondError) -> str:
        """Return why nothing was read, and what to do with a position in the place of a file."""
        if self.path is not None and not self.path.exists() and find_position(str(self.path)) is not None:
            return f"expected a match file, got a position: {ONE_POSITION_ADVICE}"
        return error.message

    def _load(self) -> bytes | Path:
        """Return the content of what has no path of its own, else the path."""
        if self.path is None:
            with PULSE.pause():
                return sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        return self.read_member() if self.member else self.path

    def read_member(self) -> bytes:
        """Read a file of an archive, up to a byte more than match files may have.

        Raises:
            DataFileError: It is damaged or encrypted.
        """
        assert self.path is not None
        try:
            with _open_archive(self.path).open(self.member) as content:
                return content.read(MAX_FILE_BYTES + 1)
        except Exception as error:  # readers of archives raise anything
            raise DataFileError(
                f"{escape_unprintable(self.name)} cannot be read: {error}", field="file"
            ) from error


@dataclass
class MatchTally:
    """Counts how files were read.

    Attributes:
        whole: Files of which nothing was lost.
        unfinished: Those of them that end within a game.
        cut: Files that lost decisions, by what they lost them for; one counts for each reason once.
        unreadable: Files without a match, by the reason.
    """

    whole: int = 0
    unfinished: int = 0
    cut: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    _cut: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether no decision of any file was lost."""
        return not self._cut and not self.unreadable

    def add(self, matches: Sequence[RecordedMatch]) -> None:
        """Count a file with its matches; one without a game is unreadable."""
        if not any(match.games for match in matches):
            kinds = {str(issue.kind) for match in matches for issue in match.issues}
            self.unreadable[", ".join(sorted(kinds)) or "no game"] += 1
        elif reasons := {reason for match in matches for reason in _list_reasons(match)}:
            self._cut += 1
            self.cut.update(reasons)
        else:
            self.whole += 1
            self.unfinished += any(match.games and match.games[-1].result is None for match in matches)

    def add_unreadable(self, error: GammondError, *, strict: bool) -> None:
        """Count a file that cannot be read, or is refused for its faults since they are not allowed."""
        reasons = {LimitError: "too large", DataFileError: "cannot be opened"}
        other = "refused, or no match file" if strict else "no match file"
        self.unreadable[reasons.get(type(error), other)] += 1

    def summarise(self) -> list[str]:
        """Return how files were read, in lines: in all, and by reason."""
        unreadable = self.unreadable.total()
        files = format_count(self.whole + self._cut + unreadable, "file")
        ends = f" ({self.unfinished:,} up to a game without its end)" if self.unfinished else ""
        lines = [f"{files}: {self.whole:,} read whole{ends}, {self._cut:,} cut, {unreadable:,} unreadable"]
        for name, reasons in (("cut", self.cut), ("unreadable", self.unreadable)):
            if reasons:
                listed = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())
                lines.append(f"{name} by reason: {listed}")
        return lines


def _list_reasons(match: RecordedMatch) -> Iterator[str]:
    """Yield for what decisions of a match were lost: the faults at the places where something is missing."""
    missing = [issue for issue in match.issues if issue.kind is IssueKind.MISSING]
    places = {(issue.game, issue.line, issue.offset) for issue in missing}
    faults = [each for each in match.issues if each.kind is not IssueKind.MISSING]
    found = [each for each in faults if (each.game, each.line, each.offset) in places]
    if not match.games:
        found = faults
    yield from (str(each.kind) for each in found or missing)


def list_match_inputs(names: Iterable[str]) -> list[MatchInput]:
    """List the files of arguments, in order; of folders and ``.zip`` archives those that are not hidden.

    Raises:
        LimitError: An archive has more files or bytes than are read.
    """
    return [found for name in names for found in _list_inputs(name)]


def _list_inputs(name: str) -> Iterator[MatchInput]:
    if name == STDIN:
        yield MatchInput(None, Path("match"))
        return
    path = Path(name)
    if not path.is_dir():
        yield from _list_file(path, Path(path.name), Path())
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for each in sorted(files):
            file = Path(folder, each)
            if not each.startswith(".") and file.is_file():
                place = file.relative_to(path)
                yield from _list_file(file, place, place.with_suffix(""))


def _list_file(path: Path, place: Path, folder: Path) -> Iterator[MatchInput]:
    """Yield a file, or those of an archive, whose places are below a folder."""
    members = _list_members(path)
    if members is None:
        yield MatchInput(path, place)
        return
    size = sum(member.file_size for member in members)
    if len(members) > MAX_ARCHIVE_FILES or size > MAX_ARCHIVE_BYTES:
        raise LimitError(
            f"{escape_unprintable(str(path))}: expected at most {MAX_ARCHIVE_FILES:,} files of "
            f"{MAX_ARCHIVE_BYTES:,} bytes in all, got {len(members):,} of {size:,}: unpack it",
            field="file",
        )
    for member in sorted(members, key=lambda each: each.filename):
        parts = [part for part in re.split(r"[\\/]", member.filename) if part not in ("", ".", "..")]
        is_hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
        if parts and not is_hidden and not member.is_dir():
            yield MatchInput(path, folder.joinpath(*parts), member.filename)


def _list_members(path: Path) -> list[zipfile.ZipInfo] | None:
    """Return what an archive has; None for another file, and a damaged one."""
    if not path.is_file():  # a pipe is read once
        return None
    _open_archive.cache_clear()  # the file may be another one than before
    try:
        with path.open("rb") as file:
            is_archive = file.read(len(_ZIP_SIGNATURE)) == _ZIP_SIGNATURE
        return _open_archive(path).infolist() if is_archive else None
    except Exception:  # readers of archives raise anything
        return None


@lru_cache(maxsize=1)  # its files are read one after the other
def _open_archive(path: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(path)
