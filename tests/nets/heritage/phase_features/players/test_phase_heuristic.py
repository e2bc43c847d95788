"""``phase-heuristic`` as people write it, and how it plays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import FormatError, ValueRangeError
from engine.play.lockstep import play_games
from engine.play.player import ScorerPlayer
from nets.catalogue import load_player
from nets.heritage.phase_features.features import GamePhase
from nets.heritage.phase_features.heuristic import PhaseHeuristicScorer
from nets.heritage.phase_features.uniform_choice_player import UniformChoicePlayer
from tests import boards

SAMPLE = boards.random_boards(200, seed=1)
DICE = boards.random_rolls(200, seed=2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ScorerPlayer("", PhaseHeuristicScorer())),
        (":phase=late", ScorerPlayer("", PhaseHeuristicScorer(GamePhase.LATE))),
        (":normalised=false", ScorerPlayer("", PhaseHeuristicScorer(is_normalised=False))),
        (":among=4,seed=7", UniformChoicePlayer("", PhaseHeuristicScorer(), 4, 7)),
        (":phase=mid,among=3", UniformChoicePlayer("", PhaseHeuristicScorer(GamePhase.MID), 3)),
    ],
)
def test_options_set_its_weights_and_its_choice(options, expected):
    player = load_player(f"phase-heuristic{options}")
    assert player.name == f"phase-heuristic{options}"
    np.testing.assert_array_equal(player.choose(SAMPLE, DICE), expected.choose(SAMPLE, DICE))


def test_it_beats_random_play_and_its_best_play_beats_one_of_its_four_best():
    heuristic = load_player("phase-heuristic")
    for other, margin in (("random", 1.8), ("phase-heuristic:among=4", 0.6)):
        results = play_games(heuristic, load_player(other), 200, seed=1)
        assert results.points_per_game - 3 * results.standard_error > margin


@pytest.mark.parametrize(
    ("options", "error", "field"),
    [
        ("phase=opening", ValueRangeError, "phase"),
        ("among=0", ValueRangeError, "among"),
        ("among=two", FormatError, "among"),
        ("normalised=1", FormatError, "normalised"),
        ("plies=1", FormatError, "player"),
    ],
)
def test_what_cannot_be_is_refused(options, error, field):
    with pytest.raises(error) as caught:
        load_player(f"phase-heuristic:{options}")
    assert caught.value.field == field
