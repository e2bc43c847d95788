"""The history of a player as one HTML file: performance ratings over time as a plot, and a table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from gammond.engine.match_reports.html_parts import escape_text, format_page
from gammond.engine.match_reports.ratings import format_luck, format_rate, format_rating
from gammond.tools.analyse.player_history import HistoryRow, PlayerHistory, format_score

_WIDTH, _HEIGHT = 900, 340
_LEFT, _TOP, _BOTTOM, _RIGHT = 40, 12, 34, 14
_PLOT_WIDTH = _WIDTH - _LEFT - _RIGHT
_PLOT_HEIGHT = _HEIGHT - _TOP - _BOTTOM
_STEPS = (0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 50.0, 100.0)
_GRID_LINES = 5
_NEAREST_LABELS = 84


def format_player_html(history: PlayerHistory, date: datetime) -> str:
    """Format a history.

    Args:
        history: The matches of a player, one or more.
        date: When the analysis was begun.
    """
    name, total = escape_text(history.name), history.total
    matches = f"{len(history.rows):,} match{'es' * (len(history.rows) != 1)}"
    facts = {
        "Matches": f"{matches}, {total.counted_decisions:,} decisions that count",
        "PR": f"{format_rating(total)}, by eXtreme Gammon's rule, with its 95 % interval",
        "Error rates": f"{format_rate(total.gnubg_error_rate)} of GNU Backgammon, "
        f"{format_rate(total.snowie_error_rate)} of Snowie, in millipoints",
        "Luck": f"{format_luck(total.luck_points)} points by own rolls",
        "Analysed by": escape_text(history.method),
        "Date": f"{date:%Y-%m-%d %H:%M}",
    }
    listed = "".join(f"<dt>{label}</dt><dd>{text}</dd>" for label, text in facts.items())
    return format_page(
        f"{name}, {matches}",
        f"<header><h1>{name}: {matches}</h1><dl>{listed}</dl></header>\n<main>"
        f'<section><h2 id="course">Performance rating</h2>{_draw_plot(history)}</section>\n'
        f"{_format_rows(history)}</main>\n",
    )


def _draw_plot(history: PlayerHistory) -> str:
    """Draw the rating of each match with its interval, the moving mean and the mean of all."""
    rows = [row for row in history.rows if row.player.performance_rating is not None]
    if not rows:
        return "<p>No match has a decision that counts.</p>"
    total = history.total.performance_rating or 0.0
    ratings = [row.player.performance_rating or 0.0 for row in rows]
    moving = [row.moving.performance_rating or 0.0 for row in rows]
    step = next((each for each in _STEPS if each * _GRID_LINES >= max(ratings)), max(ratings) / _GRID_LINES)
    high = step * _GRID_LINES

    def get_x(place: int) -> float:
        return _LEFT + _PLOT_WIDTH * (place + 0.5) / len(rows)

    def get_y(rating: float) -> float:
        return _TOP + _PLOT_HEIGHT * (1.0 - min(max(rating, 0.0), high) / high)

    parts = []
    for line in range(_GRID_LINES + 1):
        y = get_y(line * step)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}h{_PLOT_WIDTH}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{line * step:g}</text>')
    parts += _draw_dates(rows, get_x)
    band = [(row.moving.performance_rating or 0.0, row.moving.performance_rating_95 or 0.0) for row in rows]
    upper = [f"{get_x(place):.1f},{get_y(mean + half):.1f}" for place, (mean, half) in enumerate(band)]
    lower = [f"{get_x(place):.1f},{get_y(mean - half):.1f}" for place, (mean, half) in enumerate(band)]
    parts.append(f'<polygon class="band" points="{" ".join([*upper, *reversed(lower)])}"/>')
    parts.append(f'<path class="mean" d="M{_LEFT} {get_y(total):.1f}h{_PLOT_WIDTH}"/>')
    for place, (row, rating) in enumerate(zip(rows, ratings, strict=True)):
        x, y = get_x(place), get_y(rating)
        half = row.player.performance_rating_95
        if half is not None:
            low, top = get_y(rating - half), get_y(rating + half)
            parts.append(f'<path class="spread" d="M{x:.1f} {top:.1f}V{low:.1f}"/>')
        said = f"{row.date} {escape_text(row.opponent)}: PR {format_rating(row.player)}".strip()
        parts.append(f'<circle class="one" cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{said}</title></circle>')
    points = " ".join(f"{get_x(place):.1f},{get_y(rating):.1f}" for place, rating in enumerate(moving))
    text = (
        f"{len(rows)} matches; the mean of all is {total:.2f}, the lowest of a match {min(ratings):.2f}, the "
        f"highest {max(ratings):.2f}; the mean of the last {history.window:,} decisions went from "
        f"{moving[0]:.2f} to {moving[-1]:.2f}."
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="course">'
        f'<svg class="graph" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'aria-labelledby="plot-title plot-text">'
        f'<title id="plot-title">Performance rating of {escape_text(history.name)}</title>'
        f'<desc id="plot-text">{text}</desc>{"".join(parts)}'
        f'<polyline class="curve" points="{points}"/></svg></div>'
        '<p class="soft">\N{BLACK CIRCLE} PR of a match, with its 95 % interval. '
        f"Curve: the last {history.window:,} decisions that count, and their interval. Dashed: all. "
        "The lower, the better.</p>"
    )


def _draw_dates(rows: list[HistoryRow], get_x: Callable[[int], float]) -> list[str]:
    """Write the day, or else the number, of as many matches as there is room for."""
    labels: list[str] = []
    free_from = 0.0
    for place, row in enumerate(rows):
        x = get_x(place)
        if x - _NEAREST_LABELS / 2 >= free_from or not labels:
            middle = min(max(x, _LEFT + _NEAREST_LABELS / 3), _WIDTH - _RIGHT - _NEAREST_LABELS / 3)
            label = row.date.split(" ")[0] or f"match {place + 1}"
            labels.append(f'<text x="{middle:.1f}" y="{_HEIGHT - 12}" text-anchor="middle">{label}</text>')
            labels.append(f'<path class="grid" d="M{x:.1f} {_HEIGHT - _BOTTOM}v6"/>')
            free_from = middle + _NEAREST_LABELS / 2
    return labels


def _format_rows(history: PlayerHistory) -> str:
    heads = (
        *("Date", "Opponent", "Length", "Score", "Counted", "PR", f"Last {history.window:,}"),
        *("gnubg", "Blunders", "Luck", "File"),
    )
    texts = ("Date", "Opponent", "File")
    top = "".join(f"<th scope=col{' class=text' * (head in texts)}>{head}" for head in heads)
    lines = []
    for row in history.rows:
        player = row.player
        lines.append(
            f"<tr><th scope=row>{row.date or '-'}<td class='text long'>{escape_text(row.opponent)}"
            f"<td>{row.length or 'money'}<td>{format_score(row)}<td>{player.counted_decisions:,}"
            f"<td>{format_rating(player)}<td>{format_rating(row.moving)}"
            f"<td>{format_rate(player.gnubg_error_rate)}<td>{player.blunders}"
            f"<td>{format_luck(player.luck_points)}<td class='text long'>{escape_text(Path(row.file).name)}"
        )
    return (
        '<section><h2 id="matches">Matches</h2><div class="scroll" tabindex="0" role="region" '
        'aria-labelledby="matches"><table class="rows"><caption>By date; in the score the player\'s '
        f"points are first</caption><thead><tr>{top}<tbody>{''.join(lines)}</table></div></section>\n"
    )
