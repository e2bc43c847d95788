from __future__ import annotations

from gammond.engine.barca.game import BarcaGame
from gammond.protocol.barca.board_drawing import draw_board
from gammond.protocol.barca.game_commands import parse_game

START = """\
     a  b  c  d  e  f  g  h  i  j
10   .  .  .  .  e  e  .  .  .  .    Black: 0 of 3 holes
 9   .  .  .  l  m  m  l  .  .  .
 8   .  .  .  .  .  .  .  .  .  .
 7   .  .  . ( ) .  . ( ) .  .  .
 6   .  .  .  .  .  .  .  .  .  .    White to move
 5   .  .  .  .  .  .  .  .  .  .
 4   .  .  . ( ) .  . ( ) .  .  .
 3   .  .  .  .  .  .  .  .  .  .
 2   .  .  .  L  M  M  L  .  .  .
 1   .  .  .  .  E  E  .  .  .  .    White: 0 of 3 holes
     a  b  c  d  e  f  g  h  i  j"""


def draw(text):
    return [line.text for line in draw_board(parse_game(text))]


def test_the_start_is_drawn():
    assert [line.text for line in draw_board(BarcaGame.start())] == START.splitlines()


def test_the_last_move_holes_and_scared_animals_are_marked():
    drawn = draw("3lee4/4mml3/10/10/10/3E6/10/10/3LMML3/4E5 w moves d5-d4")
    assert drawn[6] == " 5   .  .  . [.] .  .  .  .  .  .    last move d5-d4"
    assert drawn[7].startswith(" 4   .  .  . {E}")
    left = draw("3lee4/4mml3/10/10/10/10/3E6/10/3LMML3/4E5 w moves d4-c4")
    assert left[7].startswith(" 4   .  . [E]{ }")
    assert drawn[10].endswith("White: 1 of 3 holes")
    scared = draw("4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w")
    assert "M!" in scared[6]
    assert scared[9].endswith("scared: e5")


def test_no_line_is_wider_than_a_terminal():
    there_and_back = "startpos moves e2-e5 e9-e6 e5-e2 e6-e9"
    assert any("a third time is a draw" in line for line in draw(there_and_back))
    assert max(map(len, draw(there_and_back))) <= 80
