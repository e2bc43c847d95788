"""The picture of a tournament: the cross table and Elo."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gammond.tools.common.figures import make_figure, write_figure
from gammond.tools.tournament.report import PlayerReport, TournamentReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MIN_INCHES = 4.0
_INCHES_PER_PLAYER = 0.55
_NAME_INCHES = 1.5
_ELO_INCHES = 4.5
_DARK_SHARE = 0.6


def draw_cross_table(report: TournamentReport, file: Path) -> None:
    """Draw a report on at least one pair: a coloured cross table, the strongest first, and Elo beside it.

    Args:
        report: The results.
        file: The picture; it appears whole or not at all.

    Raises:
        UnsupportedError: As `make_figure`.
        DataFileError: The file cannot be written.
    """
    players = sorted((each for each in report.players if math.isfinite(each.elo)), key=lambda each: -each.elo)
    side = max(_MIN_INCHES, _INCHES_PER_PLAYER * len(players) + _NAME_INCHES)
    figure = make_figure(file, (side + _ELO_INCHES, side))
    table, elo = figure.subplots(1, 2, width_ratios=(side, _ELO_INCHES - 1))
    _draw_scores(table, report, players)
    _draw_elo(elo, report, players)
    write_figure(figure, file)


def _draw_scores(axes: Axes, report: TournamentReport, players: list[PlayerReport]) -> None:
    scores = np.full((len(players), len(players)), np.nan)
    for row, player in enumerate(players):
        for column, other in enumerate(players):
            pair = report.find_pair(player.name, other.name) if row != column else None
            if pair is not None:
                scores[row, column] = pair.score.mean if pair.first == player.name else -pair.score.mean
    largest = float(np.nanmax(np.abs(scores))) or 1.0
    axes.imshow(scores, cmap="RdBu", vmin=-largest, vmax=largest)
    for (row, column), score in np.ndenumerate(scores):
        if math.isfinite(score):
            colour = "white" if abs(score) > _DARK_SHARE * largest else "black"
            text = f"{score:+.2f}"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize="x-small")
    names = [player.name for player in players]
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize="small")
    axes.set_yticks(range(len(names)), names, fontsize="small")
    axes.set_title(f"{report.rules.score_unit}, row against column", fontsize="medium")


def _draw_elo(axes: Axes, report: TournamentReport, players: list[PlayerReport]) -> None:
    places = range(len(players))
    elo, errors = [player.elo for player in players], [player.elo_error for player in players]
    axes.errorbar(elo, places, xerr=errors, fmt="o", capsize=3)
    axes.set_yticks(places, [""] * len(players))
    axes.set_ylim(len(players) - 0.5, -0.5)
    axes.set_xlabel(f"Elo relative to {report.anchor}, with standard errors")
    axes.grid(alpha=0.3)
