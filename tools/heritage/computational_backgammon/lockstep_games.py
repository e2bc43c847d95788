"""Games between two players in lockstep, with all their positions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.play.player import Player
from engine.rules.position import Board
from engine.rules.rules import STANDARD_RULES, Rules

MAX_PLIES = 2000
"""Longer games are abandoned; untrained players may shuffle for ever."""


def play_in_lockstep(
    first: Player,
    second: Player,
    games: int,
    generator: np.random.Generator,
    rules: Rules = STANDARD_RULES,
) -> Iterator[Board]:
    """Play games from the start, each with dice of its own.

    Args:
        first: Begins the even games.
        second: Begins the odd ones.
        games: Number of games.
        generator: Of the dice.
        rules: The rules of the games.

    Yields:
        The positions of each game in the order in which they end, ``int8[plies + 1, 2, 26]`` as their movers
        see them, the last one over.
    """
    boards = np.repeat(rules.starting_position.board[None], games, axis=0)
    number, past = np.arange(games), [boards]
    rows_of_turn: list[NDArray[np.int64]] = [np.arange(games)]
    for turn in range(MAX_PLIES):
        dice = _draw_rolls(generator, len(boards), unequal=turn == 0)
        after = np.empty_like(boards)
        seats = (number + turn) % 2
        for seat, player in enumerate((first, second)):
            rows = np.flatnonzero(seats == seat)
            if rows.size:
                after[rows] = player.choose(boards[rows], dice[rows])
        past.append(after)
        rows_of_turn.append(number)
        is_over = after[:, 1, 0] == 15
        for game in number[is_over].tolist():
            yield np.stack(
                [at[np.searchsorted(rows, game)] for at, rows in zip(past, rows_of_turn, strict=True)]
            )
        number, boards = number[~is_over], after[~is_over]
        if not number.size:
            return


def _draw_rolls(generator: np.random.Generator, count: int, *, unequal: bool) -> NDArray[np.int8]:
    """Return rolls, ``int8[count, 2]``; an opening roll has two different dice."""
    high = generator.integers(1, 7, count)
    low = (high + generator.integers(1, 6, count) - 1) % 6 + 1 if unequal else generator.integers(1, 7, count)
    return np.stack([high, low], axis=1).astype(np.int8)
