"""Positions to learn from, to measure on and to compare with."""

from __future__ import annotations

import numpy as np

from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board, Phase, classify_phases
from gammond.engine.rules.rules import STANDARD_RULES

_GAMES_AT_A_TIME = 256


def sample_random_positions(count: int, seed: int) -> Board:
    """Collect positions of games between players who choose any legal play.

    Such games are long and pass through every kind of position, bar fights and races alike.

    Args:
        count: How many.
        seed: Of dice and choices.

    Returns:
        ``int8[count, 2, 26]``, none of them over, of all phases, in random order.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    start = np.repeat(STANDARD_RULES.starting_position.board[None], _GAMES_AT_A_TIME, axis=0)
    boards = start.copy()
    seen, total = [], 0
    while total < 4 * count:
        seen.append(boards.copy())
        total += len(boards)
        dice = generator.integers(1, 7, (len(boards), 2)).astype(np.int8)
        children, _, offsets = expand_rolls(boards, dice)
        boards = children[generator.integers(offsets[:-1], offsets[1:])]
        over = classify_phases(boards) == Phase.OVER
        boards[over] = start[over]
    return np.ascontiguousarray(generator.permutation(np.concatenate(seen))[:count])
