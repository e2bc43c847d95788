"""What a search carries from its leaves up to its root, and what is done with it on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeDecision
from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes, evaluate_finished
from engine.rules.position import Board, find_finished

Values = NDArray[np.float32]
"""``float32[n, k]``; the first five columns are the outcome."""


@dataclass(frozen=True, eq=False)
class BackupRule:
    """How values of replies become the value of the position before the roll, in k columns and g scores.

    Attributes:
        scores: ``float64[g, k]``: scores of a reply as weights of its columns, seen by the next mover, so
            the least is best for the one who chooses. The first score ranks replies where only some can be
            followed deeper.
        score_of: ``int64[k]``: by which score the reply is chosen that a column comes from.
        opponent_column: ``int64[k]``: the column of the other side that a column comes from.
        factors: ``float64[k]``: 1 or -1.
        shifts: ``float64[k]``: a column is ``shift + factor * other side's column``.
    """

    scores: NDArray[np.float64]
    score_of: NDArray[np.int64]
    opponent_column: NDArray[np.int64]
    factors: NDArray[np.float64]
    shifts: NDArray[np.float64]


class RootReading(NamedTuple):
    """What the values of the root of a search say beyond the outcome.

    Attributes:
        cubeful: Cubeful equity under best cube action; None without the cube.
        mwc: Match-winning chance under best cube action; None in money play.
        decision: The cube decision; None without the cube, and once the game is over.
    """

    cubeful: float | None = None
    mwc: float | None = None
    decision: CubeDecision | None = None


class Objective(Protocol):
    """Values of positions for the side on roll, and how they are carried up.

    Equal judgements give bitwise equal values: a cache takes one for the other. Implementations are hashable
    and safe to use from several threads.
    """

    @property
    def columns(self) -> int:
        """Columns of the values, 5 or more."""
        ...

    @property
    def is_cubeful(self) -> bool:
        """Whether the cube counts in `equities`."""
        ...

    @property
    def backup_rule(self) -> BackupRule:
        """How the values of replies, judged by `other`, become a value of this judgement."""
        ...

    @property
    def other(self) -> Objective:
        """The judgement of the same game when the other side is on roll."""
        ...

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Say which positions no look-ahead can change the value of, finished ones included: ``bool[n]``."""
        ...

    def evaluate(self, boards: Board) -> Values:
        """Value positions without look-ahead, before the roll, and before anything else the side could do.

        Args:
            boards: ``int8[n, 2, 26]``; finished positions allowed, and valued exactly.

        Returns:
            ``float32[n, columns]``; each row depends on its own board alone.
        """
        ...

    def apply_double_option(self, values: Values) -> Values:
        """Turn values into what they are worth to the other side's choice of a reply.

        Here the side on roll gets what it can do before the roll, such as to double. Values of the root of a
        search do not go through this.

        Args:
            values: ``float32[n, columns]``, of `values` or of the reduction.

        Returns:
            ``float32[n, columns]``, which may be the same array.
        """
        ...

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return what candidates are ranked by, in points for the side on roll: ``float64[n]``."""
        ...

    def match_winning_chances(self, values: Values) -> NDArray[np.float64] | None:
        """Return the match-winning chances of the side on roll, ``float64[n]``; None in money play."""
        ...

    def read_root(self, values: Values, *, is_over: bool) -> RootReading:
        """Read the values of one position, without the double option.

        Args:
            values: ``float32[columns]``.
            is_over: Whether the game is over.
        """
        ...


_CUBELESS_WEIGHTS = np.array([[2.0, 1.0, 1.0, -1.0, -1.0]])

OUTCOME_BACKUP = BackupRule(
    scores=_CUBELESS_WEIGHTS,
    score_of=np.zeros(5, np.int64),
    opponent_column=np.array([WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG]),
    factors=np.array([-1.0, 1.0, 1.0, 1.0, 1.0]),
    shifts=np.array([1.0, 0.0, 0.0, 0.0, 0.0]),
)
"""Replies are chosen by cubeless money equity; all five columns come from the same reply."""


@dataclass(frozen=True)
class CubelessObjective:
    """Outcomes of an evaluator, plays chosen by cubeless money equity.

    Attributes:
        evaluator: The judge of the leaves.
        exact: Judges that know their positions under best play, which are not looked ahead from.
    """

    evaluator: Evaluator
    exact: tuple[ExactEvaluator, ...] = ()

    is_cubeful: ClassVar[bool] = False

    @property
    def columns(self) -> int:
        """Five: the outcome."""
        return len(OUTCOME_BACKUP.score_of)

    @property
    def backup_rule(self) -> BackupRule:
        """`OUTCOME_BACKUP`."""
        return OUTCOME_BACKUP

    @property
    def other(self) -> Self:
        """Itself: both sides judge alike."""
        return self

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Finished positions, and those that are known exactly: ``bool[n]``."""
        return find_settled(self.exact, boards)

    def evaluate(self, boards: Board) -> Values:
        """Evaluate positions, as `Objective.evaluate`."""
        return evaluate_outcomes(self.evaluator, boards)

    def apply_double_option(self, values: Values) -> Values:
        """Return the values: nothing is done before the roll."""
        return values

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return cubeless money equities, ``float64[n]``."""
        equities: NDArray[np.float64] = values.astype(np.float64) @ _CUBELESS_WEIGHTS[0] - 1.0
        return equities

    def match_winning_chances(self, values: Values) -> None:
        """Return None: cubeless equity is for money play."""

    def read_root(self, values: Values, *, is_over: bool) -> RootReading:
        """Return an empty reading: there is only the outcome."""
        return RootReading()


def find_settled(exact: Sequence[ExactEvaluator], boards: Board) -> NDArray[np.bool_]:
    """Say which positions are over or known exactly.

    Args:
        exact: Who knows positions.
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``bool[n]``.
    """
    settled = find_finished(boards)
    for judge in exact:
        settled |= judge.covers(boards)
    return settled


def evaluate_outcomes(evaluator: Evaluator, boards: Board) -> Outcomes:
    """Evaluate positions; finished ones exactly.

    Args:
        evaluator: The judge.
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``float32[n, 5]``.
    """
    outcomes = evaluator.evaluate(boards)
    over = find_finished(boards)
    if over.any():
        outcomes = outcomes.copy()
        outcomes[over] = evaluate_finished(boards[over])
    return outcomes
