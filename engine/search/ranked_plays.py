"""Plays of a roll as a search ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import StateError
from gammond.engine.evaluation.results import Effort, Evaluation, Evaluations, RankedPlay, is_on_scale
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import outcomes as kernel_outcomes
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.moves import LegalPlays, Play
from gammond.engine.rules.outcome import Outcome, Outcomes, invert_outcomes
from gammond.engine.rules.position import Board
from gammond.engine.search.tree import Objective, Values


@dataclass(frozen=True, eq=False)
class RankedPlays(Sequence[RankedPlay]):
    """All legal plays of a roll: the deepest first, those of one depth best first.

    It makes objects only of those that are asked for. Rankings are compared by their plays alone.

    Attributes:
        legal_plays: The plays in any order, at least one.
        objective: The next mover's objective.
        order: ``int64[n]``, the places of the ranked plays among them.
        values: ``float32[n, k]``, the next mover's values, in the order of the ranking.
        equities: ``float64[n]``, for the player who moves, in the order of the ranking.
        depths: ``int8[n]``, plies of look-ahead behind them, in the order of the ranking.
        survivors: How many of them, the first, reached the greatest depth: only these compare.
        effort: What it took; its plies are those of the survivors.
    """

    legal_plays: LegalPlays
    objective: Objective
    order: NDArray[np.int64]
    values: Values
    equities: NDArray[np.float64]
    depths: NDArray[np.int8]
    survivors: int
    effort: Effort

    @classmethod
    def rank(cls, plays: LegalPlays, objective: Objective, values: Values, effort: Effort) -> RankedPlays:
        """Rank plays by the next mover's values, at one depth."""
        order, equities = _rank_values(objective, values)
        depths = np.full(len(order), effort.plies, np.int8)
        return cls(plays, objective, order, values[order], equities, depths, len(order), effort)

    def rank_first(self, values: Values, effort: Effort) -> RankedPlays:
        """Return the ranking with the first plays ranked anew, by their values at more plies."""
        count = len(values)
        order, equities = _rank_values(self.objective, values)
        return RankedPlays(
            self.legal_plays,
            self.objective,
            np.concatenate([self.order[:count][order], self.order[count:]]),
            np.concatenate([values[order], self.values[count:]]),
            np.concatenate([equities, self.equities[count:]]),
            np.concatenate([np.full(count, effort.plies, np.int8), self.depths[count:]]),
            count,
            effort,
        )

    @property
    def plies(self) -> int:
        """Plies of look-ahead behind the best play."""
        return int(self.depths[0])

    @property
    def best(self) -> RankedPlay:
        """The best play."""
        return self[0]

    def stack_results(self, count: int) -> Board:
        """Return the positions after the first plays, ``int8[count, 2, 26]``, as the next mover sees them."""
        return self.legal_plays.boards[self.order[:count]]

    def find_place(self, board: Board) -> int | None:
        """Return the place of the play that leads to a position, ``int8[2, 26]``; None if none does."""
        found = np.flatnonzero((self.legal_plays.boards[self.order] == board).all(axis=(1, 2)))
        return int(found[0]) if found.size else None

    def choose(self, play: Play) -> ChosenPlay:
        """Return one of the legal plays as the chosen one.

        Raises:
            StateError: It is none of them.
        """
        place = self.find_place(play.result.board)
        if place is None:
            raise StateError("the play is none of this roll", field="play")
        return ChosenPlay(self[place], place + 1, self)

    def list_legal_plays(self, block: slice) -> LegalPlays:
        """Return some of the plays, in the order of the ranking, as arrays."""
        return self.legal_plays.take(self.order[block])

    def list_evaluations(self, block: slice) -> Evaluations:
        """Return the evaluations of some of the plays as arrays: thousands take milliseconds."""
        return Evaluations(
            self._outcomes[block].astype(np.float64),
            self.equities[block] if self.objective.game.is_cubeful else None,
            None if self._chances is None else self._chances[block].astype(np.float64),
            self.objective.game.mwc_per_point,
        )

    def survivor_equities(self) -> list[float]:
        """Return the equities of the plays at the greatest depth, best first."""
        equities: list[float] = self.equities[: self.survivors].tolist()
        return equities

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> RankedPlay: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RankedPlay, ...]: ...
    def __getitem__(self, index: int | slice) -> RankedPlay | tuple[RankedPlay, ...]:
        if isinstance(index, slice):
            return tuple([self[place] for place in range(*index.indices(len(self)))])
        place, game = range(len(self))[index], self.objective.game
        outcome = Outcome._make(self._outcomes[place].tolist())
        evaluation = Evaluation(
            float(self.equities[place]),
            outcome,
            cubeless_equity=outcome.equity,
            mwc=None if self._chances is None else float(self._chances[place]),
            mwc_per_point=game.mwc_per_point,
            is_cubeful=game.is_cubeful,
            plies=int(self.depths[place]),
        )
        return RankedPlay(self.legal_plays[int(self.order[place])], evaluation, place < self.survivors)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _outcomes(self) -> Outcomes:
        return invert_outcomes(self.values[:, :OUTCOME_COLUMNS])

    @cached_property
    def _chances(self) -> NDArray[np.floating] | None:
        """Match-winning chances of the player who moves; None for money."""
        opponent_chances = self.objective.game.match_winning_chances(self.values)
        return None if opponent_chances is None else 1.0 - opponent_chances


class ChosenPlay(NamedTuple):
    """One of the plays of a roll beside the best one, both evaluated at one depth where they are compared.

    Attributes:
        chosen: The play, with its evaluation.
        rank: Its place among all plays, from 1 on.
        ranked: All plays; a play that no filter let through has a smaller depth there.
    """

    chosen: RankedPlay
    rank: int
    ranked: RankedPlays

    @property
    def play(self) -> Play:
        """The play alone."""
        return self.chosen.play

    @property
    def best(self) -> RankedPlay:
        """The best play, which may be this one."""
        return self.chosen if self.rank == 1 else self.ranked.best

    @property
    def loss(self) -> float:
        """What the play loses against the best one, in points."""
        return self.best.evaluation.equity - self.chosen.evaluation.equity

    @property
    def is_loss_scaled(self) -> bool:
        """Whether the loss says something: `is_on_scale`."""
        return is_on_scale(self.loss, self.best.evaluation.mwc_per_point)


def _rank_values(objective: Objective, values: Values) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the places of plays by the next mover's values, best first, and their equities in that order."""
    equities, cubeless = objective.game.equities(values), np.empty(len(values), np.float32)
    kernel_outcomes.compute_equities(as_kernel_array(values, np.float32), cubeless)
    order = np.lexsort((cubeless, equities))
    return order, -equities[order]
