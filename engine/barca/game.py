"""Games of Barca: a position, what led to it, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gammond.engine.barca.moves import Move, apply_move, check_move, legal_moves
from gammond.engine.barca.position import KEY_BYTES, SIDES, BarcaPosition
from gammond.engine.errors import StateError

REPETITIONS = 3
"""A position that comes up so often is a draw."""

WIN_REASON = "three animals on watering holes"
"""How a game is won."""


@dataclass(frozen=True, slots=True)
class BarcaResult:
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
        keys: Those of all positions from the first to this one (`BarcaPosition.key`), one after the other:
            repetition counts them, and a session keeps a thousand games for undo.
        played: The moves played, two bytes each: the square that is left and the square gone to.
        repetitions: How often the position has come up in this game, now included.
    """

    position: BarcaPosition
    keys: bytes
    played: bytes = b""
    repetitions: int = 1

    @classmethod
    def start(cls) -> BarcaGame:
        """Return a game at the starting position."""
        return cls.from_position(BarcaPosition.start())

    @classmethod
    def from_position(cls, position: BarcaPosition) -> BarcaGame:
        """Return a game that begins with a position, which comes up for the first time."""
        return cls(position, position.key)

    @property
    def history(self) -> list[bytes]:
        """The keys of all positions in their order."""
        return [self.keys[place : place + KEY_BYTES] for place in range(0, len(self.keys), KEY_BYTES)]

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
        repetitions = self.history.count(after.key) + 1
        return BarcaGame(after, self.keys + after.key, self.played + bytes(move), repetitions)

    @property
    def result(self) -> BarcaResult | None:
        """How the game ended; None while it goes on."""
        winner = self.position.winner
        if winner is not None:
            return BarcaResult(winner, "holes")
        if self.repetitions >= REPETITIONS:
            return BarcaResult(None, "repetition")
        if not legal_moves(self.position):
            return BarcaResult(None, "no_move")
        return None


def describe_result(result: BarcaResult) -> str:
    """Return how a game ended as a sentence."""
    if result.winner is not None:
        return f"{SIDES[result.winner]} wins: {WIN_REASON}."
    if result.reason == "repetition":
        return "Draw: the same position for the third time."
    return "Draw: the side to move has no legal move."
