"""The kernel that lists legal moves of Barca."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gammond.engine.barca.kernels.moves import MAX_MOVES, list_moves
from gammond.engine.barca.moves import legal_moves
from gammond.engine.barca.position import BarcaPosition
from tests.support.barca_positions import random_position, setup

pytestmark = pytest.mark.nojit


def listed(squares, side):
    """Pairs of squares, in the order of the kernel."""
    moves = np.full((MAX_MOVES, 2), -1, np.int8)
    count = list_moves(squares, side, moves)
    assert (moves[count:] == -1).all()
    return [(int(squares[animal]), int(target)) for animal, target in moves[:count]]


def test_moves_come_by_animal_and_each_once():
    chance = random.Random(6)
    for _ in range(50):
        position = random_position(chance, 7, 7)
        squares = position.squares.copy()
        found = listed(squares, position.side)
        places = [int(np.flatnonzero(squares == origin)[0]) for origin, _ in found]
        assert places == sorted(places)
        assert sorted(found) == legal_moves(position)
        assert np.array_equal(squares, position.squares)


def test_two_animals_of_a_kind_may_stand_in_either_order():
    squares = BarcaPosition.start().squares.copy()
    swapped = squares[[1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10]]
    assert sorted(listed(swapped, 0)) == sorted(listed(squares, 0))


def test_the_most_moves_have_room():
    # Elephants cross in the middle, everybody else keeps to the edges.
    position = setup("Ee5 Ef7 Lc1 Lh1 Mb1 Mj4", "Ea10 Ej10 La9 Lj9 Ma2 Mb10")
    assert 90 < len(legal_moves(position)) <= MAX_MOVES


def test_a_position_that_is_won_has_moves_as_any_other():
    squares = setup("Ed4 Ld7 Mg4", "", side=1).squares.copy()
    assert len(listed(squares, 1)) > 0
