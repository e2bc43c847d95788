"""The speed and strength of players, and the frontier between the two."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gammond.engine.errors import UnsupportedError
from gammond.engine.play.player import EvaluatorPlayer, Player, ScorerPlayer
from gammond.engine.rules.position import Board
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.bench.gnubg_timing import measure_gnubg_rate
from gammond.tools.bench.measure import measure_seconds_per_call
from gammond.tools.gnubg.nets import GnubgPlayer

BATCH_SIZE = 1024
"""Positions evaluated in one call, encoding included; gnubg's nets take them one by one."""


@dataclass(frozen=True)
class FrontierPoint:
    """A player's speed and strength.

    Attributes:
        name: The player, as the command called it.
        title: What the player calls itself.
        nets: sha256 by name of the net.
        evaluations_per_s: Positions per second on one core.
        points_per_game: Cubeless money points per game against the common opponent.
        standard_error: Of `points_per_game`.
        is_on_frontier: Whether no other player is at least as fast and as strong, and ahead in one.
    """

    name: str
    title: str
    nets: dict[str, str]
    evaluations_per_s: float
    points_per_game: float
    standard_error: float
    is_on_frontier: bool = True


def mark_frontier(points: Sequence[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Return the players, fastest first, with `FrontierPoint.is_on_frontier` set."""
    ordered = sorted(points, key=_speed_and_strength, reverse=True)
    return tuple(
        replace(point, is_on_frontier=not any(_dominates(other, point) for other in points))
        for point in ordered
    )


def _speed_and_strength(point: FrontierPoint) -> tuple[float, float]:
    return point.evaluations_per_s, point.points_per_game


def _dominates(one: FrontierPoint, other: FrontierPoint) -> bool:
    place, other_place = _speed_and_strength(one), _speed_and_strength(other)
    return place != other_place and place[0] >= other_place[0] and place[1] >= other_place[1]


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
