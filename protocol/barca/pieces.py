"""The animals of a position by keys, for boards: with who is scared, and who is trapped."""

from __future__ import annotations

from typing import Any

from engine.barca.board import ANIMALS, KINDS, format_square
from engine.barca.moves import find_frightening, find_scared, legal_moves
from engine.barca.position import BarcaPosition


def describe_pieces(position: BarcaPosition) -> list[dict[str, Any]]:
    """Return where each animal is, its kind, its side (``seat``, White is 0), who is scared or trapped."""
    scared = {*find_scared(position, 0), *find_scared(position, 1)}
    escaping = _find_escaping(position)
    return [
        {
            "at": format_square(square),
            "animal": KINDS[animal % ANIMALS // 2],
            "seat": animal // ANIMALS,
            "scared": square in scared,
            "trapped": square in scared and square not in escaping,
        }
        for animal, square in enumerate(position.squares.tolist())
    ]


def _find_escaping(position: BarcaPosition) -> set[int]:
    """Return the squares of animals, of both sides, that can go to a safe square."""
    found = set()
    for side in (0, 1):
        turn = BarcaPosition.from_valid_squares(position.squares, side)
        for move in legal_moves(turn):
            animal = turn.find_animal(move.origin)
            assert animal is not None
            if not find_frightening(turn, animal, move.target):
                found.add(move.origin)
    return found
