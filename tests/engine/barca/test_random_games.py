"""Random games of Barca, played by the compiled rules to their ends."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.moves import ANIMALS, MAX_MOVES, find_winner, list_moves
from gammond.engine.barca.moves import Move
from gammond.engine.barca.position import BarcaPosition

GAMES = 2500
"""Some 15 million plies: of what ends one game of a thousand wrongly, 92 % of such samples have one."""

LONGEST = 1_000_000
RECORDED = 1000
HOLES, REPETITION, NO_MOVE = range(1, 4)


@pytest.mark.slow
def test_2500_random_games_end_by_the_rules():
    lengths, reasons, records = play_random_games(np.array([7]), GAMES)
    assert set(np.unique(reasons)) <= {HOLES, REPETITION, NO_MOVE}
    assert (reasons == HOLES).mean() > 0.9
    short = np.flatnonzero(lengths <= RECORDED)[:100]
    assert len(short) == 100
    for index in short:
        game = BarcaGame.start()
        for origin, target in records[index, : lengths[index]].tolist():
            assert game.result is None
            game = game.play(Move(origin, target))
        assert game.result is not None
        assert ("holes", "repetition", "no_move").index(game.result.reason) + 1 == reasons[index]


def play_random_games(seed, count):
    """Play games of random moves with the compiled rules.

    Returns their lengths, how they ended, and the moves of each up to `RECORDED`.
    """
    lengths, reasons = np.zeros(count, np.int64), np.zeros(count, np.int64)
    records = np.zeros((count, RECORDED, 2), np.int8)
    start = BarcaPosition.start().squares.copy()
    hashes = np.random.default_rng(1).integers(-(2**60), 2**60, size=(2, 3, 100))
    _play_random_games(int(seed[0]), start, hashes, lengths, reasons, records)
    return lengths, reasons, records


@numba.njit
def _play_random_games(seed, start, hashes, lengths, reasons, records):
    np.random.seed(seed)  # noqa: NPY002  (numba has this one alone)
    moves = np.empty((MAX_MOVES, 2), np.int8)
    for game in range(len(lengths)):
        squares = start.copy()
        seen = {0: 0}
        key = 0
        for animal in range(2 * ANIMALS):
            key ^= hashes[animal // ANIMALS, animal % ANIMALS // 2, squares[animal]]
        seen[key] = 1
        for length in range(LONGEST):
            side = length % 2
            count = list_moves(squares, side, moves)
            if count == 0:
                reasons[game] = NO_MOVE
                break
            chosen = np.random.randint(count)  # noqa: NPY002
            animal, target = moves[chosen, 0], moves[chosen, 1]
            if length < RECORDED:
                records[game, length, 0] = squares[animal]
                records[game, length, 1] = target
            kind = animal % ANIMALS // 2
            key ^= hashes[side, kind, squares[animal]] ^ hashes[side, kind, target] ^ 1
            squares[animal] = target
            lengths[game] = length + 1
            if find_winner(squares) >= 0:
                reasons[game] = HOLES
                break
            seen[key] = seen.get(key, 0) + 1
            if seen[key] == 3:
                reasons[game] = REPETITION
                break
