"""The engine's turns in a game against a person: its decisions are made as `go` makes them."""

from __future__ import annotations

from gammond.engine.rules.match import RESULT_NAMES
from gammond.engine.rules.notation import format_moves_plain
from gammond.engine.rules.rules import Feature
from gammond.protocol.commands.cube import read_resignation
from gammond.protocol.commands.decisions import decide, read_double, read_play, read_response
from gammond.protocol.commands.evaluation import ask
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.analysis import ROLL_ACTION
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.state.offers import RESPONSE_WORDS
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
            `ROLL_ACTION`, or an action of ``play``.

        Raises:
            RefusedRequestError: The session cannot answer: a net is damaged, for instance.
        """
        session, game = self._session, self._session.game
        match = game.match
        if match.resigned:
            found, _ = ask(session, read_resignation(session, match.resigned), control)
            return "accept" if found.is_accepted else "reject"
        if match.doubled:
            return RESPONSE_WORDS[decide(session, read_response(session), control)]
        if match.roll is not None:
            return format_moves_plain(decide(session, read_play(session), control).play)
        if not game.rules.supports(Feature.RESIGNATION):
            return ROLL_ACTION
        if self._rejected_kind < len(RESULT_NAMES):  # at 0-ply, as only clear losses count
            found, _ = ask(session, read_resignation(session, plies=0), control)
            if found.kind > self._rejected_kind:
                return f"resign {RESULT_NAMES[found.kind - 1]}"
        doubles = game.may_double and decide(session, read_double(session), control)
        return "double" if doubles else ROLL_ACTION
