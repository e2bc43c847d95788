"""Search of Barca: alpha-beta, depth by depth, until a limit is reached."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.evaluation import HAND_WEIGHTS, EvaluationVector
from gammond.engine.barca.game import REPETITIONS, BarcaGame
from gammond.engine.barca.kernels.moves import MAX_MOVES
from gammond.engine.barca.kernels.search import (
    COUNTERS,
    ENTRY_COLUMNS,
    EXCLUDED,
    GENERATION,
    GENERATIONS,
    HINT,
    INFINITE,
    IS_STOPPED,
    MAX_DEPTH,
    MAX_EVALUATION,
    NO_HINT,
    NO_MOVE,
    NO_NODE_LIMIT,
    NODE_LIMIT,
    NODES,
    STACK_COLUMNS,
    STACK_SIZE,
    WIN_SCORE,
    BarcaSearchFrame,
    compute_key,
    search_tree,
)
from gammond.engine.barca.moves import Move
from gammond.engine.errors import CancelledWork, StateError, ValueRangeError
from gammond.engine.kernels.interrupts import Question
from gammond.engine.runtime.threads import release_turn

DEFAULT_MEGABYTES = 16
MAX_MEGABYTES = 1024
MAX_LINES = 20
"""The most moves that a search ranks."""

_LEAST_ENTRIES = 2
_MAX_IDLE_MEMORIES = 4


@dataclass(frozen=True)
class SearchLimits:
    """When a search ends; without any limit, when it is stopped.

    Attributes:
        depth: Plies, 1 to `MAX_DEPTH`; the move itself counts as one.
        movetime_s: Seconds; the first depth is searched to its end.
        nodes: Positions; the first depth is searched to its end.
        multipv: How many moves are ranked, each with its line.
        is_deepening: Whether the depths below are searched first, one after the other, each for the order of
            moves of the next. Without that a depth has to be given, and a search that ends before has no
            answer.

    Raises:
        ValueRangeError: A limit is out of range.
    """

    depth: int | None = None
    movetime_s: float | None = None
    nodes: int | None = None
    multipv: int = 1
    is_deepening: bool = True

    def __post_init__(self) -> None:
        if self.depth is not None and not 1 <= self.depth <= MAX_DEPTH:
            raise ValueRangeError(f"expected a depth 1..{MAX_DEPTH}, got {self.depth}", field="depth")
        if self.movetime_s is not None and not 0.0 < self.movetime_s < inf:
            raise ValueRangeError(f"expected a time above 0 s, got {self.movetime_s}", field="movetime")
        if self.nodes is not None and self.nodes < 1:
            raise ValueRangeError(f"expected 1 node or more, got {self.nodes}", field="nodes")
        if not 1 <= self.multipv <= MAX_LINES:
            raise ValueRangeError(f"expected 1..{MAX_LINES} lines, got {self.multipv}", field="multipv")
        if self.depth is None and not self.is_deepening:
            raise ValueRangeError(
                "expected a depth for a search that does not deepen, got none", field="depth"
            )


class SearchLine(NamedTuple):
    """A move with what follows.

    Attributes:
        move: The move.
        score: Its value for the side that makes it; `describe_score` says it in words.
        pv: The principal variation: the move and the best play of both sides after it.
    """

    move: Move
    score: int
    pv: tuple[Move, ...]


@dataclass(frozen=True)
class SearchResult:
    """What a search found until it ended, or, as a report on the way, until then.

    Attributes:
        lines: The best moves, best first.
        depth: The depth that was finished.
        nodes: Positions reached.
        time_s: Seconds.
        stopped: Whether a limit or a stop ended it within a depth.
        is_stored: Whether the lines are those of an earlier search, which were kept.
    """

    lines: tuple[SearchLine, ...]
    depth: int
    nodes: int
    time_s: float
    stopped: bool = False
    is_stored: bool = False

    @property
    def move(self) -> Move:
        """The best move."""
        return self.lines[0].move

    @property
    def score(self) -> int:
        """Its value for the side to move."""
        return self.lines[0].score


class SearchMemory:
    """The transposition table and the stacks that searches write into, for one search at a time.

    No search sees what another one left: equal requests get equal answers.

    Args:
        megabytes: Size of the table, in units of 1,048,576 bytes, rounded down to a power of two; 0 for none,
            which is two entries.

    Raises:
        ValueRangeError: The size is out of range.
    """

    def __init__(self, megabytes: int = DEFAULT_MEGABYTES) -> None:
        if not 0 <= megabytes <= MAX_MEGABYTES:
            raise ValueRangeError(f"expected 0..{MAX_MEGABYTES} megabytes, got {megabytes}", field="hash")
        entries = max(1 << ((megabytes << 20) // (8 * ENTRY_COLUMNS)).bit_length() >> 1, _LEAST_ENTRIES)
        self._table = np.zeros((entries, ENTRY_COLUMNS), np.int64)
        self._generation = 0

    def begin_search(self) -> int:
        """Return the number of a new search, which finds no entry of those before."""
        self._generation += 1
        if self._generation == GENERATIONS:
            self._table[:] = 0
            self._generation = 1
        return self._generation

    def make_frame(
        self,
        squares: NDArray[np.int8],
        weights: EvaluationVector,
        repeated: NDArray[np.int64],
        question: NDArray[np.int64],
    ) -> BarcaSearchFrame:
        """Make what one search works on, and writes into."""
        counters = np.zeros(COUNTERS, np.int64)
        counters[GENERATION] = self.begin_search()
        return BarcaSearchFrame(
            squares,
            weights.to_array(),
            repeated,
            self._table,
            np.zeros((STACK_SIZE, STACK_COLUMNS), np.int64),
            np.zeros((STACK_SIZE, MAX_MOVES), np.int64),
            np.zeros((MAX_MOVES, 2), np.int8),
            np.full((STACK_SIZE, 2), NO_MOVE, np.int64),
            np.zeros((12, 100), np.int64),
            np.zeros((STACK_SIZE, STACK_SIZE), np.int64),
            np.zeros(STACK_SIZE, np.int64),
            np.zeros(MAX_LINES, np.int64),
            counters,
            question,
        )


_idle_memories: deque[SearchMemory] = deque(maxlen=_MAX_IDLE_MEMORIES)


def search(
    game: BarcaGame,
    limits: SearchLimits,
    weights: EvaluationVector = HAND_WEIGHTS,
    on_info: Callable[[SearchResult], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    memory: SearchMemory | None = None,
) -> SearchResult:
    """Find the best moves of a position.

    A fixed depth has one answer, whatever the clock and whatever was searched before. The search ends early
    where the end of the game is found for every line, and with a time but no depth where a move is forced.

    Args:
        game: The game so far: a position that comes up for the third time is a draw, worth 0, and so is one
            that comes up again on the way.
        limits: When it ends.
        weights: The board evaluation vector.
        on_info: Called at the end of each depth.
        should_stop: Asked every thousand positions; the search ends when it returns true, but not before
            the first depth is finished.
        memory: What it writes into; None for memory of `DEFAULT_MEGABYTES`, which the process keeps for the
            next search.

    Raises:
        StateError: The game is over.
        CancelledWork: It was stopped before it had an answer, which is only possible without deepening.
    """
    if game.result is not None:
        raise StateError("the game is over: there is nothing to search")
    with nullcontext(memory) if memory is not None else _borrow_memory() as used:
        return _Search(game, limits, weights, should_stop, used).run(on_info)


def find_plies_to_end(score: int) -> int | None:
    """Return in how many plies the side to move wins, negative for loses; None if that is not known."""
    if score > MAX_EVALUATION:
        return WIN_SCORE - score
    return -(WIN_SCORE + score) if score < -MAX_EVALUATION else None


def describe_score(score: int) -> str:
    """Describe a score: ``+25``, ``win in 2`` for one with the second move from now, ``loss in 1``."""
    plies = find_plies_to_end(score)
    if plies is None:
        return f"{score:+d}" if score else "0"
    return f"win in {(plies + 1) // 2}" if plies > 0 else f"loss in {-plies // 2}"


@contextmanager
def _borrow_memory() -> Iterator[SearchMemory]:
    """Lend memory to one search: new memory takes milliseconds, since the system has to clear it."""
    try:
        memory = _idle_memories.pop()
    except IndexError:
        memory = SearchMemory()
    try:
        yield memory
    finally:
        _idle_memories.append(memory)


class _Search:
    """One search."""

    def __init__(
        self,
        game: BarcaGame,
        limits: SearchLimits,
        weights: EvaluationVector,
        should_stop: Callable[[], bool] | None,
        memory: SearchMemory,
    ) -> None:
        self._started_s = time.perf_counter()
        self._limits = limits
        self._side = game.position.side
        self._line_count = min(limits.multipv, len(game.legal_moves()))
        self._is_forced = len(game.legal_moves()) == 1 and limits.depth is None and bool(limits.movetime_s)
        self._should_stop = should_stop
        self._question = Question(self._ask)
        self._depth = 0
        repeated = _find_repeated(game)
        self._frame = memory.make_frame(game.position.squares.copy(), weights, repeated, self._question.cells)

    def run(self, on_info: Callable[[SearchResult], None] | None) -> SearchResult:
        """Search depth by depth."""
        frame, lines = self._frame, tuple[SearchLine, ...]()
        is_stopped = False
        frame.counters[NODE_LIMIT] = NO_NODE_LIMIT
        last = self._limits.depth or MAX_DEPTH
        first = 1 if self._limits.is_deepening else last
        for depth in range(first, last + 1):
            if depth > 1:
                frame.counters[NODE_LIMIT] = self._limits.nodes or NO_NODE_LIMIT
            found, is_stopped = self._search_depth(depth, lines)
            if is_stopped:
                lines = found if found and self._line_count == 1 else lines
                break
            self._depth, lines = depth, found
            result = self._report(lines, is_stopped=False)
            if on_info is not None:
                on_info(result)
            if self._is_forced or all(_is_decided(line.score, depth) for line in lines):
                break
            frame.history[:] >>= 1
        if not lines:
            raise CancelledWork("the search was stopped")
        return self._report(lines, is_stopped=is_stopped)

    def _search_depth(
        self, depth: int, before: tuple[SearchLine, ...]
    ) -> tuple[tuple[SearchLine, ...], bool]:
        """Rank the best moves at a depth.

        Returns:
            The lines found, and whether the search was stopped before all were.
        """
        frame, counters, found = self._frame, self._frame.counters, list[SearchLine]()
        for place in range(self._line_count):
            counters[EXCLUDED] = place
            counters[HINT] = NO_MOVE
            if place < len(before):
                chosen = {line.move for line in found}
                hint = next((line.move for line in before if line.move not in chosen), None)
                counters[HINT] = NO_MOVE if hint is None else hint.origin << 7 | hint.target
            with release_turn():
                score = search_tree(frame, self._side, depth, -INFINITE, INFINITE)
            self._question.check()
            length = int(frame.line_lengths[0])
            if length and not (counters[IS_STOPPED] and place):
                codes = frame.lines[0, :length].tolist()
                pv = tuple(Move(code >> 7 & 127, code & 127) for code in codes)
                found.append(SearchLine(pv[0], int(score), pv))
                frame.excluded[place] = codes[0] & NO_HINT
            if counters[IS_STOPPED]:
                return tuple(found), True
        found.sort(key=lambda line: -line.score)
        return tuple(found), False

    def _ask(self, nodes: int) -> bool:
        """Return whether to stop."""
        if self._depth == 0 and self._limits.is_deepening:
            return False
        limit_s = self._limits.movetime_s
        if limit_s is not None and time.perf_counter() - self._started_s >= limit_s:
            return True
        return self._should_stop is not None and self._should_stop()

    def _report(self, lines: tuple[SearchLine, ...], *, is_stopped: bool) -> SearchResult:
        nodes = int(self._frame.counters[NODES])
        return SearchResult(lines, self._depth, nodes, time.perf_counter() - self._started_s, is_stopped)


def _is_decided(score: int, depth: int) -> bool:
    """Return whether a score is a win or a loss that no greater depth can bring nearer or avert."""
    plies = find_plies_to_end(score)
    return plies is not None and abs(plies) <= depth


def _find_repeated(game: BarcaGame) -> NDArray[np.int64]:
    """Return the search keys of the positions that are a draw when they come up again."""
    often = [key for key, count in Counter(game.history).items() if count >= REPETITIONS - 1]
    size = game.position.squares.size
    keys = [compute_key(np.frombuffer(key, np.int8, size).copy(), key[size]) for key in often]
    return np.array(keys, np.int64)
