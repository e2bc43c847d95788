"""Positions to test on: made by hand, random, and those of games that the engine plays."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from gammond.engine.evaluation.evaluator import Evaluator, choose_best_children
from gammond.engine.rules.dice import ROLLS, Roll
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import CHECKERS, OFF, Position
from tests.support.evaluators import RandomEvaluator

GAMES_AT_ONCE = 512


def position(x: dict[int, int], o: dict[int, int], checkers: int = CHECKERS) -> Position:
    """Make a position from counts by point, for x on roll against o; the other checkers are borne off.

    Both sides are in x's numbering: 25 is x's bar, 0 is o's bar.
    """
    board = np.zeros((2, 26), np.int8)
    for point, count in x.items():
        board[0, point] = count
    for point, count in o.items():
        board[1, 25 - point] = count
    board[:, OFF] = checkers - board.sum(axis=1)
    return Position(board, checkers)


def stack(*positions: Position):
    """``int8[n, 2, 26]`` of positions."""
    return np.stack([each.board for each in positions])


@functools.lru_cache(maxsize=20_000)  # slow twins ask for the same ones time and again
def replies(position: Position, roll: Roll) -> tuple[Position, ...]:
    """Return the positions after the legal plays of a roll, in their order, as the next mover sees them."""
    return tuple(play.result for play in legal_plays(position, roll))


def random_rolls(count: int, seed: int):
    """``int8[count, 2]``: all 21 rolls equally often on average, so that doubles get their share."""
    return np.array(ROLLS, np.int8)[np.random.default_rng(seed).integers(0, len(ROLLS), count)]


def random_boards(count: int, seed: int, checkers: int = CHECKERS):
    """``int8[count, 2, 26]``: unfinished positions of all kinds, most of which no game would reach.

    Each point belongs to one side at random. How far back and how concentrated the checkers are, and how many
    are on the bar or off, differs from position to position.
    """
    made, coming = _random_sequence(seed, checkers)
    made.extend(itertools.islice(coming, max(0, count - len(made))))
    return np.stack(made[:count])


@functools.cache
def _random_sequence(seed, checkers):
    """The boards of a seed that were made before, and those to come: many tests ask for the same ones."""
    return [], _make_random_boards(np.random.default_rng(seed), checkers)


def _make_random_boards(generator, checkers):
    while True:
        owner = generator.integers(0, 2, 24)
        board = np.zeros((2, 26), np.int8)
        for side in range(2):
            owned = np.flatnonzero((owner if side == 0 else owner[::-1]) == side) + 1
            if not owned.size:
                break
            board[side] = _random_row(generator, owned, checkers)
        if (board.sum(axis=1) == checkers).all() and _is_possible(board):
            yield board


def _random_row(generator, owned, checkers):
    reach = generator.choice([6, 12, 24])
    within = owned[owned <= reach] if (owned <= reach).any() else owned
    off = generator.integers(0, checkers) if generator.random() < 0.3 else 0
    bar = min(generator.integers(1, 5), checkers - off) if generator.random() < 0.25 else 0
    held = generator.choice(within, size=min(len(within), generator.integers(1, 8)), replace=False)
    row = np.bincount(generator.choice(held, size=checkers - off - bar), minlength=26)
    row[0], row[25] = off, bar
    return row.astype(np.int8)


def _is_possible(board) -> bool:
    return not ((board[:, 25] > 0).all() and (board[:, 1:7] >= 2).all())


def played_boards(evaluator: Evaluator, count: int, seed: int):
    """``int8[count, 2, 26]``: unfinished positions of games that an evaluator plays against itself.

    One ply in eight is played at random, so that the games differ. All stages of the games are in the sample.
    """
    generator = np.random.default_rng(seed)
    wanderer = RandomEvaluator(seed)
    start = Position.start().board
    boards = np.repeat(start[None], GAMES_AT_ONCE, axis=0)
    met = []
    while len(met) * GAMES_AT_ONCE < 4 * count:
        met.append(boards)
        dice = generator.integers(1, 7, (GAMES_AT_ONCE, 2)).astype(np.int8)
        mover = wanderer if generator.random() < 1 / 8 else evaluator
        boards, _ = choose_best_children(mover, boards, dice)
        boards[(boards[:, :, OFF] == CHECKERS).any(axis=1)] = start
    everything = np.concatenate(met)
    return everything[generator.choice(len(everything), size=count, replace=False)]
