"""Checking a solution: its values by the plays that the rules list, the engine's decisions by its values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.engine import Engine
from gammond.engine.hypergammon.layouts import count_layouts, list_rows
from gammond.engine.hypergammon.table import HypergammonTable
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import expand_rolls, generate_plays
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import OFF, Board, Position

VALUE_NAMES = (
    "cubeless equity",
    "cube centred",
    "cube owned",
    "cube of the opponent",
    "cube centred, Jacoby",
)
"""The columns of `compute_residuals`."""


def draw_positions(checkers: int, count: int, seed: int = 0) -> Board:
    """Draw positions that are not over, all equally likely.

    Args:
        checkers: 1 to 3.
        count: How many.
        seed: Chooses them.

    Returns:
        ``int8[count, 2, 26]``.
    """
    random = np.random.default_rng(seed)
    rows = list_rows(checkers)
    found: list[Board] = []
    missing = count
    while missing > 0:
        boards = rows[random.integers(1, count_layouts(checkers), (2 * missing, 2))]
        is_shared = ((boards[:, 0, 1:25] > 0) & (boards[:, 1, 24:0:-1] > 0)).any(axis=1)
        found.append(boards[~is_shared][:missing])
        missing -= len(found[-1])
    return np.concatenate(found)


def compute_residuals(table: HypergammonTable, boards: Board) -> NDArray[np.float64]:
    """Compute how much values differ from the mean of the best plays' over all rolls.

    Nothing of the solver is used: the rules list the plays, and the table has the values after them.

    Args:
        table: The solution.
        boards: ``int8[n, 2, 26]``, none of them over.

    Returns:
        ``float64[n, 5]``, the absolute differences of `VALUE_NAMES`.
    """
    dice = np.array(ROLLS, np.int8)
    children, _, offsets = expand_rolls(np.repeat(boards, len(dice), axis=0), np.tile(dice, (len(boards), 1)))
    best = np.maximum.reduceat(-value_replies(table, children), offsets[:-1])
    means = (best.reshape(len(boards), len(dice), -1) * ROLL_WEIGHTS[None, :, None]).sum(axis=1)
    residuals: NDArray[np.float64] = np.abs(means - _read_values(table, boards))
    return residuals


def value_replies(table: HypergammonTable, boards: Board) -> NDArray[np.float64]:
    """Return what positions are worth to the player on roll, who may double: ``float64[n, 5]``.

    The third column is that of a cube that he owns where the side that has played owns it now: in the order
    of `VALUE_NAMES` as that side sees the cube.
    """
    values = _read_values(table, boards)
    cubeless, centred, owned, opponents, jacoby = values.T
    doubled = np.minimum(1.0, 2.0 * opponents)
    is_over = (boards[:, 0, OFF] == table.checkers) | (boards[:, 1, OFF] == table.checkers)
    with_double = [np.where(is_over, each, np.maximum(each, doubled)) for each in (centred, owned, jacoby)]
    return np.stack([cubeless, with_double[0], opponents, with_double[1], with_double[2]], axis=1)


def _read_values(table: HypergammonTable, boards: Board) -> NDArray[np.float64]:
    equities = table.cubeful_equities(boards).astype(np.float64)
    cubeless = cubeless_equity(table.evaluate(boards).astype(np.float64))
    return np.concatenate([cubeless[:, None], equities], axis=1)


MONEY, MONEY_JACOBY = (MatchState(jacoby=jacoby, beavers=False) for jacoby in (False, True))


@dataclass(frozen=True)
class Losses:
    """What decisions lost.

    Attributes:
        plays: The number of decisions about plays that were no forced moves.
        doubles: The number of decisions whether to double, and to take.
        wrong: How many lost anything.
        points: What they lost in all.
    """

    plays: int
    doubles: int
    wrong: int
    points: float


def measure_losses(
    engine: Engine, table: HypergammonTable, count: int, seed: int, on_done: Callable[[int], None]
) -> Losses:
    """Let the engine decide in random positions, and look up in the table what its decisions lose.

    In each position it chooses the play of a random roll, with the cube in the middle, and every second time
    by the Jacoby rule; then whether to double, and whether to take.

    Args:
        engine: By the rules of the table's variant.
        table: The solution.
        count: The number of positions.
        seed: Chooses them and the rolls.
        on_done: Called with the number of positions done.
    """
    boards = draw_positions(table.checkers, count, seed)
    rolls = np.random.default_rng([seed, 1]).integers(1, 7, (count, 2)).tolist()
    plays = doubles = wrong = 0
    points = 0.0
    for number, (board, roll) in enumerate(zip(boards, rolls, strict=True)):
        is_jacoby = number % 2 == 1
        position, match = Position(board, table.checkers), MONEY_JACOBY if is_jacoby else MONEY
        legal = generate_plays(position, (roll[0], roll[1]), engine.rules)
        losses = [_measure_cube(engine, table, position, match)]
        doubles += 1
        if len(legal) > 1:
            best = engine.rank_plays(position, (roll[0], roll[1]), match).best.play.result
            column = VALUE_NAMES.index("cube centred, Jacoby" if is_jacoby else "cube centred")
            least = value_replies(table, legal.boards)[:, column].min()
            losses.append(float(value_replies(table, best.board[None])[0, column] - least))
            plays += 1
        wrong += sum(loss > 0.0 for loss in losses)
        points += sum(losses)
        on_done(number + 1)
    return Losses(plays, doubles, wrong, points)


def _measure_cube(engine: Engine, table: HypergammonTable, position: Position, match: MatchState) -> float:
    """Return what the engine's double or no double loses, and its take or pass of one."""
    decision = engine.evaluate(position, match).decision
    assert decision is not None  # the game is not over, and the cube in the middle
    centred, _, opponents, jacoby = table.cubeful_equities(position.board[None])[0].astype(np.float64)
    waiting, taken = (jacoby if match.jacoby else centred), 2.0 * opponents
    answered = taken if decision.should_take else 1.0
    right = min(taken, 1.0)
    doubled = right if decision.should_double else waiting
    return float(answered - right + max(waiting, right) - doubled)
