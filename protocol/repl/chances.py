"""Chances told while a game is played, as the player at the other side of the table judges them."""

from __future__ import annotations

from engine.evaluation.evaluator import Evaluator
from engine.rules.outcome import invert_outcomes
from protocol.repl.tables import CHANCE_KEYS, describe_chances
from protocol.state.player_registry import SESSION_PLAYERS
from protocol.state.session import Session


class WinningChances:
    """Tells chances once it is told to.

    Args:
        session: The table.

    Attributes:
        are_told: Whether it was.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.is_shown = False

    def set_shown(self, is_shown: bool) -> str:
        """Tell them from here on, or do not; say which.

        Raises:
            DataFileError: A file of who judges is missing or damaged.
        """
        said = f"told after each play, as {self._find_evaluator().name} sees them" if is_shown else "not told"
        self.is_shown = is_shown
        return f"Chances are {said}."

    def describe_source(self) -> list[str]:
        """Say who judges, if they are told.

        Raises:
            DataFileError: As for `tell`.
        """
        return [f"Chances are as {self._find_evaluator().name} sees them."] if self.is_shown else []

    def format_lines(self, seat: int) -> list[str]:
        """Say a seat's chances before the next roll at one look, if they are told.

        Args:
            seat: Whose chances.

        Raises:
            StateError: No game goes on.
            DataFileError: As for `tell`.
        """
        if not self.is_shown:
            return []
        outcomes = self._find_evaluator().evaluate(self._session.require_game().board[None])
        if self._session.game.match.on_roll != seat:
            outcomes = invert_outcomes(outcomes)
        return describe_chances(dict(zip(CHANCE_KEYS, map(float, outcomes[0]), strict=True)))

    def _find_evaluator(self) -> Evaluator:
        """The other player where it knows outcomes, else the evaluator of ``engine.net``; may load them."""
        engine, service = self._session.engine_settings, self._session.service
        if engine.player not in SESSION_PLAYERS:
            player = service.players.find(engine.player, engine.threads)
            if player.evaluator is not None:
                return player.evaluator
        return service.get_engine(engine.net, engine.threads).evaluator
