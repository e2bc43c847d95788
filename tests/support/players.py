"""What every player keeps to, and how good its choices are."""

from __future__ import annotations

import numpy as np

from gammond.engine.rules.moves import expand_rolls


def check_choices(player, sample, dice):
    """Check that choices are legal plays, and that each depends on its own position and roll alone.

    Returns:
        The choices, ``int8[n, 2, 26]``.
    """
    chosen = player.choose(sample, dice)
    children, _, offsets = expand_rolls(sample, dice, player.rules)
    for i, choice in enumerate(chosen):
        assert (children[offsets[i] : offsets[i + 1]] == choice).all(axis=(1, 2)).any()
    order = np.random.default_rng(3).permutation(len(sample))
    assert np.array_equal(player.choose(sample[order], dice[order]), chosen[order])
    assert np.array_equal(player.choose(sample[2:3], dice[2:3]), chosen[2:3])
    return chosen


def rank_choices(player, sample, dice, score_boards):
    """Rank each choice among the legal plays by a score of the positions after them; equals in their order.

    Returns:
        The places from 0, best first, and how many plays there are, ``int64[n]`` each.
    """
    children, _, offsets = expand_rolls(sample, dice)
    scores, found = score_boards(children), []
    for i, choice in enumerate(player.choose(sample, dice)):
        own = slice(offsets[i], offsets[i + 1])
        (place,) = np.flatnonzero((children[own] == choice).all(axis=(1, 2)))
        found.append(np.flatnonzero(np.argsort(-scores[own], kind="stable") == place)[0])
    return np.array(found), np.diff(offsets)
