from __future__ import annotations

from gammond.protocol.barca.board_drawing import draw_board
from gammond.protocol.barca.game_commands import BarcaTable


def draw(text):
    return [line.text for line in draw_board(BarcaTable.parse_game(text))]


def test_a_last_move_from_or_to_a_hole_is_marked_as_such():
    drawn = draw("3lee4/4mml3/10/10/10/3E6/10/10/3LMML3/4E5 w moves d5-d4")
    assert drawn[6] == " 5   .  .  . [.] .  .  .  .  .  .    last move d5-d4"
    assert drawn[7].startswith(" 4   .  .  . {E}")
    left = draw("3lee4/4mml3/10/10/10/10/3E6/10/3LMML3/4E5 w moves d4-c4")
    assert left[7].startswith(" 4   .  . [E]{ }")
    assert drawn[10].endswith("White: 1 of 3 holes")


def test_scared_animals_of_both_sides_are_marked():
    assert " m! " in draw("4ee4/3l1ml3/10/10/4m5/5L4/10/10/4MML3/4EE4 w")[5]
    assert " M! " in draw("4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w")[6]


def test_no_line_is_wider_than_a_terminal():
    there_and_back = "startpos moves e2-e5 e9-e6 e5-e2 e6-e9"
    assert any("a third time is a draw" in line for line in draw(there_and_back))
    assert max(map(len, draw(there_and_back))) <= 80
