"""Positions of Barca: the squares of twelve animals, and the side to move."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.kernels.moves import ANIMALS, HOLES, HOLES_TO_WIN, SIZE
from gammond.engine.errors import FormatError, PositionError

WHITE, BLACK = 0, 1
SIDES = ("White", "Black")
KINDS = ("elephant", "lion", "mouse")
PLURALS = ("elephants", "lions", "mice")
LETTERS = "ELM"
"""The letter of each kind: a capital for White, a small one for Black."""

FILES = "abcdefghij"

SQUARE_NAME = re.compile(r"([a-j])(10|[1-9])", re.IGNORECASE | re.ASCII)


def format_square(square: int) -> str:
    """Return the name of a square: its file, ``a`` to ``j``, and its rank, ``1`` to ``10``."""
    return f"{FILES[square % SIZE]}{square // SIZE + 1}"


def parse_square(text: str) -> int:
    """Return the square with a name.

    Raises:
        FormatError: There is none.
    """
    match = SQUARE_NAME.fullmatch(text)
    if not match:
        raise FormatError(f"expected a square from a1 to j10, got {text!r}", field="square")
    return FILES.index(match[1].lower()) + SIZE * (int(match[2]) - 1)


def describe_animal(animal: int) -> str:
    """Return what the animal at a place among the twelve is called: ``White's lion``."""
    return f"{SIDES[animal // ANIMALS]}'s {KINDS[animal % ANIMALS // 2]}"


START_TEXT = "4ee4/3lmml3/10/10/10/10/10/10/3LMML3/4EE4 w"
KEY_BYTES = 2 * ANIMALS + 1
"""The length of `BarcaPosition.key`."""

_SIDE_LETTERS = "wb"
_SYMBOLS = LETTERS + LETTERS.lower()
_RANK = re.compile(rf"(?:[{_SYMBOLS}]|10|[1-9])+")
_GAP = re.compile("10|[1-9]")
_SHOWN_CHARACTERS = 80


class BarcaPosition:
    """A possible position, immutable.

    Args:
        squares: Twelve squares from 0, a1, to 99, j10: White's elephants, lions and mice by twos, then those
            of Black. The two animals of a kind may come in either order.
        side: The side to move, 0 White or 1 Black.
    """

    __slots__ = ("_side", "_squares")

    def __init__(self, squares: NDArray[np.int8] | Sequence[int], side: int) -> None:
        self._squares: NDArray[np.int8] = np.sort(np.array(squares, np.int8).reshape(-1, 2), axis=1).reshape(
            -1
        )
        self._squares.setflags(write=False)
        self._side = int(side)

    @classmethod
    def start(cls) -> BarcaPosition:
        """Return the starting position."""
        return cls.from_text(START_TEXT)

    @classmethod
    def from_text(cls, text: str) -> BarcaPosition:
        """Read a position from text, as `to_text` writes it.

        Raises:
            FormatError: The text is no position.
            PositionError: It is an impossible one: with too many or too few animals, or with three watering
                holes held by the side to move, which would have won before.
        """
        words = text.split()
        if len(words) != 2:
            raise FormatError(
                f"expected ten ranks and the side to move, as in {START_TEXT!r}, got {_shorten(text)}",
                field="position",
            )
        ranks, side = words
        if side.lower() not in ("w", "b", "white", "black"):
            raise FormatError(
                f"expected the side to move, w or b, after the ranks, got {_shorten(side)}", field="position"
            )
        position = cls(_parse_ranks(ranks), _SIDE_LETTERS.index(side[0].lower()))
        if (held := position.count_holes(position.side)) >= HOLES_TO_WIN:
            raise PositionError(
                f"{SIDES[position.side]} is to move and has {held} animals on watering holes, expected at "
                "most 2: it won when the third came there",
                field="position",
            )
        return position

    @property
    def squares(self) -> NDArray[np.int8]:
        """``int8[12]``, read-only: the squares of White's animals, then of Black's, each pair ascending."""
        return self._squares

    @property
    def side(self) -> int:
        """The side to move: 0 White, 1 Black."""
        return self._side

    @property
    def winner(self) -> int | None:
        """The side that has won; None if nobody has."""
        winner = 1 - self._side
        return winner if self.count_holes(winner) >= HOLES_TO_WIN else None

    @property
    def key(self) -> bytes:
        """`KEY_BYTES` bytes, the same for equal positions: the squares and the side to move."""
        return self._squares.tobytes() + bytes([self._side])

    def count_holes(self, side: int) -> int:
        """Return how many watering holes a side holds."""
        return sum(
            square in HOLES for square in self._squares[ANIMALS * side : ANIMALS * (side + 1)].tolist()
        )

    def find_animal(self, square: int) -> int | None:
        """Return the place among the twelve of the animal on a square; None if it is empty."""
        squares: list[int] = self._squares.tolist()
        return squares.index(square) if square in squares else None

    def to_text(self) -> str:
        """Return the position as text: the ranks from the tenth to the first, then the side to move.

        A rank is written from file a to j: letters of animals, and numbers of empty squares.
        """
        symbols = {square: _SYMBOLS[animal // 2] for animal, square in enumerate(self._squares.tolist())}
        ranks = []
        for rank in reversed(range(SIZE)):
            row = "".join(symbols.get(rank * SIZE + file, " ") for file in range(SIZE))
            ranks.append(re.sub(" +", lambda gap: str(len(gap[0])), row))
        return f"{'/'.join(ranks)} {_SIDE_LETTERS[self._side]}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BarcaPosition) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[type[BarcaPosition], tuple[NDArray[np.int8], int]]:
        return BarcaPosition, (self._squares, self._side)

    def __repr__(self) -> str:
        return f"BarcaPosition.from_text({self.to_text()!r})"


def _parse_ranks(text: str) -> list[int]:
    """Return the squares of the twelve animals."""
    ranks = text.split("/")
    if len(ranks) != SIZE:
        raise FormatError(
            f"expected {SIZE} ranks between slashes, got {len(ranks)} in {_shorten(text)}", field="position"
        )
    found: list[list[int]] = [[] for _ in _SYMBOLS]
    for rank, row in zip(range(SIZE, 0, -1), ranks, strict=True):
        if not _RANK.fullmatch(row):
            raise FormatError(
                f"rank {rank}: expected letters of {_SYMBOLS} and numbers from 1 to 10, got {_shorten(row)}",
                field="position",
            )
        squares = _GAP.sub(lambda gap: " " * int(gap[0]), row)
        if len(squares) != SIZE:
            raise FormatError(
                f"rank {rank}: expected {SIZE} squares, got {len(squares)} in {_shorten(row)}",
                field="position",
            )
        for square, symbol in enumerate(squares, SIZE * (rank - 1)):
            if symbol != " ":
                found[_SYMBOLS.index(symbol)].append(square)
    for symbol, own in zip(_SYMBOLS, found, strict=True):
        if len(own) != 2:
            side, kinds = SIDES[symbol.islower()], PLURALS[LETTERS.index(symbol.upper())]
            raise PositionError(
                f"expected two {kinds} of {side} ({symbol}), got {len(own)}", field="position"
            )
    return [square for own in found for square in own]


def _shorten(text: str) -> str:
    """Quote text for a message, its beginning if it is long."""
    return repr(text) if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]!r}..."
