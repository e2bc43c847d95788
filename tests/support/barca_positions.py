"""Positions of Barca for tests: from a list of animals, and random ones."""

from __future__ import annotations

import random

from gammond.engine.barca.kernels.moves import HOLES, HOLES_TO_WIN
from gammond.engine.barca.position import BLACK, WHITE, BarcaPosition, parse_square

LETTERS = "EELLMM"
# Where animals that a test does not name wait, in this order.
_PARKED = ("j1 i1 h1 g1 f1 e1", "a10 b10 c10 d10 e10 f10")


def setup(white: str, black: str, side: int = WHITE) -> BarcaPosition:
    """A position from lists such as ``Ea4 Me5``.

    Animals that are not named wait on free squares, White's on j1, i1 and on, Black's on a10, b10 and on.
    """
    taken = {word[1:] for word in (white + " " + black).split()}
    squares = []
    for text, parked in zip((white, black), _PARKED, strict=True):
        named = {letter: [w[1:] for w in text.split() if w[0] == letter] for letter in "ELM"}
        free = iter([square for square in parked.split() if square not in taken])
        own = [named[letter].pop(0) if named[letter] else next(free) for letter in LETTERS]
        assert not any(named.values()), f"too many animals in {text}"
        squares += [parse_square(square) for square in own]
    return BarcaPosition(squares, side)


NO_MOVE = setup("Ea1 Mb1 Ma2 Lb2 Ec1 La3", "Me1 Md3 Lc3 Le3 Ec5 Ej10")
"""White to move, but all its animals are hemmed in."""


def random_position(chance: random.Random, files: int = 10, ranks: int = 10) -> BarcaPosition:
    """A random position in a corner of the board of so many files and ranks, won by nobody."""
    area = [file + 10 * rank for file in range(files) for rank in range(ranks)]
    while True:
        squares = chance.sample(area, 12)
        if all(sum(s in HOLES for s in own) < HOLES_TO_WIN for own in (squares[:6], squares[6:])):
            return BarcaPosition(squares, chance.choice((WHITE, BLACK)))
