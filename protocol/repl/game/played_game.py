"""What is done at the table: rolls, plays, offers and their answers; the engine's turns after them.

Everything goes through the commands that any other client would send, so the engine plays here as it does on
the wire, and `Session.undo` takes back each of its steps.
"""

from __future__ import annotations

from gammond.engine.errors import StateError
from gammond.engine.rules.dice import format_roll
from gammond.engine.wording import format_count
from gammond.protocol.commands.decisions import ROLL_ACTION
from gammond.protocol.commands.game import OFFER_ACTIONS
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.analysis import find_best_action
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.repl.answers.sentences import (
    describe_action,
    describe_offer,
    describe_result,
    make_sentence,
)
from gammond.protocol.repl.answers.tables import ReplyValues
from gammond.protocol.repl.game.history import DecisionHistory
from gammond.protocol.repl.game.opponent import EngineOpponent
from gammond.protocol.repl.game.reviewed_game import ReviewedGame
from gammond.protocol.state.game_state import SEAT_NAMES
from gammond.protocol.state.session import Session

OPPONENT = "opponent"
"""The word for the player that is played against."""

_NEWS_COUNT = 4
"""The sentences of the last actions that are remembered: turns without a legal move may be many."""


class PlayedGame(ReviewedGame):
    """A game against the engine, and the same actions without one.

    Between two calls either no game is on, or it is over, or the person is to act: to roll, to play, to
    answer an offer. Only an error leaves the engine's turn unfinished; `continue_game` resumes it.

    Args:
        session: The table.

    Attributes:
        history: What the person can take back.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.history = DecisionHistory(session)
        self._opponent = EngineOpponent(session)

    def roll(self, control: WorkControl) -> list[str]:
        """Roll for the seat on roll.

        Raises:
            GammondError: It is not the time to roll.
        """
        lines = self.continue_game(control)
        self._check_no_offer()
        if objection := self._ask_tutor(ROLL_ACTION, control):
            return lines + objection
        subject = self.names[self.session.game.match.on_roll]
        leaving = self._note_leaving()
        self._try("roll", control)
        rolled = make_sentence(subject, "roll", format_roll(self.session.require_roll()[1]))
        self.news = [*self.news, rolled][-_NEWS_COUNT:]
        return [*lines, rolled, *leaving, *self.continue_game(control)]

    def make_play(self, text: str, control: WorkControl) -> list[str]:
        """Make a play as the seat on roll; in a game the engine answers it.

        Raises:
            GammondError: It is none, or not the time for it; the table is as it was.
        """
        if (answer := self._find_answer(text)) is not None:
            return self.take_action(answer, control)
        lines = self.continue_game(control)
        self._check_no_offer()
        return lines + self._play_decision(text, control)

    def take_action(self, action: str, control: WorkControl) -> list[str]:
        """Do something with the cube or a resignation as the seat to act; in a game the engine answers it.

        Args:
            action: What ``play`` takes: ``double``, ``take``, ``resign gammon``...
            control: Stops and watches the engine's turn.

        Raises:
            GammondError: The rules do not allow it now; the table is as it was.
        """
        action = self._find_answer(action) or action
        lines = self.continue_game(control)
        if action.startswith("resign") and self.human_seat is not None:
            self._check_no_offer()
        return lines + self._play_decision(action, control)

    def play_best_action(self, control: WorkControl, player: str | None = None) -> list[str]:
        """Carry out the best action for the seat to act.

        Args:
            control: Stops and watches the search.
            player: Who says what is best: what ``engine.player`` takes, or `OPPONENT` for the one that is
                played against; `find_best_action` if None.

        Raises:
            GammondError: There is nothing to decide, there is no such player, or the evaluation failed.
        """
        lines = self.continue_game(control)
        self.note_advice()
        if player is None:
            action = find_best_action(self.session, control)
        else:
            player = self.session.engine_settings.player if player == OPPONENT else player
            action = self._opponent.choose_for_person(player, control)
        return lines + (self.roll(control) if action == ROLL_ACTION else self._play_decision(action, control))

    def note_advice(self) -> None:
        """Note that the engine chooses for the person now, or has told what it would choose."""
        if self.is_running:
            self.history.note_advice()

    def review(self, control: WorkControl) -> list[str]:
        """Return what `ReviewedGame.review` does, and for how many decisions the engine had told its choice.

        Raises:
            StateError: There has been no game.
            GammondError: An evaluation failed.
        """
        lines, count = super().review(control), len(self.history.advised)
        if not count:
            return lines
        decisions = f"For {format_count(count, 'decision')} of this game"
        return [*lines, f"{decisions} the engine had told its choice: these figures are not yours alone."]

    def keep(self, control: WorkControl) -> list[str]:
        """Carry out the decision that the tutor objected to.

        Raises:
            StateError: There is none.
        """
        action = self.tutor.take_objected(self.session.game)
        return self.roll(control) if action == ROLL_ACTION else self._play_decision(action, control)

    def continue_game(self, control: WorkControl) -> list[str]:
        """Play on until a person must decide: the engine's turns, and turns without a legal move."""
        lines: list[str] = []
        while self.is_running:
            if self.session.game.match.to_act != self.human_seat and not self.has_two_humans:
                lines += self._play_engine_turn(control)
            elif self._must_pass():
                lines += self._perform("pass", control)
            else:
                break
        return lines

    def _must_pass(self) -> bool:
        match = self.session.game.match
        return match.roll is not None and not match.resigned and self.session.list_legal_plays()[0].is_no_move

    def _check_no_offer(self) -> None:
        """Check that no offer is pending.

        Raises:
            StateError: A double or a resignation is.
        """
        game = self.session.game
        if not game.is_over and (game.match.doubled or game.match.resigned):
            raise StateError(describe_offer(game.match), field="play")

    def _ask_tutor(self, action: str, control: WorkControl) -> list[str]:
        """Return what the tutor says against a person's decision; nothing without a game."""
        if not self.is_running:
            return []
        objection = self.tutor.object_to(self.session.game, action, control)
        if self.tutor.is_followed:
            self.history.note_advice()
        return objection

    def _note_leaving(self) -> list[str]:
        """Return how to come back to the open match that is on the table; nothing for another table."""
        return [] if self.shown_place is None else ["'back' returns to the match that is open."]

    def _play_engine_turn(self, control: WorkControl) -> list[str]:
        action = self._opponent.choose_action(control)
        if action == ROLL_ACTION:
            send_command(self.session, "roll", control)
            return []
        return self._perform(action, control)

    def _play_decision(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a person's decision for the seat to act, and the engine's turns after it."""
        if objection := self._ask_tutor(text, control):
            return objection
        before, self.news = self.session.game, []
        lines = self._perform(text, control)
        if self.human_seat is not None:
            self.history.decisions.append(before)
        return lines + self.continue_game(control)

    def _try(self, line: str, control: WorkControl) -> ReplyValues:
        """Carry out a command; the names of an open match at whose place it is tried stay."""
        place = self.origin
        done = send_command(self.session, line, control)[-1].values
        if place is not None:
            place.tried.append(self.session.game)
        return done

    def _perform(self, text: str, control: WorkControl) -> list[str]:
        """Carry out an action of ``play``; describe it, and the end of the game if it ends."""
        before, leaving = self.session.game.match, self._note_leaving()
        done = self._try(f"play {text}", control)
        play = str(done["play"])
        said = describe_action(play, before, self.session.game.match, self.names)
        self.news = [*self.news, said][-_NEWS_COUNT:]
        lines = [said, *leaving]
        if play not in OFFER_ACTIONS:
            lines += self._format_chances()
        if play == "reject" and before.to_act == self.human_seat:
            self._opponent.note_rejection(before.resigned)
        if "winner" in done:
            seat, points = SEAT_NAMES.index(str(done["winner"])), int(done["points"])
            lines.append(describe_result(self.names[seat], str(done["result"]), points))
            lines += self._describe_score_after(seat)
            if self.tutor.limit is not None and self.human_seat is not None:
                lines += self.review(control)
        return lines
