"""Tables of Barca's board, and holes held."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gammond.engine.barca.kernels.moves import BITS, NEIGHBOURS, RAYS, count_holes, find_winner, is_in
from tests.support.barca_positions import random_position
from tests.support.naive_barca import naive_winner, read_board

pytestmark = pytest.mark.nojit


def test_every_square_is_one_bit_of_a_set():
    assert len({tuple(row) for row in BITS.tolist()}) == 100
    assert all(bin(low).count("1") + bin(high).count("1") == 1 for low, high in BITS.tolist())


def test_neighbours_are_the_squares_one_step_away():
    for square in range(100):
        found = {other for other in range(100) if is_in(other, *NEIGHBOURS[square].tolist())}
        expected = {
            other
            for other in range(100)
            if max(abs(other % 10 - square % 10), abs(other // 10 - square // 10)) == 1
        }
        assert found == expected


def test_rays_lead_to_the_edge_of_the_board():
    assert RAYS[0, 0].tolist() == [*range(1, 10), -1]
    assert RAYS[0, 4].tolist() == [*range(11, 100, 11), -1]
    assert (RAYS[0, [1, 3, 5, 6, 7]] == -1).all()
    # 90 squares on each rank, file; and on diagonals of 1 to 10 squares, each way.
    diagonals = 2 * (sum(2 * n * (n - 1) for n in range(1, 10)) + 10 * 9)
    assert int((RAYS >= 0).sum()) == 20 * 90 + diagonals


def test_holes_held_and_the_winner_are_those_of_the_slow_twin():
    chance = random.Random(8)
    holes = (33, 36, 63, 66)
    winners = set()
    for _ in range(200):
        squares = random_position(chance).squares.copy()
        for hole in holes:
            if hole not in squares:
                squares[chance.randrange(12)] = hole
        assert [count_holes(squares, side) for side in (0, 1)] == [
            sum(square in holes for square in own) for own in squares.reshape(2, 6).tolist()
        ]
        board = {
            (s % 10 + 1, s // 10 + 1): ("wb"[i // 6], "ELM"[i % 6 // 2])
            for i, s in enumerate(squares.tolist())
        }
        winner = naive_winner(board)
        assert find_winner(squares) == ("wb".index(winner) if winner else -1)
        winners.add(winner)
    assert winners == {"w", "b", None}


def test_boards_of_the_slow_twin_are_those_of_positions():
    position = random_position(random.Random(9))
    assert len(read_board(position)) == 12
    assert np.array_equal(
        sorted(f - 1 + 10 * (r - 1) for f, r in read_board(position)), sorted(position.squares)
    )
