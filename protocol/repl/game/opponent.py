"""The engine's turns in a game against a person: its decisions are made as `go` makes them."""

from __future__ import annotations

from gammond.engine.rules.match import RESULT_NAMES
from gammond.protocol.commands.decisions import choose_action
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.state.session import Session


class EngineOpponent:
    """The engine's seat.

    Args:
        session: The table.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rejected_kind = 0

    def reset(self) -> None:
        """Forget the rejected resignations of an earlier game."""
        self._rejected_kind = 0

    def note_rejection(self, kind: int) -> None:
        """Remember that a resignation was rejected, so as not to offer it again.

        Args:
            kind: 1 a single game, 2 a gammon, 3 a backgammon.
        """
        self._rejected_kind = max(self._rejected_kind, kind)

    def choose_for_person(self, player: str, control: WorkControl) -> str:
        """Choose the action of the seat to act as a player would that never resigns.

        Args:
            player: What ``engine.player`` takes; it is set for this alone.
            control: Stops and watches the search.

        Raises:
            RefusedRequestError: There is no such player, or as `choose_action`.
        """
        before = self._session.engine_settings
        send_command(self._session, f"set engine.player {player}", control)
        adviser = EngineOpponent(self._session)
        adviser.note_rejection(len(RESULT_NAMES))
        try:
            return adviser.choose_action(control)
        finally:
            self._session.engine_settings = before

    def choose_action(self, control: WorkControl) -> str:
        """Choose the action of the seat to act.

        Args:
            control: Stops and watches the search.

        Returns:
            As `gammond.protocol.commands.decisions.choose_action`.

        Raises:
            RefusedRequestError: The session cannot answer: a net is damaged, for instance.
        """
        return choose_action(self._session, control, self._rejected_kind)
