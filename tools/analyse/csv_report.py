"""The decisions of analysed matches as csv, a row each, for spreadsheets and pandas."""

from __future__ import annotations

import csv
import io

from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.documents import list_decision

_COLUMNS = (
    *("file", "length", "player", "opponent", "game", "move", "action", "seat", "own_score", "other_score"),
    "phase",
    *("decision", "roll", "chosen", "best", "error", "error_mwc", "counts_for_xg", "counts_for_gnubg"),
    *("depth", "se", "trials", "no_double", "double_take", "double_pass", "xgid"),
)


def format_csv(analysed: AnalysedMatch, *, has_header: bool) -> str:
    """Format the decisions of a match; what a row has not is empty.

    Args:
        analysed: The match.
        has_header: Whether the names of the columns come first.
    """
    text = io.StringIO()
    rows = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    if has_header:
        rows.writeheader()
    names = analysed.match.names
    for decision in analysed.decisions:
        listed = list_decision(decision, analysed.table)
        seat = decision.seat
        score = decision.situation.match.score
        rows.writerow(
            {
                **{name: int(value) if isinstance(value, bool) else value for name, value in listed.items()},
                "file": analysed.name,
                "chosen": decision.chosen if decision.is_legal else decision.chosen_name,
                "length": analysed.match.length,
                "player": names[seat],
                "opponent": names[1 - seat],
                "own_score": score[seat],
                "other_score": score[1 - seat],
            }
        )
    return text.getvalue()
