"""When a game of a measurement stops, and what it counts: played to the end, or until contact is over."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.rules.outcome import classify_results
from engine.rules.position import CHECKERS, OFF, Board, Phase, classify_phases

PIPS_PER_ROLL = 8.166
"""What the side that is to roll next is ahead by: the average of a roll, 8 1/6 pips.

*Source:* the metric's author, who cuts it to three places. Blocked points and waste come on top.
"""

_PIPS = np.arange(26, dtype=np.float32)


class EndCondition(Protocol):
    """A rule that stops games and counts them."""

    dtype: np.dtype[Any]
    """Of what `counted` returns."""

    def is_reached(self, boards: Board) -> NDArray[np.bool_]:
        """Say which games stop.

        Args:
            boards: ``int8[n, 2, 26]``, each just after a play, as the next mover sees it.

        Returns:
            ``bool[n]``; wherever a side has borne off all its checkers, yes.
        """
        ...

    def score_games(self, boards: Board) -> NDArray[Any]:
        """Count games that stop.

        Args:
            boards: ``int8[n, 2, 26]``, as `reached` takes them.

        Returns:
            ``dtype[n]``: what each game counts for the side that has *just moved*.
        """
        ...


class GameOver:
    """Games are played until a side has borne off; they count 1 to 3 points."""

    dtype = np.dtype(np.int8)

    def is_reached(self, boards: Board) -> NDArray[np.bool_]:
        """Whether the side that has just moved is done, as `EndCondition.is_reached`."""
        done: NDArray[np.bool_] = boards[:, 1, OFF] == CHECKERS
        return done

    def score_games(self, boards: Board) -> NDArray[Any]:
        """Points won, ``int8[n]`` of 1 to 3, as `EndCondition.score_games`."""
        return classify_results(boards)


class HomeBound:
    """Games stop once no checker can meet an opposing one; they count the lead in pips.

    *Source:* the Home Bound metric of the GenGammon project (`docs/lab/history.md` has the document).
    """

    dtype = np.dtype(np.float32)

    def is_reached(self, boards: Board) -> NDArray[np.bool_]:
        """Whether the sides have passed each other, as `EndCondition.is_reached`."""
        return classify_phases(boards) >= Phase.RACE

    def score_games(self, boards: Board) -> NDArray[Any]:
        """Return pips ahead, ``float32[n]``; `PIPS_PER_ROLL` goes to the side that rolls next."""
        pips = boards.astype(np.float32) @ _PIPS
        return (pips[:, 0] - pips[:, 1] - np.float32(PIPS_PER_ROLL)).astype(np.float32)


GAME_OVER = GameOver()

HOME_BOUND = HomeBound()
