"""Legal moves of Barca, and why others are not."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.kernels.moves import (
    ANIMALS,
    END_OF_DIRECTIONS,
    FEARED,
    FIRST_DIRECTION,
    MAX_MOVES,
    RAYS,
    SQUARES,
    count_sequences,
    list_moves,
)
from gammond.engine.barca.position import (
    KINDS,
    SIDES,
    SQUARE_NAME,
    BarcaPosition,
    describe_animal,
    format_square,
    parse_square,
)
from gammond.engine.errors import FormatError, PlayError, StateError


class Move(NamedTuple):
    """One animal moved along a line.

    Attributes:
        origin: The square it leaves, from 0, a1, to 99, j10.
        target: The square it goes to.
    """

    origin: int
    target: int


def legal_moves(position: BarcaPosition) -> list[Move]:
    """Return the legal moves of the side to move, by origin and target; a position that is won has none."""
    if position.winner is not None:
        return []
    moves = np.empty((MAX_MOVES, 2), np.int8)
    squares: NDArray[np.int8] = position.squares.copy()
    count = list_moves(squares, position.side, moves)
    origins = squares.tolist()
    return sorted([Move(origins[animal], target) for animal, target in moves[:count].tolist()])


def apply_move(position: BarcaPosition, move: Move) -> BarcaPosition:
    """Return the position after a legal move."""
    squares = position.squares.copy()
    own = squares[ANIMALS * position.side : ANIMALS * (position.side + 1)]
    own[own == move.origin] = move.target
    return BarcaPosition(squares, 1 - position.side)


def find_scared(position: BarcaPosition, side: int) -> list[int]:
    """Return the squares of a side's scared animals, ascending."""
    own = range(ANIMALS * side, ANIMALS * (side + 1))
    squares: list[int] = position.squares.tolist()
    return sorted(squares[animal] for animal in own if find_frightening(position, animal, squares[animal]))


def find_frightening(position: BarcaPosition, animal: int, square: int) -> list[int]:
    """Return the squares of the enemy animals that would frighten one of the twelve animals on a square."""
    around = set(RAYS[square, :, 0].tolist())
    return [other for other in _list_feared(position, animal) if other in around]


def find_reach(position: BarcaPosition, animal: int) -> tuple[list[int], list[int]]:
    """Return the empty squares that one of the twelve animals reaches: those that are safe, and the others.

    Whether another animal has to move first is not asked.
    """
    squares, kind = position.squares.tolist(), animal % ANIMALS // 2
    taken, frightening = {-1, *squares}, RAYS[_list_feared(position, animal), :, 0]
    reached = [
        target
        for ray in RAYS[squares[animal], FIRST_DIRECTION[kind] : END_OF_DIRECTIONS[kind]].tolist()
        for target in takewhile(lambda square: square not in taken, ray)
    ]
    safe = sorted({*reached}.difference(frightening.ravel().tolist()))
    return safe, sorted({*reached}.difference(safe))


def _list_feared(position: BarcaPosition, animal: int) -> list[int]:
    """Return the squares of the two enemy animals that an animal fears."""
    first = ANIMALS * (animal < ANIMALS) + 2 * FEARED[animal % ANIMALS // 2]
    squares: list[int] = position.squares[first : first + 2].tolist()
    return squares


def check_move(position: BarcaPosition, move: Move) -> None:
    """Do nothing if a move is legal.

    Raises:
        StateError: The game is over.
        PlayError: The move is illegal; the message says why.
    """
    if position.winner is not None:
        raise StateError(f"{SIDES[position.winner]} has won: no move follows")
    legal = legal_moves(position)
    if move not in legal:
        raise PlayError(_explain_illegal(position, move, legal), field="move")


def _explain_illegal(position: BarcaPosition, move: Move, legal: list[Move]) -> str:
    """Return why a move is illegal."""
    if not (0 <= move.origin < SQUARES and 0 <= move.target < SQUARES):
        return f"expected squares from 0 to {SQUARES - 1}, got {move.origin} and {move.target}"
    origin, target = format_square(move.origin), format_square(move.target)
    animal = position.find_animal(move.origin)
    if animal is None:
        return f"there is no animal on {origin}; {SIDES[position.side]} is to move"
    if animal // ANIMALS != position.side:
        return f"{describe_animal(animal)} on {origin} cannot move: {SIDES[position.side]} is to move"
    kind = animal % ANIMALS // 2
    name = f"the {KINDS[kind]} on {origin}"
    if move.origin == move.target:
        return f"{name} stands on {target} already: a move goes to another square"
    rays = RAYS[move.origin, FIRST_DIRECTION[kind] : END_OF_DIRECTIONS[kind]].tolist()
    ray = next((ray for ray in rays if move.target in ray), None)
    if ray is None:
        lines = ("ranks, files and diagonals", "diagonals", "ranks and files")[kind]
        return f"{name} cannot reach {target}: it moves along {lines}"
    for square in ray[: ray.index(move.target) + 1]:
        other = position.find_animal(square)
        if other is not None:
            return f"{name} cannot reach {target}: {describe_animal(other)} is on {format_square(square)}"
    frightening = find_frightening(position, animal, move.target)
    if frightening:
        return (
            f"{name} may not go to {target}, beside the {KINDS[FEARED[kind]]} on "
            f"{format_square(frightening[0])}, which it fears"
        )
    scared = sorted({format_square(each.origin) for each in legal})
    return f"{name} must wait: a scared animal that can go to a safe square moves first ({', '.join(scared)})"


_MOVE = re.compile(r"([a-z][0-9]{1,3})[- ]?([a-z][0-9]{1,3})", re.IGNORECASE | re.ASCII)
_SHOWN_CHARACTERS = 40


def format_move(move: Move) -> str:
    """Return a move as text: the square it leaves and the square it goes to, as ``e2-e5``."""
    return f"{format_square(move.origin)}-{format_square(move.target)}"


def parse_move(text: str) -> Move:
    """Read a move: two squares, with a hyphen, a blank or nothing between them, in small or capital letters.

    Whether it is legal is not asked.

    Raises:
        FormatError: The text is no move.
    """
    names = _MOVE.fullmatch(text.strip())
    if not names:
        raise FormatError(
            f"expected the squares that an animal leaves and goes to, as in e2-e5, "
            f"got {text[:_SHOWN_CHARACTERS]!r}",
            field="move",
        )
    if outside := [name for name in names.groups() if not SQUARE_NAME.fullmatch(name)]:
        raise FormatError(
            f"there is no square {outside[0]}: files are a to j, ranks 1 to 10, as in e2-e5", field="move"
        )
    return Move(*map(parse_square, names.groups()))


_COMPILED_DEPTH = 4
"""Moves that are counted without a stop, in some hundredths of a second; those before them can be stopped."""


def perft(position: BarcaPosition, depth: int) -> int:
    """Count the sequences of so many legal moves; repetition is not looked at, and a win ends a sequence."""
    if depth == 0:
        return 1
    if position.winner is not None:
        return 0
    if depth > _COMPILED_DEPTH:
        return sum(perft(apply_move(position, move), depth - 1) for move in legal_moves(position))
    moves, counts = np.empty((depth, MAX_MOVES, 2), np.int8), np.empty((depth, 3), np.int64)
    return int(count_sequences(position.squares.copy(), position.side, depth, moves, counts))
