"""The numbers of moves: those of the rows of ``.mat`` files."""

import pytest

from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import number_moves
from gammond.engine.rules.game_record import ResignationAction

GAME = """ 5 point match

 Game 1
 ann : 0                             bob : 0
  1)                                 64: 24/18 13/9
  2) 21: 13/11 8/7*                  62: Bar/23 24/18*
  3) 61: Bar/24 13/7*                64: Bar/15
  4)  Doubles => 2                    Takes
  5) 52: 13/8 6/4                     Doubles => 4
  6)  Drops
                                      Wins 2 points
"""


def test_actions_have_the_numbers_of_their_rows():
    (match,) = parse_mat(GAME)
    (game,) = match.games
    found = [
        (number, action.seat) for number, action in zip(number_moves(game.actions), game.actions, strict=True)
    ]
    assert found == [(1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1), (6, 0)]


def test_a_refused_resignation_has_the_number_of_the_move_that_follows_it():
    (match,) = parse_mat(GAME)
    actions = list(match.games[0].actions)
    actions.insert(1, ResignationAction(0, 1, is_accepted=False))
    assert number_moves(actions)[:4] == [1, 2, 2, 2]


@pytest.mark.parametrize(
    ("written", "broken", "move"),
    [
        ("64: 24/18 13/9", "64: 24/1", 1),
        ("21: 13/11 8/7*", "21: 13/1", 2),
        ("62: Bar/23 24/18*", "62: 24/18", 2),
        ("Doubles => 2", "Doubles => 4096", 4),
        ("13/8 6/4", "13/5", 5),
        ("Takes", "Drops", 5),
        ("Wins 2 points", "Wins 3 points", 6),
        ("  6)  Drops\n                                      Wins 2 points\n", "", 5),
    ],
)
def test_a_fault_has_the_number_of_its_row(written, broken, move):
    (match,) = parse_mat(GAME.replace(written, broken))
    assert [(issue.game, issue.move) for issue in match.issues][:1] == [(1, move)], match.issues
