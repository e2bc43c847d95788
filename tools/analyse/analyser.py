"""Analyses one match after another with progress on stderr."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from gammond.engine.analysis.engine import Engine
from gammond.engine.bearoff import defer_bearoff
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.match_analysis import rollouts as rolling_out
from gammond.engine.match_analysis.analysed_match import AnalysedMatch, describe_method, make_analysed_match
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match
from gammond.engine.match_analysis.rollouts import DecisionRollouts, roll_out_decisions
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.runtime.threads import Workers
from gammond.engine.runtime.version import identify_program
from gammond.nets import catalogue
from gammond.nets.catalogue import find_pruner
from gammond.tools.analyse.kept_decisions import KeptDecisions
from gammond.tools.common.progress import Progress
from gammond.tools.parallel.shared_decisions import SharedDecisions

_ANALYSING = rolling_out, catalogue
"""The modules of analyses, with all that they import."""


@dataclass(frozen=True)
class MatchAnalyser:
    """Analyses matches with one engine and one set of settings.

    Attributes:
        engine: Evaluates.
        nets: The hashes of its nets.
        settings: How deep.
        rollouts: How close decisions are rolled out; None for not at all.
        workers: Threads that share the work.
        stopped: Ends the work when it is set.
        executor: Who analyses in place of threads of this process; None for nobody.
    """

    engine: Engine
    nets: Mapping[str, str]
    settings: AnalysisSettings
    rollouts: DecisionRollouts | None
    workers: Workers
    stopped: threading.Event
    executor: SharedDecisions | None = None

    def describe_run(self) -> dict[str, object]:
        """Return what the answers depend on, in words."""
        table, rollouts = self.engine.table or load_default_table(), self.rollouts
        shared = rollouts and replace(rollouts, settings=replace(rollouts.settings, threads=1))
        return {
            "method": describe_method(self.engine.name, self.settings, table.name, rollouts),
            "settings": repr((self.settings, shared)),
            "nets": {**self.nets, **find_pruner().net_hashes},
            "databases": [str(each.header) for each in defer_bearoff()],
            "program": identify_program(*_ANALYSING),
        }

    def analyse(
        self, match: RecordedMatch, name: str, label: str, kept: KeptDecisions | None = None
    ) -> AnalysedMatch:
        """Analyse a match.

        Args:
            match: The match.
            name: The name of its file.
            label: What the progress calls it.
            kept: Has what was analysed before, and takes what is new.

        Raises:
            CancelledWork: It was stopped.
            GammondError: The match cannot be analysed.
        """
        journal = None if kept is None else kept.open_match(match)
        with _show_progress(label) as show:
            noted = analyse_match(
                self.engine,
                match,
                self.settings,
                workers=self.workers,
                progress=show,
                cancelled=self.stopped.is_set,
                journal=journal,
                analyser=None if self.executor is None else self.executor.analyse_all,
            )
        if self.rollouts is not None:
            with _show_progress(f"{label}, trials") as show:
                noted = roll_out_decisions(
                    self.engine,
                    noted,
                    self.rollouts,
                    progress=show,
                    cancelled=self.stopped.is_set,
                    journal=journal,
                    blocks=None
                    if self.executor is None
                    else self.executor.make_blocks(self.rollouts, match.rules.rules),
                )
        return make_analysed_match(
            self.engine, noted, self.settings, self.rollouts, name=name, nets=self.nets
        )


@contextmanager
def _show_progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show the numbers of an analysis from the first one on: what comes before it would falsify the rate."""
    with ExitStack() as opened:
        bars: list[Progress] = []

        def show(done: int, total: int) -> None:
            if not bars:
                bars.append(
                    opened.enter_context(Progress(total, label, lines_of=f"gammond analyse: {label}"))
                )
            bars[0].update(done)

        yield show
