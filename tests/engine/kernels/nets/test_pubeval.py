"""Pubeval's compiled score against a slow twin that fills its 122 inputs one by one."""

import numpy as np
import pytest

from gammond.engine.kernels.nets import pubeval as kernel_pubeval
from gammond.engine.rules.position import swap_sides
from tests.support import boards


def _slow_score(after, weights) -> float:
    """Score a position for the player in row 0, who has just moved."""
    inputs = [0.0] * 122
    for place in range(1, 25):
        own, opponent = int(after[0, 25 - place]), int(after[1, place])
        n = own if own else -opponent
        inputs[5 * (place - 1)] = float(n == -1)
        inputs[5 * (place - 1) + 1] = float(n == 1)
        inputs[5 * (place - 1) + 2] = float(n >= 2)
        inputs[5 * (place - 1) + 3] = float(n == 3)
        inputs[5 * (place - 1) + 4] = (n - 3) / 2 if n >= 4 else 0.0
    inputs[120] = int(after[1, 25]) / 2
    inputs[121] = int(after[0, 0]) / 15
    return sum(w * x for w, x in zip(weights.tolist(), inputs, strict=True))


def _weights(seed: int):
    return np.random.default_rng(seed).standard_normal(122).astype(np.float32)


@pytest.mark.nojit
def test_scores_agree_with_the_slow_twin():
    weights = _weights(1)
    for after in boards.random_boards(200, seed=12):
        assert kernel_pubeval.score_position(swap_sides(after), weights) == pytest.approx(
            _slow_score(after, weights), abs=1e-4
        )


@pytest.mark.nojit
def test_the_choice_is_the_first_of_the_highest_scores_with_the_weights_of_the_phase():
    children = boards.random_boards(40, seed=13)
    children[7] = children[3]
    offsets = np.array([0, 10, 11, 40])
    is_race = np.array([False, True, True])
    contact, race = _weights(2), _weights(3)
    chosen = np.empty(3, np.int64)
    kernel_pubeval.choose_plays(children, offsets, is_race, contact, race, chosen)
    for i, weights in enumerate((contact, race, race)):
        scores = [
            kernel_pubeval.score_position(child, weights) for child in children[offsets[i] : offsets[i + 1]]
        ]
        assert chosen[i] == offsets[i] + int(np.argmax(scores))


@pytest.mark.nojit
def test_a_finished_game_scores_highest_whatever_the_weights_say():
    done = boards.position(x={}, o={20: 3})
    assert kernel_pubeval.score_position(done.swap_sides().board.copy(), _weights(4)) > 1e6
