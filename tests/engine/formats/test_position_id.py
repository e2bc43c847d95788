"""GNU position IDs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.errors import FormatError, GammondError, PositionError
from gammond.engine.formats.position_id import (
    decode_position_id,
    decode_position_ids,
    encode_position_id,
    encode_position_ids,
)
from gammond.engine.rules.position import Position
from tests.support import boards

OPENING = "4HPwATDgc/ABMA"


@pytest.mark.parametrize("text", [f"  {OPENING}\n", f"{OPENING}=="])
def test_blanks_and_padding_are_accepted(text):
    assert decode_position_id(text) == Position.start()


def test_random_positions_survive_the_round_trip_one_by_one_and_in_bulk():
    sample = boards.random_boards(600, seed=7)
    ids = encode_position_ids(sample)
    found, is_good = decode_position_ids(ids)
    assert is_good.all()
    assert (found == sample).all()
    for board, text in zip(sample[:200], ids, strict=False):
        assert decode_position_id(text) == Position(board)
        assert encode_position_id(Position(board)) == text


def test_in_bulk_a_bad_id_spoils_nothing_but_its_own_row():
    texts = [
        OPENING,
        "junk",
        f"{OPENING}==",
        "",
        "4HPwATDgc/ABM\u00e9",
        "//////////////",
        OPENING + "A",
        OPENING,
    ]
    found, is_good = decode_position_ids(texts)
    assert is_good.tolist() == [True, False, True, False, False, False, False, True]
    assert (found[is_good] == Position.start().board).all()
    assert not found[~is_good].any()


def test_no_ids_give_no_boards():
    found, is_good = decode_position_ids([])
    assert found.shape == (0, 2, 26)
    assert is_good.shape == (0,)
    assert encode_position_ids(np.empty((0, 2, 26), np.int8)) == []


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FormatError, "has 14 characters, '' has 0"),
        (OPENING[:-1], FormatError, "has 13"),
        (OPENING + "=", FormatError, "has 15"),
        ("4HPwATDgc/AB!A", FormatError, "'!' as character 13"),
        ("4HPwATDgc/ABMB", FormatError, "after the last point"),
        ("//////////////", PositionError, "more than 15 checkers"),
        ("AAAAAAAAAAAAAA", PositionError, "both sides have borne off"),
        ("4HPwATCAcD4ADg", PositionError, "both sides hold"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(text, error, message):
    with pytest.raises(error, match=message) as caught:
        decode_position_id(text)
    assert caught.value.field == "position"


@given(st.text(max_size=20) | st.from_regex(r"[A-Za-z0-9+/]{14}", fullmatch=True))
def test_any_text_is_read_or_refused_alike_one_by_one_and_in_bulk(text):
    found, is_good = decode_position_ids([text])
    try:
        position = decode_position_id(text)
    except GammondError:
        assert not is_good[0]
    else:
        assert is_good[0]
        assert (found[0] == position.board).all()
