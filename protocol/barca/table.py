"""The table of Barca: the game of one client, and how its requests are answered."""

from __future__ import annotations

from dataclasses import dataclass

from engine.barca.board import SIDES
from engine.barca.evaluation import DEFAULT_WEIGHTS
from engine.barca.game import BarcaGame
from engine.barca.levels import DEFAULT_LEVEL
from engine.errors import StateError
from protocol.core.requests import ReplyValue
from protocol.state.move_table import MoveTable
from protocol.state.session import Session

ENGINE_PLAYER = "engine"
"""The name of the engine at the session's level."""

HUMAN_PLAYER = "human"
"""The name of people, who decide through the session."""

SIDE_WORDS = tuple(side.lower() for side in SIDES)
"""The words of the wire for sides 0 and 1."""


@dataclass(frozen=True)
class BarcaSettings:
    """How a client wants its answers.

    Attributes:
        seed: Decides the choice among the best moves.
        level: A name of `engine.barca.levels.LEVELS`.
        weights: The name of the board evaluation vector.
        player: Who chooses the moves of ``go``: the engine at its level, people, or a player of
            `engine.barca.player.make_player`.
    """

    seed: int
    level: str = DEFAULT_LEVEL
    weights: str = DEFAULT_WEIGHTS
    player: str = ENGINE_PLAYER


class BarcaTable(MoveTable[BarcaGame]):
    """The game of one client.

    Args:
        session: The client.

    Attributes:
        settings: How its requests are answered.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session.service.limits.undo_steps)
        self.settings = BarcaSettings(session.initial_seed)

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
