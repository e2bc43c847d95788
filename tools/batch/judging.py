"""How `gammond batch` values positions: at any depth, with the cube and the score of each line or without."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.analyst import Analyst
from engine.levels import Depth
from engine.match import MatchState
from engine.outcome import cubeless_equity
from engine.position import Board
from engine.search import SearchWatch
from nets.loading import load_analyst

_LEAST_SHOWN = 5e-7


@dataclass(frozen=True, eq=False)
class Judged:
    """The numbers of rows.

    Attributes:
        values: ``float64[n, 6]``: the outcome, and its cubeless money equity.
        cubeful: ``float64[n]``: equity with the cube; None if it does not count.
        mwc: ``float64[n]``: the chance to win the match, nan in money play; None if the cube does not count.
    """

    values: NDArray[np.float64]
    cubeful: NDArray[np.float64] | None = None
    mwc: NDArray[np.float64] | None = None


class BatchJudge:
    """Values many positions, each in its own match state. Not for use from several threads.

    Args:
        analyst: Judges.
        plies: Look-ahead.
        is_cubeful: Whether cube and score count.

    Raises:
        ValueRangeError: The plies are out of range.
    """

    def __init__(self, analyst: Analyst, plies: int = 0, *, is_cubeful: bool = True) -> None:
        self._analyst = analyst
        self._depth = Depth(plies, is_cubeful=is_cubeful)
        self._stopped = threading.Event()

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._analyst.name

    @property
    def plies(self) -> int:
        """Look-ahead behind the values."""
        return self._analyst.evaluator.plies + self._depth.plies

    @property
    def is_cubeful(self) -> bool:
        """Whether cube and score count."""
        return self._depth.is_cubeful

    def check(self, match: MatchState) -> None:
        """Make sure that positions of a match state can be valued.

        Raises:
            PositionError: The cube of a match shows more than 1 and nobody owns it.
        """
        if self.is_cubeful:
            self._analyst.cube_game(match)

    def judge(self, boards: Board, matches: Sequence[MatchState], match_of: NDArray[np.int64]) -> Judged:
        """Value positions.

        Args:
            boards: ``int8[n, 2, 26]``.
            matches: Match states that pass `check`.
            match_of: ``int64[n]``, which of them each position has.

        Raises:
            KeyboardInterrupt: It came meanwhile; work on other threads is on its end.
        """
        try:
            return self._judged(boards, matches, match_of)
        except KeyboardInterrupt:
            self._stopped.set()
            raise

    def _judged(self, boards: Board, matches: Sequence[MatchState], match_of: NDArray[np.int64]) -> Judged:
        if not self.is_cubeful:
            return Judged(_values(self._cubeless(boards)))
        judged = Judged(np.empty((len(boards), 6)), np.empty(len(boards)), np.full(len(boards), np.nan))
        for which in np.unique(match_of).tolist():
            rows = np.flatnonzero(match_of == which)
            self._enter(judged, boards, matches[which], rows)
        return judged

    def _enter(self, judged: Judged, boards: Board, match: MatchState, rows: NDArray[np.int64]) -> None:
        """Value the positions of one match state."""
        chosen = boards if len(rows) == len(boards) else np.ascontiguousarray(boards[rows])
        found = self._analyst.judge_boards(chosen, match, self._depth, self._watch())
        judged.values[rows] = _values(found.outcomes)
        if judged.cubeful is not None and found.cubeful is not None:
            judged.cubeful[rows] = _without_negative_zeros(found.cubeful)
        if judged.mwc is not None and found.mwc is not None:
            judged.mwc[rows] = found.mwc

    def _cubeless(self, boards: Board) -> NDArray[np.float32]:
        if self._depth.plies == 0:
            return self._analyst.evaluator.evaluate(boards)
        return self._analyst.judge_boards(boards, MatchState(), self._depth, self._watch()).outcomes

    def _watch(self) -> SearchWatch:
        return SearchWatch(self._stopped.is_set)


def load_judge(net: str, plies: int, *, is_cubeful: bool, threads: int = 1) -> BatchJudge:
    """Load what values positions.

    Args:
        net: The name of an evaluator.
        plies: Look-ahead.
        is_cubeful: Whether cube and score count.
        threads: How many threads look ahead.

    Raises:
        GammondError: As `nets.loading.load_analyst`.
        ValueRangeError: The plies are out of range.
    """
    Depth(plies)
    return BatchJudge(load_analyst(net, threads), plies, is_cubeful=is_cubeful)


def _values(outcomes: NDArray[np.float32]) -> NDArray[np.float64]:
    return _without_negative_zeros(np.column_stack([outcomes, cubeless_equity(outcomes)]).astype(np.float64))


def _without_negative_zeros(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values[np.abs(values) < _LEAST_SHOWN] = 0.0
    return values
