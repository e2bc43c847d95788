"""A player that looks ahead and errs as much as it is told to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.choice import Chooser
from engine.match import MatchState
from engine.position import Board, Position

_MONEY = MatchState()


class SearchPlayer:
    """Plays what a `Chooser` chooses, in cubeless money play; an `engine.players.Player`.

    Args:
        name: What results call it.
        chooser: Chooses; its depth leaves the cube out.
    """

    def __init__(self, name: str, chooser: Chooser) -> None:
        self.name = name
        self._chooser = chooser

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.players.Player.choose`."""
        chosen = np.empty_like(boards)
        for place, (board, (die, other)) in enumerate(zip(boards, dice.tolist(), strict=True)):
            choice = self._chooser.play(Position(board), (die, other), _MONEY)
            chosen[place] = choice.play.play.result.board
        return chosen
