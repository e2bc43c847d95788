"""How many positions a second a player judges, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from engine.errors import UnsupportedError
from engine.players import EvaluatorPlayer, Player, ScorerPlayer
from engine.position import Board
from nets.pubeval import PubevalPlayer
from tools.bench.gnubg_timing import gnubg_rate
from tools.bench.measure import seconds_per_call
from tools.gnubg.nets import GnubgPlayer

BATCH = 1024
"""Positions that are judged in one call, encoding included; gnubg's nets take them one by one."""


def evaluations_per_s(player: Player, boards: Board) -> float:
    """Measure how fast a player judges positions.

    Args:
        player: One that judges the positions after its plays by one look at each.
        boards: ``int8[n, 2, 26]`` of all stages of games, at least `BATCH`.

    Returns:
        Positions a second of CPU time, which other programs on the machine change little.

    Raises:
        UnsupportedError: The player judges no positions, or looks ahead.
    """
    batch = boards[:BATCH]
    match player:
        case EvaluatorPlayer():
            return _rate(partial(player.evaluator.evaluate, batch))
        case ScorerPlayer():
            return _rate(partial(player.scorer.scores, batch))
        case PubevalPlayer():
            return _rate(partial(_choose_among, player, batch))
        case GnubgPlayer(plies=0):
            return gnubg_rate(boards)
    raise UnsupportedError(
        f"{player.name!r} has no speed of evaluation: expected a player that judges by one look, "
        "without options",
        field="player",
    )


def _rate(judge_batch: Callable[[], object]) -> float:
    return BATCH / seconds_per_call(judge_batch, clock=time.process_time)


def _choose_among(player: PubevalPlayer, children: Board) -> None:
    """Take all positions for the plays of one roll."""
    player.best_play(children, np.array([0, len(children)]), np.zeros(1, np.bool_))
