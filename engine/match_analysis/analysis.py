"""Analyse a match: what the engine thinks of each play, cube decision and roll, as notes on the actions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.analysis.compared_plays import compare_play
from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings, StoreUse
from engine.cubeful import CubeDecision, CubeResponse
from engine.match_analysis.closeness import is_close
from engine.match_analysis.journal import NO_JOURNAL, SEARCHED, AnalysisJournal
from engine.match_analysis.luck import measure_luck
from engine.match_analysis.notes import (
    MAX_CANDIDATES,
    add_notes,
    keep_comments,
    make_cube_notes,
    order_plays,
    to_candidates,
    to_tuple,
)
from engine.match_analysis.tasks import AnalysisTask, list_match_tasks, list_rolls
from engine.match_files.model import ActionNotes, RecordedEvaluation, RecordedMatch
from engine.rules.rules import Feature, Rules
from engine.runtime.threads import Workers
from engine.search import SearchWatch
from engine.search.filters import DEFAULT_FILTER

Progress = Callable[[int, int], None]
"""Is told how many decisions have been judged, and how many there are."""


@dataclass(frozen=True)
class AnalysisSettings:
    """How deep a match is analysed.

    Attributes:
        plies: Plies of look-ahead of every decision.
        deeper_plies: Plies of those that are close or wrong, all their candidates alike; 0 for none.
        filter_name: The move filter.
        store: Whether kept answers of these depths will do, where the engine has a store; deeper ones never
            take their place.

    Raises:
        ValueRangeError: Plies are out of range, or no filter has this name.
    """

    plies: int = 2
    deeper_plies: int = 0
    filter_name: str = DEFAULT_FILTER
    store: StoreUse = StoreUse.ON

    def __post_init__(self) -> None:
        for plies in (self.plies, self.deeper_plies):
            EvalSettings(plies, self.filter_name)

    @property
    def is_deepening(self) -> bool:
        """Whether some decisions are judged again, deeper."""
        return self.deeper_plies > self.plies

    def make_eval_settings(self, plies: int, rules: Rules) -> EvalSettings:
        """Make the settings of a decision at some depth, with the cube where the rules have one."""
        store = StoreUse.OFF if self.store is StoreUse.OFF else StoreUse.ON
        settings = EvalSettings(plies, self.filter_name, rules.supports(Feature.CUBE), store)
        return settings.with_list()


class DecisionAnalyser(Protocol):
    """Judges many decisions: elsewhere, in place of the threads of `analyse_match`."""

    def analyse_all(self, tasks: Sequence[AnalysisTask], rules: Rules) -> Iterator[ActionNotes]:
        """Return the notes on decisions, in their order, as `judge_decisions` makes them.

        Raises:
            CancelledWork: It was cancelled.
            GammondError: Those who judge are gone.
        """
        ...


def count_decisions(match: RecordedMatch) -> int:
    """Return how many decisions `analyse_match` judges."""
    return len(list_match_tasks(match))


def analyse_match(
    engine: Engine,
    match: RecordedMatch,
    settings: AnalysisSettings | None = None,
    *,
    workers: Workers | None = None,
    progress: Progress = lambda done, total: None,
    cancelled: Callable[[], bool] | None = None,
    journal: AnalysisJournal = NO_JOURNAL,
    analyser: DecisionAnalyser | None = None,
) -> RecordedMatch:
    """Return a match with the engine's judgement of each action, in place of what the file has.

    A play gets its candidates, the deepest ones first and then the others: those of different depth are not
    ranked against each other, and the play that was made is as deep as the best one. A play before which the
    seat could have doubled, a double and the response get the cube decision. Comments stay. Rules by which
    positions cannot be evaluated, only plays ranked, leave out luck.

    Args:
        engine: Judges; it works on each decision in one thread.
        match: The match, as it was read.
        settings: How deep; 2-ply if None.
        workers: Threads that share the decisions.
        progress: Called by one thread at a time.
        cancelled: Asked during the work; when it returns true, the work ends.
        journal: Has what was judged before, by the same engine with the same settings, and takes what is new.
        analyser: Who judges the decisions, with the same engine and settings; the workers if None.

    Raises:
        CancelledWork: It was cancelled.
        UnsupportedError: The engine does not know the rules of the match.
    """
    settings, workers = settings or AnalysisSettings(), workers or Workers()
    here = _Judge(engine.with_rules(match.rules.rules).with_threads(1), settings, cancelled)
    tasks = list_match_tasks(match)
    luck = _measure_luck(here.engine, match, workers, cancelled)
    judged = _JudgedTasks(tasks, journal, progress)
    if analyser is None:
        workers.map(lambda number: judged.keep(number, here.judge(tasks[number])), judged.missing)
    else:
        answers = analyser.analyse_all([tasks[number] for number in judged.missing], match.rules.rules)
        for number, notes in zip(judged.missing, answers, strict=True):
            judged.keep(number, notes)
    return add_notes(keep_comments(match), [*luck, *judged.list_notes()])


def _measure_luck(
    engine: Engine, match: RecordedMatch, workers: Workers, cancelled: Callable[[], bool] | None
) -> list[tuple[int, int, ActionNotes]]:
    """Return notes with the luck of each roll, as game, place and note; none where nothing is evaluated."""
    if not match.rules.rules.supports(Feature.EVALUATION):
        return []
    rolls = [rolled for number, game in enumerate(match.games) for rolled in list_rolls(number, game)]
    luck = measure_luck(engine, rolls, workers, cancelled)
    return [
        (rolled.game, rolled.place, ActionNotes(luck=points))
        for rolled, points in zip(rolls, luck.tolist(), strict=True)
    ]


class _JudgedTasks:
    """The notes of a match's tasks: at first those that a journal has.

    Args:
        tasks: The tasks.
        journal: Has notes of before, and takes what is new.
        progress: Called by one thread at a time.

    Attributes:
        missing: The numbers of the tasks that are to be judged.
    """

    def __init__(self, tasks: Sequence[AnalysisTask], journal: AnalysisJournal, progress: Progress) -> None:
        self._tasks = tasks
        self._journal = journal
        self._notes = [journal.find(SEARCHED, number) for number in range(len(tasks))]
        self.missing = [number for number, notes in enumerate(self._notes) if notes is None]
        self._counter = _Counter(len(tasks), len(tasks) - len(self.missing), progress)

    def keep(self, number: int, notes: ActionNotes) -> None:
        """Take the notes of a task; for any thread."""
        self._journal.add(SEARCHED, number, notes)
        self._notes[number] = notes
        self._counter.add()

    def list_notes(self) -> Iterator[tuple[int, int, ActionNotes]]:
        """List the notes of all tasks, as game, place and note."""
        for task, notes in zip(self._tasks, self._notes, strict=True):
            assert notes is not None
            yield from ((task.game, place, notes) for place in task.places)


def judge_decisions(
    engine: Engine,
    tasks: Sequence[AnalysisTask],
    settings: AnalysisSettings,
    cancelled: Callable[[], bool] | None = None,
) -> list[ActionNotes]:
    """Return the engine's notes on decisions, in one thread.

    Args:
        engine: Judges, by the rules of the match.
        tasks: The decisions.
        settings: How deep.
        cancelled: Asked during the work; when it returns true, the work ends.

    Raises:
        CancelledWork: It was cancelled.
    """
    here = _Judge(engine.with_threads(1), settings, cancelled)
    return [here.judge(task) for task in tasks]


class _Counter:
    """Counts what several threads have done."""

    def __init__(self, total: int, done: int, progress: Progress) -> None:
        self._lock = threading.Lock()
        self._done, self._total = done, total
        self._progress = progress
        progress(done, total)

    def add(self) -> None:
        """Count one more."""
        with self._lock:
            self._done += 1
            self._progress(self._done, self._total)


class _Judge:
    """Judges single decisions; safe to use from several threads."""

    def __init__(
        self, engine: Engine, settings: AnalysisSettings, cancelled: Callable[[], bool] | None
    ) -> None:
        self.engine = engine
        self._settings = settings
        self._cancelled = cancelled

    def judge(self, task: AnalysisTask) -> ActionNotes:
        """Return the engine's notes on a decision.

        Raises:
            CancelledWork: It was cancelled.
        """
        settings = self._settings
        judge = self._judge_cube if task.roll is None else self._judge_play
        notes = judge(task, settings.plies)
        if settings.is_deepening and is_close(task, notes):
            notes = judge(task, settings.deeper_plies)
        return notes

    def _judge_cube(self, task: AnalysisTask, plies: int) -> ActionNotes:
        watch = SearchWatch(self._cancelled)
        found = self.engine.evaluate(
            task.position, task.match, self._settings.make_eval_settings(plies, self.engine.rules), watch
        )
        watch.check()
        depth, outcome = f"{found.effort.plies}-ply", to_tuple(found.outcome)
        assert found.decision is not None  # cubeful, and the game is not over
        return make_cube_notes(
            RecordedEvaluation(found.decision.no_double.equity_points, outcome, depth),
            RecordedEvaluation(_take_equity(found.decision), outcome, depth),
        )

    def _judge_play(self, task: AnalysisTask, plies: int) -> ActionNotes:
        assert task.roll is not None
        watch = SearchWatch(self._cancelled)
        settings = self._settings.make_eval_settings(plies, self.engine.rules)
        if task.play is None:
            ranked = self.engine.rank_plays(task.position, task.roll, task.match, settings, watch)
            watch.check()
            return ActionNotes(candidates=to_candidates(ranked.plays[:MAX_CANDIDATES]))
        found = compare_play(self.engine, task.position, task.roll, task.match, task.play, settings, watch)
        watch.check()
        return ActionNotes(candidates=to_candidates(order_plays(found)))


def _take_equity(decision: CubeDecision) -> float:
    """Return the equity of a double that is taken, not beavered; without a cube to turn, as not doubled."""
    if decision.double_take is None:
        return decision.no_double.equity_points
    beavered = decision.response is CubeResponse.BEAVER
    return decision.double_take.equity_points / (2.0 if beavered else 1.0)
