"""XGID."""

import pytest

from gammond.engine.errors import FormatError, PositionError, ValueRangeError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import decode_xgid, describe_reading, encode_xgid, has_highest_cube
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.position import Position

OPENING = "XGID=-b----E-C---eE---c-e----B-"
LOPSIDED = "-B---bC-B---cEa-Aca-b--bA-"


def test_the_board_is_the_bottom_players_view_whoever_is_on_roll():
    bottom, match = decode_xgid(f"XGID={LOPSIDED}:1:1:1:63:1:2:0:5:10")
    assert encode_position_id(bottom) == "xnTkgIHBGXwECA"
    assert match == MatchState(length=5, score=(2, 1), cube=2, cube_owner=1, on_roll=1, roll=(6, 3))
    top, match = decode_xgid(f"XGID={LOPSIDED}:1:1:-1:63:1:2:0:5:10")
    assert top == bottom.swap_sides()
    assert encode_position_id(top) == "gzP4CBBjOnLAAA"
    assert match == MatchState(length=5, score=(2, 1), cube=2, cube_owner=1, on_roll=0, roll=(6, 3))


def test_the_bars_are_at_both_ends():
    position, _ = decode_xgid("b-----E-B---eE---c-e-----C:0:0:1:00:0:0:0:0:10")
    assert position.board[0, 25] == 3
    assert position.board[1, 25] == 2


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ("0:0:1:00:0:0:0:0", MatchState(on_roll=1, jacoby=False, beavers=False)),
        ("0:0:1:00:0:0:1:0", MatchState(on_roll=1, jacoby=True, beavers=False)),
        ("0:0:1:00:0:0:2:0", MatchState(on_roll=1, jacoby=False, beavers=True)),
        ("0:0:1:00:0:0:3:0", MatchState(on_roll=1, jacoby=True, beavers=True)),
        ("0:0:1:00:4:2:0:5", MatchState(5, (2, 4), on_roll=1)),
        ("0:0:1:00:4:2:1:5", MatchState(5, (2, 4), on_roll=1, crawford=True)),
        ("0:0:1:00:4:4:1:5", MatchState(5, (4, 4), on_roll=1)),
        ("0:0:1:00:0:0:1:1", MatchState(1, on_roll=1)),
        ("1:-1:-1:D:0:0:0:0", MatchState(cube=2, cube_owner=0, on_roll=0, doubled=True, beavers=False)),
        ("0:0:-1:B:0:0:2:0", MatchState(cube=2, cube_owner=1, on_roll=0, doubled=True, beavered=True)),
        ("1:1:1:R:0:0:2:0", MatchState(cube=16, cube_owner=0, on_roll=1)),
    ],
    ids=[
        *("no rule", "jacoby", "beavers", "both", "match", "crawford", "double match point", "one point"),
        *("D: doubled", "B: beavered", "R: a raccoon, taken"),
    ],
)
def test_dice_and_rules_mean_what_extreme_gammon_means(fields, match):
    assert decode_xgid(f"{OPENING}:{fields}:10") == (Position.start(), match)


def test_that_a_raccoon_is_read_as_taken_is_said():
    assert describe_reading(f"{OPENING}:1:1:1:R:0:0:2:0:10") == (
        "the raccoon of this XGID is read as taken: the cube is at 16"
    )
    assert describe_reading(f"{OPENING}:1:1:1:D:0:0:2:0:10") == ""


@pytest.mark.parametrize(
    "text",
    [
        f"{OPENING[5:]}:0:0:1:31:0:0:0:0:10",
        f"xgid={OPENING[5:]}:0:0:1:31:0:0:0:0",
        f" {OPENING}:0:0:1:31:0:0:0:0:10\n",
    ],
)
def test_the_prefix_the_highest_cube_and_blanks_around_are_optional(text):
    assert decode_xgid(text) == (Position.start(), MatchState(on_roll=1, roll=(3, 1), beavers=False))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("XGID=", FormatError, "has 10 fields"),
        (f"{OPENING}:0:0:1:00:0:0:0:0:10:1", FormatError, "has 11"),
        ("-b----E:0:0:1:00:0:0:0:0:10", FormatError, "has 26 characters"),
        ("-b----E-C---eE---c-e---?B-:0:0:1:00:0:0:0:0:10", FormatError, "character 24 is '\\?'"),
        ("A-----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", FormatError, "character 1 is 'A'"),
        ("-b----E-C---eE---c-e----Bb:0:0:1:00:0:0:0:0:10", FormatError, "character 26 is 'b'"),
        ("-b----O-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10", PositionError, "checkers"),
        (f"{OPENING}:x:0:1:00:0:0:0:0:10", FormatError, r"field 2 \(cube\)"),
        (f"{OPENING}:13:0:1:00:0:0:0:0:10", ValueRangeError, r"field 2 \(cube\)"),
        (f"{OPENING}:0:2:1:00:0:0:0:0:10", ValueRangeError, r"field 3 \(cube_owner\)"),
        (f"{OPENING}:0:0:0:00:0:0:0:0:10", FormatError, r"field 4 \(on_roll\)"),
        (f"{OPENING}:0:0:1:07:0:0:0:0:10", ValueRangeError, r"field 5 \(dice\)"),
        (f"{OPENING}:0:0:1:B:0:0:0:0:10", PositionError, r"field 5 \(dice\) is B: beavers are off"),
        (f"{OPENING}:0:0:1:B:0:0:0:7:10", PositionError, r"field 5 \(dice\) is B: beavers are for money"),
        (f"{OPENING}:11:1:1:R:0:0:2:0:12", PositionError, r"field 5 \(dice\) is R: a beaver would turn"),
        (f"{OPENING}:1:-1:1:B:0:0:2:0:10", PositionError, "cannot have doubled"),
        (f"{OPENING}:0:0:1:00:0:-1:0:0:10", ValueRangeError, r"field 7 \(score\)"),
        (f"{OPENING}:0:0:1:00:0:0:4:0:10", ValueRangeError, r"field 8 \(rules\)"),
        (f"{OPENING}:0:0:1:00:5:0:0:5:10", PositionError, "is over"),
        (f"{OPENING}:0:0:1:00:0:0:0:0:x", FormatError, r"field 10 \(max_cube\)"),
    ],
)
def test_a_refusal_names_the_field(text, error, message):
    with pytest.raises(error, match=message) as caught:
        decode_xgid(text)
    assert caught.value.field


def test_a_highest_cube_that_would_be_written_differently_is_told():
    texts = (f"{OPENING}:0:0:1:00:0:0:0:0:{end}" for end in ("10", "3", "0", "12"))
    assert [has_highest_cube(text) for text in texts] == [False, True, True, True]
    assert not has_highest_cube(f"{OPENING}:12:1:1:00:0:0:0:0:12")
    assert not has_highest_cube(f"{OPENING}:0:0:1:00:0:0:0:0")


@pytest.mark.parametrize(("cube", "ending"), [(2, ":10"), (1024, ":10"), (MAX_CUBE, ":12")])
def test_the_highest_cube_is_never_below_the_cube(cube, ending):
    assert encode_xgid(Position.start(), MatchState(cube=cube, cube_owner=1)).endswith(ending)
