"""Checking a solution by the rules themselves: each value against the plays that the rules list."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.hypergammon.numbering import count_layouts, list_rows
from engine.hypergammon.table import HypergammonTable
from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.moves import expand_rolls
from engine.rules.outcome import cubeless_equity
from engine.rules.position import OFF, Board

CENTRED, OWNED, OPPONENTS, JACOBY = range(4)
VALUE_NAMES = (
    "cubeless equity",
    "cube centred",
    "cube owned",
    "cube of the opponent",
    "cube centred, Jacoby",
)
"""The columns of `compute_residuals`."""

_BLOCK = 500


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
    residuals = np.empty((len(boards), len(VALUE_NAMES)))
    dice = np.array(ROLLS, np.int8)
    for block in _list_blocks(len(boards)):
        part = boards[block]
        children, _, offsets = expand_rolls(np.repeat(part, len(dice), axis=0), np.tile(dice, (len(part), 1)))
        best = np.maximum.reduceat(-value_replies(table, children), offsets[:-1])
        means = (best.reshape(len(part), len(dice), -1) * ROLL_WEIGHTS[None, :, None]).sum(axis=1)
        residuals[block] = np.abs(means - _read_values(table, part))
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


def _list_blocks(count: int) -> Iterator[slice]:
    for first in range(0, count, _BLOCK):
        yield slice(first, first + _BLOCK)
