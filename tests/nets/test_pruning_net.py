"""The compiled pruning net against evaluating all legal plays."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.nets.catalogue import load_pruner
from gammond.nets.compiled_net import PruningNet, read_net_weights
from gammond.nets.onnx_layers import read_layers
from tests.nets.bare_nets import BareNets, random_net
from tests.nets.net_files import write_net
from tests.support import boards
from tests.support.evaluators import RacingEvaluator


@pytest.fixture(scope="module")
def pruners():
    contact, race = random_net(1, 12, 0.4), random_net(2, 7, 0.4)
    return PruningNet("sparse", contact, race), EvaluatorPruner(BareNets(contact, race))


def sample(count, seed):
    unfinished = boards.random_boards(count, seed=seed)
    return unfinished[classify_phases(unfinished) != Phase.OVER]


@pytest.mark.parametrize(("keep", "margin"), [(1, 1.0), (5, 0.3), (16, 10.0), (4000, 100.0)])
def test_it_keeps_the_replies_that_evaluating_all_plays_finds(pruners, keep, margin):
    positions = sample(400, seed=3)
    dice = boards.random_rolls(len(positions), seed=4)
    found, expected = (pruner.prune_plays(positions, dice, keep, margin) for pruner in pruners)
    different = 0
    for i in range(len(positions)):
        ours, theirs = slice(*found.offsets[i : i + 2]), slice(*expected.offsets[i : i + 2])
        if ours.stop - ours.start != theirs.stop - theirs.start:
            different += 1  # a reply within rounding of the margin
            continue
        np.testing.assert_allclose(found.equities[ours], expected.equities[theirs], atol=3e-6)
        different += not (found.children[ours] == expected.children[theirs]).all()
    assert different <= 4
    assert found.offsets[-1] == len(found.children) == len(found.moves) == len(found.equities)


def test_moves_lead_to_the_children(pruners):
    positions = sample(50, seed=5)
    dice = boards.random_rolls(len(positions), seed=6)
    replies = pruners[0].prune_plays(positions, dice, 3, 9.0)
    everything = pruners[1].prune_plays(positions, dice, 4000, 99.0)
    for i in range(len(positions)):
        known = {
            everything.children[j].tobytes(): everything.moves[j].tobytes()
            for j in range(everything.offsets[i], everything.offsets[i + 1])
        }
        for j in range(replies.offsets[i], replies.offsets[i + 1]):
            assert known[replies.children[j].tobytes()] == replies.moves[j].tobytes()


def test_replies_are_bitwise_the_same_alone_and_among_other_rolls_and_positions(pruners):
    positions = np.repeat(sample(12, seed=8), len(ROLLS), axis=0)
    dice = np.tile(np.array(ROLLS, np.int8), (len(positions) // len(ROLLS), 1))
    together = pruners[0].prune_plays(positions, dice, 5, 0.5)
    order = np.random.default_rng(9).permutation(len(positions))
    shuffled = pruners[0].prune_plays(positions[order], dice[order], 5, 0.5)
    for j, i in enumerate(order):
        ours, theirs = slice(*together.offsets[i : i + 2]), slice(*shuffled.offsets[j : j + 2])
        assert np.array_equal(together.children[ours], shuffled.children[theirs])
        assert np.array_equal(together.moves[ours], shuffled.moves[theirs])
        assert np.array_equal(together.equities[ours], shuffled.equities[theirs])


def test_ties_go_to_the_first_in_the_order_of_the_legal_plays():
    nothing = tuple(np.zeros_like(weights) for weights in random_net(1, 6))
    pruner = PruningNet("indifferent", nothing, nothing)
    positions = boards.played_boards(RacingEvaluator(), 60, seed=10)
    positions = positions[classify_phases(positions) == Phase.CONTACT]
    dice = boards.random_rolls(len(positions), seed=11)
    children, _, offsets = expand_rolls(positions, dice)
    replies = pruner.prune_plays(positions, dice, 4, 0.0)
    for i in range(len(positions)):
        first = children[offsets[i] : min(offsets[i] + 4, offsets[i + 1])]
        over = classify_phases(first) == Phase.OVER
        assert not over.any()
        assert np.array_equal(replies.children[slice(*replies.offsets[i : i + 2])], first)


def test_many_positions_outgrow_the_first_room_without_a_difference(pruners):
    crowded = boards.position(x={point: 1 for point in range(10, 25)}, o={0: 1})
    positions = np.repeat(crowded.board[None], 40, axis=0)
    dice = np.full((40, 2), 1, np.int8)
    replies = pruners[0].prune_plays(positions, dice, 3000, 99.0)
    alone = pruners[0].prune_plays(positions[:1], dice[:1], 3000, 99.0)
    assert len(replies.children) == 40 * len(alone.children) > 40 * 1000
    assert (replies.children.reshape(40, -1) == alone.children.reshape(1, -1)).all()


def test_no_positions_have_no_replies(pruners):
    replies = pruners[0].prune_plays(np.empty((0, 2, 26), np.int8), np.empty((0, 2), np.int8), 3, 1.0)
    assert replies.offsets.tolist() == [0]


def test_weights_of_a_deeper_net_are_refused(tmp_path):
    layers = read_layers(write_net(tmp_path / "net.onnx", (196, 8, 8, 5)).read_bytes())
    with pytest.raises(DataFileError, match=r"net deep: .* got weights of the shapes \(196, 8\), \(8, 8\)"):
        read_net_weights("deep", layers)


def test_the_shipped_pruning_net_makes_the_usual_opening_plays():
    start = Position.start().board[None]
    replies = load_pruner().prune_plays(start, np.array([[3, 1]], np.int8), 1, 0.0)
    assert replies.moves[0].tolist() == [8, 5, 6, 5, 0, 0, 0, 0]
