"""Plays ranked by their values: arrays, from which the evaluation of a play is read when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from engine.kernels import as_kernel_array
from engine.kernels import outcomes as kernel_outcomes
from engine.rules.moves import LegalPlays
from engine.rules.outcome import Outcome, invert_outcomes
from engine.rules.position import Board
from engine.search.objective import Objective, Values
from engine.search.results import PlayEvaluation

_OUTCOME_COLUMNS = len(Outcome._fields)


@dataclass(frozen=True, eq=False)
class RankedList(Sequence[PlayEvaluation]):
    """Ranked plays: the deepest first, those of one depth best first.

    Attributes:
        legal_plays: The plays in any order, at least one.
        objective: The next mover's objective.
        order: ``int64[n]``, the places of the ranked plays among them.
        values: ``float32[n, k]``, the next mover's values, in the order of the ranking.
        scores: ``float64[n]``, equities for the player who moves, in the order of the ranking.
        depths: ``int8[n]``, plies of look-ahead behind them, in the order of the ranking.
        survivors: The number of plays that reached the greatest depth.
    """

    legal_plays: LegalPlays
    objective: Objective
    order: NDArray[np.int64]
    values: Values
    scores: NDArray[np.float64]
    depths: NDArray[np.int8]
    survivors: int

    @classmethod
    def rank(cls, plays: LegalPlays, objective: Objective, values: Values, plies: int) -> RankedList:
        """Rank plays by the next mover's values, at a number of plies."""
        order, scores = _rank_values(objective, values)
        depths = np.full(len(order), plies, np.int8)
        return cls(plays, objective, order, values[order], scores, depths, len(order))

    def rank_first(self, values: Values, plies: int) -> RankedList:
        """Return the list with the first plays ranked anew, by their values at more plies."""
        count = len(values)
        order, scores = _rank_values(self.objective, values)
        return RankedList(
            self.legal_plays,
            self.objective,
            np.concatenate([self.order[:count][order], self.order[count:]]),
            np.concatenate([values[order], self.values[count:]]),
            np.concatenate([scores, self.scores[count:]]),
            np.concatenate([np.full(count, plies, np.int8), self.depths[count:]]),
            count,
        )

    @property
    def plies(self) -> int:
        """Plies of look-ahead behind the best play."""
        return int(self.depths[0])

    def stack_results(self, count: int) -> Board:
        """Return the positions after the first plays, ``int8[count, 2, 26]``."""
        return self.legal_plays.boards[self.order[:count]]

    def survivor_scores(self) -> list[float]:
        """Return the scores of the plays at the greatest depth, best first."""
        scores: list[float] = self.scores[: self.survivors].tolist()
        return scores

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> PlayEvaluation: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PlayEvaluation, ...]: ...
    def __getitem__(self, index: int | slice) -> PlayEvaluation | tuple[PlayEvaluation, ...]:
        if not isinstance(index, slice):
            place = range(len(self))[index]
            return self[place : place + 1][0]
        places = range(*index.indices(len(self)))
        chances = self._match_winning_chances
        scores: list[float] = self.scores[index].tolist()
        return tuple(
            [
                PlayEvaluation(
                    self.legal_plays[which],
                    Outcome._make(self._outcomes[place]),
                    plies,
                    score,
                    score if self.objective.is_cubeful else None,
                    None if chances is None else chances[place],
                    place < self.survivors,
                )
                for place, which, plies, score in zip(
                    places, self.order[index].tolist(), self.depths[index].tolist(), scores, strict=True
                )
            ]
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _outcomes(self) -> list[list[float]]:
        outcomes: list[list[float]] = invert_outcomes(self.values[:, :_OUTCOME_COLUMNS]).tolist()
        return outcomes

    @cached_property
    def _match_winning_chances(self) -> list[float] | None:
        opponent_chances = self.objective.match_winning_chances(self.values)
        if opponent_chances is None:
            return None
        chances: list[float] = (1.0 - opponent_chances).tolist()
        return chances


def _rank_values(objective: Objective, values: Values) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the places of plays, best first, by the next mover's values, and their scores in that order."""
    equities, cubeless = objective.equities(values), np.empty(len(values), np.float32)
    kernel_outcomes.compute_equities(as_kernel_array(values, np.float32), cubeless)
    order = np.lexsort((cubeless, equities))
    return order, -equities[order]
