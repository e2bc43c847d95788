"""Extraction of expert moves from match files.

These are single files, and those of folders and archives, as far as they are harmless.
"""

from __future__ import annotations

import hashlib
import lzma
import tarfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.match_files.model import MatchIssue, RecordedGame, RecordedMatch
from gammond.engine.match_files.reading import MAX_FILE_BYTES, read_matches
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.wording import escape_unprintable
from gammond.tools.common.match_inputs import MatchInput, list_match_inputs
from gammond.tools.heritage.gengammon.expert_moves.dataset import ExpertMoves

MAX_ARCHIVE_BYTES = 100_000_000
"""The most that the members of an archive may have in all, unpacked; what comes after it is skipped."""

_MAX_NAME_BYTES = 100_000
"""The most that an archive may use to say how a member is called."""


@dataclass(frozen=True)
class MatchFile:
    """A file that may hold matches.

    Attributes:
        name: As the user can find it, unprintable characters escaped; in an archive, below the archive's
            name.
        content: All its bytes.
        fault: Why the file or the archive could not be read; empty where it could.
    """

    name: str
    content: bytes = b""
    fault: str = ""


def iterate_match_files(sources: Sequence[Path]) -> Iterator[MatchFile]:
    """Read match files one after the other; a truncated or damaged archive gives those before the damage.

    Only regular files count: no links, pipes or devices. Of files and archives that are too large, nothing
    but the first part is ever in memory.

    Args:
        sources: Folders and archives (``.tar``, compressed or not), in which all files count that are not
            hidden; and single files.

    Yields:
        The files of each source, by name, and those that could not be read.

    Raises:
        DataFileError: A source does not exist; before anything is read.
    """
    for source in sources:
        if not source.exists():
            raise DataFileError(f"{source}: no such file or folder", field="sources")
    return (file for source in sources for file in _read_source(source))


def _read_source(source: Path) -> Iterator[MatchFile]:
    if source.is_file() and _is_archive(source):
        yield from sorted(_read_archive(source), key=lambda file: file.name)
    else:
        for found in list_match_inputs([str(source)]):
            yield _read_input(found, found.path or source)


def _is_archive(file: Path) -> bool:
    try:
        tarfile.open(file, tarinfo=_Member).close()
    except _LongHeaderError:
        return True
    except (OSError, EOFError, tarfile.TarError, zlib.error, lzma.LZMAError):
        return False
    return True


def _read_input(found: MatchInput, path: Path) -> MatchFile:
    """Read a file, or a member of a zip archive, given its path or that of the archive."""
    name = escape_unprintable(found.name if found.member else str(path))
    try:
        if found.member:
            return _take_content(name, found.read_member())
        if not path.is_file():
            return MatchFile(name, fault="expected a regular file")
        with path.open("rb") as content:
            return _take_content(name, content.read(MAX_FILE_BYTES + 1))
    except DataFileError as error:
        return MatchFile(name, fault=error.message)
    except OSError as error:
        return MatchFile(name, fault=str(error.strerror))


def _read_archive(archive: Path) -> Iterator[MatchFile]:
    unpacked = 0
    try:
        with tarfile.open(archive, tarinfo=_Member) as members:
            for member in members:
                unpacked += member.size
                if unpacked > MAX_ARCHIVE_BYTES:
                    yield MatchFile(
                        escape_unprintable(str(archive)),
                        fault=f"expected at most {MAX_ARCHIVE_BYTES:,} bytes unpacked: the files from "
                        f"{escape_unprintable(member.name)} on are left out",
                    )
                    return
                if not (member.isdir() or any(part.startswith(".") for part in Path(member.name).parts)):
                    yield _read_member(members, member, escape_unprintable(f"{archive}/{member.name}"))
    except (OSError, EOFError, KeyError, ValueError, tarfile.TarError, zlib.error, lzma.LZMAError) as error:
        yield MatchFile(escape_unprintable(str(archive)), fault=f"the archive is damaged: {error}")


def _read_member(members: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> MatchFile:
    content = members.extractfile(member) if member.isreg() else None
    if content is None:
        return MatchFile(name, fault="expected a regular file")
    return _take_content(name, content.read(MAX_FILE_BYTES + 1))


class _LongHeaderError(tarfile.TarError):
    """A member says in too many bytes how it is called."""


class _Member(tarfile.TarInfo):
    """A member of an archive, whose name may not fill the memory."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size > _MAX_NAME_BYTES and not (self.isreg() or self.isdir()):
            raise _LongHeaderError(f"a header has {self.size:,} bytes")
        read: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        return read


def _take_content(name: str, content: bytes) -> MatchFile:
    if len(content) > MAX_FILE_BYTES:
        return MatchFile(name, fault=f"expected at most {MAX_FILE_BYTES:,} bytes")
    return MatchFile(name, content)


_BOARD = (2, 26)


@dataclass
class ExtractionReport:
    """The content of match files.

    Attributes:
        files: Number of files with a match.
        matches: Number of matches.
        games: Number of games, broken ones included.
        moves: Number of rolls played by the rules, by any player.
        faults: Faults, each with its file.
        skipped: Files without a match, with their faults.
    """

    files: int = 0
    matches: int = 0
    games: int = 0
    moves: int = 0
    faults: list[tuple[str, MatchIssue]] = field(default_factory=list)
    skipped: list[MatchFile] = field(default_factory=list)

    def count_faults_by_kind(self) -> dict[str, int]:
        """Return the number of faults of each kind, the most frequent first."""
        return dict(Counter(str(fault.kind) for _, fault in self.faults).most_common())


def extract_moves(
    files: Iterable[MatchFile],
    players: Sequence[str],
    progress: Callable[[int], None] | None = None,
) -> tuple[ExpertMoves, ExtractionReport]:
    """Extract the moves of players from match files; a file given twice counts once.

    Args:
        files: Each may hold several matches; skipped ones go into the report.
        players: Names of the players whose moves count; none for all.
        progress: Called with the number of files done.

    Returns:
        The moves in the order of the files, and a report.
    """
    report, builder = ExtractionReport(), _MoveBuilder(players)
    seen: set[bytes] = set()
    for done, file in enumerate(files, 1):
        if file.fault:
            report.skipped.append(file)
        elif (digest := hashlib.sha256(file.content).digest()) in seen:
            report.skipped.append(MatchFile(file.name, fault="same content as an earlier file"))
        else:
            seen.add(digest)
            _extract_file(file, builder, report)
        if progress is not None:
            progress(done)
    return builder.build(), report


def _extract_file(file: MatchFile, builder: _MoveBuilder, report: ExtractionReport) -> None:
    try:
        matches = read_matches(file.content, name=file.name)
    except GammondError as error:
        report.skipped.append(MatchFile(file.name, fault=error.message.removeprefix(f"{file.name}: ")))
        return
    report.files += 1
    report.matches += len(matches)
    for number, match in enumerate(matches, 1):
        name = file.name if len(matches) == 1 else f"{file.name} match {number}"
        report.games += len(match.games)
        report.faults += [(file.name, fault) for fault in match.issues]
        report.moves += sum(builder.add_game(name, match, game) for game in match.games)


class _MoveBuilder:
    """Collects expert moves.

    Args:
        players: Names of the players whose moves count; none for all.
    """

    def __init__(self, players: Sequence[str]) -> None:
        self._wanted = frozenset(players)
        self._boards: list[bytes] = []
        self._chosen: list[bytes] = []
        self._numbers: list[tuple[int, int, int, int, int]] = []
        self._matches: dict[str, int] = {}
        self._players: dict[str, int] = {}

    def add_game(self, name: str, match: RecordedMatch, game: RecordedGame) -> int:
        """Add the moves of a game; return the number of rolls played in it."""
        count = 0
        for situation, action, _ in game.replayed:
            if not isinstance(action, PlayAction) or not action.is_legal:
                continue
            player = match.names[action.seat]
            if not self._wanted or player in self._wanted:
                at = self._matches.setdefault(name, len(self._matches))
                who = self._players.setdefault(player, len(self._players))
                self._boards.append(situation.position.key)
                self._chosen.append(action.play.result.key)
                self._numbers.append((*action.roll, at, game.number, who))
            count += 1
        return count

    def build(self) -> ExpertMoves:
        """Return all moves that were added."""
        numbers = np.array(self._numbers, np.int64).reshape(-1, 5)
        return ExpertMoves(
            boards=np.frombuffer(b"".join(self._boards), np.int8).reshape(-1, *_BOARD),
            dice=numbers[:, :2].astype(np.int8),
            chosen=np.frombuffer(b"".join(self._chosen), np.int8).reshape(-1, *_BOARD),
            matches=numbers[:, 2].astype(np.int32),
            games=np.minimum(numbers[:, 3], np.iinfo(np.int16).max).astype(np.int16),
            players=numbers[:, 4].astype(np.int32),
            match_names=tuple(self._matches),
            player_names=tuple(self._players),
        )
