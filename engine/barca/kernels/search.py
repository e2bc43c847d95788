"""Alpha-beta to one depth, in one loop with a stack of its own.

A move is one integer: the animal's place among the twelve, where it stands and where it goes, by 7 bits for
each square. Without the animal it is a hint, which fits any position with this move: two animals of a kind
are interchangeable, so a position can be reached with either of them on a square.

Values are for the side to move. A win in n plies from the root is worth `WIN_SCORE` - n.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.kernels.evaluation import evaluate_squares
from gammond.engine.barca.kernels.moves import (
    ANIMALS,
    HOLES_TO_WIN,
    IS_HOLE,
    SQUARES,
    count_holes,
    list_moves,
)
from gammond.engine.kernels import borrowing, inlined
from gammond.engine.kernels.interrupts import ask_question

WIN_SCORE = 1_000_000
MAX_EVALUATION = 900_000
"""What no evaluation may exceed: scores beyond are wins and losses in so many plies."""

INFINITE = 2_000_000

MAX_DEPTH = 48
_LINE_BEYOND = 2
"""Moves that the line of a position without depth may have: a defence, and the win that follows it."""

STACK_SIZE = MAX_DEPTH + _LINE_BEYOND + 1

NODES, NODE_LIMIT, IS_STOPPED, EXCLUDED, HINT, GENERATION = range(6)
"""Cells of `BarcaSearchFrame.counters`: positions reached, how many at most, whether the search was stopped,
how many moves of the root are left out, the move of the root to try first (-1 for none), and the number of
the search that entries of the table belong to."""

COUNTERS = 6

ENTRY_COLUMNS = 2
"""An entry of the transposition table is a position's key; and the score, the number of the search, the
depth, the kind of bound and a hint to the best move packed into one. A position has two places. In the first
stays the entry of the greatest depth of a search, the second takes the others."""

GENERATIONS = 256
"""The numbers of searches that entries tell apart."""

HINT_BITS = 14
NO_HINT = (1 << HINT_BITS) - 1

_EXACT, _LOWER, _UPPER = 1, 2, 3
"""The kinds of bounds: the score is the value, or a bound on it."""

_BOUND_BITS, _DEPTH_BITS, _GENERATION_BITS = 2, 7, 8
_DEPTH_AT = HINT_BITS + _BOUND_BITS
_GENERATION_AT = _DEPTH_AT + _DEPTH_BITS
_SCORE_AT = _GENERATION_AT + _GENERATION_BITS
_DEPTH_MASK = (1 << _DEPTH_BITS) - 1

_SCORE_OFFSET = 1 << 22
"""Above every score, so that none is packed as a negative number."""

NO_MOVE = -1
NO_NODE_LIMIT = 1 << 62

_KEY, _ALPHA, _BETA, _FLOOR, _DEPTH, _BEST, _BEST_MOVE, _COUNT, _NEXT, _MOVE, _IS_SCOUT = range(11)
"""Columns of the stack: the position's key, the window with its first lower bound, plies to search, the best
value so far and its move, how many moves there are and were tried, the one being tried, and whether that is
done with an empty window."""

STACK_COLUMNS = 11

_ENTER, _ADVANCE, _RETURN = range(3)
_OPEN = -INFINITE - 1
"""No value: the moves of a position have to be tried."""

_ASK_EVERY = 1024

_SQUARE_BITS = 7
_CODE_BITS = 18
_CODE_MASK = (1 << _CODE_BITS) - 1

_HASH_MOVE_RANK = 1 << 40
_HOLE_RANK = 1 << 30
_KILLER_RANK = 1 << 29
_MAX_HISTORY = 1 << 28

_random = np.random.Generator(np.random.PCG64(5))
_ANIMAL_KEYS = np.repeat(_random.integers(1 << 62, size=(ANIMALS, SQUARES)), 2, axis=0)
"""``int64[12, 100]``: what an animal on a square adds to a position's key, alike for the two of a kind."""

_SIDE_KEY = int(_random.integers(1 << 62))


class BarcaSearchFrame(NamedTuple):
    """What a search works on.

    Attributes:
        squares: in and out, ``int8[12]``; as before when the search ends.
        weights: ``int64[12]``, the board evaluation vector.
        repeated: ``int64[n]``, the keys of positions that occurred twice in the game.
        table: in and out, ``int64[entries, ENTRY_COLUMNS]``, a power of two of entries, 2 or more.
        stack: scratch, ``int64[STACK_SIZE, STACK_COLUMNS]``.
        moves: scratch, ``int64[STACK_SIZE, MAX_MOVES]``, the moves of each position with their ranks above.
        listed: scratch, ``int8[MAX_MOVES, 2]``.
        killers: in and out, ``int64[STACK_SIZE, 2]``, hints of moves that refuted others at this distance.
        history: in and out, ``int64[12, 100]``, how often an animal's move to a square was a refutation.
        lines: out, ``int64[STACK_SIZE, STACK_SIZE]``, the best line from each distance on.
        line_lengths: out, ``int64[STACK_SIZE]``.
        excluded: ``int64[n]``, hints of moves that are left out at the root.
        counters: in and out, ``int64[COUNTERS]``.
        question: in and out, the cells of an `gammond.engine.kernels.interrupts.Question`, which is told the
            number of positions so far.
    """

    squares: NDArray[np.int8]
    weights: NDArray[np.int64]
    repeated: NDArray[np.int64]
    table: NDArray[np.int64]
    stack: NDArray[np.int64]
    moves: NDArray[np.int64]
    listed: NDArray[np.int8]
    killers: NDArray[np.int64]
    history: NDArray[np.int64]
    lines: NDArray[np.int64]
    line_lengths: NDArray[np.int64]
    excluded: NDArray[np.int64]
    counters: NDArray[np.int64]
    question: NDArray[np.int64]


@borrowing
def compute_key(squares: NDArray[np.int8], side: int) -> int:
    """Return the key of a position, by Zobrist: the same for equal ones, another for nearly all others."""
    key = side * _SIDE_KEY
    for animal in range(2 * ANIMALS):
        key ^= _ANIMAL_KEYS[animal, int(squares[animal])]
    return key


@borrowing
def search_tree(frame: BarcaSearchFrame, side: int, depth: int, alpha: int, beta: int) -> int:
    """Search the position of a frame to a depth of 1 to `MAX_DEPTH` plies, with a window from alpha to beta.

    Returns:
        The value: exact inside the window, else a bound. The line is in the first row of ``lines``. If the
        search was stopped, the value of the best move found until then, which the line begins with; without a
        line there is none.
    """
    stack = frame.stack
    stack[0, _KEY] = compute_key(frame.squares, side)
    _begin(stack, 0, depth, alpha, beta)
    ply = 0
    value = 0
    phase = _ENTER
    while True:
        if phase == _ENTER:
            value = _open(frame, ply, side ^ (ply & 1))
            phase = _ADVANCE if value == _OPEN else _RETURN
        elif phase == _ADVANCE:
            if stack[ply, _NEXT] < stack[ply, _COUNT]:
                stack[ply, _MOVE] = _pick_move(frame, ply)
                _make_move(frame, ply, stack[ply, _NEXT] > 1)
                ply += 1
                phase = _ENTER
            else:
                value = _close(frame, ply)
                phase = _RETURN
        else:
            if ply == 0:
                return value
            ply -= 1
            move = stack[ply, _MOVE]
            frame.squares[move >> HINT_BITS] = (move >> _SQUARE_BITS) & 127
            if frame.counters[IS_STOPPED]:
                value = stack[ply, _BEST]
            else:
                value = -value
                if stack[ply, _IS_SCOUT] and stack[ply, _ALPHA] < value < stack[ply, _BETA]:
                    _make_move(frame, ply, False)
                    ply += 1
                    phase = _ENTER
                elif _take_value(frame, ply, value):
                    value = _close(frame, ply)
                else:
                    phase = _ADVANCE


@inlined
def _begin(stack: NDArray[np.int64], ply: int, depth: int, alpha: int, beta: int) -> None:
    stack[ply, _DEPTH] = depth
    stack[ply, _ALPHA] = alpha
    stack[ply, _FLOOR] = alpha
    stack[ply, _BETA] = beta
    stack[ply, _BEST] = -INFINITE
    stack[ply, _BEST_MOVE] = NO_MOVE
    stack[ply, _COUNT] = 0
    stack[ply, _NEXT] = 0


@borrowing
def _make_move(frame: BarcaSearchFrame, ply: int, is_scout: bool) -> None:
    """Make the move being tried, and begin with the position after it."""
    stack = frame.stack
    move = stack[ply, _MOVE]
    animal = move >> HINT_BITS
    origin = (move >> _SQUARE_BITS) & 127
    target = move & 127
    frame.squares[animal] = target
    keys = _ANIMAL_KEYS[animal, origin] ^ _ANIMAL_KEYS[animal, target] ^ _SIDE_KEY
    stack[ply + 1, _KEY] = stack[ply, _KEY] ^ keys
    stack[ply, _IS_SCOUT] = is_scout
    alpha = stack[ply, _ALPHA]
    beta = alpha + 1 if is_scout else stack[ply, _BETA]
    _begin(stack, ply + 1, stack[ply, _DEPTH] - 1, -beta, -alpha)


@borrowing
def _open(frame: BarcaSearchFrame, ply: int, side: int) -> int:
    """Return the value of a position that needs no search; else list its moves, and return `_OPEN`."""
    stack = frame.stack
    frame.line_lengths[ply] = 0
    if _count_position(frame):
        return 0
    if ply > 0 and _is_repeated(frame, ply):
        return 0
    if stack[ply, _DEPTH] == 0:
        return _evaluate_leaf(frame, ply, side)
    hint = NO_MOVE
    if ply == 0:
        hint = frame.counters[HINT]
    else:
        value, hint = _look_up(frame, ply)
        if value != _OPEN:
            return value
    _list_ranked(frame, ply, side, hint)
    if frame.line_lengths[ply] > 0:
        return WIN_SCORE - ply - 1
    return _OPEN if stack[ply, _COUNT] > 0 else 0


@inlined
def _count_position(frame: BarcaSearchFrame) -> bool:
    """Count a position, and return whether the search is to stop."""
    counters = frame.counters
    counters[NODES] += 1
    nodes = counters[NODES]
    if nodes >= counters[NODE_LIMIT] or (nodes % _ASK_EVERY == 0 and ask_question(frame.question, nodes)):
        counters[IS_STOPPED] = 1
    return bool(counters[IS_STOPPED])


@borrowing
def _evaluate_leaf(frame: BarcaSearchFrame, ply: int, side: int) -> int:
    """Evaluate a position without depth: won at once, lost because no move averts a win, or by the vector.

    Where the vector gives no more than alpha, nobody asks whether the position is lost.
    """
    value, can_win, is_threatened = evaluate_squares(frame.squares, frame.weights)
    if side == 1:
        value = -value
        can_win, is_threatened = is_threatened, can_win
    is_asked = is_threatened and value > frame.stack[ply, _ALPHA]
    if not (can_win or is_asked):
        return value
    _list_ranked(frame, ply, side, NO_MOVE)
    if frame.line_lengths[ply] > 0:
        return WIN_SCORE - ply - 1
    if not is_asked or frame.stack[ply, _COUNT] == 0:
        return value
    return value if _has_defence(frame, ply, side) else ply + 2 - WIN_SCORE


@borrowing
def _has_defence(frame: BarcaSearchFrame, ply: int, side: int) -> bool:
    """Return whether a listed move leaves the other side without a win at once; if none does, make a line."""
    squares = frame.squares
    for _ in range(frame.stack[ply, _COUNT]):
        move = _pick_move(frame, ply)
        animal = move >> HINT_BITS
        squares[animal] = move & 127
        answer = _find_win(squares, 1 - side, frame.listed)
        squares[animal] = (move >> _SQUARE_BITS) & 127
        if _count_position(frame) or answer == NO_MOVE:
            return True
        frame.lines[ply, 0] = move
        frame.lines[ply, 1] = answer
    frame.line_lengths[ply] = _LINE_BEYOND
    return False


@borrowing
def _find_win(squares: NDArray[np.int8], side: int, listed: NDArray[np.int8]) -> int:
    """Return a move that wins at once, or `NO_MOVE`."""
    held = count_holes(squares, side)
    if held < HOLES_TO_WIN - 1:
        return NO_MOVE
    for i in range(list_moves(squares, side, listed)):
        animal = int(listed[i, 0])
        target = int(listed[i, 1])
        origin = int(squares[animal])
        if held + IS_HOLE[target] - IS_HOLE[origin] >= HOLES_TO_WIN:
            return (animal << HINT_BITS) | (origin << _SQUARE_BITS) | target
    return NO_MOVE


@inlined
def _is_repeated(frame: BarcaSearchFrame, ply: int) -> bool:
    """Return whether a position counts as drawn: it occurred since the root's moves, or twice in the game."""
    key = frame.stack[ply, _KEY]
    for earlier in range(ply - 4, 0, -2):
        if frame.stack[earlier, _KEY] == key:
            return True
    found = False
    for place in range(frame.repeated.shape[0]):
        found |= frame.repeated[place] == key
    return found


@borrowing
def _list_ranked(frame: BarcaSearchFrame, ply: int, side: int, hint: int) -> None:
    """List the moves of a position with their ranks; one that wins becomes the line."""
    squares = frame.squares
    listed = frame.listed
    counters = frame.counters
    held = count_holes(squares, side)
    found = list_moves(squares, side, listed)
    first_killer = frame.killers[ply, 0]
    second_killer = frame.killers[ply, 1]
    count = 0
    for i in range(found):
        animal = int(listed[i, 0])
        target = int(listed[i, 1])
        origin = int(squares[animal])
        move = (origin << _SQUARE_BITS) | target
        if ply == 0 and counters[EXCLUDED] > 0:
            is_excluded = False
            for place in range(counters[EXCLUDED]):
                is_excluded |= frame.excluded[place] == move
            if is_excluded:
                continue
        code = (animal << HINT_BITS) | move
        gain = IS_HOLE[target] - IS_HOLE[origin]
        if held + gain >= HOLES_TO_WIN:
            frame.lines[ply, 0] = code
            frame.line_lengths[ply] = 1
            return
        rank = frame.history[animal, target]
        if move == hint:
            rank = _HASH_MOVE_RANK
        elif gain > 0:
            rank += _HOLE_RANK
        elif move == first_killer:
            rank = _KILLER_RANK + 1
        elif move == second_killer:
            rank = _KILLER_RANK
        frame.moves[ply, count] = (rank << _CODE_BITS) | code
        count += 1
    frame.stack[ply, _COUNT] = count


@inlined
def _pick_move(frame: BarcaSearchFrame, ply: int) -> int:
    """Return the move of the highest rank that was not tried yet."""
    moves = frame.moves
    place = frame.stack[ply, _NEXT]
    best = place
    for i in range(place + 1, frame.stack[ply, _COUNT]):
        if moves[ply, i] > moves[ply, best]:
            best = i
    chosen = moves[ply, best]
    moves[ply, best] = moves[ply, place]
    frame.stack[ply, _NEXT] = place + 1
    return chosen & _CODE_MASK


@borrowing
def _take_value(frame: BarcaSearchFrame, ply: int, value: int) -> bool:
    """Take the value of the move just tried, and return whether the others need not be."""
    stack = frame.stack
    if value <= stack[ply, _BEST]:
        return False
    move = stack[ply, _MOVE]
    stack[ply, _BEST] = value
    if value <= stack[ply, _ALPHA]:
        return False
    stack[ply, _BEST_MOVE] = move
    stack[ply, _ALPHA] = value
    length = frame.line_lengths[ply + 1]
    frame.lines[ply, 0] = move
    for i in range(length):
        frame.lines[ply, i + 1] = frame.lines[ply + 1, i]
    frame.line_lengths[ply] = length + 1
    if value < stack[ply, _BETA]:
        return False
    hint = move & NO_HINT
    if frame.killers[ply, 0] != hint:
        frame.killers[ply, 1] = frame.killers[ply, 0]
        frame.killers[ply, 0] = hint
    depth = stack[ply, _DEPTH]
    animal = move >> HINT_BITS
    target = move & 127
    frame.history[animal, target] = min(frame.history[animal, target] + depth * depth, _MAX_HISTORY)
    return True


@borrowing
def _close(frame: BarcaSearchFrame, ply: int) -> int:
    """Keep what was found for a position, and return its value."""
    stack = frame.stack
    depth = stack[ply, _DEPTH]
    value = stack[ply, _BEST]
    if ply == 0 and frame.counters[EXCLUDED] > 0:
        return value
    bound = _EXACT
    if value <= stack[ply, _FLOOR]:
        bound = _UPPER
    elif value >= stack[ply, _BETA]:
        bound = _LOWER
    score = value
    if value > MAX_EVALUATION:
        score += ply
    elif value < -MAX_EVALUATION:
        score -= ply
    move = stack[ply, _BEST_MOVE]
    hint = NO_HINT if move == NO_MOVE else move & NO_HINT
    table = frame.table
    key = stack[ply, _KEY]
    generation = frame.counters[GENERATION]
    place = key & (table.shape[0] - 1)
    kept = table[place, 1]
    is_of_another_search = (kept >> _GENERATION_AT) & (GENERATIONS - 1) != generation
    is_as_shallow = (kept >> _DEPTH_AT) & _DEPTH_MASK <= depth
    if not (is_of_another_search or is_as_shallow or table[place, 0] == key):
        place ^= 1
    table[place, 0] = key
    packed = (((score + _SCORE_OFFSET) << _SCORE_AT) | (generation << _GENERATION_AT)) | (depth << _DEPTH_AT)
    table[place, 1] = packed | (bound << HINT_BITS) | hint
    return value


@inlined
def _look_up(frame: BarcaSearchFrame, ply: int) -> tuple[int, int]:
    """Look a position up in the table.

    Returns:
        Its value if that settles it, else `_OPEN`; and a hint, or `NO_MOVE`. Only entries of the same depth
        settle it, so that the value of a search is that of plain minimax, and none inside an open window,
        so that lines are whole.
    """
    stack = frame.stack
    table = frame.table
    key = stack[ply, _KEY]
    place = key & (table.shape[0] - 1)
    if table[place, 0] != key:
        place ^= 1
    data = table[place, 1]
    if table[place, 0] != key or (data >> _GENERATION_AT) & (GENERATIONS - 1) != frame.counters[GENERATION]:
        return _OPEN, NO_MOVE
    hint = data & NO_HINT
    if hint == NO_HINT:
        hint = NO_MOVE
    alpha = stack[ply, _ALPHA]
    beta = stack[ply, _BETA]
    if (data >> _DEPTH_AT) & _DEPTH_MASK != stack[ply, _DEPTH] or beta - alpha > 1:
        return _OPEN, hint
    value = (data >> _SCORE_AT) - _SCORE_OFFSET
    if value > MAX_EVALUATION:
        value -= ply
    elif value < -MAX_EVALUATION:
        value += ply
    bound = (data >> HINT_BITS) & ((1 << _BOUND_BITS) - 1)
    if bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha):
        return value, hint
    return _OPEN, hint
