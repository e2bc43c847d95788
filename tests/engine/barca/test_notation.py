"""Moves of Barca as text."""

import random

import pytest

from gammond.engine.barca.moves import Move, format_move, parse_move
from gammond.engine.barca.position import format_square, parse_square
from gammond.engine.errors import FormatError

pytestmark = pytest.mark.nojit


def test_squares_are_named_by_file_and_rank():
    names = [format_square(square) for square in range(100)]
    assert names[0] == "a1"
    assert names[9] == "j1"
    assert names[33] == "d4"
    assert names[99] == "j10"
    assert [parse_square(name) for name in names] == list(range(100))


@pytest.mark.parametrize(
    "text", ["", "a", "a0", "a11", "k1", "1a", "a1 ", "a01", "\u0661a", "a\u0661", "\u01301", "\u01311"]
)
def test_what_names_no_square_is_refused(text):
    with pytest.raises(FormatError, match="expected a square from a1 to j10, got"):
        parse_square(text)


@pytest.mark.parametrize(
    ("text", "move", "written"),
    [
        *[(text, Move(14, 94), "e2-e10") for text in ("e2-e10", "e2e10", "E2-E10", "e2 e10", " e2-e10 ")],
        ("a10a1", Move(90, 0), "a10-a1"),
        ("a1a10", Move(0, 90), "a1-a10"),
        ("a10a10", Move(90, 90), "a10-a10"),
    ],
)
def test_a_move_is_two_squares_with_a_hyphen_a_blank_or_nothing_between_them(text, move, written):
    assert parse_move(text) == move
    assert format_move(move) == written


@pytest.mark.parametrize(
    "text", ["", "e2", "e2--e5", "Me2-e5", "e2xe5", "e2-e5 e7", "\u01312-e5", "\u00e9" * 999]
)
def test_what_is_no_move_is_refused(text):
    with pytest.raises(FormatError, match="expected the squares that an animal leaves and goes to") as caught:
        parse_move(text)
    assert caught.value.field == "move"
    assert len(caught.value.message) < 150


def test_random_text_raises_typed_errors_alone():
    chance = random.Random(3)
    for _ in range(3000):
        text = "".join(chance.choices("abjkE10259- \t\n\u00b2", k=chance.randrange(9)))
        try:
            move = parse_move(text)
        except FormatError:
            continue
        assert parse_move(format_move(move)) == move


@pytest.mark.parametrize(
    ("text", "square"), [("e2-e11", "e11"), ("e2-k5", "k5"), ("z1e5", "z1"), ("e0 e5", "e0")]
)
def test_a_square_that_is_not_on_the_board_is_named(text, square):
    with pytest.raises(FormatError, match=f"there is no square {square}: files are a to j, ranks 1 to 10"):
        parse_move(text)
