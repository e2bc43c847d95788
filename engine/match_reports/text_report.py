"""An analysed match for the terminal: statistics of both players, and their errors, the worst first."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decision_errors import XG_ERROR_POINTS
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_analysis.statistics import ErrorTotal, PlayerStatistics
from gammond.engine.match_reports.ratings import (
    explain_unscaled,
    format_lost,
    format_luck,
    format_rate,
    format_rating,
)
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.match import RESULT_NAMES
from gammond.engine.wording import escape_unprintable, format_count, shorten_names

_LABEL_WIDTH = 34
_CELL_WIDTH = 22
"""A table fits into 80 columns; a longer label takes blanks of the first cell."""

_NAME_WIDTH = 20
_TEXT_WIDTH = 78


def format_text(analysed: AnalysedMatch, errors: int) -> str:
    """Format a report.

    Args:
        analysed: The match.
        errors: How many errors are listed at most.
    """
    lines = [
        *_format_heading(analysed),
        "",
        *_format_statistics(analysed),
        *textwrap.wrap(explain_unscaled(analysed.statistics), _TEXT_WIDTH),
        "",
        *_format_errors(analysed, errors),
    ]
    lines += [*_format_resignations(analysed), *_format_breaches(analysed)]
    return "\n".join(lines) + "\n"


def _format_heading(analysed: AnalysedMatch) -> list[str]:
    match, names = analysed.match, analysed.names
    length = f"a {match.length}-point match" if match.length else "money play"
    games = f"{format_count(len(match.games), 'game')}"
    score = ", ".join(f"{name} {points}" for name, points in zip(names, analysed.score, strict=True))
    cuts = [
        line
        for cut in analysed.cut_games
        for line in textwrap.wrap(
            f"{escape_unprintable(cut)}. Its statistics rest on what could be read.", _TEXT_WIDTH
        )
    ]
    return [f"{' and '.join(names)}, {length} ({games}): {score}", analysed.method, *cuts]


def list_statistics(analysed: AnalysedMatch) -> list[tuple[str, tuple[str, str]]]:
    """List the statistics of both players: a label, indented where it is part of the one above, and cells."""
    rows: list[tuple[str, Callable[[PlayerStatistics], str]]] = [
        ("PR, by eXtreme Gammon's rule", format_rating),
        (
            "Error rate of gnubg, millipoints",
            lambda player: format_rate(player.gnubg_error_rate, player.unscaled),
        ),
        (
            "Error rate of Snowie, millipoints",
            lambda player: format_rate(player.snowie_error_rate, player.unscaled),
        ),
        ("Decisions counted for PR", lambda player: str(player.counted_decisions)),
        ("Lost in all", lambda player: format_lost(player.total.error_points, player.total.error_mwc)),
        ("  by plays", lambda player: _format_count(player.plays)),
        ("  by doubling or not", lambda player: _format_count(player.doublings)),
        ("    doubles missed", lambda player: _format_count(player.missed_doubles)),
        ("    wrong doubles", lambda player: _format_count(player.wrong_doubles)),
        ("  by taking or passing", lambda player: _format_count(player.responses)),
        ("    wrong takes", lambda player: _format_count(player.wrong_takes)),
        ("    wrong passes", lambda player: _format_count(player.wrong_passes)),
        ("Errors from .020 on (blunders from .080)", lambda player: f"{player.errors} ({player.blunders})"),
        ("Luck of own rolls", _format_luck),
    ]
    one, two = analysed.statistics
    listed = [(label, (cell(one), cell(two))) for label, cell in rows]
    if (result := analysed.luck_adjusted) is not None:
        listed.append(("Result without luck", (f"{100 * result:.1f} %", f"{100 * (1.0 - result):.1f} %")))
    phases, games = analysed.statistics_by_phase.phases, analysed.statistics_of_games
    listed.append(("PR by phase of the game (decisions)", ("", "")))
    listed += [(f"  {phase}", _format_ratings(players)) for phase, players in phases.items()]
    if len(games) > 1:
        listed.append(("PR by game (decisions)", ("", "")))
        rated = [_format_ratings(game.players) for game in games]
        listed += [(f"  game {number}", cells) for number, cells in enumerate(rated, 1)]
    return listed


def _format_ratings(players: tuple[PlayerStatistics, PlayerStatistics]) -> tuple[str, str]:
    """Format the performance ratings of a part of a match, with the numbers of decisions that count."""
    one, two = (
        f"{format_rating(player)} ({player.counted_decisions})"
        if player.counted_decisions
        else format_rating(player)
        for player in players
    )
    return one, two


def _format_statistics(analysed: AnalysedMatch) -> list[str]:
    header = ("", tuple(shorten_names(analysed.names, _NAME_WIDTH)))
    return [
        f"{label}{one:>{_LABEL_WIDTH + _CELL_WIDTH - len(label)}}{two:>{_CELL_WIDTH}}".rstrip()
        for label, (one, two) in (header, *list_statistics(analysed))
    ]


def _format_luck(player: PlayerStatistics) -> str:
    mwc = "" if player.luck_mwc is None else f" ({100 * player.luck_mwc:+.2f} %)"
    return f"{format_luck(player.luck_points)}{mwc}"


def _format_count(total: ErrorTotal) -> str:
    return f"{total.count}: {format_lost(total.error_points, total.error_mwc)}" if total.count else "0"


def _format_errors(analysed: AnalysedMatch, count: int) -> list[str]:
    wrong = analysed.errors
    if not wrong:
        return [f"No error of {XG_ERROR_POINTS:.3f} or more."]
    names = shorten_names(analysed.names, _NAME_WIDTH)
    rows = [
        (
            f"{each.game + 1}",
            f"{each.move}",
            names[each.seat],
            format_lost(each.loss.points, None) or "-",
            format_lost(None, each.loss.mwc),
            format_roll(each.roll),
            each.chosen_name,
            each.best_name,
            _format_depth(each),
        )
        for each in wrong[:count]
    ]
    table = [("game", "move", "player", "lost", "MWC", "roll", "chosen", "best", "depth"), *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    left = (2, 6, 7, 8)
    lines = [
        "  ".join(
            f"{cell:<{width}}" if place in left else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in table
    ]
    hidden = len(wrong) - len(rows)
    return [*lines, *([f"and {hidden} more (--errors {len(wrong)})"] if hidden else [])]


def _format_resignations(analysed: AnalysedMatch) -> list[str]:
    """Format a line for each resignation that lost something, or whose answer did."""
    names, lines = analysed.names, []
    for each in analysed.resignations:
        did = "accepted" if each.is_accepted else "rejected"
        kind = "single game" if each.kind == 1 else RESULT_NAMES[each.kind - 1]
        offer = f"Game {each.game + 1}: {names[each.seat]} resigned a {kind}"
        worth = "" if each.worth.points is None else f": playing on was worth {each.worth.points:+.3f}"
        lost, answer_lost = (
            format_lost(loss.points, None) or format_lost(None, loss.mwc)
            for loss in (each.loss, each.answer_loss)
        )
        if each.loss.mark:
            lines.append(f"{offer}, which lost {lost}{worth}")
        if each.answer_loss.mark:
            answer = f"{names[1 - each.seat]} {did} it, which lost {answer_lost}"
            lines.append(f"{offer}; {answer}{worth}{f' for {names[each.seat]}' if worth else ''}")
    return ["", *lines] if lines else []


def _format_breaches(analysed: AnalysedMatch) -> list[str]:
    """Format a line for each illegal play, and for each result of the file that is not that of the rules."""
    names = analysed.names
    lines = [
        f"Game {each.game + 1}, move {each.move}: {names[each.seat]} played "
        f"{format_roll(each.roll)} {each.chosen_name}, for which no error is counted; best: {each.best_name}"
        for each in analysed.decisions
        if not each.is_legal
    ]
    for number, game in enumerate(analysed.match.games, 1):
        if game.result is not None and (ruled := game.ruled_result) is not None:
            stated, by_rules = (format_count(each.points, "point") for each in (game.result, ruled))
            other = f"{names[ruled.winner]} " * (ruled.winner != game.result.winner)
            winner = names[game.result.winner]
            lines.append(f"Game {number}: {winner} wins {stated} by the file, {other}{by_rules} by the rules")
    return ["", *lines] if lines else []


def _format_depth(decision: AnalysedDecision) -> str:
    error = decision.standard_error
    return decision.depth if error is None else f"{decision.depth}, ±{error:.3f}"
