"""OGID."""

import pytest

from gammond.engine.errors import FormatError, PositionError, UnsupportedError, ValueRangeError
from gammond.engine.formats.ogid import decode_ogid, describe_reading, encode_ogid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import HYPERGAMMON

OPENING = "11jjjjjhhhccccc:ooddddd88866666"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("11ccccchhhjjjjj:66666888dddddoo:N0N:46:B:IB:0:0:3:0", MatchState(length=3, roll=(4, 6))),
        (f"{OPENING}:N0N::W:IW:0:0:1:0", MatchState(length=1, on_roll=1)),
        (f"OGID={OPENING}:N0N", MatchState()),
        (f"{OPENING}:W1N:31:B:R:2:4:7C:12", None),
        (f"{OPENING}:W2N:31:B:R:2:4:7:12", MatchState(7, (2, 4), cube=4, cube_owner=0, roll=(3, 1))),
        (f"{OPENING}:N0N::B:C:2:6:7C:12", MatchState(7, (2, 6), crawford=True)),
        (f"{OPENING}:B1O::B:D:0:0:9G15:3", MatchState(9, cube=2, cube_owner=1, on_roll=1, doubled=True)),
    ],
)
def test_the_fields_are_read(text, match):
    if match is None:
        with pytest.raises(PositionError, match="Crawford"):
            decode_ogid(text)
    else:
        assert decode_ogid(text) == (Position.start(), match)


BAR_OF_BLACK = "jjkkllmmnnoo:p:N0N:31:{}:{}:0:0:0"
"""Black has a checker on the bar, before White's closed board, and cannot play; White can."""


@pytest.mark.parametrize("state", ["", "G", "X"])
def test_the_colour_is_the_player_on_roll_where_only_that_player_can_play_the_dice(state):
    position, match = decode_ogid(BAR_OF_BLACK.format("W", state))
    assert (match.on_roll, match.roll) == (0, (3, 1))
    assert position.board[1, 25] == 1
    said = describe_reading(BAR_OF_BLACK.format("W", state))
    assert said == (
        "the colour W of this OGID is read as that of the player on roll, White: the other side cannot play "
        "the dice"
    )


@pytest.mark.parametrize(("colour", "state", "on_roll"), [("W", "R", 1), ("B", "", 0), ("B", "R", 0)])
def test_otherwise_the_colour_is_the_player_who_reached_the_position(colour, state, on_roll):
    text = BAR_OF_BLACK.format(colour, state)
    assert decode_ogid(text)[1].on_roll == on_roll
    assert f"who reached the position: {('White', 'Black')[on_roll]} is on roll" in describe_reading(text)


@pytest.mark.parametrize("text", [f"{OPENING}:N0N", f"{OPENING}:B1O::B:D:0:0:9", f"{OPENING}:N0N:31"])
def test_nothing_is_assumed_where_every_convention_means_the_same(text):
    assert describe_reading(text) == ""


def test_white_moves_up_and_black_moves_down():
    """White: 10 checkers on its 9 and 13 points; Black: 10 on its 18 and 13 points."""
    position, match = decode_ogid("cccccggggg:ddddiiiiii:N0N:63:B:R:4:3:7:1:15")
    assert match == MatchState(7, (4, 3), roll=(6, 3))
    white, black = position.board.tolist()
    assert {point: count for point, count in enumerate(white) if count} == {0: 5, 9: 5, 13: 5}
    assert {point: count for point, count in enumerate(black) if count} == {0: 5, 13: 4, 18: 6}


def test_bars_and_borne_off_checkers_have_places():
    position, _ = decode_ogid("00qqq1111111111:pp66666666666qq:N0N::B")
    assert position.board[0, [0, 24, 25]].tolist() == [3, 10, 2]
    assert position.board[1, [0, 6, 25]].tolist() == [2, 11, 2]


def test_the_number_of_checkers_is_the_last_field_where_it_is_not_15():
    start = HYPERGAMMON.starting_position
    assert encode_ogid(start, MatchState()) == "123:mno:N0N::B:C:0:0:0:0:3"
    assert decode_ogid("123:mno:N0N::B:C:0:0:0:0:3") == (start, MatchState())
    assert decode_ogid("123:mno:N0N::B:C:0:0:0:0")[0].checkers == 15


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("OGID=", FormatError, "3 to 11 fields"),
        (f"{OPENING}:", FormatError, r"field 3 \(cube\)"),
        (f"{OPENING}:N99N", ValueRangeError, r"field 3 \(cube\)"),
        (f"{OPENING}:N1P", UnsupportedError, "the double was passed, so the game is over"),
        (f"{OPENING}:N0N:07", ValueRangeError, r"field 4 \(dice\)"),
        (f"{OPENING}:N0N::X", FormatError, r"field 5 \(colour\)"),
        (f"{OPENING}:N0N::W:R:x", FormatError, r"field 7 \(score\)"),
        (f"{OPENING}:N0N::W:R:0:0:7X", FormatError, r"field 9 \(length\)"),
        (f"{OPENING}:N0N::W:R:0:0:7:0:16", ValueRangeError, r"field 11 \(checkers\) is 1 to 15, not 16"),
        (f"{OPENING}:N0N::W:R:0:0:7:0:3", PositionError, "White has 15 checkers on the board, at most 3"),
        (f"1z{OPENING}:N0N", FormatError, "not 'z'"),
        (f"1{OPENING}:N0N", FormatError, "up to 15 checkers"),
        ("p:1:N0N", FormatError, "the bar of the other side"),
        ("1:1:N0N", PositionError, "point"),
        (f"{OPENING}:N0N::W:R:7:0:7", PositionError, "is over"),
    ],
)
def test_a_refusal_names_the_field(text, error, message):
    with pytest.raises(error, match=message) as caught:
        decode_ogid(text)
    assert caught.value.field
