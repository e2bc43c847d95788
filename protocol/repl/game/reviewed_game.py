"""What is said about the person's decisions: by the tutor at once, by ``review`` afterwards; open matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import StateError
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.match_analysis.rollouts import DecisionRollouts
from gammond.engine.wording import format_count
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.sentences import HUMAN_NAME
from gammond.protocol.repl.game.game_view import GameView
from gammond.protocol.repl.game.tutor import DecisionMeter, Tutor
from gammond.protocol.repl.records.losses import find_costliest, format_losses, list_losses, summarize_losses
from gammond.protocol.repl.records.match_analysis import MatchAnalysis
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.repl.records.record_saver import RecordSaver
from gammond.protocol.state.session import Session

WORST_COUNT = 5
"""The number of decisions that a review shows."""


class ReviewedGame(GameView):
    """A game whose decisions are analysed, at once or afterwards.

    Args:
        session: The table.

    Attributes:
        tutor: Objects to bad decisions, once switched on.
        record_saver: Writes what is saved.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.tutor = Tutor(DecisionMeter(session))
        self.record_saver = RecordSaver()

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
        if not self.session.log.actions:
            raise StateError("no game to review: 'play' or 'new' starts one", field="review")
        record = self.records.update_own(self.session.log)
        self.records.stop_analysis(of=record)
        number = len(record.match.games) - 1
        engine = self.session.engine_settings
        settings = AnalysisSettings(engine.plies, filter_name=engine.filter_name)
        analysis = self.start_analysis(record, [number], settings)
        if not analysis.wait(control):
            analysis.stop()
            return ["Stopped: nothing is reviewed."]
        seats = (record.names.index(HUMAN_NAME),) if HUMAN_NAME in record.names else (0, 1)
        losses = [each for each in list_losses(record) if each.place.game == number]
        worst = [each for seat in seats for each in find_costliest(losses, seat, WORST_COUNT)]
        self.records.note_listed(record, [each.place for each in worst])
        summaries = [line for seat in seats for line in summarize_losses(record, seat, number)]
        return [*summaries, *format_losses(record, worst)]

    def save_games(self, name: str) -> list[str]:
        """Write the games of the match or of money play as ``.mat`` text, that at hand as far as it went.

        Args:
            name: Of the file; one that is there is replaced only if nothing in it is lost, or this table
                wrote it.

        Raises:
            StateError: There is no such game.
            DataFileError: The file cannot be written.
        """
        text, count = self.session.log.format()
        self.record_saver.write(name, text.encode())
        last = self.session.log.game
        goes_on = last is not None and last.result is None and last.record is not None
        rest = ["The last one is not over: 'save' writes it anew."] if goes_on else []
        return [f"Saved {format_count(count, 'game')} to {name}.", *rest]

    def start_analysis(
        self,
        record: OpenRecord,
        games: Sequence[int],
        settings: AnalysisSettings,
        rollouts: DecisionRollouts | None = None,
    ) -> MatchAnalysis:
        """Begin to analyse games of a match in the background.

        Args:
            record: The match.
            games: The places of the games, in the order in which they are analysed.
            settings: How deep; kept answers will do if the session takes them.
            rollouts: As for `MatchAnalysis`.

        Raises:
            DataFileError: The evaluator cannot be loaded.
        """
        chosen = self.session.engine_settings
        settings = replace(settings, store=chosen.store)
        return MatchAnalysis(record, games, self.find_engine(), settings, chosen.threads, rollouts)

    def find_engine(self) -> Engine:
        """Return the engine of the session, which analyses matches; it may have to be loaded.

        Raises:
            DataFileError: The evaluator cannot be loaded.
        """
        chosen = self.session.engine_settings
        return self.session.service.get_engine(chosen.net, chosen.threads)
