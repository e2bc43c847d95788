"""Analyses of the same match by several programs, where two of them differ, and rollouts of that."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from gammond.engine.analysis.engine import Engine
from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match
from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.match import SEATS
from gammond.engine.rules.moves import Play
from gammond.engine.runtime.threads import Workers
from gammond.engine.statistics import ValueWithError
from gammond.tools.common.progress import Progress
from gammond.tools.gnubg.analysis import GnubgRoller


@dataclass(frozen=True)
class ComparedMatch:
    """What one program says about a match.

    Attributes:
        by: The program and its depth, in words.
        analysed: The match with its notes.
        processor_s: The processor time that it took; None where nobody measured it.
    """

    by: str
    analysed: AnalysedMatch
    processor_s: float | None = None

    @property
    def ratings(self) -> tuple[float | None, float | None]:
        """The performance rating of both players; None without a decision that counts."""
        one, two = self.analysed.statistics
        return one.performance_rating, two.performance_rating


@dataclass(frozen=True)
class Disagreement:
    """A decision of which two analyses say that it lost different amounts.

    Attributes:
        ours: As the one has it.
        theirs: As the other has it.
        rolled: How much better the best of the others is by a rollout of all, in points; less than 0 if the
            choice was the best. None without one.
    """

    ours: AnalysedDecision
    theirs: AnalysedDecision
    rolled: ValueWithError | None = None

    @property
    def our_error(self) -> float:
        """What the one says was lost."""
        return self.ours.loss.size

    @property
    def their_error(self) -> float:
        """What the other says was lost."""
        return self.theirs.loss.size

    @property
    def leaning(self) -> int:
        """Which of them the rollout is nearer to: 1 ours, -1 theirs, 0 neither, within twice its error."""
        if self.rolled is None:
            return 0
        middle = (self.our_error + self.their_error) / 2
        beyond = self.rolled.value - middle
        if abs(beyond) < 2 * self.rolled.error:
            return 0
        return 1 if (beyond > 0) == (self.our_error > self.their_error) else -1


@dataclass(frozen=True)
class MatchComparison:
    """The analyses of a match, and where ours and gnubg's differ.

    Attributes:
        name: The name of its file.
        recorded: That of the file; None where it has none.
        theirs: gnubg's.
        ours: By this engine; the last one is compared with gnubg's.
        decisions: How many decisions both of these have.
        disagreements: Those on which they differ.
    """

    name: str
    recorded: ComparedMatch | None
    theirs: ComparedMatch
    ours: tuple[ComparedMatch, ...]
    decisions: int
    disagreements: tuple[Disagreement, ...]

    @property
    def analyses(self) -> tuple[ComparedMatch, ...]:
        """All of them."""
        return (*([self.recorded] if self.recorded else []), self.theirs, *self.ours)


def find_disagreements(
    ours: AnalysedMatch, theirs: AnalysedMatch, above: float
) -> tuple[int, list[Disagreement]]:
    """Find the decisions of which two analyses of a match say that different amounts were lost.

    Args:
        ours: The one.
        theirs: The other, of the same actions.
        above: The least difference that is listed, in points.

    Returns:
        How many decisions both have, and those on which they differ, in the order of the match.
    """
    both = [Disagreement(*pair) for pair in pair_decisions(ours, theirs)]
    return len(both), [each for each in both if abs(each.our_error - each.their_error) > above]


def pair_decisions(
    ours: AnalysedMatch, theirs: AnalysedMatch
) -> list[tuple[AnalysedDecision, AnalysedDecision]]:
    """Return the decisions that two analyses of a match both have, in its order."""
    known = {_find_place(decision): decision for decision in theirs.decisions}
    places = ((decision, _find_place(decision)) for decision in ours.decisions)
    return [(decision, known[place]) for decision, place in places if place in known]


def analyse_here(
    engine: Engine,
    name: str,
    match: RecordedMatch,
    settings: AnalysisSettings,
    workers: Workers,
    cancelled: Callable[[], bool],
) -> ComparedMatch:
    """Let the engine analyse a match, with a line of progress.

    Raises:
        CancelledWork: It was cancelled.
    """
    by = f"gammond, {settings.plies}-ply"
    if settings.is_deepening:
        by += f", close ones {settings.deeper_plies}-ply"
    with Progress(None, f"{name}, {by}", lines_of="gammond measure") as progress:

        def show(done: int, total: int) -> None:
            progress.total = total
            progress.update(done)

        began_s = time.process_time()
        noted = analyse_match(engine, match, settings, workers=workers, progress=show, cancelled=cancelled)
    seconds = time.process_time() - began_s
    table = engine.table or load_default_table()
    return ComparedMatch(by, AnalysedMatch(name, noted, by, table), seconds)


def compute_rating_differences(ours: ComparedMatch, theirs: ComparedMatch) -> list[float]:
    """Return how far the performance ratings of a match lie apart, one for each player who has both."""
    pairs = [(ours.ratings[seat], theirs.ratings[seat]) for seat in SEATS]
    return [abs(own - other) for own, other in pairs if own is not None and other is not None]


def roll_out(disagreement: Disagreement, roller: GnubgRoller) -> Disagreement:
    """Let gnubg roll out the choice that was made and the best ones of both analyses.

    Raises:
        GammondError: As the methods of `GnubgRoller`.
    """
    choice = disagreement.ours.choice
    rolled = _roll_out_play if choice is Choice.PLAY else _roll_out_cube
    return replace(disagreement, rolled=rolled(disagreement, roller))


def _roll_out_play(disagreement: Disagreement, roller: GnubgRoller) -> ValueWithError | None:
    ours, theirs = disagreement.ours, disagreement.theirs
    action = roller.match.games[ours.game].actions[ours.place]
    assert isinstance(action, PlayAction)
    best = (side.notes.candidates[0].play for side in (ours, theirs))
    plays: dict[object, Play] = {play.result: play for play in (action.play, *best)}
    if len(plays) == 1:
        return None
    found = roller.roll_out_plays(ours.situation, action.roll, list(plays.values()))
    (made,) = (each.evaluation for each in found if each.play.result == action.play.result)
    others = [each.evaluation for each in found if each.play.result != action.play.result]
    other = max(others, key=lambda each: each.equity)
    return ValueWithError(other.equity - made.equity, _combine_errors(other.error, made.error))


def _roll_out_cube(disagreement: Disagreement, roller: GnubgRoller) -> ValueWithError:
    choice = disagreement.ours.choice
    cube = roller.roll_out_cube(disagreement.ours.situation)
    no_double, double_take, double_pass = cube.equities
    held, taken = cube.no_double.error, cube.double_take and cube.double_take.error
    if choice in (Choice.TAKE, Choice.PASS):
        gain = double_take - double_pass
        return ValueWithError(gain if choice is Choice.TAKE else -gain, _combine_errors(taken))
    gain = cube.double - no_double
    answered = taken if double_take < double_pass else 0.0
    return ValueWithError(-gain if choice is Choice.DOUBLE else gain, _combine_errors(held, answered))


def _combine_errors(*errors: float | None) -> float:
    """Return the standard error of a sum or a difference."""
    return math.hypot(*(error or 0.0 for error in errors))


def _find_place(decision: AnalysedDecision) -> tuple[int, int, Choice]:
    return decision.game, decision.place, decision.choice
