"""Legal plays of a roll, one for each distinct resulting position."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import overload

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import StateError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import moves as kernel_moves
from gammond.engine.rules.dice import Roll, validate_roll
from gammond.engine.rules.position import BAR, Board, Position
from gammond.engine.rules.rules import STANDARD_RULES, Doubles, Rules

_HOME_POINTS = 6

CheckerMove = tuple[int, int]
"""Source and target point of one checker in the mover's numbering: 25 is the bar, 0 is off."""


@dataclass(frozen=True, slots=True)
class Play:
    """Everything moved for one roll.

    Attributes:
        moves: The checker moves, highest source first; empty when no checker can move.
        hits: For each checker move, whether it hits.
        result: The position afterwards, *as the next mover sees it*.
    """

    moves: tuple[CheckerMove, ...]
    hits: tuple[bool, ...]
    result: Position

    @property
    def is_no_move(self) -> bool:
        """Whether no checker moves."""
        return not self.moves


def legal_plays(position: Position, roll: Roll, rules: Rules = STANDARD_RULES) -> list[Play]:
    """List all legal plays of a roll, one for each distinct resulting position.

    There is at least one play; the only one moves nothing when no checker can move.

    Raises:
        ValueRangeError: A die is not 1..6.
        StateError: The game is over.
    """
    return list(generate_plays(position, roll, rules))


class LegalPlays(Sequence[Play]):
    """The legal plays of a roll as arrays; a `Play` is made when it is asked for.

    Args:
        position: The position before them.
        boards: ``int8[n, 2, 26]``, the positions after them, as the next mover sees them.
        moves: ``int8[n, 8]``, their checker moves.

    Attributes:
        boards: As given.
    """

    def __init__(self, position: Position, boards: Board, moves: NDArray[np.int8]) -> None:
        self.boards = boards
        self._moves = moves
        self._position = position

    def __len__(self) -> int:
        return len(self.boards)

    @overload
    def __getitem__(self, index: int) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> list[Play]: ...
    def __getitem__(self, index: int | slice) -> Play | list[Play]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        moves = self._moves[index].tobytes()
        return Play(
            *list_checker_moves(moves, self._blots.intersection(moves[1::2])),
            Position.from_valid_board(self.boards[index]),
        )

    def take(self, places: slice | NDArray[np.int64]) -> LegalPlays:
        """Return some of the plays, in the same form."""
        return LegalPlays(self._position, self.boards[places], self._moves[places])

    def find(self, result: Board) -> Play | None:
        """Return the play that leads to a board, ``int8[2, 26]`` as the next mover sees it, if one does."""
        place = self._places.get(result.tobytes())
        return None if place is None else self[place]

    def list_moves(self) -> list[tuple[bytes, frozenset[int]]]:
        """Return what `list_checker_moves` takes, for each play."""
        text, blots = self._moves.tobytes(), self._blots
        if not blots:
            return [(text[start : start + 8], blots) for start in range(0, len(text), 8)]
        return [
            (text[start : start + 8], blots.intersection(text[start + 1 : start + 8 : 2]))
            for start in range(0, len(text), 8)
        ]

    @cached_property
    def _places(self) -> dict[bytes, int]:
        """The place of each board."""
        text, size = self.boards.tobytes(), self._position.board.size
        return {text[place * size : (place + 1) * size]: place for place in range(len(self))}

    @cached_property
    def _blots(self) -> frozenset[int]:
        """The opponent's blots in the mover's numbering."""
        counts = self._position.board[1].tolist()
        return frozenset(BAR - point for point in range(1, BAR) if counts[point] == 1)


def generate_plays(position: Position, roll: Roll, rules: Rules = STANDARD_RULES) -> LegalPlays:
    """List all legal plays of a roll, as `legal_plays`, without making objects of them."""
    dice = np.array([validate_roll(*roll)], np.int8)
    if position.is_over:
        raise StateError("the game is over: there are no plays", field="position")
    boards, moves, _ = expand_rolls(position.board[None], dice, rules)
    return LegalPlays(position, boards, moves)


def can_move(position: Position, roll: Roll) -> bool:
    """Return whether the side on roll can move a checker by either die: at once, without a kernel."""
    if position.is_over:
        return False
    own, other = position.board.tolist()
    points = [point for point in range(1, BAR + 1) if own[point]]
    for die in roll:
        for origin in points if points[-1] != BAR else [BAR]:
            if origin > die:
                if other[BAR - (origin - die)] < 2:
                    return True
            elif points[-1] <= _HOME_POINTS and (origin == die or origin == points[-1]):
                return True
    return False


def estimate_plays(position: Position, roll: Roll) -> int:
    """Return about how many plays a roll has, by the number of points that a checker can come from."""
    sources = int(np.count_nonzero(position.board[0, 1:]))
    return math.comb(sources + 3, 4) if roll[0] == roll[1] else math.comb(sources + 1, 2)


def estimate_play_counts(boards: Board, are_doubles: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return about how many plays the rolls of ``int8[n, 2, 26]`` have, as `estimate_plays` does for one."""
    sources = np.count_nonzero(boards[:, 0, 1:], axis=1)
    pairs = (sources + 1) * sources // 2
    counts: NDArray[np.int64] = np.where(are_doubles, pairs * (sources + 2) * (sources + 3) // 12, pairs)
    return counts


@lru_cache(maxsize=8192)  # the plays of a game repeat themselves, and so do those of its next roll
def list_checker_moves(
    moves: bytes, hit_points: frozenset[int]
) -> tuple[tuple[CheckerMove, ...], tuple[bool, ...]]:
    """Return the checker moves of a play, and whether each of them hits.

    Args:
        moves: Sources and targets, 8 bytes; 0 and 0 for none.
        hit_points: The opponent's blots among the targets; the first move to one hits it.
    """
    pairs = tuple([(moves[i], moves[i + 1]) for i in range(0, 8, 2) if moves[i]])
    targets = [target for _, target in pairs]
    hits = [target in hit_points and target not in targets[:i] for i, target in enumerate(targets)]
    return pairs, tuple(hits)


def expand_rolls(
    boards: Board, dice: NDArray[np.int8], rules: Rules = STANDARD_RULES
) -> tuple[Board, NDArray[np.int8], NDArray[np.int64]]:
    """List the legal plays of one roll for each of many positions in one array.

    Args:
        boards: ``int8[n, 2, 26]``.
        dice: ``int8[n, 2]``, each 1..6.
        rules: The rules of the game.

    Returns:
        Children ``int8[m, 2, 26]`` as the next mover sees them, their checker moves ``int8[m, 8]``, and
        offsets ``int64[n + 1]``: position i has at least one child, and its children are
        ``offsets[i]:offsets[i + 1]``.
    """
    boards = as_kernel_array(boards, np.int8)
    dice = as_kernel_array(dice, np.int8)
    offsets = np.zeros(len(boards) + 1, np.int64)
    capacity = 24 * len(boards) + 2 * kernel_moves.MAX_PLAYS
    children = np.empty((capacity, 2, 26), np.int8)
    moves = np.empty((capacity, 8), np.int8)
    double = 2 if rules.doubles is Doubles.TWO else 4
    done = kernel_moves.expand(boards, dice, 0, double, children, moves, offsets)
    while done < len(boards):
        used = offsets[done]
        children = np.concatenate([children[:used], np.empty_like(children)])
        moves = np.concatenate([moves[:used], np.empty_like(moves)])
        done = kernel_moves.expand(boards, dice, done, double, children, moves, offsets)
    return children[: offsets[-1]], moves[: offsets[-1]], offsets
