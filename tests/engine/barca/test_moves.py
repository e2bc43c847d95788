"""Legal moves of Barca: the rules of moving, fear and trapping, each by name.

In `setup` animals that are not named wait at the right of the first rank and at the left of the tenth.
"""

from __future__ import annotations

import pytest

from gammond.engine.barca.moves import Move, apply_move, check_move, find_scared, legal_moves, parse_move
from gammond.engine.barca.position import BLACK, BarcaPosition, format_square, parse_square
from gammond.engine.errors import PlayError, StateError
from tests.support.barca_positions import NO_MOVE, setup
from tests.support.naive_barca import naive_legal_moves

pytestmark = pytest.mark.nojit


def targets(position, origin):
    """Names of the squares that the animal on a square may go to."""
    return {format_square(m.target) for m in legal_moves(position) if m.origin == parse_square(origin)}


def movers(position):
    """Names of the squares of animals that may move."""
    return {format_square(move.origin) for move in legal_moves(position)}


def scared(position):
    return {format_square(square) for square in find_scared(position, position.side)}


def test_counts_from_the_start_are_those_of_other_programs():
    start = BarcaPosition.start()
    moves = legal_moves(start)
    assert len(moves) == 38
    assert sum(len(legal_moves(apply_move(start, move))) for move in moves) == 1404


def test_a_mouse_moves_along_its_file_and_its_rank():
    expected = {f"{file}5" for file in "abcdfghij"} | {
        f"e{rank}" for rank in (1, 2, 3, 4, 6, 7, 8)
    }  # e9 is beside d10
    assert targets(setup("Me5", ""), "e5") == expected


def test_a_lion_moves_along_diagonals():
    up = {"a1", "b2", "c3", "d4", "f6", "g7", "h8", "i9", "j10"}
    down = {"b8", "c7", "d6", "f4", "g3", "h2"}  # a9 is beside the elephant on a10
    assert targets(setup("Le5", ""), "e5") == up | down


def test_an_elephant_moves_along_files_ranks_and_diagonals():
    found = targets(setup("Ee5", ""), "e5")
    assert {"a5", "j5", "e1", "e8", "a1", "j10", "a9", "h2"} <= found
    assert len(found) == 9 + 7 + 9 + 7


def test_no_animal_jumps_over_another_nor_lands_on_it():
    position = setup("Me5 Lg5", "Ec5")
    assert {square for square in targets(position, "e5") if square.endswith("5")} == {"d5", "f5"}


@pytest.mark.parametrize(
    ("fearing", "feared", "others"), [("M", "L", "EM"), ("L", "E", "ML"), ("E", "M", "LE")]
)
def test_an_animal_fears_one_kind_of_the_enemy_on_the_eight_squares_around_it(fearing, feared, others):
    around = ("d4", "d5", "d6", "e4", "e6", "f4", "f5", "f6")
    for square in around:
        assert scared(setup(f"{fearing}e5", f"{feared}{square}")) == {"e5"}
        for other in others:
            assert scared(setup(f"{fearing}e5", f"{other}{square}")) == set()
    for square in ("e7", "c5", "g7", "d3", "g6"):
        assert scared(setup(f"{fearing}e5", f"{feared}{square}")) == set()


def test_own_animals_do_not_scare():
    position = setup("Me5 Le6 Ef6 Lf5 Mf4 Ed5", "")
    assert scared(position) == set()
    assert movers(position) == {"e5", "e6", "f6", "f5", "f4", "d5"}


def test_fear_is_of_the_side_to_move_alone():
    assert scared(setup("Me5", "Le6")) == {"e5"}
    assert scared(setup("Me5", "Le6", BLACK)) == set()


@pytest.mark.parametrize(("fearing", "feared"), [("M", "L"), ("L", "E"), ("E", "M")])
def test_a_move_may_not_end_beside_a_feared_animal(fearing, feared):
    start, line = {"M": ("e2", "e4 e5 e6"), "L": ("b2", "d4 e5 f6"), "E": ("e2", "e4 e5 e6")}[fearing]
    beside = set(line.split())
    position = setup(f"{fearing}{start}", f"{feared}f5" if fearing != "L" else f"{feared}e5")
    if fearing == "L":
        assert targets(position, start).isdisjoint({"d4", "e5", "f6"})
    else:
        assert targets(position, start).isdisjoint(beside)
        assert {"e3", "e7", "e8"} <= targets(position, start)


def test_a_move_may_pass_squares_beside_a_feared_animal():
    assert {f"e{rank}" for rank in (3, 7, 8, 9)} <= targets(setup("Me2", "Lf5"), "e2")
    assert {"c3", "g7", "h8"} <= targets(setup("Lb2", "Ed6"), "b2")


def test_an_animal_may_go_beside_one_that_fears_it():
    assert "e4" in targets(setup("Me2", "Ef5"), "e2")


def test_scared_mouse_must_move_before_others():
    position = setup("Me5", "Lf6")
    assert movers(position) == {"e5"}


def test_scared_lion_must_move_before_others():
    assert movers(setup("Le5", "Ef6")) == {"e5"}


def test_scared_elephant_must_move_before_others():
    assert movers(setup("Ee5", "Mf6")) == {"e5"}


def test_a_scared_animal_may_go_to_safe_squares_only_while_there_is_one():
    # e6, e7, f5 and g5 are beside the lion too.
    found = targets(setup("Me5", "Lf6"), "e5")
    assert found == {"a5", "b5", "c5", "d5", "h5", "i5", "j5", "e1", "e2", "e3", "e4", "e8", "e9"}


def test_any_of_several_scared_animals_may_go_first():
    position = setup("Me5 Mc3", "Lf6 Lb4")
    assert scared(position) == movers(position) == {"e5", "c3"}


def test_the_second_scared_animal_goes_when_it_is_that_sides_turn_again():
    position = setup("Me5 Mc3", "Lf6 Lb4")
    after = apply_move(apply_move(position, parse_move("e5-e3")), parse_move("a10-a9"))
    assert movers(after) == {"c3"}


def test_a_scared_animal_with_a_safe_square_is_not_trapped():
    # From a1 the mouse passes a2 and a3, which are beside the lion on b2.
    position = setup("Ma1 Lc1", "Lb2")
    assert targets(position, "a1") == {f"a{rank}" for rank in range(4, 10)}
    assert movers(position) == {"a1"}


def test_with_all_scared_animals_trapped_every_animal_may_make_safe_moves():
    position = setup("Ma1 Ee5 Lc1 Mj1", "Lb2 Ma4")
    # b1 and a2, a3 are beside the lion, and c1 and a4 end the lines.
    assert scared(position) == {"a1"}
    assert {"e5", "c1", "j1", "a1"} <= movers(position)


def test_a_trapped_animal_may_go_to_another_frightening_square():
    position = setup("Ma1 Ee5 Lc1 Mj1", "Lb2 Ma4")
    assert targets(position, "a1") == {"b1", "a2", "a3"}


def test_a_trapped_animal_does_not_jump():
    position = setup("Ma1 Eb1 Lc1", "Lb2 Ma2")
    assert scared(position) == {"a1", "b1"}
    assert targets(position, "a1") == set()


def test_other_animals_make_safe_moves_only_while_one_is_trapped():
    position = setup("Ma1 Ee5 Lc1 Mj1", "Lb2 Ma4 Mg6 Ee8")
    assert scared(position) == {"a1"}
    # The elephant on e5 is not scared; f5, f6 and f7 are beside the mouse on g6.
    assert {"f5", "f6"}.isdisjoint(targets(position, "e5"))
    assert "e6" in targets(position, "e5")


def test_a_trapped_animal_waits_while_another_scared_animal_can_escape():
    position = setup("Ma1 Lc1 Me6", "Lb2 Ma4 Lf7")
    assert scared(position) == {"a1", "e6"}
    assert movers(position) == {"e6"}


def test_several_trapped_animals_may_all_go_to_frightening_squares():
    position = setup("Ma1 Lc1 Mj1 Lh1", "Lb2 Li2 Ma4 Mj4")
    assert scared(position) == {"a1", "j1"}
    assert targets(position, "a1") == {"b1", "a2", "a3"}
    assert targets(position, "j1") == {"j2", "j3"}


def test_an_animal_that_is_not_scared_is_never_trapped():
    # Both squares that the lion on a1 could go to first are beside an elephant, but it is not scared itself.
    position = setup("La1", "Ec3 Md4")
    assert "a1" not in movers(position)
    assert len(movers(position)) > 1


def test_a_trapped_animal_may_take_a_watering_hole():
    position = setup("Md3 Ld2 Ed5", "Lc3 Me3")
    assert scared(position) == {"d3"}
    assert targets(position, "d3") == {"d4"}
    assert movers(position) > {"d3"}


def test_a_side_can_be_without_a_legal_move():
    assert scared(NO_MOVE) == set()
    assert legal_moves(NO_MOVE) == naive_legal_moves(NO_MOVE) == []


def test_the_game_is_over_once_three_holes_are_held():
    position = setup("Ed4 Ld7 Mg4", "", BLACK)
    assert position.winner == 0
    assert legal_moves(position) == []
    with pytest.raises(StateError, match="White has won"):
        check_move(position, Move(90, 91))


def why(position, text):
    with pytest.raises(PlayError) as caught:
        check_move(position, parse_move(text))
    return caught.value.message


def test_an_illegal_move_is_refused_with_the_reason():
    position = setup("Me5 Lg5 Eb6", "Lh8 Mc4")
    assert why(position, "e4-e5") == "there is no animal on e4; White is to move"
    assert why(position, "h8-i9") == "Black's lion on h8 cannot move: White is to move"
    assert why(position, "e5-f6") == "the mouse on e5 cannot reach f6: it moves along ranks and files"
    assert why(position, "g5-g6") == "the lion on g5 cannot reach g6: it moves along diagonals"
    assert why(position, "e5-h5") == "the mouse on e5 cannot reach h5: White's lion is on g5"
    assert (
        why(position, "b6-b5")
        == "the elephant on b6 may not go to b5, beside the mouse on c4, which it fears"
    )
    assert why(position, "e5-e5").endswith("stands on e5 already: a move goes to another square")
    waiting = setup("Me5 Eb6", "Lf6")
    assert why(waiting, "b6-b7") == (
        "the elephant on b6 must wait: a scared animal that can go to a safe square moves first (e5)"
    )
    with pytest.raises(PlayError, match="from 0 to 99, got 100 and -1"):
        check_move(position, Move(100, -1))
