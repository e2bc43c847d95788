"""The board evaluation vector: features by hand, and the compiled score against a slow twin."""

import msgspec
import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.nets.catalogue import load_player
from gammond.nets.heritage.astros import kernels as kernel_bev
from gammond.nets.heritage.astros.bev import HAND_WEIGHTS, LEARNED_WEIGHTS, BevScorer, BevWeights
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

SAMPLE = np.concatenate(
    [boards.random_boards(60, seed=1), boards.played_boards(RacingEvaluator(), 60, seed=2)]
)
NAMES = BevWeights.__struct_fields__


def features(position):
    """Features of the side on roll by name."""
    out = np.empty(kernel_bev.FEATURES)
    kernel_bev.compute_features(position.board[None].copy(), 0, 0, out)
    return dict(zip(NAMES, out.tolist(), strict=True))


def naive_features(own, other):
    """The features of a side, one after the other."""
    made = [point for point in range(1, 25) if own[point] >= 2]
    found = dict.fromkeys(NAMES, 0.0)
    found[f"home{2 * (sum(point <= 6 for point in made) // 2)}"] = 1
    for point in range(1, 7):
        if own[point] >= 2 or other[25 - point] >= 2:
            continue
        counts = own[point + 1 : point + 7].tolist()
        spare = sum(count - 2 if count >= 2 else count for count in counts)
        found["near"] += spare
        found["ways"] += spare if own[point] == 1 else spare * (spare - 1) // 2
    found["deter"] = sum(own[point] for point in made if point >= 19)
    for point in range(1, 25):
        behind = [at - (25 - point) for at in range(26 - point, 26) if other[at]]
        if own[point] == 1 and behind and min(behind) <= 12:
            near = min(behind) <= 6
            found["fear" if near else "fear_far"] += 1
            found["lost"] += 25 - point if near else 0
    found["centre"] = own[4:10].sum()
    found["pairs"] = sum(point + 1 in made for point in made)
    found["bar"], found["off"] = own[25], own[0]
    found["pips"] = (own.astype(int) * np.arange(26)).sum()
    return np.array([float(found[name]) for name in NAMES])


def test_blots_fear_what_is_behind_them_and_not_what_has_passed():
    found = features(boards.position(x={20: 1, 10: 1, 2: 1}, o={14: 2, 1: 2}))
    assert (found["fear"], found["lost"], found["fear_far"]) == (2, 5 + 23, 1)
    assert features(boards.position(x={6: 1}, o={20: 2}))["fear"] == 0


def test_scores_are_those_of_the_slow_twin():
    weights = np.random.default_rng(3).normal(size=kernel_bev.FEATURES)
    expected = [
        weights @ (naive_features(board[1], board[0]) - naive_features(board[0], board[1]))
        for board in SAMPLE
    ]
    assert np.allclose(BevScorer(weights).score_boards(SAMPLE), expected, atol=1e-3)


def test_a_finished_game_is_worth_more_than_anything():
    won = boards.position(x={5: 3}, o={}).board[None]
    assert BevScorer(HAND_WEIGHTS.vector).score_boards(won)[0] == 1e6


def test_the_player_has_its_weights_for_options():
    assert load_player("bev:fear=-2.5,pips=-2").scorer.score_boards(SAMPLE) == pytest.approx(
        BevScorer(msgspec.structs.replace(HAND_WEIGHTS, fear=-2.5, pips=-2.0).vector).score_boards(SAMPLE)
    )
    assert len(msgspec.structs.astuple(HAND_WEIGHTS)) == kernel_bev.FEATURES


def test_learned_weights_replace_all():
    learned = load_player("bev:learned=true").scorer
    assert np.array_equal(
        learned.score_boards(SAMPLE), BevScorer(LEARNED_WEIGHTS.vector).score_boards(SAMPLE)
    )
    with pytest.raises(ValueRangeError, match="remove it or the weights") as caught:
        load_player("bev:learned=true,pips=-2")
    assert caught.value.field == "learned"
