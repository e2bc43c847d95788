"""The registry of encoders and the encoding as others see it."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.position import Position
from gammond.nets.encoders import ENCODERS, get_encoder
from tests.support import boards


@pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
def test_every_encoder_gives_the_inputs_it_declares(encoder):
    positions = boards.random_boards(7, seed=1)
    inputs = encoder.encode(positions)
    assert not np.shares_memory(inputs, positions)
    assert inputs.shape == (7, encoder.inputs)
    assert inputs.dtype == np.float32
    opening = encoder.encode(Position.start().board[None])
    assert opening.sum(dtype=np.float64) == pytest.approx(encoder.opening_sum, abs=1e-4)
    assert get_encoder(encoder.id) is encoder


def test_inputs_have_their_widths_by_name():
    layout = get_encoder("patterns285").layout
    names = [name for name, count in layout.items() for _ in range(count)]
    assert [names[place] for place in (95, 96, 97, 98, 196, 213, 247)] == [
        *("own points", "own bar", "own off", "opposing points", "own pips", "own rear"),
        "opposing backgame",
    ]
    assert names[248:] == ["pairs"] * 23 + ["own blocks"] * 7 + ["opposing blocks"] * 7


def test_an_encoder_takes_no_positions_and_read_only_ones():
    encode = get_encoder("tesauro196").encode
    assert encode(np.empty((0, 2, 26), np.int8)).shape == (0, 196)
    assert encode(Position.start().board[None]).sum() > 0


def test_each_side_of_the_opening_position_has_its_checkers_in_its_own_numbering():
    own, opponent = get_encoder("tesauro196").encode(Position.start().board[None]).reshape(2, 98)
    assert np.array_equal(own, opponent)
    assert own[:96].reshape(24, 4)[[5, 7, 12, 23]].tolist() == [
        [1, 1, 1, 1],
        [1, 1, 1, 0],
        [1, 1, 1, 1],
        [1, 1, 0, 0],
    ]
    assert own[96:].tolist() == [0, 0]


def test_bar_and_off_are_scaled_by_2_and_15():
    position = boards.position(x={25: 3, 6: 6}, o={24: 5})
    inputs = get_encoder("tesauro196").encode(position.board[None])[0]
    assert inputs[[96, 97, 98 + 96, 98 + 97]].tolist() == [1.5, np.float32(6 / 15), 0, np.float32(10 / 15)]


def test_an_unknown_encoder_is_an_error_that_names_the_known_ones():
    with pytest.raises(DataFileError, match=r"tesauro196.*'tesauro198'") as caught:
        get_encoder("tesauro198")
    assert caught.value.field == "encoder"


def test_races_have_a_unit_for_each_number_of_checkers_borne_off():
    sample = np.stack(
        [boards.position({6: 2, 1: 1}, {24: 15}).board, boards.position({6: 15}, {19: 4}).board]
    )
    encoded = get_encoder("race226").encode(sample)
    np.testing.assert_array_equal(encoded[:, :196], get_encoder("tesauro196").encode(sample))
    own, opponent = encoded[:, 196:].reshape(2, 2, 15).swapaxes(0, 1)
    assert [np.flatnonzero(row).tolist() for row in own] == [[11], []]
    assert [np.flatnonzero(row).tolist() for row in opponent] == [[], [10]]
    assert encoded.dtype == np.float32
