"""Analyses of the same match by several programs, and the decisions on which two of them differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.rules.match import SEATS


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
class RolledLoss:
    """What a choice lost, by a rollout of it and of the best ones of two analyses.

    Attributes:
        points: How much better the best of the others is; less than 0 if the choice was the best.
        standard_error: Of that difference.
    """

    points: float
    standard_error: float


@dataclass(frozen=True)
class Disagreement:
    """A decision of which two analyses say that it lost different amounts.

    Attributes:
        ours: As the one has it.
        theirs: As the other has it.
        rolled: What a rollout says; None without one.
    """

    ours: AnalysedDecision
    theirs: AnalysedDecision
    rolled: RolledLoss | None = None

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
        beyond = self.rolled.points - middle
        if abs(beyond) < 2 * self.rolled.standard_error:
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
    known = {_find_place(decision): decision for decision in theirs.decisions}
    both = [
        Disagreement(decision, known[_find_place(decision)])
        for decision in ours.decisions
        if _find_place(decision) in known
    ]
    return len(both), [each for each in both if abs(each.our_error - each.their_error) > above]


def compute_rating_differences(ours: ComparedMatch, theirs: ComparedMatch) -> list[float]:
    """Return how far the performance ratings of a match lie apart, one for each player who has both."""
    pairs = [(ours.ratings[seat], theirs.ratings[seat]) for seat in SEATS]
    return [abs(own - other) for own, other in pairs if own is not None and other is not None]


def combine_errors(*errors: float | None) -> float:
    """Return the standard error of a sum or a difference."""
    return math.hypot(*(error or 0.0 for error in errors))


def _find_place(decision: AnalysedDecision) -> tuple[int, int, Choice]:
    return decision.game, decision.place, decision.choice
