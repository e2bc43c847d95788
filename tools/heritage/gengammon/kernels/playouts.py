"""Games of a net against itself, until the sides have passed each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import inlined, kernel
from gammond.engine.kernels.board_counts import OCCUPIED, REAR, weigh_counts, write_point_sets
from gammond.engine.kernels.moves import PlayScratch, generate_plays, make_play_scratch, write_child
from gammond.nets.heritage.gengammon.kernels import INPUTS, PADDED_UNITS, score_position
from gammond.tools.train.kernels.dice import roll_dice

_NEXT, _CHILD = 1, 2
"""Indices of `PlayoutBuffers.boards`: 0 and `_NEXT` by turns the position, `_CHILD` the one after a play."""


_PIPS = np.arange(26, dtype=np.int16)[None]
"""Pips of a checker on each point, and on the bar."""


class PlayoutBuffers(NamedTuple):
    """Buffers of a game; made by `_new_playout_buffers`.

    Attributes:
        boards: ``int8[3, 2, 26]``; the game begins at the first one.
        state: ``uint64[1]``, the state of the dice.
        listing: The plays of a roll.
        counts: ``int8[1, INPUTS]``, scratch.
        entering: ``float32[1, PADDED_UNITS]``, scratch.
    """

    boards: NDArray[np.int8]
    state: NDArray[np.uint64]
    listing: PlayScratch
    counts: NDArray[np.int8]
    entering: NDArray[np.float32]


@kernel
def _new_playout_buffers() -> PlayoutBuffers:
    return PlayoutBuffers(
        boards=np.empty((3, 2, 26), np.int8),
        state=np.empty(1, np.uint64),
        listing=make_play_scratch(),
        counts=np.empty((1, INPUTS), np.int8),
        entering=np.empty((1, PADDED_UNITS), np.float32),
    )


@kernel
def play_out(
    plays: NDArray[np.int8],
    seeds: NDArray[np.uint64],
    weights: NDArray[np.float32],
    activation: int,
    trials: int,
    max_turns: int,
    per_roll: float,
    leads: NDArray[np.float64],
) -> None:
    """Play games out from positions after plays, and measure the lead when the sides have passed each other.

    Args:
        plays: ``int8[m, 2, 26]``, as the *next* mover sees them.
        seeds: ``uint64[m]``; plays with the same seed get the same dice, trial by trial.
        weights: As `score_position` takes them; of the net that plays both sides.
        activation: As `score_position` takes it.
        trials: Games from each position.
        max_turns: A longer game is scored as it is.
        per_roll: Pips that the next roll is worth.
        leads: out, ``float64[m]``: the mean lead of the side that has played, in pips.
    """
    buffers = _new_playout_buffers()
    for i in range(plays.shape[0]):
        total = 0.0
        for trial in range(trials):
            buffers.state[0] = seeds[i] + np.uint64(trial) * np.uint64(0xD1342543DE82EF95)
            for side in range(2):
                for point in range(26):
                    buffers.boards[0, side, point] = plays[i, side, point]
            total += _play_to_lead(buffers, weights, activation, max_turns, per_roll)
        leads[i] = total / trials


@inlined
def _play_to_lead(
    buffers: PlayoutBuffers, weights: NDArray[np.float32], activation: int, max_turns: int, per_roll: float
) -> float:
    """Play a game to its end; return the lead of the side that had played before it."""
    boards = buffers.boards
    sets, plays = buffers.listing.sets, buffers.listing.plays
    at = 0
    turns = 0
    while turns < max_turns:
        write_point_sets(boards, at, 0, sets)
        if not sets[OCCUPIED] & sets[REAR]:
            break
        die1, die2 = roll_dice(buffers.state, False)
        count = generate_plays(boards, at, die1, die2, buffers.listing)
        best = 0 if count == 1 else _find_best_play(buffers, at, count, weights, activation)
        write_child(boards, at, int(plays[best]), boards, _NEXT - at)
        at = _NEXT - at
        turns += 1
    pips = weigh_counts(boards, at, 0, _PIPS, 0) - weigh_counts(boards, at, 1, _PIPS, 0)
    lead = pips - per_roll  # of the side that has just played; the other side rolls next
    return lead if turns % 2 == 0 else -lead


@inlined
def _find_best_play(
    buffers: PlayoutBuffers, at: int, count: int, weights: NDArray[np.float32], activation: int
) -> int:
    """Find the first of the listed plays with the highest score."""
    boards, plays = buffers.boards, buffers.listing.plays
    best = 0
    best_score = np.float32(-np.inf)
    for i in range(count):
        write_child(boards, at, int(plays[i]), boards, _CHILD)
        this = score_position(boards, _CHILD, weights, activation, buffers.counts, buffers.entering)
        if this > best_score:
            best = i
            best_score = this
    return best
