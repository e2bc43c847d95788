"""Reading positions in whichever format they come."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.errors import FormatError, GammondError, PositionError
from gammond.engine.formats.fibs_board import encode_fibs_board
from gammond.engine.formats.position_text import parse_position
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import HYPERGAMMON
from tests.support.boards import position

FIVE_POINTS = MatchState(length=5, score=(1, 2), on_roll=1, roll=(3, 1))
BEAROFF = position({6: 3, 1: 2}, {20: 1, 24: 4})


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("4HPwATDgc/ABMA", None),
        (" 4HPwATDgc/ABMA== ", None),
        ("startpos", None),
        ("4HPwATDgc/ABMA:cAkAAAAAAAAE", MatchState(on_roll=1)),
        ("4HPwATDgc/ABMA cAkAAAAAAAAE", MatchState(on_roll=1)),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10", FIVE_POINTS),
        ("xgid=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10", FIVE_POINTS),
        ("-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10", FIVE_POINTS),
        ("GNUbg ID: 4HPwATDgc/ABMA:cAkAAAAAAAAE", MatchState(on_roll=1)),
        ("gnubgid=4HPwATDgc/ABMA:cAkAAAAAAAAE", MatchState(on_roll=1)),
        ("Position ID: 4HPwATDgc/ABMA", None),
        ("Position ID: 4HPwATDgc/ABMA Match ID: cAkAAAAAAAAE", MatchState(on_roll=1)),
        (
            "GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cAkAAAAAAAAE",
            MatchState(on_roll=1),
        ),
        ("OGID=11jjjjjhhhccccc:ooddddd88866666:N0N:31:W:R:2:1:5:0", replace(FIVE_POINTS, score=(2, 1))),
        ("11jjjjjhhhccccc:ooddddd88866666:N0N", MatchState()),
        (
            "5;0;0;0;1;X;O;0;1;2;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;3;1;",
            replace(FIVE_POINTS, score=(2, 1)),
        ),
    ],
)
def test_each_format_is_distinguished_from_the_others(text, match):
    assert parse_position(text) == (Position.start(), match)


@pytest.mark.parametrize(
    "text",
    [
        "startpos",
        "AACgAgAAKgAAAA",
        "AACgAgAAKgAAAA:cAkAAAAAAAAE",
        "XGID=-aaa------------------AAA-:0:0:1:00:0:0:0:0:10",
        "321:mno:N0N",
        "321:mno:N0N::B:C:0:0:0:0:3",
        "0;0;0;1;0;O;X;0;0;0;1;0;0;-1;-1;-1;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;0;1;1;1;0;0;0;",
        encode_fibs_board(HYPERGAMMON.starting_position, MatchState()),
    ],
)
def test_a_position_of_hypergammon_has_three_checkers_in_every_form(text):
    assert parse_position(text, HYPERGAMMON)[0] == HYPERGAMMON.starting_position


def test_a_position_that_the_variant_cannot_have_is_refused():
    for text in ("4HPwATDgc/ABMA", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"):
        with pytest.raises(PositionError, match="of hypergammon, with 3 checkers a side:"):
            parse_position(text, HYPERGAMMON)
    with pytest.raises(PositionError, match="backgammon, with 15 checkers a side: it is of a game with 3"):
        parse_position("321:mno:N0N::B:C:0:0:0:0:3")


def test_a_board_line_is_read_with_and_without_its_first_word():
    line = encode_fibs_board(BEAROFF, FIVE_POINTS)
    assert parse_position(line) == (BEAROFF, FIVE_POINTS)
    assert parse_position(line.removeprefix("board:")) == (BEAROFF, FIVE_POINTS)


@pytest.mark.parametrize(
    "text", ["", "  ", ":", "4HPwATDgc/ABMA:cAkAAAAAAAAE extra", "board:", "XGID=", "startposition"]
)
def test_what_is_no_position_is_refused(text):
    with pytest.raises(FormatError):
        parse_position(text)


@given(st.text(max_size=80) | st.text(alphabet="board:0123456789-XGIDO=AbcEWN", max_size=200))
def test_any_text_is_read_or_refused_with_a_typed_error(text):
    try:
        found, _ = parse_position(text)
    except GammondError:
        return
    assert found.board.shape == (2, 26)
