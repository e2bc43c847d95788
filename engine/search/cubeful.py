"""What a search carries when cube or score count: the outcome, and the worth of each state of the cube."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import (
    CubeGame,
    cube_efficiencies,
    cube_game,
    dead_values,
    equities,
    exact_values,
    leaf_values,
    with_option,
)
from engine.evaluator import Evaluator, ExactJudge
from engine.match import MatchState
from engine.match_equity import MatchEquityTable
from engine.outcome import Outcomes
from engine.position import Board
from engine.search.judgement import (
    OUTCOME_REDUCTION,
    Reduction,
    Values,
    finished,
    judged_outcomes,
    settled_by,
)

OUTCOMES = len(OUTCOME_REDUCTION.score_of)
"""Columns of the outcome, which come first; those of the states of the cube follow."""


class CubefulJudge(ExactJudge, Protocol):
    """A judge that knows some positions exactly, with the cube too, such as a two-sided bearoff database."""

    def cubeful_equities(self, boards: Board) -> NDArray[np.float32]:
        """Value positions in money play, before the roll, if the side on roll does not double.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 3]`` in points for a cube of 1: in the middle, held by the side on roll, held by the
            other.
        """
        ...


@dataclass(frozen=True)
class CubefulJudgement:
    """Outcomes, and values in all states of the cube; plays are chosen by the value in each state.

    Attributes:
        evaluator: The judge of the leaves.
        game: The states of the cube, seen by the side on roll.
        exact: Judges whose positions are not looked ahead from in money play.
    """

    evaluator: Evaluator
    game: CubeGame
    exact: tuple[CubefulJudge, ...] = ()

    @property
    def columns(self) -> int:
        """Five of the outcome, and one for each state of the cube."""
        return OUTCOMES + len(self.game.states)

    @cached_property
    def reduction(self) -> Reduction:
        """Each state has its own best reply; the outcome is that of the present state's."""
        return _state_reduction(len(self.game.states), self.game.is_money)

    @cached_property
    def other(self) -> CubefulJudgement:
        """The same game as the other side sees it."""
        return CubefulJudgement(self.evaluator, self.game.other, self.exact)

    def settled(self, boards: Board) -> NDArray[np.bool_]:
        """Finished positions, and in money play those that are known exactly: ``bool[n]``."""
        return settled_by(self.exact if self.game.is_money else (), boards)

    def values(self, boards: Board) -> Values:
        """Value positions, as `Judgement.values`."""
        outcomes = judged_outcomes(self.evaluator, boards)
        values = leaf_values(outcomes, cube_efficiencies(boards), self.game)
        if self.game.is_money:
            self._enter_exact(boards, values)
        return np.concatenate([outcomes, values], axis=1)

    def carried(self, values: Values) -> Values:
        """Let the side on roll double, as `engine.cubeful.with_option`."""
        return np.concatenate([values[:, :OUTCOMES], with_option(values[:, OUTCOMES:], self.game)], axis=1)

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return equities in the present state of the cube: 1 is a game won singly, ``float64[n]``."""
        return equities(values[:, OUTCOMES], self.game)

    def _enter_exact(self, boards: Board, values: Values) -> None:
        """Replace the values of positions that are known exactly."""
        for judge in self.exact:
            covered = np.flatnonzero(judge.covers(boards) & ~finished(boards))
            if covered.size:
                values[covered] = exact_values(judge.cubeful_equities(boards[covered]), self.game)


@dataclass(frozen=True)
class MatchJudgement:
    """Outcomes, and the chance to win a match if nobody turns the cube any more.

    Attributes:
        evaluator: The judge of the leaves.
        game: The cube at rest, from `resting_cube`.
        exact: Judges whose positions are not looked ahead from.
    """

    evaluator: Evaluator
    game: CubeGame
    exact: tuple[ExactJudge, ...] = ()

    @property
    def columns(self) -> int:
        """Six: the outcome, and the chance to win the match."""
        return OUTCOMES + 1

    @cached_property
    def reduction(self) -> Reduction:
        """The reply is the one with the best chance to win the match; all columns come from it."""
        return _state_reduction(1, is_money=False)

    @cached_property
    def other(self) -> MatchJudgement:
        """The same game as the other side sees it."""
        return MatchJudgement(self.evaluator, self.game.other, self.exact)

    def settled(self, boards: Board) -> NDArray[np.bool_]:
        """Finished positions, and those that are known exactly: ``bool[n]``."""
        return settled_by(self.exact, boards)

    def values(self, boards: Board) -> Values:
        """Value positions, as `Judgement.values`."""
        outcomes = judged_outcomes(self.evaluator, boards)
        return np.concatenate([outcomes, _dead_column(outcomes, self.game)], axis=1)

    def carried(self, values: Values) -> Values:
        """Return the values: nobody doubles."""
        return values

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return equities: 1 is a game won singly at the present cube, ``float64[n]``."""
        return equities(values[:, OUTCOMES], self.game)


def resting_cube(match: MatchState, table: MatchEquityTable | None = None) -> CubeGame:
    """Lay out a game whose cube nobody turns any more, whoever holds it.

    Args:
        match: The match state.
        table: What match equities come from; the shipped one if None.
    """
    owner = None if match.cube == 1 else match.on_roll
    return cube_game(replace(match, cube_owner=owner), table, cube_turns=0)


def _dead_column(outcomes: Outcomes, game: CubeGame) -> Values:
    return dead_values(outcomes, game)[:, None]


def _state_reduction(states: int, is_money: bool) -> Reduction:
    """Choose a reply for each state of the cube."""
    scores = np.zeros((states, OUTCOMES + states))
    scores[:, OUTCOMES:] = np.eye(states)
    own = np.arange(states)
    return Reduction(
        scores=scores,
        score_of=np.concatenate([np.zeros(OUTCOMES, np.int64), own]),
        turned_from=np.concatenate([OUTCOME_REDUCTION.turned_from, OUTCOMES + own]),
        factors=np.concatenate([OUTCOME_REDUCTION.factors, np.full(states, -1.0)]),
        shifts=np.concatenate([OUTCOME_REDUCTION.shifts, np.full(states, 0.0 if is_money else 1.0)]),
    )
