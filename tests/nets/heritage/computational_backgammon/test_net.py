"""Nets of TD-Gammon's first years: outputs of their nodes, mirrored weights, refusals."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.outcome import invert_outcomes
from gammond.engine.rules.position import Position
from gammond.nets.encoders import encode_tesauro196
from gammond.nets.heritage.computational_backgammon.net import (
    NODE_COUNTS,
    SYMMETRIC,
    ClassicNet,
    outcomes_to_nodes,
)
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.support.boards import position


def net(layout, outputs, hidden=6, seed=3):
    return ClassicNet.untrained(layout, outputs, hidden, np.random.default_rng(seed))


def with_the_turn_handed_over(symmetric):
    """The same net where the inputs for the turn are 0 and 1: the biases of the hidden units are negated."""
    w1, b1, w2, b2 = symmetric.weights
    return ClassicNet(symmetric.layout, symmetric.outputs, (w1, -b1, w2, b2))


@pytest.mark.parametrize("outputs", NODE_COUNTS)
def test_a_symmetric_net_turns_its_outcome_when_board_and_dice_change_hands(outputs):
    own = net(SYMMETRIC, outputs)
    own.weights[1][:] = np.linspace(-1, 1, 6)
    boards = sample_random_positions(4000, seed=1)[:50]
    turned = with_the_turn_handed_over(own).evaluate(np.ascontiguousarray(boards[:, ::-1]))
    np.testing.assert_allclose(invert_outcomes(turned), own.evaluate(boards), atol=1e-6)
    assert own.evaluate(boards)[:, 0].std() > 0.01


@pytest.mark.nojit
@pytest.mark.parametrize("outputs", NODE_COUNTS)
def test_nodes_are_those_of_a_net_of_two_dense_layers(outputs):
    own = net("normal", outputs)
    w1, b1, w2, b2 = (array.astype(np.float64) for array in own.weights)
    boards = np.stack(
        [
            Position.start().board,
            position({25: 2, 6: 5, 1: 3, 20: 1}, {24: 6, 18: 4, 7: 2}).board,
            position({5: 4, 2: 1}, {24: 3, 20: 2}).board,
        ]
    )
    hidden = 1 / (1 + np.exp(-(encode_tesauro196(boards) @ w1 + b1)))
    np.testing.assert_allclose(own.compute_nodes(boards), 1 / (1 + np.exp(-(hidden @ w2.T + b2))), atol=1e-5)


@pytest.mark.parametrize("outputs", NODE_COUNTS)
def test_positions_that_look_alike_from_both_sides_are_one_and_the_same_to_a_symmetric_net(outputs):
    """Their inputs differ; the differences of the sides, on which alone it depends, are 0 in all of them."""
    opening, sure_win = Position.start().board, position({1: 2}, {24: 2}).board
    prime = position(
        {8: 2, 7: 2, 6: 2, 5: 2, 4: 2, 3: 2, 2: 3}, {17: 2, 18: 2, 19: 2, 20: 2, 21: 2, 22: 2, 23: 3}
    )
    alike = np.stack([opening, sure_win, prime.board])
    inputs = encode_tesauro196(alike)
    assert len(np.unique(inputs, axis=0)) == len(alike)
    symmetric, normal = net(SYMMETRIC, outputs), net("normal", outputs)
    symmetric.weights[1][:] = np.linspace(-1, 1, 6)
    np.testing.assert_allclose(symmetric.evaluate(alike), symmetric.evaluate(alike[[1, 2, 0]]), atol=1e-6)
    assert np.abs(normal.evaluate(alike) - normal.evaluate(alike[[1, 2, 0]])).max() > 1e-3


@pytest.mark.parametrize("outputs", NODE_COUNTS)
def test_nodes_and_outcomes_agree(outputs):
    own = net("normal", outputs)
    boards = sample_random_positions(4000, seed=2)[:20]
    nodes = own.compute_nodes(boards)
    np.testing.assert_allclose(outcomes_to_nodes(own.evaluate(boards), outputs), nodes, atol=1e-5)
    assert nodes.shape == (20, NODE_COUNTS[outputs])


def test_shares_of_what_never_happens_are_nothing():
    assert outcomes_to_nodes(np.array([[1, 0.25, 0, 0, 0]], np.float32), 2).tolist() == [[1, 0.25, 0]]


def test_arrays_give_the_net_back():
    own = net("symmetric", 2)
    again = ClassicNet.from_arrays("symmetric", 2, "contact", own.to_arrays("contact"))
    assert all((a == b).all() for a, b in zip(own.weights, again.weights, strict=True))


@pytest.mark.parametrize(
    ("layout", "outputs", "changes", "message"),
    [
        ("sideways", 1, {}, "normal or symmetric"),
        ("normal", 3, {}, "1, 2 or 5 outputs"),
        ("normal", 1, {"w2": np.zeros((3, 6), np.float32)}, r"weights \[196, h\]"),
        ("normal", 1, {"b1": np.zeros(6)}, "float32"),
        ("normal", 1, {"b1": None}, "expected an array race_b1, got none"),
    ],
)
def test_weights_that_make_no_net_are_refused(layout, outputs, changes, message):
    arrays = net("normal", 1).to_arrays("race")
    for name, array in changes.items():
        arrays.pop(f"race_{name}") if array is None else arrays.update({f"race_{name}": array})
    with pytest.raises(DataFileError, match=message):
        ClassicNet.from_arrays(layout, outputs, "race", arrays)
