"""Names of the board: sides, animals, squares."""

from __future__ import annotations

import re

from engine.barca.kernels import board as kernel_board
from engine.errors import FormatError

SIZE = kernel_board.SIZE
SQUARES = kernel_board.SQUARES
ANIMALS = kernel_board.ANIMALS
HOLES = kernel_board.HOLES
HOLES_TO_WIN = kernel_board.HOLES_TO_WIN

WHITE, BLACK = 0, 1
SIDES = ("White", "Black")
KINDS = ("elephant", "lion", "mouse")
PLURALS = ("elephants", "lions", "mice")
LETTERS = "ELM"
"""The letter of each kind: a capital for White, a small one for Black."""

FILES = "abcdefghij"

_SQUARE = re.compile(r"([a-j])(10|[1-9])", re.IGNORECASE | re.ASCII)


def format_square(square: int) -> str:
    """Return the name of a square: its file, ``a`` to ``j``, and its rank, ``1`` to ``10``."""
    return f"{FILES[square % SIZE]}{square // SIZE + 1}"


def parse_square(text: str) -> int:
    """Return the square with a name.

    Raises:
        FormatError: There is none.
    """
    match = _SQUARE.fullmatch(text)
    if not match:
        raise FormatError(f"expected a square from a1 to j10, got {text!r}", field="square")
    return FILES.index(match[1].lower()) + SIZE * (int(match[2]) - 1)


def describe_animal(animal: int) -> str:
    """Return what the animal at a place among the twelve is called: ``White's lion``."""
    return f"{SIDES[animal // ANIMALS]}'s {KINDS[animal % ANIMALS // 2]}"
