"""``phase-heuristic`` as people write it, and its choice among its few best plays."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.play.player import ScorerPlayer
from gammond.nets.catalogue import load_player
from gammond.nets.heritage.phase_features.features import FeaturePhase
from gammond.nets.heritage.phase_features.players import PhaseHeuristicScorer, UniformChoicePlayer
from tests.support import boards
from tests.support.players import rank_choices

SAMPLE = boards.random_boards(300, seed=1)
DICE = boards.random_rolls(300, seed=2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ScorerPlayer("", PhaseHeuristicScorer())),
        (":phase=late", ScorerPlayer("", PhaseHeuristicScorer(FeaturePhase.LATE))),
        (":normalised=false", ScorerPlayer("", PhaseHeuristicScorer(is_normalised=False))),
        (":among=4,seed=7", UniformChoicePlayer("", PhaseHeuristicScorer(), 4, 7)),
        (":phase=mid,among=3", UniformChoicePlayer("", PhaseHeuristicScorer(FeaturePhase.MID), 3)),
    ],
)
def test_options_set_its_weights_and_its_choice(options, expected):
    player = load_player(f"phase-heuristic{options}")
    assert player.name == f"phase-heuristic{options}"
    np.testing.assert_array_equal(player.choose(SAMPLE, DICE), expected.choose(SAMPLE, DICE))


def test_among_one_it_plays_the_best():
    best = ScorerPlayer("best", PhaseHeuristicScorer())
    among_one = UniformChoicePlayer("few", PhaseHeuristicScorer(), 1, seed=3)
    np.testing.assert_array_equal(among_one.choose(SAMPLE, DICE), best.choose(SAMPLE, DICE))


def test_it_plays_each_of_the_four_best_about_equally_often():
    scorer = PhaseHeuristicScorer()
    player = UniformChoicePlayer("few", scorer, 4, seed=1)
    found, counts = rank_choices(player, SAMPLE, DICE, scorer.score_boards)
    assert (found < np.minimum(counts, 4)).all()
    shares = np.bincount(found[counts >= 4], minlength=4) / (counts >= 4).sum()
    assert (np.abs(shares - 0.25) < 4 * np.sqrt(0.25 * 0.75 / (counts >= 4).sum())).all()
    assert (counts < 4).sum() > 0
