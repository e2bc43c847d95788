"""The table of Barca: the game of one client, and how its requests are answered."""

from __future__ import annotations

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.position import SIDES
from gammond.engine.errors import StateError
from gammond.protocol.barca.settings import BarcaSettings
from gammond.protocol.core.requests import ReplyValue
from gammond.protocol.state.move_table import MoveTable
from gammond.protocol.state.session import Session

SIDE_WORDS = tuple(side.lower() for side in SIDES)
"""The words of the wire for sides 0 and 1."""


class BarcaTable(MoveTable[BarcaGame]):
    """The game of one client.

    Args:
        session: The client.

    Attributes:
        settings: How its requests are answered.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session.service.limits.undo_steps)
        self.settings = BarcaSettings(seed=session.initial_seed)

    def require_unfinished(self) -> BarcaGame:
        """Return a game that goes on.

        Raises:
            StateError: There is none, or it is over.
        """
        game = self.require_game()
        if game.result is not None:
            raise StateError(
                "the game is over",
                field="position",
                missing="game",
                advice="send 'newgame', 'undo' or 'position' first",
            )
        return game


def game_to_values(game: BarcaGame | None) -> dict[str, ReplyValue]:
    """Return a game as keys: the position, whose turn it is, and how it ended if it did."""
    if game is None:
        return {}
    values: dict[str, ReplyValue] = {
        "position": game.position.to_text(),
        "turn": SIDE_WORDS[game.position.side],
    }
    result = game.result
    if result is None:
        return values
    if result.winner is not None:
        values["winner"] = SIDE_WORDS[result.winner]
    return {**values, "result": result.reason}
