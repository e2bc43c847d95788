"""A player that chooses among its few best plays."""

from __future__ import annotations

import numpy as np

from gammond.engine.play.player import ScorerPlayer
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Position
from gammond.nets.heritage.phase_features.players import PhaseHeuristicScorer, UniformChoicePlayer
from tests.support import boards

SAMPLE = boards.random_boards(300, seed=1)
DICE = boards.random_rolls(300, seed=2)


def ranks(player, sample, dice):
    """The place of each choice among the legal plays by score, from 0, and how many plays there are."""
    children, _, offsets = expand_rolls(sample, dice)
    scores = PhaseHeuristicScorer().score_boards(children)
    found, counts = [], np.diff(offsets)
    for i, choice in enumerate(player.choose(sample, dice)):
        own = slice(offsets[i], offsets[i + 1])
        (place,) = np.flatnonzero((children[own] == choice).all(axis=(1, 2)))
        found.append(np.flatnonzero(np.argsort(-scores[own], kind="stable") == place)[0])
    return np.array(found), counts


def test_among_one_it_plays_the_best():
    best = ScorerPlayer("best", PhaseHeuristicScorer())
    among_one = UniformChoicePlayer("few", PhaseHeuristicScorer(), 1, seed=3)
    np.testing.assert_array_equal(among_one.choose(SAMPLE, DICE), best.choose(SAMPLE, DICE))


def test_it_plays_each_of_the_four_best_about_equally_often():
    found, counts = ranks(UniformChoicePlayer("few", PhaseHeuristicScorer(), 4, seed=1), SAMPLE, DICE)
    assert (found < np.minimum(counts, 4)).all()
    shares = np.bincount(found[counts >= 4], minlength=4) / (counts >= 4).sum()
    assert (np.abs(shares - 0.25) < 4 * np.sqrt(0.25 * 0.75 / (counts >= 4).sum())).all()
    assert (counts < 4).sum() > 0


def test_choices_depend_on_position_roll_and_seed_alone():
    one, same, other = (UniformChoicePlayer("few", PhaseHeuristicScorer(), 4, seed) for seed in (5, 5, 6))
    chosen = one.choose(SAMPLE, DICE)
    np.testing.assert_array_equal(same.choose(SAMPLE[::-1], DICE[::-1])[::-1], chosen)
    assert not np.array_equal(other.choose(SAMPLE, DICE), chosen)
    start = np.repeat(Position.start().board[None], 2, axis=0)
    rolls = np.array([[3, 1], [3, 1]], np.int8)
    assert np.array_equal(*one.choose(start, rolls))
