"""Analyse a match: what the engine thinks of each play, cube decision and roll, as notes on the actions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.compared_plays import compare_play
from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings, StoreUse
from gammond.engine.analysis.many_positions import find_best_plays
from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.results import CubeDecision, CubeResponse
from gammond.engine.match_analysis.notes import (
    MAX_CANDIDATES,
    SEARCHED,
    AnalysisJournal,
    add_notes,
    keep_comments,
    note_evaluation,
    note_plays,
    order_plays,
)
from gammond.engine.match_analysis.tasks import AnalysisTask, list_match_tasks, list_rolls
from gammond.engine.match_files.model import ActionNotes, RecordedMatch
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Board
from gammond.engine.rules.rules import Feature, Rules
from gammond.engine.runtime.threads import Workers
from gammond.engine.search import SearchWatch
from gammond.engine.search.filters import DEFAULT_FILTER

Progress = Callable[[int, int], None]
"""Is told how many decisions have been analysed, and how many there are."""


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
        EvalSettings(self.plies, self.filter_name)
        try:
            EvalSettings(self.deeper_plies, self.filter_name)
        except ValueRangeError as error:
            raise error.with_field("deeper") from error

    @property
    def is_deepening(self) -> bool:
        """Whether some decisions are analysed again, deeper."""
        return self.deeper_plies > self.plies

    def make_eval_settings(self, plies: int, rules: Rules) -> EvalSettings:
        """Make the settings of a decision at some depth, with the cube where the rules have one."""
        store = StoreUse.OFF if self.store is StoreUse.OFF else StoreUse.ON
        settings = EvalSettings(plies, self.filter_name, rules.supports(Feature.CUBE), store)
        return settings.with_list()


DecisionAnalyser = Callable[[Sequence[AnalysisTask], Rules], Iterator[ActionNotes]]
"""Analyses decisions elsewhere, in place of the threads of `analyse_match`: returns the notes on them, in
their order, as `analyse_decision` makes them. It raises CancelledWork where it was cancelled, and another
GammondError if those who do it are gone."""


def count_decisions(match: RecordedMatch) -> int:
    """Return how many decisions `analyse_match` analyses."""
    return len(list_match_tasks(match))


def analyse_match(
    engine: Engine,
    match: RecordedMatch,
    settings: AnalysisSettings | None = None,
    *,
    workers: Workers | None = None,
    progress: Progress = lambda done, total: None,
    cancelled: Callable[[], bool] | None = None,
    journal: AnalysisJournal | None = None,
    analyser: DecisionAnalyser | None = None,
) -> RecordedMatch:
    """Return a match with what the engine thinks of each action, in place of what the file has.

    A play gets its candidates, the deepest ones first and then the others: those of different depth are not
    ranked against each other, and the play that was made is as deep as the best one. A play before which the
    seat could have doubled, a double and the response get the cube decision. Comments stay. Rules by which
    positions cannot be evaluated, only plays ranked, leave out luck.

    Args:
        engine: Evaluates; it works on each decision in one thread.
        match: The match, as it was read.
        settings: How deep; 2-ply if None.
        workers: Threads that share the decisions.
        progress: Called by one thread at a time.
        cancelled: Asked during the work; when it returns true, the work ends.
        journal: Has what is known from before, by the same engine with the same settings, and takes what is
            new; None for nothing.
        analyser: Who analyses the decisions, with the same engine and settings; the workers if None.

    Raises:
        CancelledWork: It was cancelled.
        UnsupportedError: The engine does not know the rules of the match.
    """
    settings, workers = settings or AnalysisSettings(), workers or Workers()
    here = engine.with_rules(match.rules.rules).with_threads(1)
    tasks, known = list_match_tasks(match), AnalysisJournal() if journal is None else journal
    rolls = list(list_rolls(match)) if match.rules.rules.supports(Feature.EVALUATION) else []
    luck = measure_luck(here, rolls, workers, cancelled)
    missing = [number for number in range(len(tasks)) if (SEARCHED, number) not in known]
    done, lock = len(tasks) - len(missing), threading.Lock()
    progress(done, len(tasks))

    def keep(number: int, notes: ActionNotes) -> None:
        nonlocal done
        known[SEARCHED, number] = notes
        with lock:
            done += 1
            progress(done, len(tasks))

    if analyser is None:
        workers.map(
            lambda number: keep(number, analyse_decision(here, tasks[number], settings, cancelled)), missing
        )
    else:
        answers = analyser([tasks[number] for number in missing], match.rules.rules)
        for number, notes in zip(missing, answers, strict=True):
            keep(number, notes)
    found = [
        (rolled.game, place, ActionNotes(luck=points))
        for rolled, points in zip(rolls, luck.tolist(), strict=True)
        for place in rolled.places
    ]
    found += [
        (task.game, place, known[SEARCHED, number])
        for number, task in enumerate(tasks)
        for place in task.places
    ]
    return add_notes(keep_comments(match), found)


def analyse_decision(
    engine: Engine,
    task: AnalysisTask,
    settings: AnalysisSettings,
    cancelled: Callable[[], bool] | None = None,
) -> ActionNotes:
    """Return the engine's notes on a decision; for any thread.

    Args:
        engine: Evaluates, by the rules of the match, in one thread.
        task: The decision.
        settings: How deep.
        cancelled: Asked during the work; when it returns true, the work ends.

    Raises:
        CancelledWork: It was cancelled.
    """

    def analyse(plies: int) -> ActionNotes:
        analyse_kind = _analyse_cube if task.roll is None else _analyse_play
        chosen = settings.make_eval_settings(plies, engine.rules)
        return analyse_kind(engine, task, chosen, SearchWatch(cancelled))

    notes = analyse(settings.plies)
    if settings.is_deepening and task.is_close(notes):
        return analyse(settings.deeper_plies)
    return notes


def _analyse_cube(
    engine: Engine, task: AnalysisTask, settings: EvalSettings, watch: SearchWatch
) -> ActionNotes:
    found = engine.evaluate(task.position, task.match, settings, watch)
    watch.check()
    assert found.decision is not None  # cubeful, and the game is not over
    held, taken = found.decision.no_double.equity, _take_equity(found.decision)
    noted = note_evaluation(found)
    cube = CubeDecision.of_choices(noted._replace(equity=held), noted._replace(equity=taken))
    return ActionNotes(cube=cube)


def _analyse_play(
    engine: Engine, task: AnalysisTask, settings: EvalSettings, watch: SearchWatch
) -> ActionNotes:
    assert task.roll is not None
    if task.play is None:
        ranked = engine.rank_plays(task.position, task.roll, task.match, settings, watch)
        watch.check()
        return ActionNotes(candidates=note_plays(ranked[:MAX_CANDIDATES]))
    found = compare_play(engine, task.position, task.roll, task.match, task.play, settings, watch)
    watch.check()
    return ActionNotes(candidates=note_plays(order_plays(found)))


def _take_equity(decision: CubeDecision) -> float:
    """Return the equity of a double that is taken, not beavered; without a cube to turn, as not doubled."""
    if decision.double_take is None:
        return decision.no_double.equity
    beavered = decision.response is CubeResponse.BEAVER
    return decision.double_take.equity / (2.0 if beavered else 1.0)


_OPENING_WEIGHTS = np.array([one != two for one, two in ROLLS]) / 15.0


def measure_luck(
    engine: Engine,
    rolls: Sequence[AnalysisTask],
    workers: Workers | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> NDArray[np.float64]:
    """Measure the luck of rolls: the equity after the best play, less its mean over all rolls.

    *Source:* the manual of GNU Backgammon, "Luck analysis"; as there, equities are 0-ply and cubeful. The
    opening roll belongs to the side with the higher die: its mean is over the 30 rolls of two different
    dice, half of them the opponent's.

    Args:
        engine: Evaluates.
        rolls: n rolls, as `gammond.engine.match_analysis.tasks.list_rolls` has them.
        workers: Threads that share the work.
        cancelled: Asked during the work; when it returns true, the work ends.

    Returns:
        ``float64[n]``, in points for the cube at the roll (in a match on the scale of money play).

    Raises:
        CancelledWork: It was cancelled.
    """
    if not rolls:
        return np.zeros(0)
    boards = np.stack([rolled.position.board for rolled in rolls])
    matches = [rolled.match for rolled in rolls]
    openings = [place for place, rolled in enumerate(rolls) if rolled.is_opening]
    boards = np.concatenate([boards, boards[openings][:, ::-1]])
    matches += [replace(rolls[place].match, on_roll=1 - rolls[place].match.on_roll) for place in openings]
    equities = _evaluate_rolls(engine, np.ascontiguousarray(boards), matches, workers, cancelled)
    means = equities @ ROLL_WEIGHTS
    if openings:
        own, other = (equities[places] @ _OPENING_WEIGHTS for places in (openings, slice(len(rolls), None)))
        means[openings] = 0.5 * (own - other)
    places = list(map(_find_place, rolls))
    luck: NDArray[np.float64] = equities[np.arange(len(rolls)), places] - means[: len(rolls)]
    return luck


def _find_place(task: AnalysisTask) -> int:
    """Return the place of a roll among all."""
    assert task.roll is not None
    return ROLLS.index((max(task.roll), min(task.roll)))


def _evaluate_rolls(
    engine: Engine,
    boards: Board,
    matches: Sequence[MatchState],
    workers: Workers | None,
    cancelled: Callable[[], bool] | None,
) -> NDArray[np.float64]:
    """Return the equities after the best play of each of 21 rolls, ``float64[n, 21]``."""
    indices = {match: index for index, match in enumerate(dict.fromkeys(matches))}
    of_boards = np.array([indices[match] for match in matches], np.int64)
    found = find_best_plays(
        engine,
        np.repeat(boards, len(ROLLS), axis=0),
        np.tile(np.array(ROLLS, np.int8), (len(boards), 1)),
        list(indices),
        np.repeat(of_boards, len(ROLLS)),
        EvalSettings(),
        count=1,
        workers=workers,
        cancelled=cancelled,
    )
    return found.scores[:, 0].reshape(len(boards), len(ROLLS))
