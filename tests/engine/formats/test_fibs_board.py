"""The FIBS board line in both dialects."""

import random
from dataclasses import replace

import pytest

from gammond.engine.errors import FormatError, PositionError, ValueRangeError
from gammond.engine.formats.fibs_board import (
    FibsDialect,
    decode_fibs_board,
    decode_fibs_boards,
    describe_reading,
    encode_fibs_board,
)
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.match_states import random_match_state

FIBS, GNUBG = FibsDialect.FIBS, FibsDialect.GNUBG
OPENING = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
LOPSIDED = "0:2:0:0:0:-2:3:0:2:0:0:0:-3:5:-1:0:1:-3:-1:0:-2:0:0:-2:1:0"
TAIL = "1:-1:0:25:1:1:0:0:0:0"
ON_THE_WIRE = [
    (
        "player 0 to play",
        f"board:zero:one:7:2:1:{OPENING}:-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        "4HPwATDgc/ABMA",
        MatchState(length=7, score=(2, 1), on_roll=0, roll=(3, 1)),
    ),
    (
        "player 0 to roll or double",
        f"board:zero:one:7:2:1:{LOPSIDED}:-1:0:0:0:0:2:0:1:0:1:-1:0:25:1:1:0:0:0:0:0:1",
        "gzP4CBBjOnLAAA",
        MatchState(length=7, score=(2, 1), cube=2, cube_owner=0, on_roll=0),
    ),
    (
        "player 1 to roll or double",
        f"board:zero:one:7:2:1:{LOPSIDED}:1:0:0:0:0:2:1:0:0:1:-1:0:25:1:1:0:0:0:0:0:1",
        "xnTkgIHBGXwECA",
        MatchState(length=7, score=(2, 1), cube=2, cube_owner=1, on_roll=1),
    ),
    (
        "player 0 to take",
        f"board:one:zero:7:1:2:{LOPSIDED}:1:0:0:0:0:2:1:0:1:1:-1:0:25:1:1:0:0:0:0:0:1",
        "xnTkgIHBGXwECA",
        MatchState(length=7, score=(2, 1), cube=2, cube_owner=1, on_roll=1, doubled=True),
    ),
    (
        "player 1 to take",
        f"board:one:zero:7:1:2:{LOPSIDED}:-1:0:0:0:0:2:0:1:1:1:-1:0:25:1:1:0:0:0:0:0:1",
        "gzP4CBBjOnLAAA",
        MatchState(length=7, score=(2, 1), cube=2, cube_owner=0, on_roll=0, doubled=True),
    ),
    (
        "the Crawford game",
        f"board:zero:one:7:6:1:{LOPSIDED}:1:4:2:4:2:1:1:1:0:1:-1:0:25:1:1:0:0:0:0:0:0",
        "xnTkgIHBGXwECA",
        MatchState(length=7, score=(6, 1), crawford=True, on_roll=1, roll=(4, 2)),
    ),
    (
        "after the Crawford game",
        f"board:zero:one:7:6:1:{LOPSIDED}:1:0:0:0:0:1:1:1:0:1:-1:0:25:1:1:0:0:0:0:1:1",
        "xnTkgIHBGXwECA",
        MatchState(length=7, score=(6, 1), on_roll=1),
    ),
    (
        "money play with a cube in the middle at 4",
        f"board:zero:one:0:5:3:{OPENING}:1:0:0:0:0:4:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        "4HPwATDgc/ABMA",
        MatchState(score=(5, 3), cube=4, on_roll=1),
    ),
]
"""Lines that gnubg 1.07.001 sent to an external player, and the state of its game."""


@pytest.mark.parametrize(
    ("line", "position_id", "match"), [row[1:] for row in ON_THE_WIRE], ids=[r[0] for r in ON_THE_WIRE]
)
def test_lines_seen_from_gnubg_mean_what_stood_on_its_board(line, position_id, match):
    board = decode_fibs_board(line, GNUBG)
    assert encode_position_id(board.position) == position_id
    assert board.match == match
    assert board.names == ("zero", "one")
    assert encode_fibs_board(*board, dialect=GNUBG) == line


def test_both_bars_are_read_from_the_viewers_side():
    points = "-2:2:0:0:0:-2:3:0:2:0:0:0:-3:0:-1:0:1:-3:0:0:-2:0:0:-2:1:3"
    board = decode_fibs_board(f"zero:one:7:6:1:{points}:-1:3:2:3:2:1:1:1:0:1:-1:0:25:3:0:0:0:0:0:0:0", GNUBG)
    assert encode_position_id(board.position) == "gzNAgM4YRw4YDA"
    assert board.position.board[:, 25].tolist() == [2, 3]


def test_fibs_puts_the_viewer_first_and_writes_9999_for_unlimited():
    board = decode_fibs_board(
        f"board:You:someplayer:9999:3:0:{OPENING}:1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
    )
    assert board.position == Position.start()
    assert board.match == MatchState(score=(0, 3), on_roll=1, roll=(6, 2))
    assert board.names == ("someplayer", "You")


@pytest.mark.parametrize(
    ("colour", "direction", "turn", "position_id"),
    [
        (1, -1, 1, "xnTkgIHBGXwECA"),
        (-1, 1, 1, "xnTkgIHBGXwECA"),
        (1, -1, -1, "gzP4CBBjOnLAAA"),
        (-1, 1, -1, "gzP4CBBjOnLAAA"),
    ],
)
def test_the_turn_says_which_colour_is_on_roll_and_colour_with_direction_which_way_it_moves(
    colour, direction, turn, position_id
):
    line = f"You:them:9999:0:0:{LOPSIDED}:{turn}:0:0:0:0:1:1:1:0:{colour}:{direction}:0:25:1:1:0:0:0:0:0:0"
    board = decode_fibs_board(line)
    assert encode_position_id(board.position) == position_id
    assert board.match.on_roll == int(turn == colour)


def test_the_dice_of_the_other_side_are_left_aside():
    line = f"You:them:9999:0:0:{OPENING}:1:0:0:6:2:1:1:1:0:{TAIL}:0:0"
    assert decode_fibs_board(line).match.roll is None


@pytest.mark.parametrize("dialect", list(FibsDialect))
def test_dice_show_the_dialect(dialect):
    match = MatchState(7, (1, 2), roll=(3, 1))
    text = encode_fibs_board(Position.start(), match, dialect=dialect)
    assert decode_fibs_board(text).match == match
    assert decode_fibs_boards([text])[1] == [match]
    assert describe_reading(text) == ""


def test_without_dice_the_line_is_read_as_that_of_fibs_and_that_is_said():
    text = encode_fibs_board(Position.start(), MatchState(7, (1, 2)))
    assert decode_fibs_board(text).match.score == (1, 2)
    assert "read as the viewer's, as FIBS writes it" in describe_reading(text)


@pytest.mark.parametrize("match", [MatchState(7, (1, 1)), MatchState(), MatchState(5, (1, 2), doubled=True)])
def test_nothing_is_assumed_where_both_dialects_give_the_same_score(match):
    assert describe_reading(encode_fibs_board(Position.start(), match)) == ""


@pytest.mark.parametrize("dialect", list(FibsDialect))
def test_random_positions_and_states_survive_the_round_trip_of_a_dialect(dialect):
    generator, lines, states = random.Random(10), [], []
    for board in boards.random_boards(400, seed=10):
        match = replace(random_match_state(generator), jacoby=False, beavers=True)
        states.append((Position(board), match, ("Anna", "Bo b")))
        lines.append(encode_fibs_board(*states[-1], dialect=dialect))
        assert decode_fibs_board(lines[-1], dialect) == states[-1]
    found, matches = decode_fibs_boards(lines, dialect)
    assert [(Position(board), match) for board, match in zip(found, matches, strict=True)] == [
        state[:2] for state in states
    ]


@pytest.mark.parametrize("name", ["", "a:b", "a\nb", "a\0"])
def test_a_name_that_would_break_the_line_is_refused(name):
    with pytest.raises(FormatError) as caught:
        encode_fibs_board(Position.start(), MatchState(), (name, "X"))
    assert caught.value.field == "name"


def line(**changes: str) -> str:
    """A good line with some of its fields changed, by number from 1."""
    fields = f"You:them:5:1:2:{OPENING}:1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0".split(":")
    for place, text in changes.items():
        fields[int(place[1:]) - 1] = text
    return ":".join(fields)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FormatError, "has 52 fields"),
        (line() + ":0", FormatError, "has 53"),
        ("board:" + line() + ":0", FormatError, "has 54"),
        (line(f3="five"), FormatError, r"field 3 \(length\)"),
        (line(f3="-1"), ValueRangeError, "match length"),
        (line(f4="5"), PositionError, "is over"),
        (line(f6="2"), ValueRangeError, "field 6 .*bar of the other side"),
        (line(f7="-99"), ValueRangeError, "field 7 .*at most 15"),
        (line(f7="-3"), PositionError, "checkers"),
        (line(f32="0"), PositionError, "the game is over"),
        (line(f32="2"), ValueRangeError, r"field 32 \(turn\)"),
        (line(f33="7"), ValueRangeError, "fields 33 and 34"),
        (line(f34="0"), ValueRangeError, "fields 33 and 34"),
        (line(f37="3"), ValueRangeError, "power of two"),
        (line(f37="2", f38="0", f39="0"), PositionError, "nobody would own the cube"),
        (line(f38="2"), ValueRangeError, r"field 38 \(may_double\)"),
        (line(f40="1"), PositionError, "a double comes before the roll"),
        (line(f41="0"), ValueRangeError, r"field 41 \(colour\)"),
        (line(f45="x"), FormatError, r"field 45 \(on_home\)"),
    ],
)
def test_a_refusal_names_the_field(text, error, message):
    with pytest.raises(error, match=message) as caught:
        decode_fibs_board(text)
    assert caught.value.field
