"""Rollouts of the decisions of a match that a search leaves close, or finds wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, EvalSettings
from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.cubeful import CubeGame
from gammond.engine.errors import CancelledWork, ValueRangeError
from gammond.engine.evaluation.results import CubeDecision, RankedPlay
from gammond.engine.match_analysis.notes import (
    ROLLED_OUT,
    AnalysisJournal,
    add_notes,
    note_evaluation,
    note_plays,
)
from gammond.engine.match_analysis.tasks import CLOSE_POINTS, AnalysisTask, list_match_tasks
from gammond.engine.match_files.model import NO_NOTES, ActionNotes, RecordedMatch, split_by_depth
from gammond.engine.rollout import RolloutSettings, RolloutState
from gammond.engine.rollout.decisions import roll_out_cube, roll_out_plays
from gammond.engine.rollout.runner import BlockPlayer, RolloutHandling
from gammond.engine.rollout.settings import RolloutEvaluators
from gammond.engine.rollout.stop_rules import CANCELLED, describe_aims

QUICK_ROLLOUT = RolloutSettings(trials=324, truncation=11, min_trials=108)
"""Some seconds for a decision, with a standard error of about .005 points."""


@dataclass(frozen=True)
class DecisionRollouts:
    """How decisions are rolled out.

    Attributes:
        settings: Trials, truncation, stop rules, threads.
        plies: Look-ahead for checker plays and cube decisions.
        leaf_plies: Look-ahead for the values at the truncation.
        max_plays: Plays of a decision that are rolled out, 2 or more: the play that was made and the best of
            those that are close to the best one.

    Raises:
        ValueRangeError: A number is out of range.
    """

    settings: RolloutSettings = QUICK_ROLLOUT
    plies: int = 0
    leaf_plies: int = 0
    max_plays: int = DEFAULT_CANDIDATES

    def __post_init__(self) -> None:
        for plies in (self.plies, self.leaf_plies):
            EvalSettings(plies)
        if self.max_plays < 2:
            raise ValueRangeError(f"expected 2 plays or more, got {self.max_plays}", field="candidates")

    def describe(self) -> str:
        """Return them in words."""
        settings = self.settings
        parts = [f"{settings.trials:,} trials", f"{self.plies}-ply", f"seed {settings.seed}"]
        if settings.truncation:
            parts.insert(1, f"{settings.truncation} plies, then {self.leaf_plies}-ply")
        parts += describe_aims(settings)
        if not settings.variance_reduction:
            parts.append("no variance reduction")
        return f"rolled out ({', '.join(parts)})"


def count_rolled_out(match: RecordedMatch, rollouts: DecisionRollouts) -> list[int]:
    """Return how many positions `roll_out_decisions` rolls out for each decision that it takes.

    Args:
        match: As for `roll_out_decisions`.
        rollouts: How.
    """
    return [
        2 if task.roll is None else len(_choose_candidates(notes.candidates, task, rollouts.max_plays))
        for _, task, notes in _list_close(match)
    ]


def roll_out_decisions(
    engine: Engine,
    match: RecordedMatch,
    rollouts: DecisionRollouts,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] | None = None,
    journal: AnalysisJournal | None = None,
    blocks: BlockPlayer | None = None,
) -> RecordedMatch:
    """Return an analysed match with rollouts of the decisions that are close or wrong by its notes.

    The play that was made and the best of those near the best one are rolled out, all with the same dice and
    trials; so are no double and double/take. A play that was rolled out stands before those that were not.

    Args:
        engine: Evaluates.
        match: The match, as `gammond.engine.match_analysis.analysis.analyse_match` left it.
        rollouts: How.
        progress: Called with the numbers of trials that are done, and of all.
        cancelled: Asked during the work; when it returns true, the work ends.
        journal: As for `analyse_match`.
        blocks: As for `gammond.engine.rollout.roll_out`.

    Raises:
        CancelledWork: It was cancelled.
    """
    close, known = _list_close(match), AnalysisJournal() if journal is None else journal
    here, trials = engine.with_rules(match.rules.rules), rollouts.settings.trials
    evaluators = make_rollout_evaluators(here, rollouts.plies, rollouts.leaf_plies, cancelled)
    for place, (number, task, notes) in enumerate(close):

        def show(state: RolloutState, done: int = place * trials) -> None:
            progress(done + state.count_trials(), len(close) * trials)

        progress(place * trials, len(close) * trials)
        if (ROLLED_OUT, number) not in known:
            game = here.make_cube_game(task.match)
            known[ROLLED_OUT, number] = _roll_out(
                *(task, notes, game, evaluators, rollouts), progress=show, cancelled=cancelled, blocks=blocks
            )
    progress(len(close) * trials, len(close) * trials)
    rolled = [(task, known[ROLLED_OUT, number]) for number, task, _ in close]
    return add_notes(match, [(task.game, place, notes) for task, notes in rolled for place in task.places])


def _list_close(match: RecordedMatch) -> list[tuple[int, AnalysisTask, ActionNotes]]:
    """List the decisions that are close or wrong, each with its number among all and what is known of it."""
    close = []
    for number, task in enumerate(list_match_tasks(match)):
        notes = match.games[task.game].notes.get(task.places[0], NO_NOTES)
        own = ActionNotes(candidates=notes.candidates) if task.roll else ActionNotes(cube=notes.cube)
        if task.is_close(own):
            close.append((number, task, own))
    return close


def _roll_out(
    task: AnalysisTask,
    notes: ActionNotes,
    game: CubeGame,
    evaluators: RolloutEvaluators,
    rollouts: DecisionRollouts,
    **handling: Unpack[RolloutHandling],
) -> ActionNotes:
    """Return the notes on a decision with its rollout.

    Raises:
        CancelledWork: It was cancelled.
    """
    if task.roll is None:
        found = roll_out_cube(task.position, game, evaluators, rollouts.settings, **handling)
        rollout, held = found.rollout, note_evaluation(found.no_double)
        taken = held if found.take is None else note_evaluation(found.take)
        rolled = ActionNotes(cube=CubeDecision.of_choices(held, taken))
    else:
        plays = [each.play for each in _choose_candidates(notes.candidates, task, rollouts.max_plays)]
        results, rollout = roll_out_plays(
            *(task.position, task.roll, evaluators, rollouts.settings),
            plays=plays,
            game=game,
            prunes=False,
            **handling,
        )
        chosen = {play.result for play in plays}
        others = [each for each in notes.candidates if each.play.result not in chosen]
        rolled = ActionNotes(candidates=(*note_plays(results), *others))
    if rollout.reason == CANCELLED:
        raise CancelledWork("the rollout was cancelled")
    return rolled


def _choose_candidates(candidates: Sequence[RankedPlay], task: AnalysisTask, most: int) -> list[RankedPlay]:
    """Return the candidates to roll out: the play that was made, and those close to the best at its depth."""
    best, made = candidates[0].evaluation, task.find_made(candidates)
    near = [
        each
        for each in split_by_depth(candidates)[0]
        if each is not made and best.equity - each.evaluation.equity < CLOSE_POINTS
    ]
    chosen = [made, *near[: most - 1]]
    return [each for each in candidates if each in chosen]
