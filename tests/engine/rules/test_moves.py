"""The rules of moving, each by name.

Points are in the numbering of x, who is on roll; 25 is its bar, 0 the bar of o.
"""

import pytest

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import can_move, generate_plays, legal_plays
from gammond.engine.rules.position import Position
from tests.support.boards import position, random_boards, random_rolls

pytestmark = pytest.mark.nojit


BLOCKED = {point: 2 for point in range(19, 25)}
RULES = {
    "the larger die must be played when only one can be": ({10: 1}, {1: 2}, (6, 3), {((10, 4),)}),
    "the larger die must be played when it comes second": ({10: 1}, {1: 2}, (3, 6), {((10, 4),)}),
    "the smaller die must be played when the larger cannot be": (
        {10: 1}, {4: 2, 1: 2}, (6, 3), {((10, 7),)},
    ),
    "the larger die is chosen whatever checker plays it": (
        {23: 1, 10: 1}, {21: 2, 17: 2, 15: 2, 8: 2, 2: 2}, (6, 2), {((10, 4),)},
    ),
    "both dice must be played when only the smaller can go first": (
        {13: 1}, {7: 2}, (6, 2), {((13, 11), (11, 5))},
    ),
    "both dice must be played when only the larger can go first": (
        {13: 1}, {11: 2}, (6, 2), {((13, 7), (7, 5))},
    ),
    "a play of one die is illegal where another play uses both": (  # 7/3 would leave no six
        {20: 1, 7: 1}, {14: 2, 10: 2}, (6, 4), {((20, 16), (7, 1))},
    ),
    "the die that does not enter is played elsewhere": (
        {25: 1, 6: 1}, {22: 2, 21: 2}, (3, 1), {((25, 24), (6, 3))},
    ),
    "could enter with either die but must use the larger one": ({25: 1}, {21: 2}, (3, 1), {((25, 22),)}),
    "two checkers on the bar both enter and nothing else moves": (
        {25: 2, 6: 2}, {1: 2}, (3, 1), {((25, 22), (25, 24))},
    ),
    "of two checkers on the bar one enters when one die is blocked": (
        {25: 2, 6: 2}, {22: 2}, (3, 1), {((25, 24),)},
    ),
    "three checkers on the bar enter with a double and the last move is free": (
        {25: 3, 6: 1}, {1: 2}, (2, 2),
        {((25, 23), (25, 23), (25, 23), (23, 21)), ((25, 23), (25, 23), (25, 23), (6, 4))},
    ),
    "nobody enters a closed board": ({25: 1, 6: 2}, BLOCKED, (6, 1), {()}),
    "a larger die bears off from the highest point": ({4: 2, 2: 1}, {20: 1}, (6, 5), {((4, 0), (4, 0))}),
    "a larger die does not bear off while a checker is behind": ({6: 1, 3: 1}, {2: 2}, (4, 4), {()}),
    "a larger die bears off after the other die has moved the checker behind": (
        {5: 1, 3: 1}, {24: 1}, (4, 2), {((5, 3), (3, 0)), ((5, 1), (3, 1))},
    ),
    "the exact die bears off though a checker is behind": (
        {6: 2, 3: 1}, {24: 1, 5: 2, 2: 2}, (3, 1), {((6, 3),), ((3, 0),)},
    ),
    "nothing is borne off while a checker is outside the home board": ({7: 1, 1: 2}, {6: 2}, (1, 1), {()}),
    "nothing is borne off while a checker is on the bar": ({25: 1, 1: 2}, {24: 2}, (1, 1), {()}),
    "a double stops when the last checker is off": ({2: 3}, {24: 1}, (6, 6), {((2, 0), (2, 0), (2, 0))}),
    "one die is enough to bear off the last checker": ({1: 1}, {24: 1}, (6, 5), {((1, 0),)}),
    "a double that is blocked at once is not played": ({24: 1}, {21: 2}, (3, 3), {()}),
    "a double is played once": ({24: 1}, {18: 2}, (3, 3), {((24, 21),)}),
    "a double is played twice": ({24: 1}, {15: 2}, (3, 3), {((24, 21), (21, 18))}),
    "a double is played three times": ({24: 1}, {12: 2}, (3, 3), {((24, 21), (21, 18), (18, 15))}),
    "a double is played four times and no further": (
        {24: 1}, {9: 2}, (3, 3), {((24, 21), (21, 18), (18, 15), (15, 12))},
    ),
}  # fmt: skip
"""The counts of x and o by point, a roll, and the checker moves of its legal plays."""


@pytest.mark.parametrize(("x", "o", "roll", "expected"), RULES.values(), ids=RULES)
def test_the_rule_holds(x, o, roll, expected):
    assert {play.moves for play in legal_plays(position(x, o), roll)} == expected


def test_both_orders_of_the_dice_give_one_result_where_nothing_differs():
    (play,) = legal_plays(position({24: 1}, {1: 1}), (6, 5))
    assert play.result == position({13: 1}, {1: 1}).swap_sides()


def test_both_orders_of_the_dice_give_two_results_where_only_one_hits_on_the_way():
    plays = legal_plays(position({24: 1}, {18: 1, 1: 1}), (6, 5))
    assert {play.moves: play.hits for play in plays} == {
        ((24, 18), (18, 13)): (True, False),
        ((24, 19), (19, 13)): (False, False),
    }
    assert {int(play.result.board[0, 25]) for play in plays} == {0, 1}


def test_entering_hits_a_blot():
    (play,) = legal_plays(position({25: 2}, {24: 1, 22: 1}), (3, 1))
    assert play.moves == ((25, 22), (25, 24))
    assert play.hits == (True, True)
    assert play.result == position({24: 1, 22: 1}, {0: 2}).swap_sides()


def test_no_play_at_all_leaves_the_position_to_the_opponent():
    stuck = position({24: 2}, {18: 2, 19: 2})
    (play,) = legal_plays(stuck, (6, 5))
    assert play.is_no_move
    assert play.moves == play.hits == ()
    assert play.result == stuck.swap_sides()


def test_only_the_first_checker_on_a_blot_hits_it():
    hits = {
        play.moves: play.hits for play in legal_plays(position({8: 2, 6: 1, 24: 12}, {4: 1, 12: 2}), (4, 4))
    }
    assert hits[(24, 20), (24, 20), (8, 4), (8, 4)] == (False, False, True, False)


def test_a_point_held_by_two_opponents_cannot_be_landed_on_and_a_blot_can():
    (play,) = legal_plays(position({10: 1}, {9: 2, 8: 1, 7: 2}), (2, 1))
    assert play.moves == ((10, 8),)
    assert play.hits == (True,)


@pytest.mark.parametrize("roll", [(0, 1), (7, 1), (1, -1)])
def test_dice_outside_1_to_6_are_refused(roll):
    with pytest.raises(ValueRangeError, match="expected dice of 1 to 6"):
        legal_plays(Position.start(), roll)


@pytest.mark.parametrize("over", [position({}, {24: 1}), position({1: 1}, {})], ids=["won", "lost"])
def test_there_are_no_plays_when_the_game_is_over(over):
    with pytest.raises(StateError, match="the game is over"):
        legal_plays(over, (3, 1))


def test_a_play_is_found_by_where_it_leads():
    start = Position.start()
    for roll in ROLLS:
        plays = generate_plays(start, roll)
        for play in plays:
            assert plays.find(play.result.board) == play
    assert generate_plays(start, (3, 1)).find(start.swap_sides().board) is None
    with pytest.raises(ValueRangeError):
        generate_plays(start, (7, 1))


def test_plays_as_arrays_are_a_sequence_of_the_plays():
    plays, expected = generate_plays(Position.start(), (4, 2)), legal_plays(Position.start(), (4, 2))
    assert list(plays) == expected
    assert (len(plays), plays[-1], plays[1:3]) == (len(expected), expected[-1], expected[1:3])
    assert [board.tobytes() for board in plays.boards] == [play.result.key for play in expected]
    with pytest.raises(IndexError):
        plays[len(plays)]


@pytest.mark.parametrize("checkers", [15, 3])
def test_whether_a_side_can_move_is_found_without_kernels_as_with_them(checkers):
    found = []
    for board, roll in zip(random_boards(1500, 5, checkers), random_rolls(1500, 6), strict=True):
        start = Position(board, checkers)
        plays = not start.is_over and not generate_plays(start, roll)[0].is_no_move
        assert can_move(start, roll) == plays, (start, roll)
        found.append(plays)
    assert {*found} == {True, False}
