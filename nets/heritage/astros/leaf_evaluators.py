"""Evaluators of leaves, by name, with bounds of their values: for searches with cut-offs and random choices.

A scorer is one of them if its score is a value of the position: look-ahead averages it over rolls, and
negates it for the other side. `bev` is the side's own features minus the opponent's. `phase-net` learned who
won, 1 for a win and 0 for a loss, and gives about 1/2 to an even position. `phase-heuristic` sees little of
the opponent, but measures all positions alike.

Scorers that only rank the plays of one roll are left out. `heuristic` scores the blocks and blots of the side
that has played and none of its opponent's, and races on a scale of their own; its look-ahead is its
probability score. `gengammon` learned which play of a roll is the expert's, which leaves a constant for all
plays of that roll open: its scores for the two sides of a position are hardly related.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import load_bearoff
from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.evaluator import Evaluator, ExactEvaluator, Scorer
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import OFF, Board, Phase, classify_phases, find_finished
from gammond.engine.search.tree import evaluate_outcomes
from gammond.nets.catalogue import (
    DEFAULT_EVALUATOR,
    SHIPPED,
    collect_net_hashes,
    find_pruner,
    load_evaluator,
    load_player,
)

SCORER_PLAYERS = {
    "bev": "bev",
    "bev-learned": "bev:learned=true",
    "phase-heuristic": "phase-heuristic",
    "phase-net": "phase-net",
    "phase-net-self": "phase-net:learned=self",
}
"""Scorers that serve as evaluators of leaves, and the players whose scorers they are."""

_EVEN_SCORES = {"phase-net": 0.5, "phase-net-self": 0.5}
"""Scores of even positions, where they are not 0."""

_OPPONENT_HOME_AND_BAR = slice(19, 26)
"""The opponent's home board and the bar, in a side's own numbering: where a backgammon is lost."""


class LeafEvaluator(ABC):
    """Values of leaves as single numbers. Implementations are safe to call from several threads.

    Attributes:
        name: The evaluator's name in results.
    """

    name: str

    @abstractmethod
    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Evaluate positions before the roll.

        Args:
            boards: ``int8[n, 2, 26]``; finished positions allowed.

        Returns:
            ``float64[n]`` for the side on roll, within `bounds`; each depends on its own board alone.
        """

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return bounds of the values of positions and of all positions that can follow.

        Args:
            boards: ``int8[n, 2, 26]``.

        Returns:
            The lower and the upper bound for the side on roll, ``float64[n]`` each; infinite where unknown.
        """
        return np.full(len(boards), -np.inf), np.full(len(boards), np.inf)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions need no look-ahead, finished ones included: ``bool[n]``."""
        return find_finished(boards)


class EquityLeafEvaluator(LeafEvaluator):
    """Evaluates by the cubeless money equity of an evaluator, in points, within the bounds of the rules.

    Args:
        evaluator: The evaluator.
        exact: Evaluators that are exact under best play.
    """

    def __init__(self, evaluator: Evaluator, exact: tuple[ExactEvaluator, ...] = ()) -> None:
        self.name = evaluator.name
        self._evaluator = evaluator
        self._exact = exact

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Evaluate positions, as `LeafEvaluator.evaluate`."""
        equities = cubeless_equity(evaluate_outcomes(self._evaluator, boards)).astype(np.float64)
        return np.clip(equities, *self.bounds(boards))

    def bounds(self, boards: Board) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return bounds of equities, as `LeafEvaluator.bounds`.

        A side with a checker off loses a single game at most. In a race a side loses no backgammon once all
        its checkers have left the opponent's home board.
        """
        is_race = classify_phases(boards) >= Phase.RACE
        return -_max_loss(boards[:, 0], is_race), _max_loss(boards[:, 1], is_race)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions are finished or known exactly: ``bool[n]``."""
        settled = find_finished(boards)
        for evaluator in self._exact:
            settled |= evaluator.covers(boards)
        return settled


class ScorerLeafEvaluator(LeafEvaluator):
    """Evaluates by a scorer, in its own unit and without bounds.

    The value of a position for the side on roll is minus its score for the side that has played. So the
    scorer has to be comparable between rolls and between the sides.

    Args:
        name: Its name in results.
        scorer: The scorer.
        even: The score of an even position; it becomes 0.
    """

    def __init__(self, name: str, scorer: Scorer, even: float = 0.0) -> None:
        self.name = name
        self._scorer = scorer
        self._even = even

    def evaluate(self, boards: Board) -> NDArray[np.float64]:
        """Evaluate positions, as `LeafEvaluator.evaluate`."""
        return self._even - self._scorer.score_boards(boards).astype(np.float64)


def _max_loss(rows: NDArray[np.int8], is_race: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the most points that sides can lose, ``float64[n]``, given their checkers ``int8[n, 26]``."""
    has_escaped = is_race & ~rows[:, _OPPONENT_HOME_AND_BAR].any(axis=1)
    most: NDArray[np.float64] = np.where(rows[:, OFF] > 0, 1.0, np.where(has_escaped, 2.0, 3.0))
    return most


def list_leaf_evaluators() -> tuple[str, ...]:
    """List the names that `load_leaf_evaluator` takes.

    Raises:
        DataFileError: The manifest is faulty.
    """
    return (DEFAULT_EVALUATOR, *SHIPPED.list_evaluators(), *SCORER_PLAYERS)


def load_leaf_evaluator(name: str) -> LeafEvaluator:
    """Load an evaluator of leaves.

    Args:
        name: One of `list_leaf_evaluators`.

    Raises:
        ValueRangeError: No evaluator has this name.
        DataFileError: A net or database is missing or faulty.
    """
    if name not in SCORER_PLAYERS:
        return EquityLeafEvaluator(load_evaluator(name), (load_bearoff().two_sided,))
    player = load_player(SCORER_PLAYERS[name])
    if player.scorer is None:
        raise ValueRangeError(f"expected a player that scores plays, got {name}", field="of")
    return ScorerLeafEvaluator(name, player.scorer, _EVEN_SCORES.get(name, 0.0))


def collect_leaf_net_hashes(name: str, plies: int) -> dict[str, str]:
    """Return sha256 by name of the nets of an evaluator of leaves, with the pruning net's for look-ahead.

    Raises:
        GammondError: As `gammond.nets.catalogue.Catalogue.collect_net_hashes`.
    """
    own = collect_net_hashes(SCORER_PLAYERS.get(name, name))
    return own | find_pruner().net_hashes if plies else own
