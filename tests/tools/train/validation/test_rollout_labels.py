"""Files of rolled-out positions."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.outcome import cubeless_equity
from gammond.tools.train.labels.shards import read_newest_labels
from gammond.tools.train.validation.positions import ValidationPositions
from gammond.tools.train.validation.rollout_labels import (
    ROLLOUTS,
    RolloutLabels,
    read_all_rollouts,
    read_rollouts,
    write_rollouts,
)
from gammond.tools.train.weights.random_positions import sample_random_positions


def labels(count: int, seed: int) -> RolloutLabels:
    generator = np.random.default_rng(seed)
    positions = ValidationPositions(
        sample_random_positions(count, seed),
        generator.integers(0, 2, count).astype(np.uint8),
        ("contact", "race"),
    )
    return RolloutLabels(
        positions,
        generator.normal(0.2, 0.3, (count, 5)).astype(np.float32),
        generator.random((count, 5), np.float32),
        generator.random(count, np.float32),
        np.arange(count, dtype=np.int32),
    )


def test_shards_are_read_in_their_order_as_they_were_written(tmp_path):
    parts = [labels(5, seed=1), labels(3, seed=2)]
    for number in (1, 0):
        write_rollouts(ROLLOUTS.find(tmp_path, number), parts[number])
    read = read_all_rollouts(tmp_path)
    assert len(read) == 8
    np.testing.assert_array_equal(read.positions.boards[5:], parts[1].positions.boards)
    np.testing.assert_array_equal(read.positions.classes[5:], parts[1].positions.classes)
    for name in ("outcomes", "errors", "equity_errors", "trials"):
        expected = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(getattr(read, name), expected)
    np.testing.assert_array_equal(read.equities[:5], cubeless_equity(parts[0].outcomes))


def test_some_of_them_are_chosen_by_row():
    all_of_them = labels(6, seed=3)
    rows = np.array([True, False, False, True, False, False])
    some = all_of_them[rows]
    assert some.trials.tolist() == [0, 3]
    np.testing.assert_array_equal(some.positions.boards, all_of_them.positions.boards[rows])
    np.testing.assert_array_equal(some.errors, all_of_them.errors[rows])


def test_they_are_no_labels_to_learn_from(tmp_path):
    write_rollouts(ROLLOUTS.find(tmp_path, 0), labels(2, seed=1))
    with pytest.raises(DataFileError, match="no labelled positions"):
        read_newest_labels(tmp_path)


def test_a_folder_without_shards_is_an_error(tmp_path):
    with pytest.raises(DataFileError, match="no rolled-out positions"):
        read_all_rollouts(tmp_path)


@pytest.mark.parametrize("column", ["trials", "errors", "outcomes", "classes"])
def test_a_shard_with_a_column_that_cannot_be_is_named(tmp_path, column):
    file = ROLLOUTS.find(tmp_path, 0)
    write_rollouts(file, labels(4, seed=1))
    with np.load(file) as content:
        arrays = dict(content)
    arrays[column] = arrays[column][:-1]
    np.savez(file, **arrays)
    with pytest.raises(DataFileError, match=r"rollouts-000000\.npz is no shard"):
        read_rollouts(file)
