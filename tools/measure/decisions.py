"""Contact decisions of games that a net plays against itself, and the mean of costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.engine.statistics import ValueWithError, ratio_with_error
from gammond.tools.bench.measure import SelfPlayGames

_MAX_TURNS_BETWEEN = 7
_TURNS_BEFORE = 3


def draw_contact_decisions(
    evaluator: Evaluator, count: int, seed: int
) -> tuple[list[tuple[Position, Roll]], NDArray[np.int64]]:
    """Draw positions with contact from games that an evaluator plays against itself, each with a roll.

    Args:
        evaluator: The player.
        count: How many.
        seed: Of dice and choice, 0 or more.

    Returns:
        The positions with their rolls, and ``int64[count]``, the number of the game of each.
    """
    games = SelfPlayGames(evaluator, seed=seed)
    generator = np.random.Generator(np.random.PCG64(seed))
    taken: list[tuple[Position, Roll]] = []
    numbers: list[int] = []
    for _ in range(_TURNS_BEFORE):
        games.step()
    while len(taken) < count:
        for _ in range(1 + int(generator.integers(_MAX_TURNS_BETWEEN))):
            games.step()
        contact = np.flatnonzero(classify_phases(games.boards) == int(Phase.CONTACT))
        few = generator.permutation(len(contact))[: max(len(games.boards) // 8, 1)]
        dice = generator.integers(1, 7, size=(len(few), 2))
        places = contact[few]
        taken += [
            (Position(games.boards[i]), (int(a), int(b))) for i, (a, b) in zip(places, dice, strict=True)
        ]
        numbers += games.numbers[places].tolist()
    return taken[:count], np.array(numbers[:count])


def estimate_mean_by_game(costs: NDArray[np.float64], games: NDArray[np.int64]) -> ValueWithError:
    """Return the mean of costs and its standard error: those of one game depend on each other.

    Args:
        costs: ``float64[n]``, 1 or more.
        games: ``int64[n]``, the number of the game of each.

    Returns:
        Both; the error is nan if all are of one game.
    """
    _, place = np.unique(games, return_inverse=True)
    return ratio_with_error(np.bincount(place, costs), np.bincount(place))
