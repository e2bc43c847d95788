import json
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.rollout import RolloutSettings, TrialCubes, load_state, roll_out, save_state
from tests.engine.rollout.racing import EVALUATORS
from tests.support import boards

STARTS = [
    boards.position({6: 3, 5: 2}, {21: 3, 20: 2, 19: 2}),
    boards.position({6: 2, 2: 2}, {22: 3, 20: 1}),
]
SETTINGS = RolloutSettings(trials=216, min_trials=36, seed=9)


@pytest.fixture(scope="module")
def state():
    return roll_out(STARTS, EVALUATORS, RolloutSettings(trials=108, stop_jsd=0.0, seed=9)).state


def test_a_state_comes_back_as_it_was_saved(tmp_path, state):
    path = tmp_path / "opening.rollout"
    cubes = TrialCubes(np.array([0, 1], np.int8), np.array([1.0, 2.0]))
    saved = replace(state, scores=(state.scores[0], state.scores[1][:36]), cubes=cubes)
    save_state(saved, path)
    loaded = load_state(path)
    assert np.array_equal(loaded.starts, state.starts)
    for name in ("seed", "truncation", "variance_reduction", "evaluators", "scoring"):
        assert getattr(loaded, name) == getattr(state, name)
    assert loaded.cubes.equals(cubes)
    assert [len(scores) for scores in loaded.scores] == [108, 36]
    assert all(map(np.array_equal, loaded.scores, saved.scores))
    assert [path] == list(tmp_path.iterdir())


def test_evaluators_of_the_same_names_are_distinguished_by_their_nets(tmp_path, state):
    path = tmp_path / "state"
    save_state(state, path, {"contact": "12" * 32})
    assert load_state(path, {"contact": "12" * 32}).count_trials() == load_state(path).count_trials() == 108
    for other, words in (
        ({"contact": "34" * 32}, "has contact 121212121212, expected 343434343434 "),
        ({}, "has contact 121212121212, expected missing "),
        ({"contact": "12" * 32, "race": "56" * 32}, "has race missing, expected 565656565656 "),
    ):
        with pytest.raises(StateError, match=words) as refusal:
            load_state(path, other)
        assert refusal.value.field == "state"


def test_a_folder_that_is_missing_is_an_error_of_the_system(tmp_path, state):
    with pytest.raises(OSError, match="nowhere"):
        save_state(state, tmp_path / "nowhere" / "state")


def _write(path, state, **changed):
    facts = {"format": "gammond rollout 1", "seed": 9, "truncation": 0, "variance_reduction": True}
    facts |= {"scoring": "cubeless", "judges": ["a", "b"], "identity": {}}
    if isinstance(changed.get("facts"), dict):
        facts |= changed.pop("facts")
    arrays = {
        "facts": np.frombuffer(json.dumps(facts).encode(), np.uint8),
        "starts": state.starts,
        "cube_states": np.zeros(2, np.int8),
        "stakes": np.ones(2),
        "counts": np.array([108, 108]),
        "scores": np.concatenate(state.scores),
    } | changed
    with path.open("wb") as file:
        np.savez(file, **arrays)


def test_the_hand_written_file_is_readable(tmp_path, state):
    _write(tmp_path / "state", state)
    assert load_state(tmp_path / "state").evaluators == ("a", "b")


@pytest.mark.parametrize(
    "changed",
    [
        {"facts": {"format": "gammond rollout 2"}},
        {"facts": {"seed": "9"}},
        {"facts": {"truncation": True}},
        {"facts": {"judges": "a"}},
        {"facts": {"judges": [1]}},
        {"facts": {"identity": None}},
        {"facts": {"identity": {"net": 1}}},
        {"facts": np.frombuffer(b"{", np.uint8)},
        {"facts": np.frombuffer(b"[]", np.uint8)},
        {"facts": np.frombuffer(b"\xff\xfe", np.uint8)},
        {"starts": np.zeros((2, 2, 26), np.int8)},
        {"starts": np.zeros((0, 2, 26), np.int8)},
        {"starts": np.zeros((2, 2, 26))},
        {"counts": np.array([107, 108])},
        {"counts": np.array([-1, 217])},
        {"counts": np.array([216])},
        {"counts": np.array([108.0, 108.0])},
        {"cube_states": np.array([-1, 0], np.int8)},
        {"cube_states": np.zeros(2)},
        {"stakes": np.zeros(2)},
        {"stakes": np.ones(3)},
        {"scores": np.zeros((216, 4))},
        {"scores": np.zeros(216)},
        {"scores": np.full((216, 5), np.nan)},
        {"scores": np.full((216, 5), 1e308)},
        {"scores": np.full((216, 5), 1e7)},
        {"stakes": np.full(2, 1e9)},
        {"scores": np.zeros((216, 5), np.float32)},
        {"scores": np.array([{}], object)},
    ],
)
def test_altered_files_are_refused(tmp_path, state, changed):
    _write(tmp_path / "state", state, **changed)
    with pytest.raises(DataFileError) as refusal:
        load_state(tmp_path / "state")
    assert refusal.value.field == "state"


def test_missing_truncated_and_other_files_are_refused(tmp_path, state):
    path = tmp_path / "state"
    with pytest.raises(DataFileError):
        load_state(path)
    save_state(state, path)
    content = path.read_bytes()
    cut = [content[:length] for length in range(0, len(content), 97)]
    for other in (b"no archive", b"PK\x03\x04 broken", b"\x93NUMPY\x01\x00", *cut):
        path.write_bytes(other)
        with pytest.raises(DataFileError):
            load_state(path)
    for place in range(0, len(content), 131):
        altered = bytearray(content)
        altered[place] ^= 0x55
        path.write_bytes(altered)
        try:
            load_state(path)
        except DataFileError:
            continue
