"""What the sections of the HTML report share: text, numbers, marks, addresses of moves."""

from __future__ import annotations

from html import escape
from pathlib import Path

from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decision_errors import ScaledPoints
from gammond.engine.match_reports.ratings import format_lost
from gammond.engine.wording import escape_unprintable

_STYLE_FILE = Path(__file__).with_name("report.css")
_ERRORS_TO_95 = 1.96
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def format_page(title: str, body: str) -> str:
    """Return a page that needs no network and no scripts.

    Args:
        title: Its title, escaped.
        body: What is in it.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title}</title><link rel="icon" href="data:,">'
        f"<style>\n{_STYLE_FILE.read_text('utf-8')}</style></head>\n<body>{body}</body></html>\n"
    )


def escape_text(text: str) -> str:
    """Return a line of a file for the page."""
    return escape(escape_unprintable(text))


def format_comment(comment: str) -> str:
    """Format a person's comment, with its lines; empty if there is none."""
    if not comment.strip():
        return ""
    lines = "\n".join(map(escape_text, comment.strip().splitlines()))
    return f'<p class="comment">{lines}</p>'


def format_points(points: float) -> str:
    """Format an equity with its sign."""
    return f"{points:+.3f}".replace("-", "\N{MINUS SIGN}")


def format_difference(points: float) -> str:
    """Format by how much an equity is below the best one."""
    return f"\N{MINUS SIGN}{points:.3f}" if f"{points:.3f}" != "0.000" else "0.000"


def format_interval(error: float) -> str:
    """Format the 95 % interval of a standard error."""
    return f"±{_ERRORS_TO_95 * error:.3f}"


def format_loss(loss: ScaledPoints) -> str:
    """Format what a decision lost, in equity and in match-winning chance."""
    return format_lost(loss.points, loss.mwc).replace(" %", "\N{NO-BREAK SPACE}%")


def format_verdict(loss: ScaledPoints) -> str:
    """Format the mark of a loss with the loss."""
    return f'<span class="{loss.mark}">{loss.mark}: lost {format_loss(loss)}</span>'


def name_place(game: int, move: int, seat: int) -> str:
    """Return the name of the place of a move: ``g3m9p2`` is move 9 of the second player in game 3."""
    return f"g{game + 1}m{move}p{seat + 1}"


def list_names(analysed: AnalysedMatch) -> tuple[str, str]:
    """Return the names of both seats for the page."""
    one, two = map(escape, analysed.names)
    return one, two
