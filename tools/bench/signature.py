"""A number over fixed positions, which changes with the rules or the evaluations, not with the machine.

The first eight hexadecimal digits hash the legal plays of 1,000 positions, exactly. The last eight are a sum
over their 5,000 evaluated probabilities, each with a fixed random sign, in steps of 0.002. Hashing rounded
evaluations would not do: of 5,000 numbers some always lie so near a rounding edge that another processor,
whose float32 sums differ in the seventh digit, lands on its other side. All those differences together move
the sum by less than 2e-5, a hundredth of a step; one probability that is off by 0.002 moves it a whole step.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from random import Random

import numpy as np

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import CHECKERS, OFF, Board, find_finished
from gammond.engine.rules.rules import STANDARD_RULES

POSITIONS = 1000
STEP = 0.002

_SEED = 1992
_TURNS_BETWEEN_POSITIONS = 5
_DIGITS = 8


@dataclass(frozen=True)
class Signature:
    """A signature and its parts.

    Attributes:
        rules: Eight hexadecimal digits: the legal plays.
        evaluations: Eight hexadecimal digits: the evaluations.
        edge_distance: The distance of the sum from a rounding edge, 0 to 0.5 steps.
    """

    rules: str
    evaluations: str
    edge_distance: float

    def __str__(self) -> str:
        return self.rules + self.evaluations


def compute_signature(evaluator: Evaluator) -> Signature:
    """Compute the signature of the rules and an evaluator."""
    boards = make_fixed_positions()
    signs = np.array([1.0 if bit else -1.0 for bit in _draw_random_bits(5 * len(boards))]).reshape(-1, 5)
    total = float((evaluator.evaluate(boards).astype(np.float64) * signs).sum()) / STEP
    evaluations = round(total) % 16**_DIGITS
    return Signature(_hash_legal_plays(boards), f"{evaluations:0{_DIGITS}x}", 0.5 - abs(total - round(total)))


def make_fixed_positions(count: int = POSITIONS) -> Board:
    """Make positions of games of random plays, from the opening to finished ones, the same on every machine.

    Args:
        count: How many.

    Returns:
        ``int8[count, 2, 26]``.
    """
    random = Random(_SEED)  # random() is the one stream that Python promises to keep
    start = STANDARD_RULES.starting_position.board
    board, turns = start, 0
    taken: list[Board] = []
    while len(taken) < count:
        dice = np.array([[1 + int(6 * random.random()), 1 + int(6 * random.random())]], np.int8)
        children, _, _ = expand_rolls(board[None], dice)
        in_order = sorted(children, key=lambda child: bytes(child))
        board = in_order[int(len(in_order) * random.random())]
        is_over = bool(find_finished(board[None])[0])
        turns += 1
        if is_over or turns % _TURNS_BETWEEN_POSITIONS == 0:
            taken.append(board)
        if is_over:
            board = start
    return np.ascontiguousarray(np.stack(taken))


def _hash_legal_plays(boards: Board) -> str:
    """Hash the legal results of each position, with one of the 21 rolls each, in an order of their own."""
    playing = boards[(boards[:, :, OFF] != CHECKERS).all(axis=1)]
    dice = np.array([ROLLS[i % len(ROLLS)] for i in range(len(playing))], np.int8)
    children, _, offsets = expand_rolls(playing, dice)
    digest = hashlib.sha256()
    for first, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        digest.update(b"".join(sorted(child.tobytes() for child in children[first:end])))
    return digest.hexdigest()[:_DIGITS]


def _draw_random_bits(count: int) -> list[bool]:
    random = Random(_SEED + 1)
    return [random.random() < 0.5 for _ in range(count)]
