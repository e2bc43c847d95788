"""Positions of Barca: the squares of twelve animals, and the side to move."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.barca.board import (
    ANIMALS,
    BLACK,
    HOLES,
    HOLES_TO_WIN,
    LETTERS,
    PLURALS,
    SIDES,
    SIZE,
    SQUARES,
    WHITE,
    describe_animal,
    format_square,
)
from engine.errors import FormatError, PositionError

START_TEXT = "4ee4/3lmml3/10/10/10/10/10/10/3LMML3/4EE4 w"
KEY_BYTES = 2 * ANIMALS + 1
"""The length of `BarcaPosition.key`."""

_PAIR = 2
_SIDE_LETTERS = "wb"
_SYMBOLS = LETTERS + LETTERS.lower()
_RANK = re.compile(rf"(?:[{_SYMBOLS}]|10|[1-9])+")
_ITEM = re.compile(rf"[{_SYMBOLS}]|10|[1-9]")
_SHOWN_CHARACTERS = 80


class BarcaPosition:
    """A validated, immutable position.

    Args:
        squares: Twelve squares from 0, a1, to 99, j10: White's elephants, lions and mice by twos, then those
            of Black. The two animals of a kind may come in either order.
        side: The side to move, 0 White or 1 Black.

    Raises:
        PositionError: The position is impossible: not twelve squares of the board, two animals on one square,
            or three watering holes held by the side to move, which would have won before.
    """

    __slots__ = ("_side", "_squares")

    def __init__(self, squares: Any, side: int) -> None:  # noqa: ANN401  (anything numpy reads as squares)
        if side not in (WHITE, BLACK):
            raise PositionError(f"expected the side to move, 0 or 1, got {side!r}", field="position")
        self._squares = _validate_squares(squares)
        self._side = int(side)
        held = self.count_holes(self._side)
        if held >= HOLES_TO_WIN:
            raise PositionError(
                f"{SIDES[side]} is to move and has {held} animals on watering holes, expected at most 2: "
                "it won when the third came there",
                field="position",
            )

    @classmethod
    def start(cls) -> BarcaPosition:
        """Return the starting position."""
        return cls.from_text(START_TEXT)

    @classmethod
    def from_text(cls, text: str) -> BarcaPosition:
        """Read a position from text, as `to_text` writes it.

        Raises:
            FormatError: The text is no position.
            PositionError: It is an impossible one.
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
        return cls(_parse_ranks(ranks), _SIDE_LETTERS.index(side[0].lower()))

    @classmethod
    def from_valid_squares(cls, squares: NDArray[np.int8], side: int) -> BarcaPosition:
        """Wrap the squares that the rules made from a valid position, without validating them.

        Args:
            squares: ``int8[12]``; copied.
            side: The side to move.
        """
        position = cls.__new__(cls)
        position._squares = _sort_pairs(squares)
        position._side = side
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
        symbols = {int(s): _find_symbol(animal) for animal, s in enumerate(self._squares)}
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


def _find_symbol(animal: int) -> str:
    """Return the letter of the animal at a place among the twelve."""
    letter = LETTERS[animal % ANIMALS // _PAIR]
    return letter if animal < ANIMALS else letter.lower()


def _sort_pairs(squares: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return a read-only copy in which the two animals of each kind ascend."""
    ordered: NDArray[np.int8] = np.sort(squares.reshape(-1, _PAIR), axis=1).reshape(-1)
    ordered.setflags(write=False)
    return ordered


def _validate_squares(squares: Any) -> NDArray[np.int8]:  # noqa: ANN401
    try:
        array = np.asarray(squares)
    except (TypeError, ValueError):
        raise PositionError("expected twelve squares, got ragged rows", field="position") from None
    if array.shape != (2 * ANIMALS,) or array.dtype.kind not in "iu":
        raise PositionError(
            f"expected twelve squares as integers, got shape {array.shape} of {array.dtype}", field="position"
        )
    if ((array < 0) | (array >= SQUARES)).any():
        wrong = array[(array < 0) | (array >= SQUARES)][0]
        raise PositionError(f"expected squares from 0 to {SQUARES - 1}, got {wrong}", field="position")
    first: dict[int, int] = {}
    for animal, square in enumerate(array.tolist()):
        if square in first:
            raise PositionError(
                f"expected one animal on {format_square(square)}, got {describe_animal(first[square])} and "
                f"{describe_animal(animal)}",
                field="position",
            )
        first[square] = animal
    return _sort_pairs(array.astype(np.int8))


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
        file = 0
        for item in _ITEM.findall(row):
            if item.isdigit():
                file += int(item)
            else:
                found[_SYMBOLS.index(item)].append(file + SIZE * (rank - 1))
                file += 1
        if file != SIZE:
            raise FormatError(
                f"rank {rank}: expected {SIZE} squares, got {file} in {_shorten(row)}", field="position"
            )
    for symbol, squares in zip(_SYMBOLS, found, strict=True):
        if len(squares) != _PAIR:
            side, kinds = SIDES[symbol.islower()], PLURALS[LETTERS.index(symbol.upper())]
            raise PositionError(
                f"expected two {kinds} of {side} ({symbol}), got {len(squares)}", field="position"
            )
    return [square for squares in found for square in squares]


def _shorten(text: str) -> str:
    """Quote text for a message, its beginning if it is long."""
    return repr(text) if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]!r}..."
