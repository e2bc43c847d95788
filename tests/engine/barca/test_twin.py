"""Barca's rules against a slow twin, on random positions and in counts of sequences."""

from __future__ import annotations

import os
import random

import pytest

from gammond.engine.barca.kernels.moves import HOLES
from gammond.engine.barca.moves import find_reach, find_scared, legal_moves
from gammond.engine.barca.position import BarcaPosition
from tests.support.barca_positions import NO_MOVE, random_position
from tests.support.naive_barca import free_squares, is_frightened, naive_legal_moves, naive_perft, read_board

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"


AREAS = ((10, 10), (5, 5), (4, 4), (10, 2), (3, 5))


def make_position(chance, index):
    """A random position: all over the board, in a corner, or one nearly without a legal move."""
    kind = index % (len(AREAS) + 1)
    if kind < len(AREAS):
        return random_position(chance, *AREAS[kind])
    squares = NO_MOVE.squares.copy()
    target = chance.choice([square for square in range(100) if square not in squares and square not in HOLES])
    squares[chance.randrange(12)] = target
    return BarcaPosition(squares, 0)


def check_against_twin(seed, count):
    chance = random.Random(seed)
    forced, trapped, without = 0, 0, 0
    for index in range(count):
        position = make_position(chance, index)
        moves = legal_moves(position)
        assert moves == naive_legal_moves(position), position
        scared_squares = set(find_scared(position, position.side))
        origins = {move.origin for move in moves}
        forced += bool(scared_squares) and origins <= scared_squares
        trapped += bool(scared_squares & origins) and not origins <= scared_squares
        without += not moves
    return forced, trapped, without


@pytest.mark.nojit
def test_moves_of_random_positions_are_those_of_the_slow_twin():
    forced, trapped, without = check_against_twin(1, 600 if IS_COMPILED else 200)
    assert min(forced, trapped, without) > 0


def test_what_animals_of_random_positions_reach_and_fear_is_that_of_the_slow_twin():
    chance, feared_count = random.Random(5), 0
    for index in range(60):
        position = make_position(chance, index)
        board = read_board(position)
        for animal, (square, piece) in enumerate(board.items()):
            safe, feared = find_reach(position, animal)
            free = free_squares(board, square)
            frightening = {each for each in free if is_frightened(board, each, piece)}
            assert feared == sorted(file - 1 + 10 * (rank - 1) for file, rank in frightening), position
            assert safe == sorted(file - 1 + 10 * (rank - 1) for file, rank in free - frightening), position
            feared_count += len(feared)
    assert feared_count > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_moves_of_20000_random_positions_are_those_of_the_slow_twin(seed):
    forced, trapped, without = check_against_twin(100 + seed, 5000)
    assert min(forced, trapped) > 50
    assert without > 5


@pytest.mark.slow
@pytest.mark.parametrize("depth", [3, 4])
def test_the_slow_twin_counts_alike_in_depth(depth):
    assert naive_perft(BarcaPosition.start(), depth) == {3: 66_286, 4: 3_046_014}[depth]
