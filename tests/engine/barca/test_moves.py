"""Legal moves of Barca: the rules of fear and trapping, each by name."""

from __future__ import annotations

import pytest

from engine.barca.moves import apply_move, legal_moves
from engine.barca.position import BarcaPosition

pytestmark = pytest.mark.nojit


def test_counts_from_the_start_are_those_of_other_programs():
    start = BarcaPosition.start()
    moves = legal_moves(start)
    assert len(moves) == 38
    assert sum(len(legal_moves(apply_move(start, move))) for move in moves) == 1404
