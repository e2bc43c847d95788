"""Positions to validate on: of the class they are called by, distinct, and not among labels."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.nets.catalogue import load_pruner
from gammond.tools.train.labels.sampling import Sampler, make_sampler
from gammond.tools.train.labels.shards import LABELS, Labels, ShardMetadata, write_shard
from gammond.tools.train.validation import positions as validation_positions
from gammond.tools.train.validation.position_classes import POSITION_CLASSES, has_two_anchors
from gammond.tools.train.validation.positions import (
    ValidationPositions,
    draw_from_boards,
    draw_from_games,
    draw_positions,
    is_among,
    is_learned,
    read_positions,
    write_positions,
)
from gammond.tools.train.weights.net_set import load_net_set
from gammond.tools.train.weights.random_positions import sample_random_positions
from tests.support.boards import random_boards

pytest.importorskip("onnx", reason="nets are read and run as ONNX files (extra 'train')")


@pytest.fixture(scope="module")
def sampler():
    return make_sampler(load_net_set("default"), load_pruner())


def write_labels(folder, content) -> None:
    count = len(content)
    targets = np.full((count, 5), 0.1, np.float32)
    labels = Labels(content, targets, np.zeros(count, np.uint8), ("selfplay",))
    write_shard(LABELS.find(folder, 0), labels, ShardMetadata("net", 1, 1))


def test_positions_are_of_the_class_that_they_are_called_by(sampler):
    counts = {name: 2 + i % 3 for i, name in enumerate(POSITION_CLASSES)}
    drawn = draw_positions(counts, draw_from_games(sampler), seed=3)
    assert {name: int((drawn.classes == i).sum()) for i, name in enumerate(drawn.class_names)} == counts
    assert len(np.unique(drawn.boards.reshape(-1, 52), axis=0)) == len(drawn)
    phase_of = {name: set(classify_phases(drawn.boards[drawn.classes == i])) for i, name in enumerate(counts)}
    for name in ("race", "long-race", "short-race"):
        assert phase_of.pop(name) == {Phase.RACE}
    assert phase_of.pop("crashed") == {Phase.CRASHED}
    assert set().union(*phase_of.values()) <= {Phase.CONTACT, Phase.CRASHED}
    assert has_two_anchors(drawn.boards[drawn.classes == list(counts).index("backgame")]).all()
    for name, places in ((name, drawn.classes == i) for i, name in enumerate(counts)):
        assert POSITION_CLASSES[name].find_members(drawn.boards[places]).all()
    for row in drawn.boards:
        Position(row)


def test_the_seed_decides_the_positions(sampler):
    first, again, other = (
        draw_positions({"contact": 20}, draw_from_games(sampler), seed).boards for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert is_among(first, other).sum() < 10


def test_no_draw_has_the_seed_of_a_training_run(sampler, monkeypatch):
    seeds, real = [], Sampler.sample

    def reported(self, counts, seed):
        seeds.append(seed)
        return real(self, counts, seed)

    monkeypatch.setattr(Sampler, "sample", reported)
    draw_positions({"contact": 5, "crashed": 5}, draw_from_games(sampler), seed=1)
    assert len(set(seeds)) == len(seeds) >= 2
    assert {seed[0] for seed in seeds} == {validation_positions._DICE_SEED_TAG}
    assert validation_positions._DICE_SEED_TAG > 2**62


def test_positions_among_labels_are_not_taken(sampler, tmp_path):
    before = draw_positions({"contact": 20}, draw_from_games(sampler), seed=4).boards
    write_labels(tmp_path, before)
    after = draw_positions({"contact": 20}, draw_from_games(sampler), seed=4, label_folders=[tmp_path]).boards
    assert len(after) == 20
    assert not is_among(after, before).any()
    assert is_learned(np.concatenate([after, before]), [tmp_path]).tolist() == 20 * [False] + 20 * [True]


def test_a_folder_without_labels_is_an_error(tmp_path):
    with pytest.raises(DataFileError, match="no labelled positions"):
        is_learned(sample_random_positions(1, seed=1), [tmp_path])


def test_positions_are_read_as_they_were_written(tmp_path):
    positions = ValidationPositions(
        sample_random_positions(30, seed=2), (np.arange(30) % 2).astype(np.uint8), ("contact", "race")
    )
    assert read_positions(tmp_path) is None
    write_positions(tmp_path, positions, "nets")
    read = read_positions(tmp_path)
    assert read is not None
    np.testing.assert_array_equal(read[0].boards, positions.boards)
    np.testing.assert_array_equal(read[0].classes, positions.classes)
    assert (read[0].class_names, read[1]) == (("contact", "race"), "nets")


def test_a_damaged_file_of_positions_is_named(tmp_path):
    np.savez(tmp_path / "positions.npz", boards=np.zeros((2, 25), np.uint8))
    with pytest.raises(DataFileError, match=r"positions\.npz holds no positions"):
        read_positions(tmp_path)


def test_positions_drawn_among_others_are_of_their_class_and_each_is_taken_once():
    boards = np.concatenate([random_boards(400, seed=5)] * 2)
    counts = {"contact": 40, "race": 2}
    drawn = draw_positions(counts, draw_from_boards(boards, counts), seed=1)
    assert np.bincount(drawn.classes).tolist() == [40, 2]
    assert is_among(drawn.boards, boards).all()
    assert len(np.unique(drawn.boards.reshape(-1, 52), axis=0)) == 42
    assert set(classify_phases(drawn.boards[drawn.classes == 1])) == {Phase.RACE}
    again, other = (draw_positions(counts, draw_from_boards(boards, counts), seed).boards for seed in (1, 2))
    np.testing.assert_array_equal(drawn.boards, again)
    assert is_among(drawn.boards, other).sum() < 20


def test_a_class_of_which_there_are_too_few_is_named_with_their_number():
    boards = random_boards(50, seed=5)
    boards = np.repeat(boards[POSITION_CLASSES["contact"].find_members(boards)][:1], 9, axis=0)
    with pytest.raises(ValueRangeError, match="expected 2 different positions of class contact, got 1 among"):
        draw_from_boards(boards, {"contact": 2})


def test_a_class_of_which_too_few_are_left_beside_labels_is_named(tmp_path):
    boards = random_boards(50, seed=5)
    boards = boards[POSITION_CLASSES["contact"].find_members(boards)][:3]
    write_labels(tmp_path, boards[:1])
    with pytest.raises(ValueRangeError, match="too few positions of class contact"):
        draw_positions({"contact": 3}, draw_from_boards(boards, {"contact": 3}), 1, [tmp_path])
