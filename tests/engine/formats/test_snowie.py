"""Snowie's position line."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.errors import FormatError, GammondError, PositionError, UnsupportedError, ValueRangeError
from gammond.engine.formats.position_text import parse_position
from gammond.engine.formats.snowie import decode_snowie, encode_snowie, is_snowie
from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.match_states import random_match_state

START = "0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0"
BAR = "-1;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-4;0;0;0;0;1;1"


@pytest.mark.parametrize(
    ("line", "xgid"),
    [  # lines that gnubg 1.07.001 wrote after `set xgid`, its seats as there
        (f"5;0;0;0;1;a;b;0;1;2;2;-1;{START};0;0;", "-b----E-C---eE---c-e----B-:1:-1:1:00:1:2:0:5:10"),
        (f"5;0;0;0;1;a;b;0;1;2;2;1;{START};6;3;", "-b----E-C---eE---c-e----B-:1:1:1:63:1:2:0:5:10"),
        (f"5;0;0;0;1;a;b;1;1;4;1;0;{START};6;3;", "-b----E-C---eE---c-e----B-:0:0:1:63:1:4:1:5:10"),
        (f"0;1;0;1;1;a;b;0;0;0;1;0;{BAR};5;2;", "ab----E-C---eE---c-d----AA:0:0:1:52:0:0:3:0:10"),
    ],
)
def test_gnubg_lines_are_what_it_was_set_to(line, xgid):
    assert decode_snowie(line) == decode_xgid(xgid)
    assert encode_snowie(*decode_xgid(xgid), ("b", "a")) == line


def test_random_positions_and_states_survive_the_round_trip():
    generator = random.Random(9)
    for board in boards.random_boards(400, seed=9):
        match = replace(random_match_state(generator), beavers=True)
        if match.doubled:
            with pytest.raises(UnsupportedError, match="double"):
                encode_snowie(Position(board), match)
            match = match.without_offers()
        text = encode_snowie(Position(board), match)
        assert is_snowie(text)
        assert decode_snowie(text) == parse_position(text) == (Position(board), match)


def test_a_name_cannot_change_the_fields():
    text = encode_snowie(Position.start(), MatchState(), ("a;b\n", "c\x1b[2J"))
    assert text.split(";")[5:7] == ["a b ", "c [2J"]
    assert decode_snowie(text) == (Position.start(), MatchState())


def test_a_name_full_of_colons_makes_it_no_board_of_fibs():
    line = f"5;0;0;0;1;{'a:' * 30};b;0;1;2;2;-1;{START};0;0;"
    assert parse_position(line) == decode_snowie(line)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("0;0;0;1;0;a;b;0;0;0;1;0;", FormatError, "40 fields .* has 12"),
        (f"x;0;0;1;0;a;b;0;0;0;1;0;{START};0;0", FormatError, r"field 1 \(length\) is a number"),
        (f"0;0;0;1;2;a;b;0;0;0;1;0;{START};0;0", ValueRangeError, r"field 5 \(on_roll\) is 0 to 1, not 2"),
        (f"0;0;0;1;0;a;b;0;0;0;3;0;{START};0;0", ValueRangeError, "power of two"),
        (f"0;0;0;1;0;a;b;0;0;0;2;2;{START};0;0", ValueRangeError, r"field 12 \(cube_owner\)"),
        (f"0;0;2;1;0;a;b;0;0;0;1;0;{START};0;0", UnsupportedError, r"field 3 \(variant\)"),
        (f"0;0;0;1;0;a;b;0;0;0;1;0;{START};7;0", ValueRangeError, "dice"),
        (f"7;0;0;0;1;a;b;0;2;9;1;0;{START};0;0", PositionError, "the match to 7 is over at 9-2"),
        (f"0;0;0;1;0;a;b;0;0;0;1;0;1{START[1:]};0;0", PositionError, r"field 13 \(point 0\)"),
        (f"0;0;0;1;0;a;b;0;0;0;1;0;{START[:-1]}16;0;0", PositionError, r"field 38 \(point 25\)"),
        (f"0;0;0;1;0;a;b;0;0;0;1;0;{START[:-1]}9;0;0", PositionError, "24 checkers"),
    ],
)
def test_a_refusal_names_the_field(text, error, message):
    with pytest.raises(error, match=message) as caught:
        decode_snowie(text)
    assert caught.value.field


def test_offers_cannot_be_written():
    for offer in (MatchState(doubled=True), MatchState(resigned=2)):
        with pytest.raises(UnsupportedError, match="pending"):
            encode_snowie(Position.start(), offer)


@given(
    st.text(alphabet="0123456789;-ab ", max_size=200)
    | st.lists(
        st.sampled_from(["0", "1", "-1", "2", "15", "", "a", "99999999"]), min_size=38, max_size=41
    ).map(";".join)
)
def test_any_text_is_read_or_refused_with_a_typed_error(text):
    try:
        state = decode_snowie(text)
    except GammondError:
        return
    assert decode_snowie(encode_snowie(*state)) == state
