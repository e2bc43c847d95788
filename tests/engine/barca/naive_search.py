"""Slow twins of Barca's evaluation and search.

The evaluation is written from the document and the rules alone; the search is plain minimax over the
evaluation that was tested against that.
"""

import random

from gammond.engine.barca.evaluation import list_conditions
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.moves import HOLES, HOLES_TO_WIN
from gammond.engine.barca.moves import apply_move, find_scared, legal_moves
from gammond.engine.barca.position import KINDS, BarcaPosition

WIN_SCORE = 1_000_000

_STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
_FEARS = {"elephant": "mouse", "lion": "elephant", "mouse": "lion"}


def make_random_positions(count, seed, spread=100):
    """Make positions with the animals on random squares, of which the last ones are holes."""
    numbers = random.Random(seed)
    favoured = [*[s for s in range(100) if s not in HOLES], *HOLES][-spread:]
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


def _animals(position):
    """Return the animals by square: their sides and kinds."""
    return {int(square): (i // 6, KINDS[i % 6 // 2]) for i, square in enumerate(position.squares)}


def _walk(square, step):
    file, rank = square % 10 + step[0], square // 10 + step[1]
    while 0 <= file < 10 and 0 <= rank < 10:
        yield file + 10 * rank
        file, rank = file + step[0], rank + step[1]


def _around(square):
    return [next(_walk(square, step), None) for step in _STEPS]


def _can_travel(kind, step):
    is_diagonal = 0 not in step
    return kind == "elephant" or is_diagonal == (kind == "lion")


def _is_frightening(animals, side, kind, square):
    return any(animals.get(other) == (1 - side, _FEARS[kind]) for other in _around(square))


def count_ways(position, side):
    """Return the ways to holes next turn, and how many holes the side could hold then."""
    animals = _animals(position)
    held = sum(animals.get(hole, (None,))[0] == side for hole in HOLES)
    ways = gains = 0
    for hole in HOLES:
        if hole in animals:
            continue
        for step in _STEPS:
            found = next((square for square in _walk(hole, step) if square in animals), None)
            if found is None or animals[found][0] != side:
                continue
            kind = animals[found][1]
            if _can_travel(kind, step) and not _is_frightening(animals, side, kind, hole):
                ways += 1
                gains += found not in HOLES
    return ways, min(held + bool(gains), 3)


def evaluate_side(position, side, weights):
    """Return a side's product with the vector."""
    animals = _animals(position)
    own = [(square, kind) for square, (owner, kind) in animals.items() if owner == side]
    held = sum(square in HOLES for square, _ in own)
    ways, next_turn = count_ways(position, side)
    value = weights.watering_holes[min(held, 3)] + weights.watering_holes_next_turn[next_turn] * ways
    for square, kind in own:
        value += weights.adjacency_to_watering_hole * sum(hole in _around(square) for hole in HOLES)
        value += weights.fear * _is_frightening(animals, side, kind, square)
        edge = min(square % 10, 9 - square % 10, square // 10, 9 - square // 10)
        value += weights.center_proximity * edge
    pairs = [(a, b) for a in own for b in own if a < b and a[1] != b[1] and b[0] in _around(a[0])]
    return value + weights.adjacency_to_complementary_teammates * len(pairs)


def evaluate(position, weights):
    """Return the evaluation for the side to move."""
    side = position.side
    return evaluate_side(position, side, weights) - evaluate_side(position, 1 - side, weights)


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


def count_scared(position, side):
    """Return how many animals of a side are scared, by the rules."""
    return len(find_scared(position, side))
