"""Players in this process: whoever ``gammond players`` lists, runs of one's own among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammond.api._forks import refuse_after_fork_at_work
from gammond.api.match import Dice, check_dice
from gammond.api.position import Play, Position

if TYPE_CHECKING:
    from gammond.engine.play.player import Player as _EnginePlayer


class Player:
    """Chooses plays, in cubeless play for money; safe to use from several threads, except gnubg's nets.

    Args:
        name: As ``gammond players`` lists them, with options after a colon: ``heuristic:config=author``,
            ``default:plies=2``, ``run:FOLDER`` for a training run of one's own, ``function:FILE.py`` for a
            function of one's own, whose file is run.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or an option is out of range.
        UnsupportedError: A package is missing that plays it.
        DataFileError: A file of it is missing or damaged.

    Examples:
        >>> Player("pubeval").choose(Position.start(), (3, 1)).text
        '8/5 6/5'
    """

    @refuse_after_fork_at_work
    def __init__(self, name: str) -> None:
        from gammond.tools.common.opponents import load_opponent

        self._name = name
        self._player: _EnginePlayer = load_opponent(name)

    @property
    def name(self) -> str:
        """The name that it was made by."""
        return self._name

    @refuse_after_fork_at_work
    def choose(self, position: Position, dice: Dice) -> Play:
        """Choose a play of a roll.

        Args:
            position: Where the player on roll moves from.
            dice: The roll.

        Raises:
            FormatError: The dice are not two numbers.
            ValueRangeError: A die is not 1 to 6.
            StateError: The game is over.
            UnsupportedError: The player does not know positions with so many checkers.
        """
        from gammond.api.position import find_variant_name
        from gammond.engine.rules.moves import legal_plays
        from gammond.engine.rules.rules import Rules, find_variant

        asked, roll = position._position, check_dice(dice)
        player = self._player.with_rules(Rules(find_variant(find_variant_name(asked.checkers))))
        plays = legal_plays(asked, roll)
        chosen = player.choose_one(asked, roll)
        found = next(each for each in plays if (each.result.board == chosen).all())
        return Play._wrap(found)
