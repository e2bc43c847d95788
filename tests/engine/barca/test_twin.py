"""Barca's rules against a slow twin, on random positions and in counts of sequences."""

from __future__ import annotations

import os
import random

import pytest

from engine.barca.moves import find_scared, legal_moves
from engine.barca.position import BarcaPosition
from tests.barca_positions import random_position
from tests.naive_barca import naive_legal_moves, naive_perft

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"


def check_against_twin(seed, count):
    chance = random.Random(seed)
    forced, trapped, without = 0, 0, 0
    for index in range(count):
        files, ranks = ((10, 10), (5, 5), (4, 4), (10, 2), (3, 5))[index % 5]
        position = random_position(chance, files, ranks)
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
    forced, trapped, _ = check_against_twin(1, 600 if IS_COMPILED else 200)
    assert min(forced, trapped) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_moves_of_20000_random_positions_are_those_of_the_slow_twin(seed):
    forced, trapped, without = check_against_twin(100 + seed, 5000)
    assert min(forced, trapped) > 50
    assert without > 0


@pytest.mark.slow
@pytest.mark.parametrize("depth", [3, 4])
def test_the_slow_twin_counts_alike_in_depth(depth):
    assert naive_perft(BarcaPosition.start(), depth) == {3: 66_286, 4: 3_046_014}[depth]
