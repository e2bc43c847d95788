"""Legal moves of Barca: the rules of moving, fear and trapping, each by name, and a slow twin.

In `setup` animals that are not named wait at the right of the first rank and at the left of the tenth.
"""

import os
import random

import pytest

from gammond.engine.barca.kernels.moves import HOLES, MAX_MOVES
from gammond.engine.barca.moves import (
    Move,
    apply_move,
    check_move,
    find_reach,
    find_scared,
    legal_moves,
    parse_move,
    perft,
)
from gammond.engine.barca.position import BLACK, BarcaPosition, format_square, parse_square
from gammond.engine.errors import PlayError, StateError
from tests.support.barca_positions import NO_MOVE, random_position, setup
from tests.support.naive_barca import free_squares, is_frightened, naive_legal_moves, naive_perft, read_board

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT") != "1"
AREAS = ((10, 10), (5, 5), (4, 4), (10, 2), (3, 5))

FROM_THE_START = (1, 38, 1_404, 66_286, 3_046_014)
"""The first three are those of two other programs, the others those of this one and of the slow twin."""

TRAPPED = "Ma1 Ee5 Lc1 Mj1", "Lb2 Ma4"
"""b1, a2 and a3 are beside the lion on b2, and c1 and a4 end the lines of the mouse on a1."""


def targets(position, origin):
    """Names of the squares that the animal on a square may go to."""
    return {format_square(m.target) for m in legal_moves(position) if m.origin == parse_square(origin)}


def movers(position):
    """Names of the squares of animals that may move."""
    return {format_square(move.origin) for move in legal_moves(position)}


def scared(position):
    return {format_square(square) for square in find_scared(position, position.side)}


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("white", "black", "origin", "squares"),
    [
        # Files and ranks, but e9, which is beside the lion on d10.
        ("Me5", "", "e5", "a5 b5 c5 d5 f5 g5 h5 i5 j5 e1 e2 e3 e4 e6 e7 e8"),
        # Diagonals, but a9, which is beside the elephant on a10.
        ("Le5", "", "e5", "a1 b2 c3 d4 f6 g7 h8 i9 j10 b8 c7 d6 f4 g3 h2"),
        # No animal jumps over another nor lands on it.
        ("Me5 Lg5", "Ec5", "e5", "d5 f5 e1 e2 e3 e4 e6 e7 e8 e9"),
        # None ends beside an animal that it fears, and all may pass.
        ("Me2", "Lf5", "e2", "a2 b2 c2 d2 f2 g2 h2 i2 j2 e1 e3 e7 e8 e9"),
        ("Lb2", "Ed6", "b2", "a1 a3 c1 c3 d4 f6 g7 h8 i9 j10"),
        # It may go beside one that fears it.
        ("Me2", "Ef5", "e2", "a2 b2 c2 d2 f2 g2 h2 i2 j2 e1 e3 e4 e5 e6 e7 e8 e9"),
        # A scared one goes to safe squares while there is one: e6, e7, f5 and g5 are beside the lion too.
        ("Me5", "Lf6", "e5", "a5 b5 c5 d5 h5 i5 j5 e1 e2 e3 e4 e8 e9"),
        ("Ma1 Lc1", "Lb2", "a1", "a4 a5 a6 a7 a8 a9"),
        # A trapped one goes to other frightening squares, and does not jump; the others to safe ones alone.
        (*TRAPPED, "a1", "b1 a2 a3"),
        ("Ma1 Eb1 Lc1", "Lb2 Ma2", "a1", ""),
        ("Ma1 Lc1 Mj1 Lh1", "Lb2 Li2 Ma4 Mj4", "j1", "j2 j3"),
        ("Ma1 Lc1 Mj1 Lh1", "Lb2 Li2 Ma4 Mj4", "a1", "b1 a2 a3"),
        # One that is not scared is never trapped, though all squares are beside an elephant.
        ("La1", "Ec3 Md4", "a1", ""),
        # A trapped one may take a watering hole beside the animal that it fears.
        ("Md3 Ld2 Ed5", "Lc3 Me3", "d3", "d4"),
    ],
)
def test_an_animal_goes_where_the_rules_let_it(white, black, origin, squares):
    assert targets(setup(white, black), origin) == {*squares.split()}


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("white", "black", "are_scared", "may_move"),
    [
        # Own animals do not scare.
        ("Me5 Le6 Ef6 Lf5 Mf4 Ed5", "", "", "e5 e6 f6 f5 f4 d5"),
        # Scared animals that can flee go before others, any of them first.
        ("Me5", "Lf6", "e5", "e5"),
        ("Le5", "Ef6", "e5", "e5"),
        ("Ee5", "Mf6", "e5", "e5"),
        ("Me5 Mc3", "Lf6 Lb4", "e5 c3", "e5 c3"),
        # A trapped one waits while another can escape.
        ("Ma1 Lc1 Me6", "Lb2 Ma4 Lf7", "a1 e6", "e6"),
        # With all scared ones trapped every animal may make safe moves.
        (*TRAPPED, "a1", "a1 c1 e5 h1 i1 j1"),
        # Fear makes an animal leave its watering hole.
        ("Md4 Lg4 Ed1", "Lc5", "d4", "d4"),
    ],
)
def test_scared_animals_that_can_flee_go_first(white, black, are_scared, may_move):
    position = setup(white, black)
    assert scared(position) == {*are_scared.split()}
    wanted = {*may_move.split()}
    assert wanted == movers(position) if are_scared else wanted <= movers(position)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("fearing", "feared", "others"), [("M", "L", "EM"), ("L", "E", "ML"), ("E", "M", "LE")]
)
def test_an_animal_fears_one_kind_of_the_enemy_on_the_eight_squares_around_it(fearing, feared, others):
    around = ("d4", "d5", "d6", "e4", "e6", "f4", "f5", "f6")
    for square in around:
        assert scared(setup(f"{fearing}e5", f"{feared}{square}")) == {"e5"}
        assert scared(setup(f"{fearing}e5", f"{feared}{square}", BLACK)) == set()
        for other in others:
            assert scared(setup(f"{fearing}e5", f"{other}{square}")) == set()
    for square in ("e7", "c5", "g7", "d3", "g6"):
        assert scared(setup(f"{fearing}e5", f"{feared}{square}")) == set()


@pytest.mark.nojit
def test_a_side_can_be_without_a_legal_move():
    assert scared(NO_MOVE) == set()
    assert legal_moves(NO_MOVE) == []


@pytest.mark.nojit
def test_the_game_is_over_once_three_holes_are_held():
    position = setup("Ed4 Ld7 Mg4", "", BLACK)
    assert legal_moves(position) == []
    with pytest.raises(StateError, match="White has won"):
        check_move(position, Move(90, 91))


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("move", "message"),
    [
        ("e4-e5", "there is no animal on e4; White is to move"),
        ("h8-i9", "Black's lion on h8 cannot move: White is to move"),
        ("e5-f6", "the mouse on e5 cannot reach f6: it moves along ranks and files"),
        ("g5-g6", "the lion on g5 cannot reach g6: it moves along diagonals"),
        ("e5-h5", "the mouse on e5 cannot reach h5: White's lion is on g5"),
        ("b6-b5", "the elephant on b6 may not go to b5, beside the mouse on c4, which it fears"),
        ("e5-e5", "the mouse on e5 stands on e5 already: a move goes to another square"),
        (Move(100, -1), "expected squares from 0 to 99, got 100 and -1"),
    ],
)
def test_an_illegal_move_is_refused_with_the_reason(move, message):
    with pytest.raises(PlayError) as caught:
        check_move(setup("Me5 Lg5 Eb6", "Lh8 Mc4"), parse_move(move) if isinstance(move, str) else move)
    assert caught.value.message == message


@pytest.mark.nojit
def test_an_animal_that_must_wait_is_told_for_which():
    with pytest.raises(PlayError, match=r"the elephant on b6 must wait: .* moves first \(e5\)$"):
        check_move(setup("Me5 Eb6", "Lf6"), parse_move("b6-b7"))


@pytest.mark.nojit
def test_the_most_moves_have_room():
    # Elephants cross in the middle, everybody else keeps to the edges.
    position = setup("Ee5 Ef7 Lc1 Lh1 Mb1 Mj4", "Ea10 Ej10 La9 Lj9 Ma2 Mb10")
    assert 90 < len(legal_moves(position)) <= MAX_MOVES


def make_position(chance, index):
    """A random position: all over the board, in a corner, or one nearly without a legal move."""
    kind = index % (len(AREAS) + 1)
    if kind < len(AREAS):
        return random_position(chance, *AREAS[kind])
    squares = NO_MOVE.squares.copy()
    target = chance.choice([square for square in range(100) if square not in squares and square not in HOLES])
    squares[chance.randrange(12)] = target
    return BarcaPosition(squares, 0)


def check_against_twin(seed, count):
    chance = random.Random(seed)
    forced, trapped, without = 0, 0, 0
    for index in range(count):
        position = make_position(chance, index)
        moves = legal_moves(position)
        assert moves == naive_legal_moves(position), position
        scared_squares = set(find_scared(position, position.side))
        origins = {move.origin for move in moves}
        forced += bool(scared_squares) and origins <= scared_squares
        trapped += bool(scared_squares & origins) and not origins <= scared_squares
        without += not moves
    return forced, trapped, without


@pytest.mark.nojit
def test_moves_of_random_positions_are_those_of_the_slow_twin():
    forced, trapped, without = check_against_twin(1, 600 if IS_COMPILED else 200)
    assert min(forced, trapped, without) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_moves_of_20000_random_positions_are_those_of_the_slow_twin(seed):
    forced, trapped, without = check_against_twin(100 + seed, 5000)
    assert min(forced, trapped) > 50
    assert without > 5


def test_what_animals_of_random_positions_reach_and_fear_is_that_of_the_slow_twin():
    chance, feared_count = random.Random(5), 0
    for index in range(60):
        position = make_position(chance, index)
        board = read_board(position)
        for animal, (square, piece) in enumerate(board.items()):
            safe, feared = find_reach(position, animal)
            free = free_squares(board, square)
            frightening = {each for each in free if is_frightened(board, each, piece)}
            assert feared == sorted(file - 1 + 10 * (rank - 1) for file, rank in frightening), position
            assert safe == sorted(file - 1 + 10 * (rank - 1) for file, rank in free - frightening), position
            feared_count += len(feared)
    assert feared_count > 100


@pytest.mark.nojit
@pytest.mark.parametrize("depth", range(5 if IS_COMPILED else 3))
def test_sequences_of_moves_from_the_start_are_as_many_as_known(depth):
    start = BarcaPosition.start()
    assert perft(start, depth) == FROM_THE_START[depth]
    assert start == BarcaPosition.start()


@pytest.mark.parametrize(
    "depth",
    [
        pytest.param(2, marks=pytest.mark.nojit),
        *(pytest.param(depth, marks=pytest.mark.slow) for depth in (3, 4)),
    ],
)
def test_the_slow_twin_counts_as_many_sequences(depth):
    assert naive_perft(BarcaPosition.start(), depth) == FROM_THE_START[depth]


@pytest.mark.nojit
def test_sequences_of_other_positions_are_as_many_as_by_the_slow_twin():
    chance = random.Random(4)
    positions = [random_position(chance, size, size) for size in ((10, 6, 5, 4) if IS_COMPILED else (4,))]
    for position in (*positions, setup("Ed4 Ld7 Mg1", "")):  # of which the last ends with a win
        assert perft(position, 2) == naive_perft(position, 2), position
    assert perft(setup("Ed4 Ld7 Mg4", "", BLACK), 1) == 0


def test_counting_more_moves_than_are_compiled_at_once_makes_the_first_ones_here(monkeypatch):
    monkeypatch.setattr("gammond.engine.barca.moves._COMPILED_DEPTH", 1)
    assert perft(BarcaPosition.start(), 3) == FROM_THE_START[3]


@pytest.mark.nojit
def test_a_move_carries_one_animal_and_gives_the_turn_away():
    position = setup("Me5 Mc3", "Lf6 Lb4")
    after = apply_move(apply_move(position, parse_move("e5-e3")), parse_move("a10-a9"))
    assert after == setup("Me3 Mc3", "Ea9 Eb10 Lf6 Lb4 Mc10 Md10")
    assert movers(after) == {"c3"}  # the second scared animal goes when it is that side's turn again
