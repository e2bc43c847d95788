"""Positions of Barca, as squares and as text."""

import pickle
import random

import pytest

from gammond.engine.barca.kernels.moves import HOLES, find_winner
from gammond.engine.barca.position import BLACK, START_TEXT, WHITE, BarcaPosition, parse_square
from gammond.engine.errors import FormatError, PositionError
from tests.support.barca_positions import random_position, setup
from tests.support.naive_barca import naive_winner, read_board

pytestmark = pytest.mark.nojit


def test_the_start_has_elephants_behind_mice_and_lions_beside_them():
    position = BarcaPosition.start()
    names = ["e1", "f1", "d2", "g2", "e2", "f2", "e10", "f10", "d9", "g9", "e9", "f9"]
    assert position.squares.tolist() == [parse_square(name) for name in names]
    assert position.side == WHITE
    assert position.winner is None
    assert position.to_text() == START_TEXT == "4ee4/3lmml3/10/10/10/10/10/10/3LMML3/4EE4 w"


def test_a_position_never_changes():
    squares = BarcaPosition.start().squares.copy()
    position = BarcaPosition(squares, WHITE)
    squares[0] = 50
    assert position == BarcaPosition.start()
    with pytest.raises(ValueError, match="read-only"):
        position.squares[0] = 50
    with pytest.raises(AttributeError):
        position.side = BLACK


def test_the_two_animals_of_a_kind_are_alike():
    squares = BarcaPosition.start().squares.copy()
    squares[[0, 1, 8, 9]] = squares[[1, 0, 9, 8]]
    position = BarcaPosition(squares, WHITE)
    assert position == BarcaPosition.start()
    assert position.key == BarcaPosition.start().key
    assert hash(position) == hash(BarcaPosition.start())


def test_kinds_and_the_side_to_move_are_part_of_a_position():
    other = BarcaPosition(BarcaPosition.start().squares, BLACK)
    assert other != BarcaPosition.start()
    assert other.to_text() == START_TEXT[:-1] + "b"
    assert setup("Ea4 La5", "") != setup("Ea5 La4", "")


def test_positions_survive_pickling():
    position = setup("Ea4 La5", "", BLACK)
    assert pickle.loads(pickle.dumps(position)) == position


def test_text_may_name_the_side_in_full_and_divide_gaps():
    text = "4ee4/3lmml3/55/1111111111/28/10/10/10/3LMML3/4EE4   White"
    assert BarcaPosition.from_text(text) == BarcaPosition.start()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected ten ranks and the side to move, as in .*, got ''"),
        (START_TEXT[:-2], "expected ten ranks and the side to move"),
        (START_TEXT + " 1", "expected ten ranks and the side to move"),
        (START_TEXT[:-1] + "x", "expected the side to move, w or b, after the ranks, got 'x'"),
        ("4ee4/10 w", "expected 10 ranks between slashes, got 2 in '4ee4/10'"),
        (START_TEXT.replace("4ee4", "5ee4"), "rank 10: expected 10 squares, got 11 in '5ee4'"),
        (START_TEXT.replace("4EE4", "4EE"), "rank 1: expected 10 squares, got 6 in '4EE'"),
        (START_TEXT.replace("4EE4", "4EQ4"), "rank 1: expected letters of ELMelm and numbers .* got '4EQ4'"),
        (START_TEXT.replace("4EE4", ""), "rank 1: expected letters .* got ''"),
        (START_TEXT.replace("3LMML3", "3LMMM3"), r"expected two lions of White \(L\), got 1"),
        (START_TEXT.replace("3lmml3", "3lmm4"), r"expected two lions of Black \(l\), got 1"),
        (START_TEXT.replace("/10/10/", "/mm8/10/", 1), r"expected two mice of Black \(m\), got 4"),
        ("3L2L3/4MM4/" * 300 + " w", r"expected 10 ranks between slashes, got 601 in .*\.\.\."),
    ],
)
def test_text_that_is_no_position_is_refused(text, message):
    with pytest.raises((FormatError, PositionError), match=message) as caught:
        BarcaPosition.from_text(text)
    assert caught.value.field == "position"
    assert len(caught.value.message) < 250


def test_a_position_whose_side_to_move_already_holds_three_holes_is_refused():
    assert setup("Ed4 Ld7 Mg4", "", BLACK).winner == WHITE
    with pytest.raises(
        PositionError, match="White is to move and has 3 animals on watering holes, expected at most 2"
    ):
        BarcaPosition.from_text(setup("Ed4 Ld7 Mg4", "", WHITE).to_text())


def test_a_side_that_holds_three_of_the_four_watering_holes_has_won():
    chance, met = random.Random(8), set()
    for _ in range(200):
        squares = random_position(chance).squares.copy()
        for hole in HOLES:
            if hole not in squares:
                squares[chance.randrange(12)] = hole
        position = BarcaPosition(squares, chance.randrange(2))
        letter = naive_winner(read_board(position))
        winner = "wb".index(letter) if letter else None
        assert find_winner(squares) == (-1 if winner is None else winner)
        assert position.winner == (None if winner == position.side else winner)
        met.add((winner, position.side))
    assert len(met) == 6


def random_text(chance):
    text = list(random_position(chance).to_text())
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(text) + 1)
        text[place : place + chance.randrange(3)] = chance.choices(
            "ELMelm0123456789/ wbx-\t\x00\u0663\u00e9", k=chance.randrange(3)
        )
    return "".join(text)


def test_text_gives_back_random_positions_and_altered_text_raises_typed_errors_alone():
    chance = random.Random(5)
    read, fields = 0, set()
    for position in (random_position(chance) for _ in range(500)):
        assert BarcaPosition.from_text(position.to_text()) == position
    for _ in range(2000):
        text = random_text(chance)
        try:
            position = BarcaPosition.from_text(text)
        except (FormatError, PositionError) as error:
            fields.add(error.field)
        else:
            read += 1
            assert BarcaPosition.from_text(position.to_text()) == position
    assert 10 < read < 1000
    assert fields == {"position"}
