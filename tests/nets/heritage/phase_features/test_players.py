"""``phase-heuristic`` and ``phase-net`` as people write them, and how they play."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import ScorerPlayer
from gammond.nets.catalogue import collect_net_hashes, load_player
from gammond.nets.heritage.phase_features.features import FeaturePhase
from gammond.nets.heritage.phase_features.players import PhaseHeuristicScorer, UniformChoicePlayer
from tests.support import boards

SAMPLE = boards.random_boards(200, seed=1)
DICE = boards.random_rolls(200, seed=2)


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


LEARNED = ["phase-net", "phase-net:learned=self"]


@pytest.mark.parametrize("name", LEARNED)
def test_phase_net_beats_the_heuristic_that_taught_it(name):
    player = load_player(name)
    assert player.name == name
    results = play_games(player, load_player("phase-heuristic"), 400, seed=3)
    assert results.points_per_game > 4 * results.standard_error


def test_each_has_weights_of_its_own():
    assert [*collect_net_hashes("phase-net")] == ["phase-net-outcomes"]
    assert [*collect_net_hashes("phase-net:learned=self")] == ["phase-net-self"]
    assert collect_net_hashes("phase-net") != collect_net_hashes("phase-net:learned=self")


def test_a_net_that_there_is_not_is_refused():
    with pytest.raises(ValueRangeError, match="one of outcomes") as caught:
        load_player("phase-net:learned=nothing")
    assert caught.value.field == "learned"
