"""Extraction of expert moves from match files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gammond.engine.errors import GammondError
from gammond.engine.match_files.model import MatchIssue, RecordedGame, RecordedMatch
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rules.game_record import PlayAction
from gammond.tools.heritage.gengammon.expert_moves.dataset import ExpertMoves
from gammond.tools.heritage.gengammon.expert_moves.match_files import MatchFile, SkippedFile

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
        skipped: Files without a match, and why.
    """

    files: int = 0
    matches: int = 0
    games: int = 0
    moves: int = 0
    faults: list[tuple[str, MatchIssue]] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)

    def count_faults_by_kind(self) -> dict[str, int]:
        """Return the number of faults of each kind, the most frequent first."""
        return dict(Counter(str(fault.kind) for _, fault in self.faults).most_common())


def extract_moves(
    files: Iterable[MatchFile | SkippedFile],
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
        if isinstance(file, SkippedFile):
            report.skipped.append(file)
        elif (digest := hashlib.sha256(file.content).digest()) in seen:
            report.skipped.append(SkippedFile(file.name, "same content as an earlier file"))
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
        report.skipped.append(SkippedFile(file.name, error.message.removeprefix(f"{file.name}: ")))
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
