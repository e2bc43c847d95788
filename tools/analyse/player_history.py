"""How well one player played, match after match, as text, JSON and csv."""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from dataclasses import dataclass

from gammond.engine.errors import ValueRangeError
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decision_errors import CountedDecision
from gammond.engine.match_analysis.documents import list_rating
from gammond.engine.match_analysis.statistics import (
    AnalysedRoll,
    PlayerStatistics,
    compute_statistics,
    round_value,
)
from gammond.engine.match_reports.ratings import explain_unscaled, format_luck, format_rate, format_rating
from gammond.engine.wording import escape_unprintable, shorten_names
from gammond.tools.analyse.players_report import list_actions_of

_OPPONENT_WIDTH = 24
_COLUMNS = (
    *("file", "date", "opponent", "length", "own_score", "other_score", "won", "counted"),
    *("performance_rating", "performance_rating_95", "moving_rating", "moving_rating_95", "moving_counted"),
    *("error", "error_mwc", "errors", "blunders", "gnubg_error_rate", "snowie_error_rate"),
    *("luck_points", "luck_mwc"),
)


@dataclass(frozen=True)
class HistoryRow:
    """A match of the player.

    Attributes:
        file: The name of its file.
        date: Its date, empty for none.
        opponent: The other player.
        length: Points of the match, 0 for money.
        score: Of the player and of the opponent at the end, as far as it is known.
        is_won: Whether the player won; None in money play, and if the match did not end.
        player: The player's statistics.
        moving: Those of the last decisions up to its end.
    """

    file: str
    date: str
    opponent: str
    length: int
    score: tuple[int, int]
    is_won: bool | None
    player: PlayerStatistics
    moving: PlayerStatistics


class PlayerHistory:
    """Collects the matches of a player, in order.

    Args:
        name: The player.
        window: How many decisions that count make a moving mean.

    Attributes:
        name: As given.
        window: As given.
        rows: The matches.
        method: What analysed them, in words.

    Raises:
        ValueRangeError: The window holds nothing.
    """

    def __init__(self, name: str, window: int) -> None:
        if window < 1:
            raise ValueRangeError(f"expected a window of 1 decision or more, got {window}", field="window")
        self.name = name
        self.window = window
        self.rows: list[HistoryRow] = []
        self.method = ""
        self._decisions: list[CountedDecision] = []
        self._rolls: list[AnalysedRoll] = []
        self._last: deque[CountedDecision] = deque()
        self._counted = 0

    def add(self, analysed: AnalysedMatch, seat: int, date: str) -> None:
        """Add a match.

        Args:
            analysed: The match.
            seat: The player's.
            date: Its date, empty for none.
        """
        decisions, rolls = list_actions_of(analysed, seat)
        self.method = analysed.method
        self._decisions += decisions
        self._rolls += rolls
        for decision in decisions:
            if decision.seat == 0:
                self._last.append(decision)
                self._counted += decision.counts_for_xg
            while self._counted > self.window:
                self._counted -= self._last.popleft().counts_for_xg
        score = analysed.score[seat], analysed.score[1 - seat]
        self.rows.append(
            HistoryRow(
                analysed.name,
                date,
                analysed.match.names[1 - seat],
                analysed.match.length,
                score,
                None if analysed.winner is None else analysed.winner == seat,
                compute_statistics(0, decisions, rolls),
                compute_statistics(0, self._last),
            )
        )

    @property
    def total(self) -> PlayerStatistics:
        """The player's statistics over all matches."""
        return compute_statistics(0, self._decisions, self._rolls)


def format_history(history: PlayerHistory) -> str:
    """Format a history for the terminal."""
    total, window = history.total, f"last {history.window:,}"
    lines = [
        f"{escape_unprintable(history.name)}: {len(history.rows):,} match{'es' * (len(history.rows) != 1)}, "
        f"{total.counted_decisions:,} counted decisions, PR {format_rating(total)}",
        history.method,
        "",
        f"{'date':<17}{'opponent':<{_OPPONENT_WIDTH}}{'length':>7}{'score':>8}{'counted':>9}{'PR':>15}"
        f"{window:>15}{'gnubg':>7}{'luck':>9}",
    ]
    opponents = shorten_names([escape_unprintable(row.opponent) for row in history.rows], _OPPONENT_WIDTH - 1)
    for row, opponent in zip(history.rows, opponents, strict=True):
        lines.append(
            f"{row.date:<17}{opponent:<{_OPPONENT_WIDTH}}{row.length or 'money':>7}{format_score(row):>8}"
            f"{row.player.counted_decisions:>9,} {format_rating(row.player):>14}"
            f" {format_rating(row.moving):>14}"
            f"{format_rate(row.player.gnubg_error_rate):>7}{format_luck(row.player.luck_points):>9}"
        )
    lines += filter(None, [explain_unscaled([total])])
    return "\n".join(lines) + "\n"


def format_history_json(history: PlayerHistory) -> str:
    """Format a history as an object of JSON in a line."""
    total = history.total
    document = {
        "player": history.name,
        "method": history.method,
        "window": history.window,
        **_describe_player(total),
        "matches": [describe_row(row) for row in history.rows],
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def format_history_csv(history: PlayerHistory) -> str:
    """Format a history as csv, a row for each match."""
    text = io.StringIO()
    rows = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    rows.writeheader()
    for row in history.rows:
        described = describe_row(row)
        won = "" if row.is_won is None else int(row.is_won)
        own, other = row.score
        listed = {name: described[name] for name in _COLUMNS if name in described}
        rows.writerow({**listed, "won": won, "own_score": own, "other_score": other})
    return text.getvalue()


def describe_row(row: HistoryRow) -> dict[str, object]:
    """Return a match of a history by keys."""
    moving = list_rating(row.moving)
    return {
        "file": row.file,
        "date": row.date,
        "opponent": row.opponent,
        "length": row.length,
        "score": list(row.score),
        "won": row.is_won,
        **_describe_player(row.player),
        "moving_rating": moving["performance_rating"],
        "moving_rating_95": moving["performance_rating_95"],
        "moving_counted": moving["counted"],
    }


def format_score(row: HistoryRow) -> str:
    """Format the score at the end, the player's points first."""
    return f"{row.score[0]}-{row.score[1]}"


def _describe_player(player: PlayerStatistics) -> dict[str, object]:
    return {
        **list_rating(player),
        "gnubg_error_rate": round_value(player.gnubg_error_rate),
        "snowie_error_rate": round_value(player.snowie_error_rate),
        "luck_points": round_value(player.luck_points),
        "luck_mwc": round_value(player.luck_mwc),
    }
