"""What the engine does when it is to act in a game against a person: it asks the table, as any client."""

from __future__ import annotations

from engine.doubles import Doubles
from engine.match import RESULTS
from protocol.repl.asking import ask
from protocol.requests import Control
from protocol.session import Session

ROLL = "roll"
"""What `Opponent.action` says besides the words that ``play`` takes."""


class Opponent:
    """The engine's seat.

    Args:
        session: The table.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._refused = 0

    def begin(self) -> None:
        """Forget what was refused in an earlier game."""
        self._refused = 0

    def note_refusal(self, kind: int) -> None:
        """Remember that a resignation was refused, so as not to offer it again.

        Args:
            kind: 1 a single game, 2 a gammon, 3 a backgammon.
        """
        self._refused = max(self._refused, kind)

    def action(self, control: Control) -> str:
        """Decide as the seat that is to act.

        Args:
            control: Stops and watches the search.

        Returns:
            `ROLL`, or what ``play`` takes.

        Raises:
            RefusedRequestError: The table cannot say: a net is damaged, for instance.
        """
        game = self._session.game
        match = game.match
        if match.resigned:
            return "accept" if self._accepts(RESULTS[match.resigned - 1], control) else "reject"
        if match.doubled:
            return self._ask("go take", control)
        if match.roll is not None:
            return self._ask("go chequer", control)
        if game.doubles is not Doubles.FOUR:
            return ROLL
        kind = self._resignation(control)
        if kind > self._refused:
            return f"resign {RESULTS[kind - 1]}"
        doubles = game.may_double and self._ask("go cube", control) == "double"
        return "double" if doubles else ROLL

    def _ask(self, line: str, control: Control) -> str:
        return ask(self._session, line, control)[-1].text

    def _accepts(self, kind: str, control: Control) -> bool:
        return bool(ask(self._session, f"resign {kind}", control)[-1].values["accept"])

    def _resignation(self, control: Control) -> int:
        """What can be resigned without a loss; at a look, as only what is plainly lost is resigned."""
        offer = str(ask(self._session, "resign plies=0", control)[-1].values["offer"])
        return RESULTS.index(offer) + 1 if offer in RESULTS else 0
