"""Games between two board evaluation vectors at a fixed depth, with as little around the search as can be.

Both sides play as `gammond.engine.barca.player.BarcaSearchPlayer` with that depth. Games begin with some
moves at random, so that they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.evaluation import EvaluationVector
from gammond.engine.barca.game import REPETITIONS
from gammond.engine.barca.kernels.evaluation import VECTOR_SIZE, count_conditions
from gammond.engine.barca.kernels.moves import MAX_MOVES, list_moves
from gammond.engine.barca.kernels.search import (
    GENERATION,
    HINT,
    HINT_BITS,
    INFINITE,
    IS_STOPPED,
    NO_HINT,
    NO_MOVE,
    NO_NODE_LIMIT,
    NODE_LIMIT,
    WIN_SCORE,
    compute_key,
    search_tree,
)
from gammond.engine.barca.player import BarcaSearchPlayer
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.barca.search import SearchMemory
from gammond.engine.errors import CancelledWork
from gammond.engine.kernels.interrupts import Question

MAX_PLIES = 400
"""A game that goes on for so long counts as drawn."""

_SQUARE_MASK = 127
_MEGABYTES = 1


@dataclass(frozen=True, eq=False)
class SelfPlayedGame:
    """A game as it went.

    Attributes:
        winner: 0 White, 1 Black; None for a draw.
        squares: ``int8[n, 12]``, the positions in which a side chose a move, and the last one.
        first_side: The side that chose the first of these moves.
        plies: Moves of the game, those at random included.
    """

    winner: int | None
    squares: NDArray[np.int8]
    first_side: int
    plies: int

    def list_conditions(self) -> NDArray[np.int64]:
        """Return the conditions of the side to move less those of the other in each position.

        Returns:
            ``int64[n, 12]``, in the order of `EvaluationVector.to_list`.
        """
        counts = np.empty((2, VECTOR_SIZE), np.int64)
        found = np.empty((len(self.squares), VECTOR_SIZE), np.int64)
        for place, squares in enumerate(self.squares):
            count_conditions(squares, counts)
            side = (self.first_side + place) % 2
            found[place] = counts[side] - counts[1 - side]
        return found


def draw_opening(moves: int, generator: np.random.Generator) -> BarcaPosition:
    """Play some moves at random from the starting position; again if one of them wins or none is left."""
    listed = np.empty((MAX_MOVES, 2), np.int8)
    while True:
        position = BarcaPosition.start()
        for _ in range(moves):
            squares = position.squares.copy()
            count = list_moves(squares, position.side, listed)
            if not count or position.winner is not None:
                break
            animal, target = listed[generator.integers(count)]
            squares[animal] = target
            position = BarcaPosition(squares, 1 - position.side)
        else:
            if position.winner is None and list_moves(position.squares.copy(), position.side, listed):
                return position


class VectorGames:
    """Plays games between two vectors.

    Args:
        white: White, by its vector and depth alone.
        black: Black, likewise.
        should_stop: Asked every thousand positions; `play` ends when it returns true.
    """

    def __init__(
        self,
        white: BarcaSearchPlayer,
        black: BarcaSearchPlayer,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        self._weights = white.vector.to_array(), black.vector.to_array()
        self._depths = white.depth, black.depth
        self._question = Question(lambda nodes: should_stop is not None and should_stop())
        nothing = np.empty(0, np.int64)
        start = BarcaPosition.start().squares.copy()
        self._memory = SearchMemory(_MEGABYTES)
        self._frame = self._memory.make_frame(start, white.vector, nothing, self._question.cells)

    def play(self, opening: BarcaPosition, plies_before: int) -> SelfPlayedGame:
        """Play a game from a position that nobody has won.

        Args:
            opening: Where the players begin.
            plies_before: The moves that led there.

        Raises:
            CancelledWork: `should_stop` returned true.
        """
        squares: NDArray[np.int8] = opening.squares.copy()
        side, plies, winner = opening.side, plies_before, None
        positions = [squares.copy()]
        counts = {compute_key(squares, side): 1}
        while winner is None and plies < MAX_PLIES:
            repeated = [key for key, count in counts.items() if count >= REPETITIONS - 1]
            score = self._search(squares, side, np.array(repeated, np.int64))
            if not self._frame.line_lengths[0]:
                break
            _make_move(squares, int(self._frame.lines[0, 0]))
            if score == WIN_SCORE - 1:
                winner = side
            side, plies = 1 - side, plies + 1
            positions.append(squares.copy())
            key = compute_key(squares, side)
            counts[key] = counts.get(key, 0) + 1
            if counts[key] >= REPETITIONS:
                break
        return SelfPlayedGame(winner, np.array(positions), opening.side, plies)

    def _search(self, squares: NDArray[np.int8], side: int, repeated: NDArray[np.int64]) -> int:
        """Find the best move, which the first line of the frame begins with; return its score."""
        frame = self._frame._replace(repeated=repeated)
        frame.squares[:] = squares
        frame.weights[:] = self._weights[side]
        frame.killers[:] = NO_MOVE
        frame.history[:] = 0
        frame.counters[:] = 0
        frame.counters[NODE_LIMIT] = NO_NODE_LIMIT
        frame.counters[GENERATION] = self._memory.begin_search()
        frame.counters[HINT] = NO_MOVE
        score = 0
        for depth in range(1, self._depths[side] + 1):
            score = search_tree(frame, side, depth, -INFINITE, INFINITE)
            self._question.check()
            if frame.counters[IS_STOPPED]:
                raise CancelledWork("the games were stopped")
            if not frame.line_lengths[0] or WIN_SCORE - abs(score) <= depth:
                break
            frame.counters[HINT] = int(frame.lines[0, 0]) & NO_HINT
            frame.history[:] >>= 1
        return int(score)


def _make_move(squares: NDArray[np.int8], move: int) -> None:
    """Make a move of the search, and keep the two animals of its kind ascending, as positions have them."""
    animal = move >> HINT_BITS
    squares[animal] = move & _SQUARE_MASK
    first = animal & ~1
    squares[first : first + 2].sort()


def play_games(
    white: EvaluationVector,
    black: EvaluationVector,
    depth: int,
    games: Iterable[int],
    seed: tuple[int, int],
    opening_moves: int,
) -> Iterator[SelfPlayedGame]:
    """Play games between two vectors.

    Args:
        white: White's.
        black: Black's.
        depth: Plies of search of each move.
        games: The numbers of the games; each has its own opening.
        seed: Of the openings.
        opening_moves: Moves at random before the players begin.
    """
    first, second = (BarcaSearchPlayer(depth, weights=each.to_text()) for each in (white, black))
    table = VectorGames(first, second)
    for game in games:
        opening = draw_opening(opening_moves, np.random.default_rng([*seed, game]))
        yield table.play(opening, opening_moves)


def play_pairs(
    first: EvaluationVector,
    second: EvaluationVector,
    depth: int,
    pairs: Iterable[int],
    seed: tuple[int, int],
    opening_moves: int,
) -> Iterator[tuple[SelfPlayedGame, SelfPlayedGame]]:
    """Play pairs of games between two vectors; both games of a pair have the same opening.

    Args:
        first: Is White in the first game of each pair.
        second: Is White in the second one.
        depth: Plies of search of each move.
        pairs: The numbers of the pairs; each has its own opening.
        seed: Of the openings.
        opening_moves: Moves at random before the players begin.
    """
    numbers = list(pairs)
    one = play_games(first, second, depth, numbers, seed, opening_moves)
    other = play_games(second, first, depth, numbers, seed, opening_moves)
    return zip(one, other, strict=True)


def count_score(game: SelfPlayedGame, side: int) -> int:
    """Return what a game is worth to a side: 1 won, 0 drawn, -1 lost."""
    return 0 if game.winner is None else 1 if game.winner == side else -1
