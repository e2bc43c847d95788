"""What is said about the person's decisions: by the tutor at once, by ``review`` afterwards; their record."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import StateError
from protocol.core.requests import WorkControl
from protocol.repl.answers.sentences import HUMAN_NAME
from protocol.repl.answers.tables import format_count
from protocol.repl.game.game_view import GameView
from protocol.repl.game.match_review import list_reviewed_matches
from protocol.repl.game.review import Decision, DecisionLoss, Reviewer, Tutor, format_review, list_decisions
from protocol.repl.records.record_saver import RecordSaver
from protocol.state.session import Session


class ReviewedGame(GameView):
    """A game whose decisions are measured, and whose record can be saved.

    Args:
        session: The table.

    Attributes:
        tutor: Objects to bad decisions, once switched on.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._reviewer = Reviewer(session)
        self.tutor = Tutor(self._reviewer)
        self._reviewed: list[DecisionLoss] = []
        self._record_saver = RecordSaver()

    def set_tutor(self, limit: float | None) -> list[str]:
        """Have the tutor object to losses from a limit on.

        Args:
            limit: In points; 0 switches it off; None on where it is off, with the usual limit.
        """
        self.tutor.set_limit(limit)
        return self.show_tutor()

    def show_tutor(self) -> list[str]:
        """Say whether the tutor is on."""
        if self.tutor.limit is None:
            return ["The tutor is off."]
        return [f"The tutor objects to decisions that lose {self.tutor.limit:.3f} points or more."]

    def review(self, control: WorkControl) -> list[str]:
        """Return what the person's decisions of this game, or the last one, lost; with two people both.

        Raises:
            StateError: There has been no game.
            GammondError: An evaluation failed.
        """
        game = self.session.log.game
        if game is None or not game.actions:
            raise StateError("no game to review: 'play' or 'new' starts one", field="review")
        seats = (game.names.index(HUMAN_NAME),) if HUMAN_NAME in game.names else (0, 1)
        self._reviewed = []
        return [
            line
            for seat in seats
            for line in self._review_seat(game.names[seat], list_decisions(game.actions, seat), control)
        ]

    def review_file(self, name: str, control: WorkControl) -> list[str]:
        """Return how both players of each match of a ``.mat`` file played.

        Args:
            name: Of the file.
            control: Stops and watches the work.

        Raises:
            DataFileError: The file cannot be read.
            GammondError: It holds no game, or an evaluation failed.
        """
        self._reviewed, lines = [], []
        for heading, players in list_reviewed_matches(name):
            lines += heading
            for player, decisions in players:
                lines += self._review_seat(player, decisions, control)
        return lines

    def find_reviewed(self, number: int) -> DecisionLoss:
        """Return a decision by its number in the last review.

        Raises:
            StateError: The review has no such number, or there was none.
        """
        if not self._reviewed:
            raise StateError("no mistake to show: 'review' or 'review FILE' lists them first", field="review")
        if not 1 <= number <= len(self._reviewed):
            raise StateError(
                f"expected a number 1..{len(self._reviewed)} of the last review, got {number}", field="review"
            )
        return self._reviewed[number - 1]

    def save_games(self, name: str) -> list[str]:
        """Write the finished games of the match, or of money play, as ``.mat`` text.

        Args:
            name: Of the file; one that is there is replaced only if nothing in it is lost, or this table
                wrote it.

        Raises:
            StateError: There is no such game.
            DataFileError: The file cannot be written.
        """
        text, count = self.session.log.format()
        self._record_saver.write(name, text)
        return [f"Saved {format_count(count, 'game')} to {name}."]

    def _review_seat(self, name: str, decisions: Sequence[Decision], control: WorkControl) -> list[str]:
        losses = self._reviewer.measure_all(decisions, control)
        lines, worst = format_review(losses, name, len(self._reviewed) + 1)
        self._reviewed += worst
        return [*lines, *(["Stopped: the rest is not counted."] if control.is_stopped else [])]
