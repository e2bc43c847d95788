"""A player that looks ahead and errs as much as it is told to."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Evaluator
from engine.play.decider import ChosenPlay, Decider
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.position import Board, Position
from engine.search import SearchWatch

_MONEY = MatchState()


@runtime_checkable
class InterruptiblePlayer(Protocol):
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
            GammondError: As `engine.rules.moves.legal_plays`.
        """
        ...


class SearchPlayer:
    """Plays what a `Decider` chooses, in cubeless money play; an `engine.play.player.Player`.

    Args:
        name: What results call it.
        decider: Chooses; its depth leaves the cube out.
    """

    is_deep = True

    def __init__(self, name: str, decider: Decider) -> None:
        self.name = name
        self.decider = decider

    @property
    def evaluator(self) -> Evaluator:
        """The judge of the leaves."""
        return self.decider.engine.evaluator

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.play.player.Player.choose`."""
        chosen = np.empty_like(boards)
        for place, (board, (die, other)) in enumerate(zip(boards, dice.tolist(), strict=True)):
            chosen[place] = self.choose_play(Position(board), (die, other)).evaluation.play.result.board
        return chosen

    def choose_play(self, position: Position, roll: Roll, watch: SearchWatch | None = None) -> ChosenPlay:
        """Choose a play of one position.

        Args:
            position: Where the player on roll moves from.
            roll: Two dice.
            watch: Counts nodes, reports progress, stops the search.

        Raises:
            GammondError: As `engine.analysis.engine.Engine.rank_plays`.
        """
        return self.decider.choose_play(position, roll, _MONEY, watch)
