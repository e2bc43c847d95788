"""The rules of moving, each by name.

Points are in the numbering of x, who is on roll; 25 is its bar, 0 the bar of o.
"""

from __future__ import annotations

import pytest

from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import can_move, generate_plays, legal_plays
from gammond.engine.rules.position import Position
from tests.support.boards import position, random_boards, random_rolls

pytestmark = pytest.mark.nojit


def results(x, o, roll):
    """The checkers of x after each legal play, by point, without those off."""
    return [
        {p: int(n) for p, n in enumerate(play.result.board[1]) if n and p > 0}
        for play in legal_plays(position(x, o), roll)
    ]


def moves(x, o, roll):
    """The checker moves of each legal play."""
    return {play.moves for play in legal_plays(position(x, o), roll)}


def test_the_larger_die_must_be_played_when_only_one_can_be():
    assert moves({10: 1}, {1: 2}, (6, 3)) == {((10, 4),)}
    assert moves({10: 1}, {1: 2}, (3, 6)) == {((10, 4),)}


def test_the_smaller_die_must_be_played_when_the_larger_cannot_be():
    assert moves({10: 1}, {4: 2, 1: 2}, (6, 3)) == {((10, 7),)}


def test_the_larger_die_is_chosen_whatever_checker_plays_it():
    assert moves({23: 1, 10: 1}, {21: 2, 17: 2, 15: 2, 8: 2, 2: 2}, (6, 2)) == {((10, 4),)}


def test_both_dice_must_be_played_when_only_the_smaller_can_go_first():
    assert moves({13: 1}, {7: 2}, (6, 2)) == {((13, 11), (11, 5))}


def test_both_dice_must_be_played_when_only_the_larger_can_go_first():
    assert moves({13: 1}, {11: 2}, (6, 2)) == {((13, 7), (7, 5))}


def test_a_play_of_one_die_is_illegal_where_another_play_uses_both():
    # 7/3 would leave no six; 7/1 leaves 20/16.
    assert results({20: 1, 7: 1}, {14: 2, 10: 2}, (6, 4)) == [{16: 1, 1: 1}]


def test_both_orders_of_the_dice_give_one_result_where_nothing_differs():
    assert results({24: 1}, {1: 1}, (6, 5)) == [{13: 1}]


def test_both_orders_of_the_dice_give_two_results_where_only_one_hits_on_the_way():
    plays = legal_plays(position({24: 1}, {18: 1, 1: 1}), (6, 5))
    assert {play.moves: play.hits for play in plays} == {
        ((24, 18), (18, 13)): (True, False),
        ((24, 19), (19, 13)): (False, False),
    }
    assert {int(play.result.board[0, 25]) for play in plays} == {0, 1}


@pytest.mark.parametrize("roll", [(3, 1), (1, 3)])
def test_a_checker_on_the_bar_must_enter_before_another_moves(roll):
    plays = moves({25: 1, 13: 2, 6: 2}, {1: 2}, roll)
    assert len(plays) == 5
    assert {play[0][0] for play in plays} == {25}


def test_the_die_that_does_not_enter_is_played_elsewhere():
    assert moves({25: 1, 6: 1}, {22: 2, 21: 2}, (3, 1)) == {((25, 24), (6, 3))}


def test_could_enter_with_either_die_but_must_use_the_larger_one():
    assert moves({25: 1}, {21: 2}, (3, 1)) == {((25, 22),)}


def test_two_checkers_on_the_bar_both_enter_and_nothing_else_moves():
    assert moves({25: 2, 6: 2}, {1: 2}, (3, 1)) == {((25, 22), (25, 24))}


def test_of_two_checkers_on_the_bar_one_enters_when_one_die_is_blocked():
    assert moves({25: 2, 6: 2}, {22: 2}, (3, 1)) == {((25, 24),)}


def test_three_checkers_on_the_bar_enter_with_a_double_and_the_last_move_is_free():
    assert moves({25: 3, 6: 1}, {1: 2}, (2, 2)) == {
        ((25, 23), (25, 23), (25, 23), (23, 21)),
        ((25, 23), (25, 23), (25, 23), (6, 4)),
    }


def test_entering_hits_a_blot():
    (play,) = legal_plays(position({25: 2}, {24: 1, 22: 1}), (3, 1))
    assert play.moves == ((25, 22), (25, 24))
    assert play.hits == (True, True)
    assert play.result == position({24: 1, 22: 1}, {0: 2}).swap_sides()


def test_nobody_enters_a_closed_board():
    closed = {point: 2 for point in range(19, 25)}
    for roll in ROLLS:
        assert moves({25: 1, 6: 2}, closed, roll) == {()}


def test_a_larger_die_bears_off_from_the_highest_point():
    assert results({4: 2, 2: 1}, {20: 1}, (6, 5)) == [{2: 1}]


def test_a_larger_die_does_not_bear_off_while_a_checker_is_behind():
    assert moves({6: 1, 3: 1}, {2: 2}, (4, 4)) == {()}


def test_a_larger_die_bears_off_after_the_other_die_has_moved_the_checker_behind():
    assert moves({5: 1, 3: 1}, {24: 1}, (4, 2)) == {((5, 3), (3, 0)), ((5, 1), (3, 1))}


def test_the_exact_die_bears_off_though_a_checker_is_behind():
    assert {6: 1, 5: 1} in results({6: 2, 3: 1}, {24: 1}, (3, 1))


def test_nothing_is_borne_off_while_a_checker_is_outside_the_home_board():
    assert moves({7: 1, 1: 2}, {6: 2}, (1, 1)) == {()}


def test_nothing_is_borne_off_while_a_checker_is_on_the_bar():
    assert moves({25: 1, 1: 2}, {24: 2}, (1, 1)) == {()}


def test_a_checker_is_borne_off_after_the_last_one_comes_home_in_the_same_roll():
    assert ((7, 6), (3, 0)) in moves({7: 1, 3: 1}, {24: 1}, (3, 1))


def test_a_double_stops_when_the_last_checker_is_off():
    (play,) = legal_plays(position({2: 3}, {24: 1}), (6, 6))
    assert play.moves == ((2, 0), (2, 0), (2, 0))
    assert play.result.is_over


def test_one_die_is_enough_to_bear_off_the_last_checker():
    assert results({1: 1}, {24: 1}, (6, 5)) == [{}]


@pytest.mark.parametrize(
    ("blocked", "expected"),
    [
        ({21: 2}, ()),
        ({18: 2}, ((24, 21),)),
        ({15: 2}, ((24, 21), (21, 18))),
        ({12: 2}, ((24, 21), (21, 18), (18, 15))),
        ({9: 2}, ((24, 21), (21, 18), (18, 15), (15, 12))),
    ],
    ids=["0 moves", "1 move", "2 moves", "3 moves", "4 moves"],
)
def test_a_double_is_played_up_to_four_times_as_far_as_it_can_be(blocked, expected):
    assert moves({24: 1}, blocked, (3, 3)) == {expected}


def test_a_double_is_played_with_the_checkers_that_use_most_of_it():
    # 24/21 goes no further; 13/10/7/4/1 uses all four threes, with or without the other checker.
    assert {len(play) for play in moves({24: 1, 13: 1}, {18: 2}, (3, 3))} == {4}


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


def test_results_are_seen_by_the_next_mover_and_distinct():
    plays = legal_plays(Position.start(), (3, 1))
    assert len(plays) == len({play.result for play in plays}) == 16
    assert all(play.result.board[0].tolist() == Position.start().board[1].tolist() for play in plays)


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
    for board, roll in zip(random_boards(3000, 5, checkers), random_rolls(3000, 6), strict=True):
        start = Position(board, checkers)
        plays = not start.is_over and not generate_plays(start, roll)[0].is_no_move
        assert can_move(start, roll) == plays, (start, roll)
        found.append(plays)
    assert {*found} == {True, False}
