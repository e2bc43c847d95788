"""Players in games by other than the standard rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.play.player import Player
from engine.rules.moves import expand_rolls
from engine.rules.position import Board
from engine.rules.rules import STANDARD_RULES, Rules


class VariantPlayer(Player):
    """Plays by other rules what a player picks among their plays.

    The player evaluates positions as always: as if both sides went on by the standard rules.

    Args:
        player: Picks the plays.
        rules: The rules of the games.

    Raises:
        UnsupportedError: The player lists plays itself, as players do that look ahead or err.
    """

    def __init__(self, player: Player, rules: Rules) -> None:
        if not player.can_pick:
            raise rules.make_unsupported_error(f"{player.name}, which looks ahead or errs,")
        self.name = player.name
        self.nets = player.nets
        self.player = player
        self.rules = rules

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `Player.choose`."""
        children, _, offsets = expand_rolls(boards, dice, self.rules)
        chosen: Board = children[self.pick(boards, dice, children, offsets)]
        return chosen

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `Player.pick`."""
        return self.player.pick(boards, dice, children, offsets)


def adapt_to_rules(player: Player, rules: Rules) -> Player:
    """Return a player that plays by given rules: itself for the standard ones.

    Raises:
        UnsupportedError: As `VariantPlayer`.
    """
    return player if rules == STANDARD_RULES else VariantPlayer(player, rules)
