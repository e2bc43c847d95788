"""An analysed match as one HTML file, which needs no network and no scripts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath

from gammond.engine.formats.board_svg import draw_parts
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.documents import describe_match
from gammond.engine.match_files.model import IssueKind, RecordedMatch, describe_issues
from gammond.engine.match_reports.html_games import format_games, format_key
from gammond.engine.match_reports.html_graph import draw_graph
from gammond.engine.match_reports.html_parts import (
    escape_text,
    format_comment,
    format_loss,
    format_page,
    list_names,
    name_place,
)
from gammond.engine.match_reports.ratings import explain_unscaled
from gammond.engine.match_reports.text_report import list_statistics
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.match import SEATS

_SCALES = (
    "PR is 500 times the mean loss over the decisions that count by eXtreme Gammon's rule: plays with a "
    "choice, doubles, takes and passes, and decisions against a double that were near or wrong. gnubg's rate "
    "is the mean loss over unforced plays and cube decisions that were close or made, Snowie's that over the "
    "plays of both players, in thousandths of a point. ± is the 95\N{NO-BREAK SPACE}% interval, "
    "here and in the tables of rollouts."
)
_HEADERS = {"EventDate": "Played on", "EventTime": "Played at"}
"""What headers of files are called, where their own names are none."""


def format_html(analysed: AnalysedMatch, date: datetime) -> str:
    """Format a report.

    Args:
        analysed: The match.
        date: When it was analysed.
    """
    analysed = _leave_folders_out(analysed)
    names = list_names(analysed)
    length = f"{analysed.match.length}-point match" if analysed.match.length else "money play"
    title = f"{names[0]} and {names[1]}, {length}"
    links = "".join(
        f' <a href="#g{number}">Game {number}</a>' for number in range(1, len(analysed.match.games) + 1)
    )
    graph = draw_graph(analysed)
    parts = [
        f'<svg width="0" height="0" aria-hidden="true">{draw_parts()}</svg>',
        f"<header><h1>{title}</h1>{_format_facts(analysed, date)}{format_comment(analysed.match.comment)}"
        '<nav aria-label="Parts"><a href="#statistics">Statistics</a> <a href="#errors">Errors</a>'
        f"{links}</nav></header>\n<main>",
        _format_statistics(analysed),
        f'<section><h2 id="course">Course</h2>{graph}</section>' if graph else "",
        _format_errors(analysed),
        f'<section><h2 id="games">Games</h2>{format_key(analysed)}',
        *(f"{game}\n" for game in format_games(analysed)),
        "</section></main>\n",
        _format_footer(analysed),
        _embed(analysed, date),
    ]
    return format_page(title, "".join(parts))


def _leave_folders_out(analysed: AnalysedMatch) -> AnalysedMatch:
    """Return a match without the folders of its file and nets, which do not concern who gets the page."""
    nets = {"/".join(PurePath(name).parts[-2:]): digest for name, digest in analysed.nets.items()}
    return replace(analysed, name=PurePath(analysed.name).name, nets=nets)


def _format_facts(analysed: AnalysedMatch, date: datetime) -> str:
    names, match = list_names(analysed), analysed.match
    facts = {
        "Score": ", ".join(f"{names[seat]} {analysed.score[seat]}" for seat in SEATS),
        **{escape_text(_HEADERS.get(name, name)): escape_text(text) for name, text in match.headers.items()},
        "File": escape_text(analysed.name),
        "Analysed by": escape_text(analysed.method),
        "Analysed on": f"{date:%Y-%m-%d %H:%M}",
        "Statistics rest on what could be read": "; ".join(map(escape_text, analysed.cut_games)),
        "Faults of the file": "; ".join(map(escape_text, _list_faults(match))),
    }
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{text}</dd>' for name, text in facts.items() if text)}</dl>"


def _list_faults(match: RecordedMatch) -> list[str]:
    """Return the faults of a file in words, without what is missing of games, which is said beside them."""
    cut = {game.number for game in match.games if game.is_cut}
    is_said = (issue.kind is IssueKind.MISSING and issue.game in cut for issue in match.issues)
    return describe_issues(issue for issue, said in zip(match.issues, is_said, strict=True) if not said)


def _format_footer(analysed: AnalysedMatch) -> str:
    """Format the nets by their hashes; empty where they are not known."""
    nets = ", ".join(f"{escape_text(name)} {digest[:16]}" for name, digest in analysed.nets.items())
    return f'<footer class="soft">Nets and the beginnings of their sha256: {nets}</footer>\n' if nets else ""


def _format_statistics(analysed: AnalysedMatch) -> str:
    names, styles = list_names(analysed), {0: "", 2: " class=under", 4: " class=deep"}
    rows = []
    for label, cells in list_statistics(analysed):
        style = styles[len(label) - len(label.lstrip())]
        values = "".join(f"<td>{_set_signs(escape_text(cell))}" for cell in cells)
        rows.append(f"<tr><th scope=row{style}>{escape_text(label.strip())}{values}")
    unscaled = explain_unscaled(analysed.statistics)
    return (
        '<section><h2 id="statistics">Statistics</h2><div class="scroll" tabindex="0" role="region" '
        'aria-labelledby="statistics"><table><caption>Each number is on the scale of the program that it is '
        "named after. Losses are in points on the scale of a money game, behind them in winning chances, "
        "before them the number of decisions."
        f"</caption><thead><tr><td><th scope=col>{names[0]}<th scope=col>{names[1]}"
        f"<tbody>{''.join(rows)}</table></div><p class=soft>{_SCALES} {unscaled}</p></section>"
    )


def _set_signs(text: str) -> str:
    """Return numbers with minus signs, a dash for none, and percent signs that stay with them."""
    if text == "-":
        return "\N{EN DASH}"
    return re.sub(r"-(?=\d)", "\N{MINUS SIGN}", text).replace(" %", "\N{NO-BREAK SPACE}%")


def _format_errors(analysed: AnalysedMatch) -> str:
    wrong, names = analysed.errors, list_names(analysed)
    losses = (each.loss for each in analysed.decisions)
    small = [loss.size for loss in losses if not loss.mark and loss.size > 0.0]
    rest = '<p class="soft">Moves are numbered as in .mat files: both players have a move of each number.'
    if small:
        rest += f" {len(small)} decisions lost less than .020 each, {sum(small):.3f} in all: see the games."
    if not wrong:
        return f'<section><h2 id="errors">Errors</h2><p>No error of .020 or more.</p>{rest}</p></section>'
    rows = "".join(
        f'<tr><th scope=row><a href="#{name_place(each.game, each.move, each.seat)}">'
        f"Game {each.game + 1}, move {each.move}</a>"
        f'<td class=text>{names[each.seat]}<td class="text {each.loss.mark}">{each.loss.mark}'
        f"<td>{format_loss(each.loss)}<td>{format_roll(each.roll)}"
        f"<td class=text>{each.chosen_name}"
        f"<td class=text>{each.best_name}"
        for each in wrong
    )
    heads = "".join(
        f"<th scope=col{' class=text' * (name not in ('Lost', 'Roll'))}>{name}"
        for name in ("Where", "Player", "Kind", "Lost", "Roll", "Chosen", "Best")
    )
    return (
        '<section><h2 id="errors">Errors</h2><div class="scroll" tabindex="0" role="region" '
        'aria-labelledby="errors"><table class="rows"><caption>Errors from .020 on, blunders from .080 on, '
        f"the worst first</caption><thead><tr>{heads}<tbody>{rows}</table></div>{rest}</p></section>"
    )


def _embed(analysed: AnalysedMatch, date: datetime) -> str:
    """Return the analysis as a data block, which no text in it can end."""
    document = {**describe_match(analysed), "date": date.isoformat(timespec="seconds")}
    text = json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="analysis">{text}</script>'
