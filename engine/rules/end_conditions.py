"""When measured games stop and how they are scored: at their end, or once contact is over."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.rules.outcome import classify_results
from engine.rules.position import OFF, Board, Phase, classify_phases, count_checkers

PIPS_PER_ROLL = 8.166
"""Lead of the side that rolls next: the average roll, 8 1/6 pips.

*Source:* the metric's author, who cuts it to three places. It ignores blocked points and wastage.
"""

_PIPS = np.arange(26, dtype=np.float32)


class EndCondition(Protocol):
    """A rule for when games stop and how they are scored."""

    dtype: np.dtype[Any]
    """The dtype of scores."""

    def is_reached(self, boards: Board) -> NDArray[np.bool_]:
        """Return which games stop.

        Args:
            boards: ``int8[n, 2, 26]``, each just after a play, as the next mover sees it.

        Returns:
            ``bool[n]``; true at least where a side has borne off all its checkers.
        """
        ...

    def score_games(self, boards: Board) -> NDArray[Any]:
        """Score games that stop.

        Args:
            boards: ``int8[n, 2, 26]``, as for `is_reached`.

        Returns:
            ``dtype[n]``: the score of each game for the side that has *just moved*.
        """
        ...


class GameOver:
    """Games end when a side has borne off all its checkers; they score 1 to 3 points."""

    dtype = np.dtype(np.int8)

    def is_reached(self, boards: Board) -> NDArray[np.bool_]:
        """Return where the side that has just moved has finished, as `EndCondition.is_reached`."""
        done: NDArray[np.bool_] = boards[:, 1, OFF] == count_checkers(boards)
        return done

    def score_games(self, boards: Board) -> NDArray[Any]:
        """Return points won, ``int8[n]`` of 1 to 3, as `EndCondition.score_games`."""
        return classify_results(boards)


class HomeBound:
    """Games stop once contact is over; they score the lead in pips.

    *Source:* the Home Bound metric of the GenGammon project (`docs/lab/history.md` has the document).
    """

    dtype = np.dtype(np.float32)

    def is_reached(self, boards: Board) -> NDArray[np.bool_]:
        """Return where contact is over, as `EndCondition.is_reached`."""
        return classify_phases(boards) >= Phase.RACE

    def score_games(self, boards: Board) -> NDArray[Any]:
        """Return the lead in pips, ``float32[n]``; `PIPS_PER_ROLL` goes to the side to roll."""
        pips = boards.astype(np.float32) @ _PIPS
        return (pips[:, 0] - pips[:, 1] - np.float32(PIPS_PER_ROLL)).astype(np.float32)


GAME_OVER = GameOver()

HOME_BOUND = HomeBound()
