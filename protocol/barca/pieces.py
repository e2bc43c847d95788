"""The animals of a position by keys, for boards: with who is scared or trapped, and what each fears."""

from __future__ import annotations

from typing import Any

from gammond.engine.barca.kernels.moves import ANIMALS
from gammond.engine.barca.moves import find_frightening, find_reach
from gammond.engine.barca.position import KINDS, BarcaPosition, format_square


def describe_pieces(position: BarcaPosition) -> list[dict[str, Any]]:
    """Return where each animal is, its kind, its side (``seat``, White is 0), and what it fears.

    ``feared`` are the squares that it reaches beside enemies that it fears; it is ``trapped`` if it is
    ``scared`` and reaches no other.
    """
    return [_describe_piece(position, animal, at) for animal, at in enumerate(position.squares.tolist())]


def _describe_piece(position: BarcaPosition, animal: int, square: int) -> dict[str, Any]:
    safe, feared = find_reach(position, animal)
    is_scared = bool(find_frightening(position, animal, square))
    return {
        "at": format_square(square),
        "animal": KINDS[animal % ANIMALS // 2],
        "seat": animal // ANIMALS,
        "scared": is_scared,
        "trapped": is_scared and not safe,
        "feared": list(map(format_square, feared)),
    }
