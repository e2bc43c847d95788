"""The view of Barca, for tables."""

from __future__ import annotations

from typing import Any, ClassVar

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.moves import HOLES
from gammond.engine.barca.moves import format_move
from gammond.engine.barca.player import DEFAULT_LEVEL
from gammond.engine.barca.position import format_square
from gammond.protocol.barca.board_drawing import describe_pieces
from gammond.protocol.barca.game_commands import BarcaTable
from gammond.protocol.barca.search_commands import plan_move
from gammond.protocol.barca.settings import ENGINE_PLAYER
from gammond.protocol.core.requests import Task
from gammond.protocol.state.session import Session
from gammond.protocol.tables.game_view import GameEnd, TablePhase, TableView
from gammond.protocol.tables.requests import TableSpec


class BarcaView(TableView):
    """The view of games of Barca: seat 0 is White in the first, and the seats take turns.

    Args:
        session: As for `TableView`.
        spec: As there.

    Attributes:
        white: The seat that is White in the game at hand.
    """

    engine_player: ClassVar[str] = ENGINE_PLAYER
    default_level: ClassVar[str] = DEFAULT_LEVEL

    def __init__(self, session: Session, spec: TableSpec) -> None:
        super().__init__(session, spec)
        self.white = 0

    def note_start(self, number: int) -> None:
        """Note who is White, and so moves first."""
        self.white = 1 - number % 2

    def list_setup_lines(self) -> list[str]:
        """Let the engine take answers that were searched deeper than its level while nobody played."""
        return ["set engine.store deeper"]

    @property
    def _game(self) -> BarcaGame | None:
        return self.session.get_table(BarcaTable).game

    @property
    def phase(self) -> TablePhase:
        """What the game waits for."""
        game = self._game
        if game is None:
            return TablePhase.WAITING
        return TablePhase.PLAY if game.result is None else TablePhase.OVER

    @property
    def to_act(self) -> int | None:
        """The seat to move; None when the game is over."""
        game = self._game
        return None if game is None or game.result is not None else self._find_seat(game.position.side)

    @property
    def end(self) -> GameEnd | None:
        """How the game ended; None while it lasts."""
        result = None if self._game is None else self._game.result
        if result is None:
            return None
        if result.winner is None:
            return GameEnd(None, 0, result.reason)
        return GameEnd(self._find_seat(result.winner), 1, result.reason)

    def describe(self) -> dict[str, Any]:
        """Return the animals, the watering holes and the position as text."""
        game = self._game
        state: dict[str, Any] = {
            "holes": [format_square(hole) for hole in HOLES],
            "white": self.white,
            "pieces": [],
            "position": None,
            "on_roll": None,
            "last_move": None,
            "legal": None,
        }
        if game is None:
            return state
        position = game.position
        state["pieces"] = [
            {**piece, "seat": self._find_seat(piece["seat"])} for piece in describe_pieces(position)
        ]
        state["on_roll"] = self._find_seat(position.side)
        state["last_move"] = format_move(game.moves[-1]) if game.moves else None
        return state | self.describe_place()

    def describe_choices(self) -> dict[str, Any]:
        """Return the legal moves."""
        moves = [] if self._game is None else self._game.legal_moves()
        return {
            "legal": [
                {
                    "from": format_square(move.origin),
                    "to": format_square(move.target),
                    "text": format_move(move),
                }
                for move in moves
            ]
        }

    def describe_place(self) -> dict[str, Any]:
        """Return the position as text."""
        return {"position": None if self._game is None else self._game.position.to_text()}

    def plan_decision(self, rejected_kind: int) -> Task[str]:
        """Choose a move for the side to move."""
        task = plan_move(self.session)
        return Task(lambda control: f"play {task.run(control)}", is_long=True)

    def _find_seat(self, side: int) -> int:
        return side ^ self.white
