"""Match files as tools are given them: files, folders and standard input; and their faults in words."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from engine.errors import GammondError
from engine.match_files.model import RecordedMatch
from engine.match_files.reading import MAX_FILE_BYTES, read_matches
from tools.common.position_arguments import STDIN
from tools.common.pulse import PULSE

_MAX_REPORTED_ISSUES = 20


@dataclass(frozen=True)
class MatchInput:
    """A file to be read.

    Attributes:
        path: Where it is; None for standard input.
        place: Its path below the folder that was named, or its name alone.
    """

    path: Path | None
    place: Path

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path is None else str(self.path)

    def read(self, write_message: Callable[[str], None], *, strict: bool) -> tuple[RecordedMatch, ...]:
        """Read its matches.

        Args:
            write_message: Takes a line about each fault, and why a file cannot be read.
            strict: Whether a file with a fault is refused.

        Returns:
            The matches; none if it cannot be read.
        """
        try:
            with PULSE.pause() if self.path is None else nullcontext():
                source = sys.stdin.buffer.read(MAX_FILE_BYTES + 1) if self.path is None else self.path
            matches = read_matches(source, name=self.name, strict=strict)
        except GammondError as error:
            write_message(error.message)
            return ()
        for issues in (match.issues for match in matches):
            for issue in issues[:_MAX_REPORTED_ISSUES]:
                write_message(f"{self.name}: {issue}")
            if len(issues) > _MAX_REPORTED_ISSUES:
                write_message(f"{self.name}: {len(issues) - _MAX_REPORTED_ISSUES} more faults")
        return matches


def are_whole(matches: Sequence[RecordedMatch]) -> bool:
    """Return whether a file could be read, and nothing in it was at fault."""
    return bool(matches) and not any(match.issues for match in matches)


def list_match_inputs(names: Iterable[str]) -> list[MatchInput]:
    """List the files of arguments, in order: those below a folder without hidden ones."""
    return [found for name in names for found in _list_inputs(name)]


def _list_inputs(name: str) -> Iterator[MatchInput]:
    if name == STDIN:
        yield MatchInput(None, Path("match"))
        return
    path = Path(name)
    if not path.is_dir():
        yield MatchInput(path, Path(path.name))
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for each in sorted(files):
            file = Path(folder, each)
            if not each.startswith(".") and file.is_file():
                yield MatchInput(file, file.relative_to(path))
