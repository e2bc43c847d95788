"""Snowie's position line."""

import pytest

from gammond.engine.errors import FormatError, PositionError, UnsupportedError, ValueRangeError
from gammond.engine.formats.position_text import parse_position
from gammond.engine.formats.snowie import decode_snowie, encode_snowie
from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position

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
