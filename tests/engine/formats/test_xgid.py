"""XGID."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.errors import FormatError, GammondError, PositionError, UnsupportedError, ValueRangeError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import (
    decode_xgid,
    decode_xgids,
    describe_reading,
    encode_xgid,
    has_highest_cube,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.match_states import random_match_state

OPENING = "XGID=-b----E-C---eE---c-e----B-"
LOPSIDED = "-B---bC-B---cEa-Aca-b--bA-"


def test_the_opening_is_read():
    assert decode_xgid(f"{OPENING}:0:0:1:00:0:0:3:0:10") == (
        Position.start(),
        MatchState(on_roll=1, jacoby=True, beavers=True),
    )


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


def test_with_d_for_the_dice_the_player_whose_turn_it_is_has_doubled():
    _, match = decode_xgid(f"{OPENING}:1:-1:-1:D:0:0:0:0:10")
    assert match == MatchState(cube=2, cube_owner=0, on_roll=0, doubled=True, beavers=False)
    assert match.to_act == 1


@pytest.mark.parametrize(
    ("rules", "length", "expected"),
    [
        (0, 0, {"jacoby": False, "beavers": False}),
        (1, 0, {"jacoby": True, "beavers": False}),
        (2, 0, {"jacoby": False, "beavers": True}),
        (3, 0, {"jacoby": True, "beavers": True}),
        (0, 5, {"crawford": False}),
        (1, 5, {"crawford": True}),
    ],
)
def test_the_eighth_field_means_jacoby_and_beavers_or_crawford(rules, length, expected):
    _, match = decode_xgid(f"{OPENING}:0:0:1:00:4:2:{rules}:{length}:10")
    assert replace(match, **expected) == match


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


def test_random_positions_and_states_survive_the_round_trip():
    generator = random.Random(9)
    for board in boards.random_boards(400, seed=9):
        state = Position(board), random_match_state(generator)
        assert decode_xgid(encode_xgid(*state)) == state


def test_a_resignation_cannot_be_written():
    with pytest.raises(UnsupportedError, match="resignation"):
        encode_xgid(Position.start(), MatchState(resigned=1))


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


FIELD = st.sampled_from(["0", "1", "-1", "2", "10", "00", "63", "D", "", "x", "99999999"])


@given(
    st.text(max_size=80)
    | st.builds(lambda fields: ":".join([OPENING, *fields]), st.lists(FIELD, min_size=8, max_size=9))
)
def test_any_text_is_read_or_refused_with_a_typed_error(text):
    try:
        state = decode_xgid(text)
    except GammondError:
        return
    assert decode_xgid(encode_xgid(*state)) == state


def test_many_at_once_give_the_same_boards_as_one_by_one():
    generator = random.Random(17)
    texts = []
    for i, board in enumerate(boards.random_boards(600, seed=18)):
        text = encode_xgid(Position(board), replace(random_match_state(generator), resigned=0))
        if i % 3 == 0:  # damage one character, which may or may not matter
            place = generator.randrange(len(text))
            text = text[:place] + generator.choice("-AaOoPp0:9é ") + text[place + 1 :]
        texts.append(text)
    read, matches = decode_xgids(texts)
    refused = 0
    for text, board, match in zip(texts, read, matches, strict=True):
        try:
            expected, state = decode_xgid(text)
        except GammondError:
            assert match is None, text
            refused += 1
        else:
            assert match == state, text
            assert (board == expected.board).all(), text
    assert 90 < refused < 200


def test_none_at_once_is_no_board():
    read, matches = decode_xgids([])
    assert read.shape == (0, 2, 26)
    assert matches == []


def test_the_crawford_flag_means_nothing_where_both_sides_are_one_away():
    for score, length in ((0, 1), (4, 5)):
        _, match = decode_xgid(f"{OPENING}:0:0:1:00:{score}:{score}:1:{length}:10")
        assert match == MatchState(length=length, score=(score, score), on_roll=1)


def test_with_b_for_the_dice_the_double_has_been_beavered_and_the_doubler_answers():
    position, match = decode_xgid(f"{OPENING}:0:0:-1:B:0:0:3:0:10")
    assert match == MatchState(
        on_roll=0, cube=2, cube_owner=1, doubled=True, beavered=True, jacoby=True, beavers=True
    )
    assert (position, match.to_act) == (Position.start(), 0)


def test_with_r_for_the_dice_the_raccoon_is_taken_and_the_doubler_rolls():
    _, match = decode_xgid(f"{OPENING}:1:1:1:R:0:0:2:0:10")
    assert match == MatchState(on_roll=1, cube=16, cube_owner=0)
    assert describe_reading(f"{OPENING}:1:1:1:R:0:0:2:0:10") == (
        "the raccoon of this XGID is read as taken: the cube is at 16"
    )
    assert describe_reading(f"{OPENING}:1:1:1:D:0:0:2:0:10") == ""


@pytest.mark.parametrize(("cube", "owner"), [(2, 1), (4, 1), (64, 0)])
def test_a_beaver_that_waits_is_written_as_it_is_read(cube, owner):
    match = MatchState(on_roll=1 - owner, doubled=True, beavered=True, cube=cube, cube_owner=owner)
    text = encode_xgid(Position.start(), match)
    assert text.split(":")[4] == "B"
    assert decode_xgid(text) == (Position.start(), match)


def test_a_highest_cube_that_would_be_written_differently_is_told():
    texts = (f"{OPENING}:0:0:1:00:0:0:0:0:{end}" for end in ("10", "3", "0", "12"))
    assert [has_highest_cube(text) for text in texts] == [False, True, True, True]
    assert not has_highest_cube(f"{OPENING}:12:1:1:00:0:0:0:0:12")
    assert not has_highest_cube(f"{OPENING}:0:0:1:00:0:0:0:0")
