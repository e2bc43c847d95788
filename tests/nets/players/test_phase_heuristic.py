"""``phase-heuristic`` as people write it, and how it plays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import FormatError, ValueRangeError
from engine.games import play_games
from engine.players import ScorerPlayer
from nets.best_few import BestFewPlayer
from nets.loading import load_player
from nets.phase_features import GamePhase
from nets.phase_heuristic import PhaseHeuristic
from tests import boards

SAMPLE = boards.random_boards(200, seed=1)
DICE = boards.random_rolls(200, seed=2)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ScorerPlayer("", PhaseHeuristic())),
        (":phase=late", ScorerPlayer("", PhaseHeuristic(GamePhase.LATE))),
        (":normalised=false", ScorerPlayer("", PhaseHeuristic(is_normalised=False))),
        (":among=4,seed=7", BestFewPlayer("", PhaseHeuristic(), 4, 7)),
        (":phase=mid,among=3", BestFewPlayer("", PhaseHeuristic(GamePhase.MID), 3)),
    ],
)
def test_options_say_how_it_weighs_and_chooses(options, expected):
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
