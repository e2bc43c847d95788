"""Comparisons of analyses as text or by keys: matches, the worst decisions, those on which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean

from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_analysis.documents import list_rating
from gammond.engine.match_reports.ratings import format_lost
from gammond.engine.rules.dice import encode_roll, format_roll
from gammond.tools.common.reports import format_table
from gammond.tools.measure.matches.comparison import (
    ComparedMatch,
    Disagreement,
    MatchComparison,
    compute_rating_differences,
)

_LEANINGS = {1: "ours", -1: "gnubg's", 0: "neither"}


def format_comparisons(comparisons: Sequence[MatchComparison], errors: int, above: float) -> str:
    """Format the analyses of matches beside each other.

    Args:
        comparisons: One or more matches.
        errors: How many of the worst decisions of each analysis are listed.
        above: From which difference on decisions are listed, in points.
    """
    head = ("match", "analysis", "decisions", "PR", "gnubg's rate", "lost", "errors", "processor s")
    rows = [_list_figures(each, found) for each in comparisons for found in each.analyses]
    parts = [format_table(head, rows, left={0, 1})]
    if errors:
        worst = [row for each in comparisons for row in _list_worst(each, errors)]
        parts.append(format_table(("match", "analysis", *_DECISION_HEAD, "lost"), worst, left={0, 1, 6, 7}))
    differing = [(each.name, found) for each in comparisons for found in each.disagreements]
    if differing:
        rows = [_list_disagreement(name, found) for name, found in differing]
        columns = ("match", *_DECISION_HEAD, "best of gnubg", "ours", "gnubg's", "rollout", "nearer")
        parts.append(format_table(columns, rows, left={0, 5, 6, 7, 11}))
    parts.append("".join(f"{line}\n" for line in _summarise(comparisons, above)))
    return "\n".join(parts)


def list_comparisons(comparisons: Sequence[MatchComparison], errors: int, above: float) -> dict[str, object]:
    """Return what `format_comparisons` says by keys, with the numbers as they are."""
    ratings = [
        apart for each in comparisons for apart in compute_rating_differences(each.ours[-1], each.theirs)
    ]
    differing = [found for each in comparisons for found in each.disagreements]
    rolled = [found.leaning for found in differing if found.rolled is not None]
    return {
        "matches": [
            {
                "match": each.name,
                "analyses": [_describe_analysis(found, errors) for found in each.analyses],
                "decisions": each.decisions,
                "differing": [_describe_disagreement(found) for found in each.disagreements],
            }
            for each in comparisons
        ],
        "above": above,
        "decisions": sum(each.decisions for each in comparisons),
        "differing": len(differing),
        "rating_difference_mean": mean(ratings) if ratings else None,
        "rating_difference_max": max(ratings, default=None),
        "nearer": {word: rolled.count(leaning) for leaning, word in _LEANINGS.items()} if rolled else None,
    }


def _describe_analysis(analysis: ComparedMatch, errors: int) -> dict[str, object]:
    return {
        "by": analysis.by,
        "decisions": len(analysis.analysed.decisions),
        "players": [
            {**list_rating(player), "gnubg_error_rate": player.gnubg_error_rate}
            for player in analysis.analysed.statistics
        ],
        "processor_s": analysis.processor_s,
        "worst": [
            {**_describe_decision(each), "best": each.best, "error": each.loss.points}
            for each in _find_worst(analysis, errors)
        ],
    }


def _describe_disagreement(found: Disagreement) -> dict[str, object]:
    rolled = found.rolled
    return {
        **_describe_decision(found.ours),
        "best": {"ours": found.ours.best, "gnubg": found.theirs.best},
        "error": {"ours": found.our_error, "gnubg": found.their_error},
        "rollout": None if rolled is None else {"error": rolled.value, "se": rolled.error},
        "nearer": None if rolled is None else _LEANINGS[found.leaning],
    }


def _describe_decision(decision: AnalysedDecision) -> dict[str, object]:
    return {
        "game": decision.game + 1,
        "move": decision.move,
        "seat": decision.seat,
        "decision": str(decision.choice),
        "roll": encode_roll(decision.roll) if decision.roll else "",
        "chosen": decision.chosen,
    }


_DECISION_HEAD = ("game", "move", "player", "roll", "chosen", "best")


def _list_figures(comparison: MatchComparison, analysis: ComparedMatch) -> tuple[str, ...]:
    players = analysis.analysed.statistics
    return (
        comparison.name,
        analysis.by,
        str(len(analysis.analysed.decisions)),
        format_pair([player.performance_rating for player in players], 2),
        format_pair([player.gnubg_error_rate for player in players], 1),
        format_pair([player.total.error_points for player in players], 3),
        " ".join(str(player.errors) for player in players),
        "" if analysis.processor_s is None else f"{analysis.processor_s:.1f}",
    )


def format_pair(values: Sequence[float | None], digits: int) -> str:
    """Format a figure of both players; ``-`` where there is none."""
    return "  ".join("-" if value is None else f"{value:.{digits}f}" for value in values)


def _list_decision(decision: AnalysedDecision) -> tuple[str, ...]:
    place = str(decision.game + 1), str(decision.move), str(decision.seat + 1)
    return *place, format_roll(decision.roll), decision.chosen, decision.best


def _list_worst(comparison: MatchComparison, count: int) -> Iterator[tuple[str, ...]]:
    for analysis in comparison.analyses:
        for decision in _find_worst(analysis, count):
            lost = format_lost(decision.loss.points, None) or "-"
            yield comparison.name, analysis.by, *_list_decision(decision), lost


def _find_worst(analysis: ComparedMatch, count: int) -> list[AnalysedDecision]:
    decisions = analysis.analysed.decisions
    return sorted(decisions, key=lambda each: -each.loss.size)[:count]


def _list_disagreement(name: str, found: Disagreement) -> tuple[str, ...]:
    rolled = found.rolled
    return (
        name,
        *_list_decision(found.ours),
        found.theirs.best,
        f"{found.our_error:.3f}",
        f"{found.their_error:.3f}",
        "" if rolled is None else f"{rolled:.3f}",
        "" if rolled is None else _LEANINGS[found.leaning],
    )


def _summarise(comparisons: Sequence[MatchComparison], above: float) -> Iterator[str]:
    ours = [each.ours[-1] for each in comparisons]
    theirs = [each.theirs for each in comparisons]
    decisions = sum(each.decisions for each in comparisons)
    differing = [found for each in comparisons for found in each.disagreements]
    matches = f"{len(comparisons)} match{'es' * (len(comparisons) > 1)}"
    yield f"{matches}, {decisions:,} decisions; {len(differing)} of them differ by more than {above:g}"
    pairs = zip(ours, theirs, strict=True)
    ratings = [apart for own, other in pairs for apart in compute_rating_differences(own, other)]
    if ratings:
        yield f"PR of a player differs by {mean(ratings):.2f} on average, by {max(ratings):.2f} at most"
    for found in (ours, theirs):
        if all(each.processor_s is not None for each in found):
            yield f"{found[0].by}: {sum(each.processor_s or 0.0 for each in found):.1f} s of processor time"
    rolled = [found.leaning for found in differing if found.rolled is not None]
    if rolled:
        counts = ", ".join(f"{rolled.count(leaning)} {word}" for leaning, word in _LEANINGS.items())
        yield f"rollouts are nearer to: {counts}"
