"""The analysis of an open match, game by game in a thread of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace

from gammond.engine.errors import CancelledWork, GammondError
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match, count_decisions
from gammond.engine.match_analysis.rollouts import DecisionRollouts, roll_out_decisions
from gammond.engine.runtime.threads import Workers
from gammond.protocol.core.replies import make_info_reply
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.state.session import Session

_REPORT_EVERY_S = 0.1


class MatchAnalysis:
    """Analyses games of an open match; what is found of a game is kept once all of it is analysed.

    Args:
        session: Its engine analyses them, on its threads.
        record: The match.
        games: The places of the games, in the order in which they are analysed.
        settings: How deep; kept answers will do if the session takes them.
        rollouts: How decisions are rolled out that are close or wrong after that; None for not at all.

    Attributes:
        record: The match.
        settings: How deep.
        done: Decisions that are analysed.
        total: All decisions of these games.
        trials: Of the rollouts of a game, those that are done, and all; None while decisions are analysed.
        error: What ended it; None for nothing.

    Raises:
        DataFileError: The evaluator cannot be loaded.
    """

    def __init__(
        self,
        session: Session,
        record: OpenRecord,
        games: Sequence[int],
        settings: AnalysisSettings,
        rollouts: DecisionRollouts | None = None,
    ) -> None:
        chosen = session.engine_settings
        self._engine, self._threads = session.service.get_engine(chosen.net, chosen.threads), chosen.threads
        self.record, self.settings = record, replace(settings, store=chosen.store)
        self._rollouts = rollouts
        self._games = {number: replace(record.match, games=(record.match.games[number],)) for number in games}
        self.done, self.total = 0, sum(map(count_decisions, self._games.values()))
        self.trials: tuple[int, int] | None = None
        self.error: GammondError | None = None
        self._stopped = threading.Event()
        self._began_s = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="match analysis", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    def has_done(
        self,
        record: OpenRecord,
        games: Sequence[int],
        settings: AnalysisSettings,
        rollouts: DecisionRollouts | None,
        net: str,
    ) -> bool:
        """Return whether it has ended with games of a match, analysed as another one by a net would do it."""
        is_whole = not self.is_running and self.error is None and self.done == self.total
        own = self.record, self.settings.plies, self.settings.deeper_plies, self._rollouts, self._engine.name
        others = record, settings.plies, settings.deeper_plies, rollouts, net
        return is_whole and own == others and self._games.keys() >= {*games}

    def stop(self) -> None:
        """End it; the game that it is at stays without analysis."""
        self._stopped.set()
        self._thread.join()

    def wait(self, control: WorkControl) -> bool:
        """Wait until it has ended, and report how far it is; return whether it has.

        Args:
            control: Stops the waiting, not the analysis, and takes the reports.

        Raises:
            GammondError: It failed; that is said once.
        """
        while self.is_running and not control.is_stopped:
            self._thread.join(_REPORT_EVERY_S)
            time_ms = int(1000 * (time.monotonic() - self._began_s))
            what, done, total = "analysed", self.done, self.total
            if (trials := self.trials) is not None:
                what, (done, total) = "trials", trials
            control.report(make_info_reply({what: done, "of": total, "time_ms": time_ms}))
        error, self.error = self.error, None
        if error is not None:
            raise error
        return not self.is_running

    @property
    def depth(self) -> str:
        """How deep it looks, in words."""
        settings = self.settings
        deeper = f", then {settings.deeper_plies}-ply" if settings.is_deepening else ""
        return f"{settings.plies}-ply{deeper}" + ", then rollouts" * (self._rollouts is not None)

    def _run(self) -> None:
        workers, before = Workers(self._threads), 0

        def count(done: int, total: int) -> None:
            self.done = before + done

        def count_trials(done: int, total: int) -> None:
            self.trials = done, total

        try:
            for number, match in self._games.items():
                analysed = analyse_match(
                    *(self._engine, match, self.settings),
                    workers=workers,
                    progress=count,
                    cancelled=self._stopped.is_set,
                )
                if self._rollouts is not None:
                    analysed = roll_out_decisions(
                        *(self._engine, analysed, self._rollouts),
                        progress=count_trials,
                        cancelled=self._stopped.is_set,
                    )
                    self.trials = None
                engine = self._engine.with_rules(match.rules.rules)
                self.record.put_game(number, analysed.games[0], f"{self.depth}, net {engine.name}")
                before = self.done
        except CancelledWork:
            pass
        except GammondError as error:
            self.error = error
