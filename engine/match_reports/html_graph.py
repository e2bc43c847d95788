"""The course of a match as a curve: match-winning chances, or in money play the points to be expected."""

from __future__ import annotations

from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_reports.html_parts import list_names
from gammond.engine.rules.match import MatchState

_WIDTH, _HEIGHT = 900, 260
_LEFT, _TOP, _BOTTOM = 46, 26, 30
_PLOT_WIDTH = _WIDTH - _LEFT - 10
_PLOT_HEIGHT = _HEIGHT - _TOP - _BOTTOM
_NEAREST_LABELS = 56
_SIGNS = {
    "blunder": ("\N{BLACK CIRCLE}", "\N{BLACK SQUARE}"),
    "error": ("\N{WHITE CIRCLE}", "\N{WHITE SQUARE}"),
}
_WHOLE_MATCH = (0.0, 100.0)


_Point = tuple[float, AnalysedDecision | None]
"""What a match was worth to seat 0 after a decision, or after a game, in percent or points of money; and the
decision if it was wrong."""


def draw_graph(analysed: AnalysedMatch) -> str:
    """Draw the curve of the first player, with games and errors of both; empty without decisions."""
    games = _list_games(analysed)
    total = sum(map(len, games))
    if total < 2:
        return ""
    is_money = not analysed.match.length
    names = list_names(analysed)
    values = [value for game in games for value, _ in game]
    low, high = (min(*values, -1.0), max(*values, 1.0)) if is_money else _WHOLE_MATCH
    unit = "points" if is_money else "%"

    def get_y(value: float) -> float:
        return _TOP + _PLOT_HEIGHT * (high - value) / (high - low)

    grid, curve, marks = [], [], []
    for step in range(5):
        value = low + (high - low) * step / 4
        y = get_y(value)
        grid.append(f'<path class="grid" d="M{_LEFT} {y:.1f}h{_PLOT_WIDTH}"/>')
        grid.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.0f}</text>')
    done, label_end = 0, 0.0
    for number, game in enumerate(games, 1):
        start = _LEFT + _PLOT_WIDTH * done / (total - 1)
        grid.append(f'<path class="grid" d="M{start:.1f} {_TOP}v{_PLOT_HEIGHT}"/>')
        if start >= label_end and game:
            grid.append(f'<text x="{start + 3:.1f}" y="{_HEIGHT - 10}">Game {number}</text>')
            label_end = start + _NEAREST_LABELS
        for value, wrong in game:
            x, y = _LEFT + _PLOT_WIDTH * done / (total - 1), get_y(value)
            curve.append(f"{x:.1f},{y:.1f}")
            if wrong is not None:
                marks.append(_draw_mark(x, y, wrong))
            done += 1
    what = "points expected" if is_money else "match-winning chances"
    grid.append(f'<text x="4" y="14">{what.capitalize()} of {names[0]}, {unit}</text>')
    course = (
        f"A curve over {total} decisions of {len(games)} games, from {values[0]:.0f} {unit} "
        f"to {values[-1]:.0f} {unit}; lowest {min(values):.0f}, highest {max(values):.0f} {unit}."
    )
    return (
        '<div class="scroll" tabindex="0" role="region" aria-labelledby="course">'
        f'<svg class="graph" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'aria-labelledby="graph-title graph-text">'
        f'<title id="graph-title">{what.capitalize()} of {names[0]}</title>'
        f'<desc id="graph-text">{course}</desc>'
        f'{"".join(grid)}<polyline class="curve" points="{" ".join(curve)}"/>{"".join(marks)}</svg></div>'
        f'<p class="soft">{what.capitalize()} of {names[0]} after each decision, in {unit}.'
        f"{_format_legend(games, names)}</p>"
    )


def _list_games(analysed: AnalysedMatch) -> list[list[_Point]]:
    """Return the points of each game."""
    games = []
    for game, decisions in zip(analysed.match.games, analysed.decisions_of_games, strict=True):
        points: list[_Point] = []
        for decision in decisions:
            equity = _find_equity(decision)
            if equity is not None:
                value = _to_value(analysed, decision.situation.match, equity)
                points.append((value, decision if decision.loss.mark else None))
        if points and game.result is not None:
            state = game.initial_state
            won = game.result.points if game.result.winner == 0 else -game.result.points
            if state.is_money:
                points.append((float(state.score[0] - state.score[1] + won), None))
            else:
                points.append((100.0 * analysed.table.mwc_after(state, 0, won), None))
        games.append(points)
    return games


def _find_equity(decision: AnalysedDecision) -> float | None:
    """Return the equity after a decision for the seat on roll; None where the next decision has it."""
    cube = decision.notes.cube
    match decision.choice:
        case Choice.PLAY:
            made = decision.made_candidate
            return None if made is None else made.evaluation.equity
        case Choice.DOUBLE if cube is not None:
            return cube.double
        case Choice.TAKE if cube is not None:
            return cube.equities[1]
        case Choice.PASS if cube is not None:
            return cube.equities[2]
        case _:
            return None


def _to_value(analysed: AnalysedMatch, match: MatchState, equity: float) -> float:
    """Return what an equity of the seat on roll makes of the match for seat 0."""
    mwc = analysed.table.mwc_of(equity, match)
    if mwc is None:
        own = equity * match.cube * (1 if match.on_roll == 0 else -1)
        return match.score[0] - match.score[1] + own
    return 100.0 * (mwc if match.on_roll == 0 else 1.0 - mwc)


def _draw_mark(x: float, y: float, wrong: AnalysedDecision) -> str:
    """Draw the mark of an error, hollow, or of a blunder."""
    style = f"{('one', 'two')[wrong.seat]}{' hollow' * (wrong.loss.mark == 'error')}"
    if wrong.seat == 0:
        return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    return f'<rect class="{style}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'


def _format_legend(games: list[list[_Point]], names: tuple[str, str]) -> str:
    """Format what the marks mean, of those that there are."""
    found = {(wrong.loss.mark, wrong.seat) for game in games for _, wrong in game if wrong}
    text = ""
    for mark, signs in _SIGNS.items():
        shown = [f"{signs[seat]} {name}" for seat, name in enumerate(names) if (mark, seat) in found]
        text += f" {mark.capitalize()}s: {', '.join(shown)}." if shown else ""
    return text
