"""Players in games by rules with other legal plays than the standard ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.play.player import Player
from engine.rules.moves import expand_rolls
from engine.rules.position import Board
from engine.rules.rules import Feature, Rules


class VariantPlayer(Player):
    """Plays by other rules what a player picks among their plays.

    A player that looks at no replies evaluates positions as always: as if both sides went on by the standard
    rules.

    Args:
        player: Picks the plays.
        rules: The rules of the games.

    Raises:
        UnsupportedError: The player lists plays itself, as players do that look ahead or err, and the rules
            do not support look-ahead.
    """

    def __init__(self, player: Player, rules: Rules) -> None:
        if not player.can_pick:
            rules.check_supports(Feature.LOOK_AHEAD, f"{player.name}, which looks ahead or errs,")
        self.name = player.name
        self.nets = player.nets
        self.checkers = player.checkers
        self.is_deep = player.is_deep
        self.player = player.with_rules(rules)
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
    """Return a player that plays by given rules: itself where they support look-ahead.

    In a solved variant the solution takes the place of the nets of a player that values positions.

    Raises:
        UnsupportedError: As `VariantPlayer`, or it knows positions with another number of checkers only.
        DataFileError: The solution of the variant is missing.
    """
    if player.checkers not in (None, rules.variant.checkers):
        player = player.as_solver(rules.variant)
    return player if rules.supports(Feature.LOOK_AHEAD) else VariantPlayer(player, rules)
