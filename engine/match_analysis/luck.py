"""The luck of rolls: the equity after the best play, less its mean over all rolls.

*Source:* the manual of GNU Backgammon, "Luck analysis"; as there, equities are 0-ply and cubeful.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.analysis.best_plays import RolledPositions, find_best_plays
from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.match_analysis.tasks import RolledDice
from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.match import MatchState
from engine.rules.position import Board
from engine.runtime.threads import Workers

_ROLL_PLACES = {roll: place for place, roll in enumerate(ROLLS)}
_OPENING_WEIGHTS = np.array([one != two for one, two in ROLLS]) / 15.0


def measure_luck(
    engine: Engine,
    rolls: Sequence[RolledDice],
    workers: Workers | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> NDArray[np.float64]:
    """Measure the luck of rolls.

    The opening roll belongs to the side with the higher die: its mean is over the 30 rolls of two different
    dice, half of them the opponent's.

    Args:
        engine: Evaluates.
        rolls: n rolls.
        workers: Threads that share the work.
        cancelled: Asked during the work; when it returns true, the work ends.

    Returns:
        ``float64[n]``, in points for the cube at the roll (in a match on the scale of money play).

    Raises:
        CancelledWork: It was cancelled.
    """
    if not rolls:
        return np.zeros(0)
    boards = np.stack([rolled.position.board for rolled in rolls])
    matches = [rolled.match for rolled in rolls]
    openings = [place for place, rolled in enumerate(rolls) if rolled.is_opening]
    boards = np.concatenate([boards, boards[openings][:, ::-1]])
    matches += [replace(rolls[place].match, on_roll=1 - rolls[place].match.on_roll) for place in openings]
    equities = _evaluate_rolls(engine, np.ascontiguousarray(boards), matches, workers, cancelled)
    means = equities @ ROLL_WEIGHTS
    if openings:
        own, other = (equities[places] @ _OPENING_WEIGHTS for places in (openings, slice(len(rolls), None)))
        means[openings] = 0.5 * (own - other)
    places = [_ROLL_PLACES[max(rolled.roll), min(rolled.roll)] for rolled in rolls]
    luck: NDArray[np.float64] = equities[np.arange(len(rolls)), places] - means[: len(rolls)]
    return luck


def _evaluate_rolls(
    engine: Engine,
    boards: Board,
    matches: Sequence[MatchState],
    workers: Workers | None,
    cancelled: Callable[[], bool] | None,
) -> NDArray[np.float64]:
    """Return the equities after the best play of each of 21 rolls, ``float64[n, 21]``."""
    indices = {match: index for index, match in enumerate(dict.fromkeys(matches))}
    of_boards = np.array([indices[match] for match in matches], np.int64)
    positions = RolledPositions(
        np.repeat(boards, len(ROLLS), axis=0),
        np.tile(np.array(ROLLS, np.int8), (len(boards), 1)),
        list(indices),
        np.repeat(of_boards, len(ROLLS)),
    )
    found = find_best_plays(engine, positions, EvalSettings(), count=1, workers=workers, cancelled=cancelled)
    return found.scores[:, 0].reshape(len(boards), len(ROLLS))
