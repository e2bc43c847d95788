"""Evaluations of positions and plays, the effort behind them, and the progress of searches."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeDecision
from engine.errors import StateError
from engine.rules.moves import LegalPlays, Play
from engine.rules.outcome import Outcome
from engine.rules.position import Board


@dataclass(frozen=True)
class Effort:
    """The depth that a search reached, and what that took.

    Attributes:
        plies: Plies of look-ahead behind the values.
        is_finished: Whether that is the depth asked for, and the search was not stopped before.
        nodes: Positions evaluated at 0-ply; repeats and values from a cache are not counted.
        elapsed_s: Seconds since the start.
        is_stored: Whether the values are those of an earlier search, which were kept.
    """

    plies: int
    is_finished: bool
    nodes: int
    elapsed_s: float
    is_stored: bool = False


@dataclass(frozen=True)
class PositionEvaluation:
    """The evaluation of a position, for the player on roll, before the roll.

    Attributes:
        outcome: Cubeless.
        equity: Cubeless money equity of the outcome, in points.
        cubeful: Equity under best cube action by both sides: 1 is a game won singly at the present cube. None
            without the cube.
        mwc: Match-winning chance; None in money play.
        decision: The cube decision; None without the cube, and once the game is over.
        effort: The effort behind all of it.
    """

    outcome: Outcome
    equity: float
    cubeful: float | None
    mwc: float | None
    decision: CubeDecision | None
    effort: Effort

    @property
    def mwc_or_equity(self) -> float:
        """Match-winning chance in a match, else cubeful (or cubeless) equity in points for a cube of 1."""
        if self.mwc is not None:
            return self.mwc
        return self.equity if self.cubeful is None else self.cubeful


@dataclass(frozen=True)
class BeaverEvaluation:
    """The evaluation of the doubler's decision after a beaver: to play on or to pass.

    Attributes:
        evaluation: The doubler's position, with the cube as it is once the beaver is accepted.
    """

    evaluation: PositionEvaluation

    @property
    def equity(self) -> float:
        """Equity of playing on, in stakes as the beaver shows them; a pass loses 1."""
        assert self.evaluation.cubeful is not None  # beavers are evaluated with the cube
        return 2.0 * self.evaluation.cubeful

    @property
    def plays_on(self) -> bool:
        """Whether playing on is better than a pass."""
        return self.equity > -1.0


@dataclass(frozen=True, eq=False)
class BoardEvaluations:
    """The evaluations of many positions as arrays; see `PositionEvaluation`.

    Attributes:
        outcomes: ``float32[n, 5]`` or ``float64[n, 5]``, cubeless; equities have their precision.
        cubeful: ``float64[n]``, cubeful equities; None without the cube.
        mwc: ``float64[n]``, match-winning chances; None in money play.
        decisions: The cube decisions, None where the game is over; None if they were not asked for.
    """

    outcomes: NDArray[np.floating]
    cubeful: NDArray[np.float64] | None
    mwc: NDArray[np.float64] | None
    decisions: list[CubeDecision | None] | None = None


@dataclass(frozen=True)
class PlayEvaluation:
    """The evaluation of a play, for the player who makes it.

    Attributes:
        play: The play.
        outcome: Cubeless, after the play.
        plies: Plies of look-ahead behind the numbers.
        score: Equity that plays are ranked by, in points; comparable between plays of the same ``plies``.
        cubeful: Cubeful equity: 1 is a game won singly at the present cube. None without the cube.
        mwc: Match-winning chance; None in money play.
        survived: Whether the play reached the greatest depth of the search: only such plays are chosen, and
            compared with the best.
    """

    play: Play
    outcome: Outcome
    plies: int
    score: float
    cubeful: float | None = None
    mwc: float | None = None
    survived: bool = True

    @property
    def equity(self) -> float:
        """Cubeless money equity of the outcome, in points."""
        return self.outcome.equity


@dataclass(frozen=True, eq=False)
class PlayTable:
    """Ranked plays as arrays; see `PlayEvaluation`.

    Attributes:
        plays: n plays.
        evaluations: Their evaluations, for the player who makes them; in double precision.
        plies: ``int8[n]``.
        survived: ``bool[n]``.
    """

    plays: LegalPlays
    evaluations: BoardEvaluations
    plies: NDArray[np.int8]
    survived: NDArray[np.bool_]


class PlaySequence(Sequence[PlayEvaluation]):
    """Plays in the order of a ranking.

    Attributes:
        survivors: How many of them, the first, reached the greatest depth: only these compare.
    """

    survivors: int

    @abstractmethod
    def tabulate(self, block: slice) -> PlayTable:
        """Return some of them without making objects of them: thousands take milliseconds."""

    @abstractmethod
    def find_place(self, board: Board) -> int | None:
        """Return the place of the play that leads to a position, ``int8[2, 26]``; None if none does."""

    @abstractmethod
    def survivor_scores(self) -> list[float]:
        """Return the scores of the plays at the greatest depth, best first."""


@dataclass(frozen=True)
class RankedPlays:
    """All legal plays of a roll.

    Attributes:
        plays: Those that survived the last filter first, best first; then the others, the deeper ones first,
            those of one depth best first. Equities of different depths do not compare.
        effort: The effort; its plies are those of the survivors.
    """

    plays: PlaySequence
    effort: Effort

    @property
    def best(self) -> PlayEvaluation:
        """The best play."""
        return self.plays[0]

    def find_place(self, play: Play) -> int:
        """Return the place of one of the legal plays.

        Raises:
            StateError: It is none of them.
        """
        place = self.plays.find_place(play.result.board)
        if place is None:
            raise StateError("the play is none of this roll", field="play")
        return place

    def find_by_result(self, board: Board) -> PlayEvaluation | None:
        """Find the play that leads to a position.

        Args:
            board: ``int8[2, 26]``, as the next mover sees it.

        Returns:
            The play; None if none leads there.
        """
        place = self.plays.find_place(board)
        return None if place is None else self.plays[place]


@dataclass(frozen=True)
class ComparedPlay:
    """A play beside the best one, both evaluated at one depth.

    Attributes:
        evaluation: The evaluation of the play.
        best: That of the best play.
        rank: Its place among all plays, from 1 on.
        ranked: All plays; a play that no filter let through has a smaller depth there.
    """

    evaluation: PlayEvaluation
    best: PlayEvaluation
    rank: int
    ranked: RankedPlays

    @property
    def loss(self) -> float:
        """What the play loses against the best one, in points."""
        return self.best.score - self.evaluation.score


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


@dataclass(frozen=True)
class SearchProgress:
    """A report from a search that is running.

    Attributes:
        effort: The effort so far; its plies are the depth at work, or just finished.
        best: The best play at the depth that was just finished; None within a depth, and in searches that
            evaluate positions.
    """

    effort: Effort
    best: PlayEvaluation | None = None
