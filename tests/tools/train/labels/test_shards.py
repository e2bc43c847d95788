"""Labelled positions in files: all comes back, the newest first, and damage is named."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.rules.position import Phase, classify_phases
from gammond.tools.common.files import write_arrays
from gammond.tools.train.labels.setups import draw_setups
from gammond.tools.train.labels.shards import (
    LABELS,
    Labels,
    ShardMetadata,
    concatenate_labels,
    pack_boards,
    read_newest_labels,
    read_shard,
    unpack_boards,
    write_shard,
)
from gammond.tools.train.weights.random_positions import sample_random_positions

MADE = ShardMetadata("strong 0123", 1, 7)


def labels(count: int, seed: int, names: tuple[str, ...] = ("selfplay", "backgame")) -> Labels:
    generator = np.random.default_rng(seed)
    targets = generator.random((count, 5)).astype(np.float32)
    sources = generator.integers(0, len(names), count).astype(np.uint8)
    return Labels(sample_random_positions(count, seed), targets, sources, names)


def test_positions_of_all_phases_come_back_from_25_bytes():
    boards = sample_random_positions(3000, seed=2)
    assert pack_boards(boards).shape == (3000, 25)
    np.testing.assert_array_equal(unpack_boards(pack_boards(boards)), boards)


def test_a_shard_comes_back_with_all_that_it_holds(tmp_path):
    file = LABELS.find(tmp_path, 3)
    written = labels(200, seed=1)
    write_shard(file, written, MADE)
    read, made = read_shard(file)
    assert (file.name, made, read.source_names) == ("labels-000003.npz", MADE, written.source_names)
    np.testing.assert_array_equal(read.boards, written.boards)
    np.testing.assert_array_equal(read.targets, written.targets)
    np.testing.assert_array_equal(read.sources, written.sources)
    np.testing.assert_array_equal(read.decisions, np.arange(200))


def test_plays_of_a_roll_stay_together_through_files_choices_and_joins(tmp_path):
    some, numbers = labels(6, seed=1), np.array([0, 0, 0, 1, 1, 2])
    file = LABELS.find(tmp_path, 0)
    write_shard(file, replace(some, decisions=numbers), replace(MADE, plays=3))
    read, made = read_shard(file)
    assert made.plays == 3
    np.testing.assert_array_equal(read.decisions, numbers)
    few = read.select(np.array([False, True, True, False, True, True]))
    np.testing.assert_array_equal(few.decisions, [0, 0, 1, 2])
    both = concatenate_labels([few, read, some])
    np.testing.assert_array_equal(both.decisions, [0, 0, 1, 2, 3, 3, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11])


def test_a_window_takes_the_newest_whole_shards_and_gives_the_oldest_first(tmp_path):
    parts = [labels(100, seed) for seed in range(4)]
    for number, part in enumerate(parts):
        write_shard(LABELS.find(tmp_path, number), part, MADE)
    for positions, expected in ((None, parts), (150, parts[2:]), (200, parts[2:]), (1, parts[3:])):
        np.testing.assert_array_equal(
            read_newest_labels(tmp_path, positions).targets,
            np.concatenate([part.targets for part in expected]),
        )


def test_joined_labels_keep_their_sources_by_name():
    first, second = labels(50, 1, ("selfplay", "crashed")), labels(50, 2, ("crashed", "astray"))
    both = concatenate_labels([first, second])
    assert both.source_names == ("selfplay", "crashed", "astray")
    names = [both.source_names[place] for place in both.sources]
    assert names[:50] == [first.source_names[place] for place in first.sources]
    assert names[50:] == [second.source_names[place] for place in second.sources]


def test_labels_of_a_phase_are_those_of_its_positions():
    some = labels(60, seed=3)
    boards = draw_setups("crashed", np.random.Generator(np.random.PCG64(1)), 30)
    whole = Labels(np.concatenate([some.boards[:30], boards]), some.targets, some.sources, some.source_names)
    crashed = whole.select_phases([Phase.CRASHED])
    of_phase = classify_phases(whole.boards) == int(Phase.CRASHED)
    assert 0 < len(crashed) == of_phase.sum() < 60
    np.testing.assert_array_equal(crashed.targets, whole.targets[of_phase])


def test_a_damaged_shard_is_named(tmp_path):
    write_shard(LABELS.find(tmp_path, 0), labels(100, 1), MADE)
    file = LABELS.find(tmp_path, 1)
    write_shard(file, labels(100, 2), MADE)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataFileError, match=r"labels-000001\.npz"):
        read_newest_labels(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"targets": None}, "targets"),
        ({"targets": np.zeros((9, 5), np.float32)}, "targets"),
        ({"targets": np.full((100, 5), 3.5, np.float32)}, "probabilities"),
        ({"targets": np.full((100, 5), np.nan, np.float32)}, "not finite"),
        ({"boards": np.zeros((100, 24), np.uint8)}, "packed boards"),
        ({"boards": np.full((100, 25), 255, np.uint8)}, "at most 15 checkers"),
        ({"sources": np.full(100, 2, np.uint8)}, "sources"),
        ({"plies": np.arange(2)}, ""),
        ({"decisions": np.arange(99)}, "decisions"),
        ({"decisions": np.arange(100)[::-1].copy()}, "decisions"),
        ({"decisions": np.zeros(100)}, "decisions"),
    ],
)
def test_a_file_that_is_no_shard_is_named(tmp_path, changes, message):
    file = LABELS.find(tmp_path, 0)
    write_shard(file, labels(100, 1), MADE)
    arrays = read_array_file(file)
    for name, array in changes.items():
        arrays.pop(name) if array is None else arrays.update({name: array})
    write_arrays(file, arrays)
    with pytest.raises(DataFileError, match=rf"labels-000000\.npz (is no shard|cannot be used).*{message}"):
        read_shard(file)


def test_a_folder_without_labels_is_named(tmp_path):
    with pytest.raises(DataFileError, match="holds no labelled positions"):
        read_newest_labels(tmp_path)
