"""The evaluation of `gammond batch`: at any depth, with the cube and score of each line or without."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.rules.match import MatchState
from engine.rules.outcome import cubeless_equity
from engine.rules.position import Board
from engine.search import SearchWatch
from tools.common.opponents import load_net_engine

_SMALLEST_SHOWN = 5e-7


@dataclass(frozen=True, eq=False)
class BatchEvaluation:
    """The numbers in rows.

    Attributes:
        values: ``float64[n, 6]``: the outcome, and its cubeless money equity.
        cubeful: ``float64[n]``, cubeful equity; None in cubeless rows.
        mwc: ``float64[n]``, match-winning chance, nan in money play; None in cubeless rows.
    """

    values: NDArray[np.float64]
    cubeful: NDArray[np.float64] | None = None
    mwc: NDArray[np.float64] | None = None


class BatchEvaluator:
    """Evaluates many positions, each in its own match state. Not for use from several threads.

    Args:
        engine: Evaluates.
        plies: Look-ahead.
        is_cubeful: Whether cube and score count.

    Raises:
        ValueRangeError: The plies are out of range.
    """

    def __init__(self, engine: Engine, plies: int = 0, *, is_cubeful: bool = True) -> None:
        self._engine = engine
        self._settings = EvalSettings(plies, is_cubeful=is_cubeful)
        self._stopped = threading.Event()

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._engine.name

    @property
    def plies(self) -> int:
        """The look-ahead of the evaluations."""
        return self._engine.evaluator.plies + self._settings.plies

    @property
    def is_cubeful(self) -> bool:
        """Whether evaluations include cube and score."""
        return self._settings.is_cubeful

    def check_match(self, match: MatchState) -> None:
        """Check that positions of a match state can be evaluated.

        Raises:
            PositionError: The cube of a match shows more than 1 and nobody owns it.
        """
        if self.is_cubeful:
            self._engine.make_cube_game(match)

    def evaluate(
        self, boards: Board, matches: Sequence[MatchState], match_indices: NDArray[np.int64]
    ) -> BatchEvaluation:
        """Evaluate positions.

        Args:
            boards: ``int8[n, 2, 26]``.
            matches: Match states that pass `check`.
            match_indices: ``int64[n]``, which of them each position has.

        Raises:
            KeyboardInterrupt: It came meanwhile; work on other threads is on its end.
        """
        watch = SearchWatch(self._stopped.is_set)
        try:
            if not self.is_cubeful:
                return BatchEvaluation(_append_equities(self._evaluate_cubeless(boards, watch)))
            found = self._engine.evaluate_matches(boards, matches, match_indices, self._settings, watch)
        except KeyboardInterrupt:
            self._stopped.set()
            raise
        assert found.cubeful is not None
        return BatchEvaluation(
            _append_equities(found.outcomes), _clear_negative_zeros(found.cubeful), found.mwc
        )

    def _evaluate_cubeless(self, boards: Board, watch: SearchWatch) -> NDArray[np.float32]:
        if self._settings.plies == 0:
            return self._engine.evaluator.evaluate(boards)
        return self._engine.evaluate_boards(boards, MatchState(), self._settings, watch).outcomes


def load_batch_evaluator(net: str, plies: int, *, is_cubeful: bool, threads: int = 1) -> BatchEvaluator:
    """Load what values positions.

    Args:
        net: The name of an evaluator.
        plies: Look-ahead.
        is_cubeful: Whether cube and score count.
        threads: How many threads look ahead.

    Raises:
        GammondError: As `tools.common.opponents.load_net_engine`.
        ValueRangeError: The plies are out of range.
    """
    EvalSettings(plies)
    return BatchEvaluator(load_net_engine(net, threads), plies, is_cubeful=is_cubeful)


def _append_equities(outcomes: NDArray[np.float32]) -> NDArray[np.float64]:
    return _clear_negative_zeros(np.column_stack([outcomes, cubeless_equity(outcomes)]).astype(np.float64))


def _clear_negative_zeros(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values[np.abs(values) < _SMALLEST_SHOWN] = 0.0
    return values
