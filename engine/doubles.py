"""Doubles in measured games: four checker moves, or two as of any other roll, a variant of the rules."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnsupportedError
from engine.moves import expand_two_moves
from engine.players import Player, PlayPicker
from engine.position import Board


class Doubles(StrEnum):
    """How many checker moves doubles are."""

    FOUR = "four"
    TWO = "two"


class TwoMovePlayer:
    """Plays what another player likes best in games where doubles are two checker moves.

    *Source:* the variant is the one that K. Ekman measures in "Backgammon Artificial Intelligence",
    CodeProject, 2021: less hangs on the dice. Evaluators judge as ever, which for them is as if both sides
    played their doubles as usual from then on.

    Args:
        player: Who judges.

    Raises:
        UnsupportedError: It lists plays by itself, as players do that look ahead or err.
    """

    def __init__(self, player: Player) -> None:
        if not isinstance(player, PlayPicker):
            raise UnsupportedError(
                f"{player.name} plays doubles as four moves alone: expected a player that neither looks "
                "ahead nor errs",
                field="doubles",
            )
        self.player = player

    @property
    def name(self) -> str:
        """The player's name."""
        return self.player.name

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.players.Player.choose`, of two moves at most."""
        children, _, offsets = expand_two_moves(boards, dice)
        chosen: Board = children[self.player.pick(boards, dice, children, offsets)]
        return chosen


def playing_doubles(player: Player, doubles: Doubles) -> Player:
    """A player as it plays by a rule for doubles.

    Raises:
        UnsupportedError: As `TwoMovePlayer`.
    """
    return TwoMovePlayer(player) if doubles is Doubles.TWO else player
