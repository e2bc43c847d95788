"""Judgements as an `engine.analysis.engine.Engine` gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeDecision
from engine.rules.moves import Play
from engine.rules.outcome import Outcome, Outcomes
from engine.rules.position import Board
from engine.search.results import CandidatePlay


@dataclass(frozen=True)
class PositionEvaluation:
    """A position with its judgement, for the player on roll, before the roll.

    Attributes:
        outcome: Cubeless.
        equity: Cubeless money equity of the outcome, in points.
        cubeful: Equity when both sides handle the cube as they should: 1 is a game won singly at the present
            cube. None if the cube does not count.
        mwc: The chance to win the match; None in money play.
        decision: What to do with the cube; None if it does not count, or the game is over.
        plies: Look-ahead behind all of it.
        is_finished: Whether that is the depth asked for, or it was stopped before.
        nodes: Positions valued without look-ahead.
        elapsed_s: How long it took.
    """

    outcome: Outcome
    equity: float
    cubeful: float | None
    mwc: float | None
    decision: CubeDecision | None
    plies: int
    is_finished: bool
    nodes: int
    elapsed_s: float

    @property
    def mwc_or_equity(self) -> float:
        """The most telling value there is: the chance to win the match, or points for a cube of 1."""
        if self.mwc is not None:
            return self.mwc
        return self.equity if self.cubeful is None else self.cubeful


@dataclass(frozen=True)
class BeaverEvaluation:
    """Whether a doubler plays on after a beaver.

    Attributes:
        evaluation: Its position, with the cube as it is once the beaver is taken.
    """

    evaluation: PositionEvaluation

    @property
    def equity(self) -> float:
        """What playing on is worth in stakes as the beaver shows them; giving up loses 1."""
        assert self.evaluation.cubeful is not None  # beavers are judged with the cube
        return 2.0 * self.evaluation.cubeful

    @property
    def plays_on(self) -> bool:
        """Whether that is better than to give up."""
        return self.equity > -1.0


@dataclass(frozen=True, eq=False)
class BoardEvaluations:
    """Many positions with their judgement, each as `PositionEvaluation` has it.

    Attributes:
        outcomes: ``float32[n, 5]``, cubeless.
        cubeful: ``float64[n]``, equities with the cube; None if it does not count.
        mwc: ``float64[n]``, chances to win the match; None in money play.
    """

    outcomes: Outcomes
    cubeful: NDArray[np.float64] | None
    mwc: NDArray[np.float64] | None


@dataclass(frozen=True)
class PlayEvaluation(CandidatePlay):
    """A play with its judgement, for the player who makes it; ``equity`` is cubeless money equity.

    Attributes:
        score: What it is ranked by, in points; compares with plays of the same ``plies`` alone.
        cubeful: Equity with the cube: 1 is a game won singly at the present cube; None if it does not count.
        mwc: The chance to win the match; None in money play.
        survived: Whether it got to the greatest depth of the search.
    """

    score: float
    cubeful: float | None
    mwc: float | None
    survived: bool


@dataclass(frozen=True)
class RankedPlays:
    """What a search for plays came to.

    Attributes:
        plays: All legal plays: those of the greatest depth first, best first, then the shallower ones.
        plies: The depth of the first ones.
        is_finished: Whether that is the depth asked for, or it was stopped before.
        nodes: Positions valued without look-ahead.
        elapsed_s: How long it took.
    """

    plays: tuple[PlayEvaluation, ...]
    plies: int
    is_finished: bool
    nodes: int
    elapsed_s: float

    @property
    def best(self) -> PlayEvaluation:
        """The choice."""
        return self.plays[0]

    def find_by_result(self, board: Board) -> PlayEvaluation | None:
        """Find the play that leads to a board.

        Args:
            board: ``int8[2, 26]``, as the next mover sees it.

        Returns:
            The play; None where none leads there.
        """
        return next((play for play in self.plays if np.array_equal(play.play.result.board, board)), None)


@dataclass(frozen=True)
class ChosenPlay:
    """A play that was chosen, with the ranking that it was chosen from.

    Attributes:
        evaluation: The evaluation of the chosen play.
        ranked: All plays.
    """

    evaluation: PlayEvaluation
    ranked: RankedPlays

    @property
    def play(self) -> Play:
        """The chosen play."""
        return self.evaluation.play
