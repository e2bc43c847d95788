"""Plays evaluated by differences from the position before them, against evaluating each result afresh."""

import numba
import numpy as np
import pytest

from gammond.engine.kernels.nets import play_evaluation as kernel_play_evaluation
from gammond.engine.kernels.nets import sparse as kernel_sparse
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Phase, classify_phases
from tests.nets.bare_nets import BareNets, random_net
from tests.support import boards


def evaluated(sample, dice, contact, race):
    """Equities and outcomes of all plays, the positions one after the other."""
    buffers = kernel_play_evaluation.make_play_buffers(contact, race)
    equities, outcomes = [], []
    for i, (die1, die2) in enumerate(dice.tolist()):
        kernel_play_evaluation.prepare_position(sample, i, contact, race, buffers)
        count = kernel_play_evaluation.evaluate_plays(sample, i, die1, die2, contact, race, buffers)
        equities.append(buffers.equities[:count].copy())
        columns = buffers.logits[:, :count].T
        outcomes.append(np.array([[kernel_sparse.sigmoid(x) for x in each] for each in columns], np.float32))
    return np.concatenate(equities), np.concatenate(outcomes)


def unfinished(sample):
    return sample[classify_phases(sample) != Phase.OVER]


def near_the_end(count, seed):
    """Positions with at most five checkers a side, where contact and games end."""
    generator = np.random.default_rng(seed)
    sample = np.zeros((count, 2, 26), np.int8)
    for i in range(count):
        for side in range(2):
            points = generator.integers(1, 26 if generator.random() < 0.2 else 10, generator.integers(1, 6))
            np.add.at(sample[i, side], points, 1)
            sample[i, side, 0] = 15 - len(points)
    clash = ((sample[:, 0, 1:25] > 0) & (sample[:, 1, 24:0:-1] > 0)).any(axis=1)
    return sample[~clash]


@pytest.mark.nojit
@pytest.mark.parametrize("hidden", [8, 40])
def test_all_plays_get_the_outcomes_of_their_results(hidden):
    contact, race = random_net(1, hidden), random_net(2, 7)
    sample = unfinished(np.concatenate([boards.random_boards(60, seed=6), near_the_end(60, seed=7)]))
    dice = boards.random_rolls(len(sample), seed=8)
    check(sample, dice, contact, race)


@pytest.mark.nojit
@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="only Python's own arrays can be made otherwise")
def test_what_memory_held_before_neither_counts_nor_warns(monkeypatch):
    make_empty = np.empty

    def make_poisoned(shape, dtype=float):
        array = make_empty(shape, dtype)
        array.fill(np.nan if array.dtype.kind == "f" else np.iinfo(dtype).max)
        return array

    contact, race = random_net(1, 8), random_net(2, 7)
    sample = unfinished(np.concatenate([boards.random_boards(30, seed=6), near_the_end(30, seed=7)]))
    dice = boards.random_rolls(len(sample), seed=8)
    expected = evaluated(sample, dice, contact, race)
    monkeypatch.setattr(np, "empty", make_poisoned)
    found = evaluated(sample, dice, contact, race)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("hidden", "race_hidden"), [(1, 5), (15, 31), (17, 1), (32, 16), (128, 64), (33, 65)]
)
def test_all_plays_of_many_positions_get_the_outcomes_of_their_results(hidden, race_hidden):
    contact, race = random_net(3, hidden, 0.1), random_net(4, race_hidden, 0.1)
    sample = unfinished(np.concatenate([boards.random_boards(500, seed=9), near_the_end(1000, seed=10)]))
    dice = boards.random_rolls(len(sample), seed=11)
    children = check(sample, dice, contact, race)
    kinds = np.bincount(classify_phases(children), minlength=len(Phase))
    assert kinds.min() > 30


def check(sample, dice, contact, race):
    children, _, _ = expand_rolls(sample, dice)
    expected = BareNets(contact, race).evaluate(children)
    equities, outcomes = evaluated(sample, dice, contact, race)
    np.testing.assert_allclose(outcomes, expected, rtol=0, atol=4e-6)
    np.testing.assert_allclose(equities, cubeless_equity(expected), rtol=0, atol=2e-5)
    over = classify_phases(children) == Phase.OVER
    assert np.array_equal(outcomes[over], expected[over])
    assert np.array_equal(equities[over], cubeless_equity(expected[over]))
    return children


def test_every_roll_of_a_position_is_evaluated_after_one_preparation():
    contact, race = random_net(5, 32), random_net(6, 16)
    sample = unfinished(boards.random_boards(20, seed=12))
    buffers = kernel_play_evaluation.make_play_buffers(contact, race)
    for i in range(len(sample)):
        kernel_play_evaluation.prepare_position(sample, i, contact, race, buffers)
        for die1, die2 in ROLLS:
            count = kernel_play_evaluation.evaluate_plays(sample, i, die1, die2, contact, race, buffers)
            together = buffers.equities[:count].copy()
            alone, _ = evaluated(sample[i : i + 1], np.array([[die1, die2]]), contact, race)
            assert np.array_equal(together, alone)
