"""Decisions of matches that an executor analyses: tasks name the evaluator and hold no nets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import CancelledWork
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_decision
from gammond.engine.match_analysis.rollouts import DecisionRollouts
from gammond.engine.match_analysis.tasks import AnalysisTask
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import Rules
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.parallel.executor import Executor
from gammond.tools.parallel.rollout_blocks import ExecutorBlocks, RolloutPlayers

DECISIONS_PER_TASK = 8
"""Some tenths of a second at 2-ply."""


@dataclass(frozen=True)
class _Task:
    net: str
    rules: Rules
    settings: AnalysisSettings
    decisions: tuple[AnalysisTask, ...]

    def __str__(self) -> str:
        xgids = ", ".join(encode_xgid(each.position, _with_roll(each)) for each in self.decisions)
        return f"the decisions {xgids}, analysed by {self.net}"


class SharedDecisions:
    """Analyses decisions by an executor.

    Args:
        executor: Does the work.
        net: The name of the evaluator, as `gammond.tools.common.opponents.load_net_engine` takes it.
        settings: How deep.
        cancelled: Asked some times a second; when it returns true, the work ends.
    """

    def __init__(
        self, executor: Executor, net: str, settings: AnalysisSettings, cancelled: Callable[[], bool]
    ) -> None:
        self._executor = executor
        self._net = net
        self._settings = settings
        self._cancelled = cancelled

    def analyse_all(self, tasks: Sequence[AnalysisTask], rules: Rules) -> Iterator[ActionNotes]:
        """Return the notes on decisions: a `gammond.engine.match_analysis.analysis.DecisionAnalyser`.

        Raises:
            CancelledWork: It was cancelled.
            GammondError: The workers are gone.
        """
        parts = (
            _Task(self._net, rules, self._settings, tuple(tasks[first : first + DECISIONS_PER_TASK]))
            for first in range(0, len(tasks), DECISIONS_PER_TASK)
        )

        def check() -> None:
            if self._cancelled():
                raise CancelledWork("the analysis was cancelled")

        for notes in self._executor.map(_analyse, parts, check):
            check()
            yield from notes

    def make_blocks(self, rollouts: DecisionRollouts, rules: Rules) -> ExecutorBlocks:
        """Make what plays the trials of rollouts."""
        players = RolloutPlayers(self._net, rules, rollouts.plies, rollouts.leaf_plies)
        return ExecutorBlocks(self._executor, players)


def _with_roll(task: AnalysisTask) -> MatchState:
    return task.match if task.roll is None else task.match.with_roll(task.roll)


def _analyse(task: _Task) -> list[ActionNotes]:
    engine = _load_engine(task.net, task.rules)
    return [analyse_decision(engine, each, task.settings) for each in task.decisions]


@lru_cache(2)
def _load_engine(net: str, rules: Rules) -> Engine:
    return load_net_engine(net).with_rules(rules).with_threads(1)
