"""Games of a net of `nets.kernels.gengammon` against itself, until the sides have passed each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.moves import MAX_PLAYS, OCCUPIED, REAR, plays_of, point_sets, write_child
from nets.kernels.gengammon import INPUTS, LANES, score
from tools.train.kernels.dice import roll


@kernel
def _lead(boards: NDArray[np.int8], at: int, per_roll: float) -> float:
    """Pips by which the side that has just played is ahead; the other one rolls next."""
    pips = 0
    for point in range(1, 26):
        pips += point * (int(boards[at, 0, point]) - int(boards[at, 1, point]))
    return pips - per_roll


@kernel
def play_out(
    plays: NDArray[np.int8],
    seeds: NDArray[np.uint64],
    weights: NDArray[np.float32],
    activation: int,
    trials: int,
    most_turns: int,
    per_roll: float,
    leads: NDArray[np.float64],
) -> None:
    """Play games on from positions after plays, and measure the lead when they are home bound.

    Args:
        plays: ``int8[m, 2, 26]``, as the *next* mover sees them.
        seeds: ``uint64[m]``; plays with the same seed get the same dice, trial by trial.
        weights: As `score` takes them; of the net that plays both sides.
        activation: As `score` takes it.
        trials: Games from each position.
        most_turns: A longer game is measured where it stands.
        per_roll: Pips that the side to roll next is ahead by.
        leads: out, ``float64[m]``: the mean lead of the side that has played, in pips.
    """
    sets = np.empty(5, np.int64)
    points = np.empty(26, np.int64)
    levels = np.empty((5, 4), np.int64)
    hashes = np.empty(MAX_PLAYS, np.int64)
    packed = np.empty(MAX_PLAYS, np.int64)
    boards = np.empty((3, 2, 26), np.int8)
    counts = np.empty((1, INPUTS), np.int8)
    entering = np.empty((1, LANES), np.float32)
    state = np.empty(1, np.uint64)
    for i in range(plays.shape[0]):
        total = 0.0
        for trial in range(trials):
            state[0] = seeds[i] + np.uint64(trial) * np.uint64(0xD1342543DE82EF95)
            at = 0
            for side in range(2):
                for point in range(26):
                    boards[at, side, point] = plays[i, side, point]
            turns = 0
            while turns < most_turns:
                point_sets(boards, at, sets)
                if not sets[OCCUPIED] & sets[REAR]:
                    break
                die1, die2 = roll(state, False)
                found = plays_of(boards, at, sets, die1, die2, points, levels, hashes, packed)
                best = packed[0]
                best_score = np.float32(-np.inf)
                for j in range(found if found > 1 else 0):
                    write_child(boards, at, int(packed[j]), boards, 2)
                    this = score(boards, 2, weights, activation, counts, entering)
                    if this > best_score:
                        best = packed[j]
                        best_score = this
                write_child(boards, at, int(best), boards, 1 - at)
                at = 1 - at
                turns += 1
            lead = _lead(boards, at, per_roll)
            total += lead if turns % 2 == 0 else -lead
        leads[i] = total / trials
