"""Slow twins of Barca's evaluation and search, over the twin of its rules.

The evaluation is written from the document alone; the search is plain minimax over the evaluation that was
tested against that.
"""

import random

from gammond.engine.barca.evaluation import list_conditions
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.moves import HOLES as HOLE_NUMBERS
from gammond.engine.barca.kernels.moves import HOLES_TO_WIN
from gammond.engine.barca.moves import apply_move, legal_moves
from gammond.engine.barca.position import BarcaPosition
from tests.support.naive_barca import STEPS, free_squares, is_frightened, read_board

WIN_SCORE = 1_000_000
HOLES = {(4, 4), (4, 7), (7, 4), (7, 7)}


def make_random_positions(count, seed, spread=100):
    """Make positions with the animals on random squares, of which the last ones are holes."""
    numbers = random.Random(seed)
    favoured = [*[s for s in range(100) if s not in HOLE_NUMBERS], *HOLE_NUMBERS][-spread:]
    found = []
    while len(found) < count:
        position = BarcaPosition(numbers.sample(favoured, 12), numbers.randrange(2))
        if max(map(position.count_holes, range(2))) < HOLES_TO_WIN:
            found.append(position)
    return found


def play_randomly(moves, seed):
    """Return a game after so many random moves, or after its end."""
    numbers = random.Random(seed)
    game = BarcaGame.start()
    for _ in range(moves):
        if game.result is not None:
            break
        game = game.play(numbers.choice(game.legal_moves()))
    return game


def count_conditions(position, side):
    """Return what each number of the vector is multiplied by for a side."""
    board = read_board(position)
    own = {square: piece for square, piece in board.items() if piece[0] == "wb"[side]}
    ways = [
        square
        for square, piece in own.items()
        for hole in free_squares(board, square) & HOLES
        if not is_frightened(board, hole, piece)
    ]
    held = len(own.keys() & HOLES)
    counts = [0] * 12
    counts[min(held, 3)] = 1
    counts[4 + min(held + any(square not in HOLES for square in ways), 3)] = len(ways)
    counts[8] = sum(len(_list_around(square) & HOLES) for square in own)
    counts[9] = sum(is_frightened(board, square, piece) for square, piece in own.items())
    counts[10] = sum(min(file - 1, 10 - file, rank - 1, 10 - rank) for file, rank in own)
    mates = [own[mate][1] != own[square][1] for square in own for mate in _list_around(square) & own.keys()]
    counts[11] = sum(mates) // 2
    return counts


def _list_around(square):
    return {(square[0] + file, square[1] + rank) for file, rank in STEPS["E"]}


def minimax(game, depth, weights):
    """Return the value of plain minimax: no window, no order, no table.

    Where the depth ends, a side that wins at once has won, and one that cannot prevent a win at once has
    lost, if the vector sees the threat.
    """
    return _minimax(game.position, depth, weights.to_array(), 0, (), game.history)


def _minimax(position, depth, weights, ply, path, history):
    if ply > 0 and (position.key in path or history.count(position.key) >= 2):
        return 0
    own, other = list_conditions(position)[[position.side, 1 - position.side]]
    value = int((own - other) @ weights)
    if depth == 0:
        if own[7] and _can_win(position):
            return WIN_SCORE - ply - 1
        children = _list_children(position) if other[7] else []
        return ply + 2 - WIN_SCORE if children and all(map(_can_win, children)) else value
    children = _list_children(position)
    if any(child.winner is not None for child in children):
        return WIN_SCORE - ply - 1
    if not children:
        return 0
    below = (*path, position.key) if ply > 0 else path
    return max(-_minimax(child, depth - 1, weights, ply + 1, below, history) for child in children)


def _list_children(position):
    return [apply_move(position, move) for move in legal_moves(position)]


def _can_win(position):
    return any(child.winner is not None for child in _list_children(position))
