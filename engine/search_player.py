"""A player that looks ahead and errs as much as it is told to."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.choice import Choice, Chooser
from engine.dice import Roll
from engine.evaluator import Evaluator
from engine.match import MatchState
from engine.position import Board, Position
from engine.search import SearchWatch

_MONEY = MatchState()


@runtime_checkable
class LookingPlayer(Protocol):
    """A player that takes its time over a play, and can be watched and stopped meanwhile."""

    def choose_one(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Board:
        """Choose a play of one position.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice.
            watch: Counts nodes, stops the search.

        Returns:
            ``int8[2, 26]``, the position after the play as the next mover sees it.

        Raises:
            GammondError: As `engine.moves.legal_plays`.
        """
        ...


class SearchPlayer:
    """Plays what a `Chooser` chooses, in cubeless money play; an `engine.players.Player`.

    Args:
        name: What results call it.
        chooser: Chooses; its depth leaves the cube out.
    """

    is_deep = True

    def __init__(self, name: str, chooser: Chooser) -> None:
        self.name = name
        self.chooser = chooser

    @property
    def evaluator(self) -> Evaluator:
        """The judge of the leaves."""
        return self.chooser.analyst.evaluator

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.players.Player.choose`."""
        chosen = np.empty_like(boards)
        for place, (board, (die, other)) in enumerate(zip(boards, dice.tolist(), strict=True)):
            chosen[place] = self.choice(Position(board), (die, other)).play.play.result.board
        return chosen

    def choice(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> Choice:
        """Choose a play of one position.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice.
            watch: Counts nodes, reports progress, stops the search.

        Raises:
            GammondError: As `engine.analyst.Analyst.rank_plays`.
        """
        return self.chooser.play(position, roll, _MONEY, watch)
