"""The compiled reply finder against finding by evaluating all legal plays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import DataFileError
from engine.outcome import finished_outcomes
from engine.position import Phase, Position, phases
from engine.replies import EvaluatedReplies
from nets.encoders import encode_tesauro196
from nets.loading import load_finder
from nets.onnx_model import OnnxModel
from nets.sparse_finder import SparseFinder, read_weights
from tests import boards
from tests.nets.net_files import write_net


def random_net(seed, hidden=12):
    generator = np.random.default_rng(seed)
    shapes = (196, hidden), (hidden,), (5, hidden), (5,)
    return tuple(generator.normal(0, 0.4, shape).astype(np.float32) for shape in shapes)


class BareNets:
    """What the finder judges by, as an evaluator of matrix products."""

    name = "bare"
    plies = 0

    def __init__(self, contact, race):
        self.nets = {True: race, False: contact}

    def evaluate(self, sample):
        result = np.empty((len(sample), 5), np.float32)
        phase = phases(sample)
        over = phase == Phase.OVER
        result[over] = finished_outcomes(sample[over])
        for is_race, (w1, b1, w2, b2) in self.nets.items():
            rows = ~over & ((phase == Phase.RACE) == is_race)
            hidden = np.maximum(encode_tesauro196(sample[rows]) @ w1 + b1, 0)
            result[rows] = 1 / (1 + np.exp(-(hidden @ w2.T + b2)))
        return result


@pytest.fixture(scope="module")
def finders():
    contact, race = random_net(1), random_net(2, hidden=7)
    return SparseFinder("sparse", contact, race), EvaluatedReplies(BareNets(contact, race))


def sample(count, seed):
    unfinished = boards.random_boards(count, seed=seed)
    return unfinished[phases(unfinished) != Phase.OVER]


@pytest.mark.parametrize(("keep", "margin"), [(1, 1.0), (5, 0.3), (16, 10.0), (4000, 100.0)])
def test_it_keeps_the_replies_that_evaluating_all_plays_finds(finders, keep, margin):
    positions = sample(400, seed=3)
    dice = boards.random_rolls(len(positions), seed=4)
    found, expected = (finder.best_replies(positions, dice, keep, margin) for finder in finders)
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


def test_moves_lead_to_the_children(finders):
    positions = sample(50, seed=5)
    dice = boards.random_rolls(len(positions), seed=6)
    replies = finders[0].best_replies(positions, dice, 3, 9.0)
    everything = finders[1].best_replies(positions, dice, 4000, 99.0)
    for i in range(len(positions)):
        known = {
            everything.children[j].tobytes(): everything.moves[j].tobytes()
            for j in range(everything.offsets[i], everything.offsets[i + 1])
        }
        for j in range(replies.offsets[i], replies.offsets[i + 1]):
            assert known[replies.children[j].tobytes()] == replies.moves[j].tobytes()


def test_many_positions_outgrow_the_first_room_without_a_difference(finders):
    crowded = boards.position(x={point: 1 for point in range(10, 25)}, o={0: 1})
    positions = np.repeat(crowded.board[None], 40, axis=0)
    dice = np.full((40, 2), 1, np.int8)
    replies = finders[0].best_replies(positions, dice, 3000, 99.0)
    alone = finders[0].best_replies(positions[:1], dice[:1], 3000, 99.0)
    assert len(replies.children) == 40 * len(alone.children) > 40 * 1000
    assert (replies.children.reshape(40, -1) == alone.children.reshape(1, -1)).all()


def test_no_positions_have_no_replies(finders):
    replies = finders[0].best_replies(np.empty((0, 2, 26), np.int8), np.empty((0, 2), np.int8), 3, 1.0)
    assert replies.offsets.tolist() == [0]


def test_weights_of_a_deeper_net_are_refused(tmp_path):
    model = OnnxModel("deep", write_net(tmp_path / "net.onnx", (196, 8, 8, 5)).read_bytes(), 196, 5)
    with pytest.raises(DataFileError, match="weights"):
        read_weights(model)


def test_the_shipped_finder_opens_as_everyone_does():
    start = Position.start().board[None]
    replies = load_finder().best_replies(start, np.array([[3, 1]], np.int8), 1, 0.0)
    assert replies.moves[0].tolist() == [8, 5, 6, 5, 0, 0, 0, 0]
