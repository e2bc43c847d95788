"""The statistics of players over several matches."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decision_errors import CountedDecision
from gammond.engine.match_analysis.statistics import AnalysedRoll, compute_statistics
from gammond.engine.match_reports.ratings import explain_unscaled, format_luck, format_rate, format_rating
from gammond.engine.rules.match import SEATS
from gammond.engine.wording import escape_unprintable, shorten_names

_NAME_WIDTH = 24


class PlayersReport:
    """Collects the decisions of each player, by name."""

    def __init__(self) -> None:
        self._decisions: dict[str, list[CountedDecision]] = defaultdict(list)
        self._rolls: dict[str, list[AnalysedRoll]] = defaultdict(list)
        self._matches: dict[str, int] = defaultdict(int)

    def add(self, analysed: AnalysedMatch) -> None:
        """Add the decisions of a match; in the numbers of a player that player's seat is 0."""
        for seat in SEATS:
            name = analysed.match.names[seat]
            decisions, rolls = list_actions_of(analysed, seat)
            self._matches[name] += 1
            self._decisions[name] += decisions
            self._rolls[name] += rolls

    def format(self) -> str:
        """Format a table of the players who played more than one match, those of most matches first."""
        several = sorted(
            (name for name, count in self._matches.items() if count > 1 and name),
            key=lambda name: (-self._matches[name], name),
        )
        if not several:
            return ""
        header = (
            f"{'':{_NAME_WIDTH}}{'matches':>8}{'counted':>9}{'PR':>15}{'gnubg':>8}{'Snowie':>8}{'luck':>10}"
        )
        lines, every = ["Over several matches:", header], []
        shown = shorten_names(list(map(escape_unprintable, several)), _NAME_WIDTH - 1)
        for name, short in zip(several, shown, strict=True):
            found = compute_statistics(0, self._decisions[name], self._rolls[name])
            every.append(found)
            lines.append(
                f"{short:{_NAME_WIDTH}}{self._matches[name]:>8,}"
                f"{found.counted_decisions:>9,} {format_rating(found):>14}"
                f"{format_rate(found.gnubg_error_rate):>8}"
                f"{format_rate(found.snowie_error_rate):>8}{format_luck(found.luck_points):>10}"
            )
        lines += filter(None, [explain_unscaled(every)])
        return "\n".join(lines) + "\n"


def list_actions_of(analysed: AnalysedMatch, seat: int) -> tuple[list[CountedDecision], list[AnalysedRoll]]:
    """Return the decisions and rolls of a match as if a player's seat were 0."""
    return (
        [each.seen_from(seat) for each in analysed.decisions],
        [replace(each, seat=each.seat ^ seat) for each in analysed.rolls],
    )
