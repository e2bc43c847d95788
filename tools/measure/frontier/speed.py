"""The speed of players: positions evaluated per second on one core."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from engine.errors import UnsupportedError
from engine.play.player import EvaluatorPlayer, Player, ScorerPlayer
from engine.rules.position import Board
from nets.players.pubeval import PubevalPlayer
from tools.bench.gnubg_timing import measure_gnubg_rate
from tools.bench.measure import measure_seconds_per_call
from tools.gnubg.nets import GnubgPlayer

BATCH_SIZE = 1024
"""Positions evaluated in one call, encoding included; gnubg's nets take them one by one."""


def measure_evaluations_per_s(player: Player, boards: Board) -> float:
    """Measure how fast a player evaluates positions.

    Args:
        player: A 0-ply player.
        boards: ``int8[n, 2, 26]`` of all stages of games, at least `BATCH_SIZE`.

    Returns:
        Positions per second of CPU time, which other programs on the machine change little.

    Raises:
        UnsupportedError: The player evaluates no positions, or looks ahead.
    """
    batch = boards[:BATCH_SIZE]
    match player:
        case EvaluatorPlayer():
            return _measure_rate(partial(player.evaluator.evaluate, batch))
        case ScorerPlayer():
            return _measure_rate(partial(player.scorer.score_boards, batch))
        case PubevalPlayer():
            return _measure_rate(partial(_choose_from_batch, player, batch))
        case GnubgPlayer(plies=0):
            return measure_gnubg_rate(boards)
    raise UnsupportedError(
        f"{player.name!r} cannot be timed: expected a 0-ply player without options",
        field="player",
    )


def _measure_rate(evaluate_batch: Callable[[], object]) -> float:
    return BATCH_SIZE / measure_seconds_per_call(evaluate_batch, clock=time.process_time)


def _choose_from_batch(player: PubevalPlayer, children: Board) -> None:
    """Choose as if all positions were the plays of one roll."""
    player.pick_highest(children, np.array([0, len(children)]), np.zeros(1, np.bool_))
