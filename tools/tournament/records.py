"""Records of the games of a tournament, as ``.mat`` files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import RecordedGame
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.engine.runtime.files import check_output
from gammond.tools.common.files import write_atomically
from gammond.tools.tournament.games import PairingTask

_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9._=+-]+")
_MONEY = MatchState(beavers=False)


class LockstepLog:
    """Keeps every turn of games in lockstep, an `gammond.engine.play.lockstep.TurnLog`.

    Args:
        games: How many.
        rules: The rules of the games.
    """

    def __init__(self, games: int, rules: Rules = STANDARD_RULES) -> None:
        self._rules = rules
        self._turns: list[list[tuple[int, NDArray[np.int8], Board]]] = [[] for _ in range(games)]

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        """Add a turn, as `gammond.engine.play.lockstep.TurnLog.add`."""
        for game, roll, board in zip(games.tolist(), dice, after, strict=True):
            self._turns[game].append((seat, roll, board))

    def stack_positions(self, game: int) -> Board:
        """Stack the positions of a game, ``int8[turns + 1, 2, 26]`` as their movers see them."""
        return np.stack([self._rules.starting_position.board, *(after for _, _, after in self._turns[game])])

    def make_records(self, results: PairedScores) -> list[RecordedGame]:
        """Make records of the games that ended, as money games with a running score.

        Args:
            results: Of seat 0.
        """
        match, games, start = _MONEY, [], self._rules.starting_position
        for turns, worth in zip(self._turns, results.kinds.tolist(), strict=True):
            if not worth:
                continue
            begun = replace(match, on_roll=turns[0][0])
            result = GameResult(0 if worth > 0 else 1, abs(worth), abs(worth))
            games.append(
                RecordedGame(0, begun, start, tuple(_make_actions(turns, self._rules)), result, self._rules)
            )
            match = begun.after_game(result.winner, result.points) or _MONEY
        return games


def _make_actions(turns: Sequence[tuple[int, NDArray[np.int8], Board]], rules: Rules) -> list[PlayAction]:
    position, actions = rules.starting_position, []
    for seat, dice, after in turns:
        die, other = dice.tolist()
        result = Position.from_valid_board(after)
        play = next(play for play in legal_plays(position, (die, other), rules) if play.result == result)
        actions.append(PlayAction(seat, (die, other), play))
        position = result
    return actions


def write_records(task: PairingTask, folder: Path, files: Sequence[Sequence[RecordedGame]]) -> None:
    """Write a range of games.

    Args:
        task: Whose games they are.
        folder: Created if missing.
        files: The games of each file; none where a match did not end.

    Raises:
        StateError: A file of the name is there, with other games.
        DataFileError: A file cannot be written.
    """
    names = task.names
    shown = _format_player_name(names[0]), _format_player_name(names[1])
    for number, games in enumerate(files, task.game_range.first_game + 1):
        if not games:
            continue
        stem = "-".join(
            f"{place + 1}-{_UNSAFE_CHARACTERS.sub('_', name)}"
            for place, name in zip(task.player_indices, names, strict=True)
        )
        content = format_mat(shown, games).encode()
        file = folder / f"{stem}-{number:07}.mat"
        is_own = partial(_holds, content)
        check_output(file, force=task.overwrites, is_own=is_own, field="records", new_folder=folder)
        write_atomically(file, content)


def _holds(content: bytes, file: Path) -> bool:
    """Return whether a file has a content, as one of a range that is played again after a kill."""
    return file.read_bytes() == content


def _format_player_name(name: str) -> str:
    return _UNSAFE_CHARACTERS.sub(" ", name).strip()
