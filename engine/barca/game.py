"""Games of Barca: a position, what led to it, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.barca.board import SIDES
from engine.barca.history import PositionHistory
from engine.barca.moves import Move, apply_move, check_move, legal_moves
from engine.barca.position import BarcaPosition
from engine.errors import StateError

REPETITIONS = 3
"""A position that comes up so often is a draw."""

WIN_REASON = "three animals on watering holes"
"""How a game is won."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended.

    Attributes:
        winner: The side that won, 0 White or 1 Black; None for a draw.
        reason: ``holes``: three animals on watering holes; ``repetition``: the same position, with the same
            side to move, for the third time; ``no_move``: the side to move has no legal move.
    """

    winner: int | None
    reason: Literal["holes", "repetition", "no_move"]


@dataclass(frozen=True, slots=True)
class BarcaGame:
    """A game up to some move. It never changes: a move makes another game, and undo is the game before.

    Attributes:
        position: The position now.
        history: All positions from the first to this one, which repetition counts.
        played: The moves played, two bytes each: the square that is left and the square gone to.
        repetitions: How often the position has come up in this game, now included.
    """

    position: BarcaPosition
    history: PositionHistory
    played: bytes = b""
    repetitions: int = 1

    @classmethod
    def start(cls) -> BarcaGame:
        """Return a game at the starting position."""
        return cls.from_position(BarcaPosition.start())

    @classmethod
    def from_position(cls, position: BarcaPosition) -> BarcaGame:
        """Return a game that begins with a position, which comes up for the first time."""
        return cls(position, PositionHistory(position.key))

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played."""
        return tuple(map(Move, self.played[::2], self.played[1::2]))

    @property
    def last_move(self) -> Move | None:
        """The last move; None before the first."""
        return Move(*self.played[-2:]) if self.played else None

    def legal_moves(self) -> list[Move]:
        """Return the legal moves, by origin and target; none if the game is over."""
        return legal_moves(self.position) if self.repetitions < REPETITIONS else []

    def play(self, move: Move) -> BarcaGame:
        """Return the game after a move.

        Raises:
            StateError: The game is over.
            PlayError: The move is illegal; the message says why.
        """
        if self.repetitions >= REPETITIONS:
            raise StateError("the game is drawn by repetition: no move follows")
        check_move(self.position, move)
        after = apply_move(self.position, move)
        history = self.history.append(after.key)
        return BarcaGame(after, history, self.played + bytes(move), history.count(after.key))

    @property
    def result(self) -> GameResult | None:
        """How the game ended; None while it goes on."""
        winner = self.position.winner
        if winner is not None:
            return GameResult(winner, "holes")
        if self.repetitions >= REPETITIONS:
            return GameResult(None, "repetition")
        if not legal_moves(self.position):
            return GameResult(None, "no_move")
        return None


def describe_result(result: GameResult) -> str:
    """Return how a game ended as a sentence."""
    if result.winner is not None:
        return f"{SIDES[result.winner]} wins: {WIN_REASON}."
    if result.reason == "repetition":
        return "Draw: the same position for the third time."
    return "Draw: the side to move has no legal move."
