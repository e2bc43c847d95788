"""Analyse a match: what the engine thinks of each play, cube decision and roll, as notes on the actions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.cubeful import CubeDecision, CubeResponse
from engine.match_analysis.judgement import judge_doubling
from engine.match_analysis.luck import measure_luck
from engine.match_analysis.tasks import AnalysisTask, RolledDice, list_rolls, list_tasks
from engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    RecordedCandidate,
    RecordedCubeDecision,
    RecordedEvaluation,
    RecordedMatch,
)
from engine.rules.outcome import Outcome
from engine.runtime.threads import Workers
from engine.search import SearchWatch
from engine.search.filters import DEFAULT_FILTER
from engine.search.results import ComparedPlay, PlayEvaluation

MAX_CANDIDATES = 10
"""Plays that are noted of each roll."""

CLOSE_POINTS = 0.02
"""A decision whose error is as large, or whose two best choices are as near, is judged anew where deeper
judgement is wanted."""

Progress = Callable[[int, int], None]
"""Is told how many decisions have been judged, and how many there are."""


@dataclass(frozen=True)
class AnalysisSettings:
    """How deep a match is analysed.

    Attributes:
        plies: Plies of look-ahead of every decision.
        deeper_plies: Plies of those that are close or wrong, all their candidates alike; 0 for none.
        filter_name: The move filter.

    Raises:
        ValueRangeError: Plies are out of range, or no filter has this name.
    """

    plies: int = 2
    deeper_plies: int = 0
    filter_name: str = DEFAULT_FILTER

    def __post_init__(self) -> None:
        for plies in (self.plies, self.deeper_plies):
            EvalSettings(plies, self.filter_name)

    @property
    def is_deepening(self) -> bool:
        """Whether some decisions are judged again, deeper."""
        return self.deeper_plies > self.plies

    def make_eval_settings(self, plies: int) -> EvalSettings:
        """Make the settings of an evaluation at some depth."""
        return EvalSettings(plies, self.filter_name)


def count_decisions(match: RecordedMatch) -> int:
    """Return how many decisions `analyse_match` judges."""
    return sum(1 for number, game in enumerate(match.games) for _ in list_tasks(number, game))


def analyse_match(
    engine: Engine,
    match: RecordedMatch,
    settings: AnalysisSettings | None = None,
    *,
    workers: Workers | None = None,
    progress: Progress = lambda done, total: None,
    cancelled: Callable[[], bool] | None = None,
) -> RecordedMatch:
    """Return a match with the engine's judgement of each action, in place of what the file has.

    A play gets its candidates, the deepest ones first and then the others: those of different depth are not
    ranked against each other, and the play that was made is as deep as the best one. A play before which the
    seat could have doubled, a double and the response get the cube decision. Comments stay.

    Args:
        engine: Judges; it works on each decision in one thread.
        match: The match, as it was read.
        settings: How deep; 2-ply if None.
        workers: Threads that share the decisions.
        progress: Called by one thread at a time.
        cancelled: Asked during the work; when it returns true, the work ends.

    Raises:
        CancelledWork: It was cancelled.
        UnsupportedError: The engine does not know the rules of the match.
    """
    settings, workers = settings or AnalysisSettings(), workers or Workers()
    judge = _Judge(engine.with_rules(match.rules.rules).with_threads(1), settings, cancelled)
    tasks = [task for number, game in enumerate(match.games) for task in list_tasks(number, game)]
    rolls = [rolled for number, game in enumerate(match.games) for rolled in list_rolls(number, game)]
    counter = _Counter(len(tasks), progress)

    def work(task: AnalysisTask) -> ActionNotes:
        notes = judge.judge(task)
        counter.add()
        return notes

    luck = measure_luck(judge.engine, rolls, workers, cancelled)
    judged = workers.map(work, tasks)
    return _add_notes(match, tasks, judged, rolls, luck.tolist())


class _Counter:
    """Counts what several threads have done."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._lock = threading.Lock()
        self._done, self._total = 0, total
        self._progress = progress
        progress(0, total)

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
        notes, is_close = judge(task, settings.plies)
        if is_close and settings.is_deepening:
            notes, _ = judge(task, settings.deeper_plies)
        return notes

    def _judge_cube(self, task: AnalysisTask, plies: int) -> tuple[ActionNotes, bool]:
        """Return the notes, and whether the decision is close."""
        watch = SearchWatch(self._cancelled)
        found = self.engine.evaluate(
            task.position, task.match, self._settings.make_eval_settings(plies), watch
        )
        watch.check()
        depth = f"{found.effort.plies}-ply"
        decision = found.decision
        outcome = _to_tuple(found.outcome)
        assert decision is not None  # cubeful, and the game is not over
        held = decision.no_double.equity_points
        taken = _take_equity(decision)
        cube = RecordedCubeDecision(
            held,
            taken,
            1.0,
            RecordedEvaluation(held, outcome, depth),
            RecordedEvaluation(taken, outcome, depth),
        )
        doubled = min(taken, 1.0)
        is_close = abs(held - doubled) < CLOSE_POINTS or abs(taken - 1.0) < CLOSE_POINTS
        judged = judge_doubling(held, taken, 1.0, is_double=len(task.places) > 1)
        return ActionNotes(cube=cube), is_close or judged.error_points > CLOSE_POINTS

    def _judge_play(self, task: AnalysisTask, plies: int) -> tuple[ActionNotes, bool]:
        assert task.roll is not None
        watch, settings = SearchWatch(self._cancelled), self._settings.make_eval_settings(plies)
        if task.play is None:
            ranked = self.engine.rank_plays(task.position, task.roll, task.match, settings, watch)
            watch.check()
            return ActionNotes(candidates=_to_candidates(list(ranked.plays[:MAX_CANDIDATES]))), False
        found = self.engine.compare_play(task.position, task.roll, task.match, task.play, settings, watch)
        watch.check()
        plays = _order_plays(found)
        deepest = [play.score for play in plays if play.plies == found.best.plies]
        is_near = len(deepest) > 1 and deepest[0] - deepest[1] < CLOSE_POINTS
        return ActionNotes(candidates=_to_candidates(plays)), is_near or found.loss >= CLOSE_POINTS


def _take_equity(decision: CubeDecision) -> float:
    """Return the equity of a double that is taken, not beavered; without a cube to turn, as not doubled."""
    if decision.double_take is None:
        return decision.no_double.equity_points
    beavered = decision.response is CubeResponse.BEAVER
    return decision.double_take.equity_points / (2.0 if beavered else 1.0)


def _order_plays(found: ComparedPlay) -> list[PlayEvaluation]:
    """Return the plays to be noted: those as deep as the best, with the play that was made, then others."""
    ranked = found.ranked.plays
    made = found.evaluation
    plays = [play for play in ranked[: MAX_CANDIDATES + 1] if play.play.result != made.play.result]
    deepest = [play for play in plays if play.plies == made.plies]
    place = sum(play.score >= made.score for play in deepest) if found.rank > 1 else 0
    plays.insert(place, made)
    return plays[: max(MAX_CANDIDATES, place + 1)]


def _to_candidates(plays: Sequence[PlayEvaluation]) -> tuple[RecordedCandidate, ...]:
    return tuple(
        RecordedCandidate(
            play.play, RecordedEvaluation(play.score, _to_tuple(play.outcome), f"{play.plies}-ply")
        )
        for play in plays
    )


def _to_tuple(outcome: Outcome) -> tuple[float, float, float, float, float]:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = outcome
    return win, win_gammon, win_backgammon, lose_gammon, lose_backgammon


def _add_notes(
    match: RecordedMatch,
    tasks: Sequence[AnalysisTask],
    judged: Sequence[ActionNotes],
    rolls: Sequence[RolledDice],
    luck: Sequence[float],
) -> RecordedMatch:
    """Return the match with the notes of its tasks and rolls, and the comments that it has."""
    notes: list[dict[int, ActionNotes]] = []
    for game in match.games:
        comments = {place: ActionNotes(comment=old.comment) for place, old in game.notes.items()}
        notes.append({place: each for place, each in comments.items() if each != NO_NOTES})
    for task, found in zip(tasks, judged, strict=True):
        for place in task.places:
            old = notes[task.game].get(place, NO_NOTES)
            notes[task.game][place] = replace(
                old, cube=found.cube or old.cube, candidates=found.candidates or old.candidates
            )
    for rolled, points in zip(rolls, luck, strict=True):
        old = notes[rolled.game].get(rolled.place, NO_NOTES)
        notes[rolled.game][rolled.place] = replace(old, luck=points)
    games = tuple(
        replace(game, notes=dict(sorted(of_game.items())))
        for game, of_game in zip(match.games, notes, strict=True)
    )
    return replace(match, games=games)
