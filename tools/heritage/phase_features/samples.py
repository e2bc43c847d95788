"""Positions of games after each play, with the winner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import Player
from gammond.engine.rules.position import Board

_ASIDE_EVERY = 20


@dataclass(frozen=True, eq=False)
class Samples:
    """Positions after plays.

    Attributes:
        boards: ``int8[n, 2, 26]`` as the next mover sees them: row 1 has played. Finished games are among
            them.
        games: ``int64[n]``, the number of the game.
        won: ``float32[n]``, 1 where the side that has played wins the game, else 0.
    """

    boards: Board
    games: NDArray[np.int64]
    won: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.boards)

    def split(self, games: int) -> tuple[Samples, Samples]:
        """Hold out the last games: one in 20, at least two.

        Args:
            games: Number of games in all.

        Returns:
            The positions to learn from, and those held out.
        """
        is_aside = self.games >= games - max(2, games // _ASIDE_EVERY)
        return self._select(~is_aside), self._select(is_aside)

    def _select(self, rows: NDArray[np.bool_]) -> Samples:
        return Samples(self.boards[rows], self.games[rows], self.won[rows])


def sample_games(first: Player, second: Player, games: int, seed: int) -> Samples:
    """Play games and keep the position after each play; games that do not end have none.

    Args:
        first: A player.
        second: Another. Games are paired: two deterministic players would play each game twice.
        games: Number of games, even.
        seed: Of the dice.
    """
    log = _TurnRecorder()
    results = play_games(first, second, games, seed, may_be_endless=True, log=log)
    numbers, seats, boards = map(np.concatenate, zip(*log.turns, strict=True))
    won = (results.points[numbers] > 0) == (seats == 0)
    samples = Samples(boards, numbers, won.astype(np.float32))
    return samples._select(~np.isin(numbers, results.endless))


class _TurnRecorder:
    """Records every turn; an `gammond.engine.play.lockstep.TurnLog`."""

    def __init__(self) -> None:
        self.turns: list[tuple[NDArray[np.int64], NDArray[np.int64], Board]] = []

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        self.turns.append((games, np.full(len(games), seat), after))
