"""Expert moves out of files of matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.errors import FormatError
from engine.formats.mat_reading import MatFault, ReadGame, ReadMatch, read_mat
from engine.game_record import Rolled
from engine.position import Position
from tools.train.mimic.examples import ExpertMoves
from tools.train.mimic.match_files import MatchFile, Unread

_BOARD = (2, 26)


@dataclass
class Gathered:
    """What files of matches gave.

    Attributes:
        files: How many had a match in them.
        matches: How many matches they hold.
        games: How many games, broken ones included.
        moves: How many rolls were played by the rules, whoever played them.
        faults: What is wrong in them, each with its file.
        unread: What gave no match, and why.
    """

    files: int = 0
    matches: int = 0
    games: int = 0
    moves: int = 0
    faults: list[tuple[str, MatFault]] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)

    def faults_by_kind(self) -> dict[str, int]:
        """How many faults there are of each kind, the most frequent first."""
        return dict(Counter(str(fault.kind) for _, fault in self.faults).most_common())


def gather(
    files: Iterable[MatchFile], players: Sequence[str], progress: Callable[[int], None] | None = None
) -> tuple[ExpertMoves, Gathered]:
    """Take the moves of players out of files of matches; a file given twice counts once.

    Args:
        files: Each may hold several matches.
        players: Whose moves, by name; none for those of everyone.
        progress: Told how many files are done.

    Returns:
        The moves in the order of the files, and what was found and skipped.
    """
    found, rows = Gathered(), _Rows(players)
    seen: set[str] = set()
    for done, file in enumerate(files, 1):
        if file.text in seen:
            found.unread.append(Unread(file.name, "the same as a file before"))
        else:
            seen.add(file.text)
            _gather_file(file, rows, found)
        if progress is not None:
            progress(done)
    return rows.moves(), found


def _gather_file(file: MatchFile, rows: _Rows, found: Gathered) -> None:
    try:
        matches = read_mat(file.text)
    except FormatError as error:
        found.unread.append(Unread(file.name, error.message))
        return
    found.files += 1
    found.matches += len(matches)
    for number, match in enumerate(matches, 1):
        name = file.name if len(matches) == 1 else f"{file.name} match {number}"
        found.games += len(match.games)
        found.faults += [(file.name, fault) for fault in match.faults]
        found.moves += sum(rows.add(name, match, game) for game in match.games)


class _Rows:
    """Expert moves as they come in.

    Args:
        players: Whose; none for everyone.
    """

    def __init__(self, players: Sequence[str]) -> None:
        self._wanted = frozenset(players)
        self._boards: list[bytes] = []
        self._chosen: list[bytes] = []
        self._numbers: list[tuple[int, int, int, int, int]] = []
        self._matches: dict[str, int] = {}
        self._players: dict[str, int] = {}

    def add(self, name: str, match: ReadMatch, game: ReadGame) -> int:
        """Add the moves of a game; returns how many rolls were played in it."""
        position, count = Position.start(), 0
        for action in game.actions:
            if not isinstance(action, Rolled):
                continue
            player = match.names[action.seat]
            if not self._wanted or player in self._wanted:
                at = self._matches.setdefault(name, len(self._matches))
                who = self._players.setdefault(player, len(self._players))
                self._boards.append(position.key)
                self._chosen.append(action.play.result.key)
                self._numbers.append((*action.roll, at, game.number, who))
            position = action.play.result
            count += 1
        return count

    def moves(self) -> ExpertMoves:
        """All that were added."""
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
