"""The engine's turns in a game against a person: it asks the session, as any client would."""

from __future__ import annotations

from engine.rules.match import RESULT_NAMES
from engine.rules.rules import Feature
from protocol.core.requests import WorkControl
from protocol.repl.answers.analysis import ROLL_ACTION
from protocol.repl.answers.replies import send_command
from protocol.state.session import Session


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
            `ROLL_ACTION`, or an action of ``play``.

        Raises:
            RefusedRequestError: The session cannot answer: a net is damaged, for instance.
        """
        game = self._session.game
        match = game.match
        if match.resigned:
            offer = f"resign {RESULT_NAMES[match.resigned - 1]}"
            return "accept" if send_command(self._session, offer, control)[-1].values["accept"] else "reject"
        if match.doubled:
            return self._send_command("go take", control)
        if match.roll is not None:
            return self._send_command("go chequer", control)
        if not game.rules.supports(Feature.RESIGNATION):
            return ROLL_ACTION
        kind = self._find_resignation(control) if self._rejected_kind < len(RESULT_NAMES) else 0
        if kind > self._rejected_kind:
            return f"resign {RESULT_NAMES[kind - 1]}"
        doubles = game.may_double and self._send_command("go cube", control) == "double"
        return "double" if doubles else ROLL_ACTION

    def _send_command(self, line: str, control: WorkControl) -> str:
        return send_command(self._session, line, control)[-1].text

    def _find_resignation(self, control: WorkControl) -> int:
        """Return the kind that costs nothing to resign, 0 for none; at 0-ply, as only clear losses count."""
        offer = str(send_command(self._session, "resign plies=0", control)[-1].values["offer"])
        return RESULT_NAMES.index(offer) + 1 if offer in RESULT_NAMES else 0
