"""Numbers of sequences of legal moves of Barca."""

from __future__ import annotations

import os
import random

import pytest

from gammond.engine.barca.moves import perft
from gammond.engine.barca.position import BLACK, BarcaPosition
from tests.support.barca_positions import random_position, setup
from tests.support.naive_barca import naive_perft

pytestmark = pytest.mark.nojit

FROM_THE_START = (1, 38, 1_404, 66_286, 3_046_014)
"""The first three are those of two other programs, the others those of this one and of the slow twin."""

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"


@pytest.mark.parametrize("depth", range(5 if IS_COMPILED else 3))
def test_counts_from_the_start(depth):
    assert perft(BarcaPosition.start(), depth) == FROM_THE_START[depth]


def test_the_slow_twin_counts_alike():
    assert [naive_perft(BarcaPosition.start(), depth) for depth in range(3)] == list(FROM_THE_START[:3])


def test_counts_of_random_positions_are_those_of_the_slow_twin():
    chance = random.Random(4)
    for size in (10, 6, 5, 4) if IS_COMPILED else (4,):
        position = random_position(chance, size, size)
        assert perft(position, 2) == naive_perft(position, 2), position


def test_a_win_ends_a_sequence():
    position = setup("Ed4 Ld7 Mg1", "")
    assert perft(position, 2) == naive_perft(position, 2)
    assert perft(setup("Ed4 Ld7 Mg4", "", BLACK), 1) == 0


def test_counting_leaves_the_position_as_it_was():
    position = BarcaPosition.start()
    perft(position, 3 if IS_COMPILED else 1)
    assert position == BarcaPosition.start()
