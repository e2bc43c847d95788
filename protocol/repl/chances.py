"""Chances told while a game is played, as the player at the other side of the table judges them."""

from __future__ import annotations

from engine.evaluator import Evaluator
from engine.outcome import turned_outcomes
from engine.players import OutcomePlayer
from protocol.players import AT_THE_TABLE
from protocol.repl.tables import CHANCES, chances_lines
from protocol.session import Session


class Chances:
    """Tells chances once it is told to.

    Args:
        session: The table.

    Attributes:
        are_told: Whether it was.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.are_told = False

    def tell(self, are_told: bool) -> str:
        """Tell them from here on, or do not; say which.

        Raises:
            DataFileError: A file of who judges is missing or damaged.
        """
        said = f"told after each play, as {self._judge().name} sees them" if are_told else "not told"
        self.are_told = are_told
        return f"Chances are {said}."

    def judge_lines(self) -> list[str]:
        """Say who judges, if they are told.

        Raises:
            DataFileError: As for `tell`.
        """
        return [f"Chances are as {self._judge().name} sees them."] if self.are_told else []

    def lines(self, seat: int) -> list[str]:
        """Say a seat's chances before the next roll at one look, if they are told.

        Args:
            seat: Whose chances.

        Raises:
            StateError: No game goes on.
            DataFileError: As for `tell`.
        """
        if not self.are_told:
            return []
        outcomes = self._judge().evaluate(self._session.need_game().board[None])
        if self._session.game.match.on_roll != seat:
            outcomes = turned_outcomes(outcomes)
        return chances_lines(dict(zip(CHANCES, map(float, outcomes[0]), strict=True)))

    def _judge(self) -> Evaluator:
        """The other player where it knows outcomes, else the evaluator of ``engine.net``; may load them."""
        engine, service = self._session.engine, self._session.service
        if engine.player not in AT_THE_TABLE:
            player = service.players.find(engine.player, engine.threads)
            if isinstance(player, OutcomePlayer):
                return player.evaluator
        return service.analyst(engine.net, engine.threads).evaluator
