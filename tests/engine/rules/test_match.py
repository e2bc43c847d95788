"""Match states: what they derive, and the combinations they refuse."""

from dataclasses import replace

import pytest

from gammond.engine.errors import PositionError, ValueRangeError
from gammond.engine.rules.match import MAX_CUBE, MatchState

BEAVERED = {"doubled": True, "beavered": True, "cube": 2, "cube_owner": 1}


@pytest.mark.parametrize(
    ("changes", "seat"),
    [
        ({}, 1),
        ({"roll": (3, 1)}, 1),
        ({"doubled": True}, 0),
        ({"resigned": 2}, 0),
        ({"doubled": True, "resigned": 1}, 1),
        (BEAVERED | {"cube_owner": 0}, 1),
        (BEAVERED | {"cube_owner": 0, "resigned": 1}, 0),
    ],
)
def test_the_seat_to_act_is_the_one_on_roll_unless_it_waits_for_an_answer(changes, seat):
    assert MatchState(on_roll=1, **changes).to_act == seat


def test_away_counts_the_points_a_seat_needs_in_a_match_alone():
    assert MatchState().is_money
    assert MatchState().away(0) == MatchState().away(1) == 0
    match = MatchState(length=7, score=(6, 2))
    assert (match.away(0), match.away(1)) == (1, 5)
    assert match.is_post_crawford
    assert not replace(match, crawford=True).is_post_crawford


def test_the_next_turn_passes_the_dice_and_keeps_the_rest():
    match = MatchState(length=5, score=(1, 2), cube=2, cube_owner=0, on_roll=1, roll=(6, 4))
    assert match.next_turn() == replace(match, on_roll=0, roll=None)


@pytest.mark.parametrize(
    ("before", "winner", "points", "after"),
    [
        (MatchState(), 1, 2, MatchState(score=(0, 2))),
        (MatchState(cube=4, cube_owner=0, jacoby=True), 0, 8, MatchState(score=(8, 0), jacoby=True)),
        (MatchState(on_roll=1, roll=(6, 5)), 0, 1, MatchState(score=(1, 0), on_roll=1)),
        (MatchState(doubled=True), 0, 1, MatchState(score=(1, 0))),
        (MatchState(5), 0, 3, MatchState(5, (3, 0))),
        (MatchState(5), 0, 4, MatchState(5, (4, 0), crawford=True)),
        (MatchState(5, (4, 0), crawford=True), 1, 1, MatchState(5, (4, 1))),
        (MatchState(5, (4, 0), crawford=True), 1, 4, MatchState(5, (4, 4))),
        (MatchState(5, (4, 1)), 1, 3, MatchState(5, (4, 4))),
        (MatchState(1), 0, 1, None),
        (MatchState(5, (4, 3)), 0, 1, None),
        (MatchState(5, (3, 4)), 0, 6, None),
    ],
)
def test_after_a_game_its_points_count_and_a_fresh_cube_is_on_the_table(before, winner, points, after):
    assert before.after_game(winner, points) == after


def test_the_final_score_of_a_match_counts_all_points():
    assert MatchState(5, (3, 4)).score_after(0, 6) == (9, 4)
    assert MatchState(5, (3, 4)).score_after(1, 1) == (3, 5)


def test_a_money_score_cannot_outgrow_its_range():
    with pytest.raises(ValueRangeError, match="a score is"):
        MatchState(score=(32767, 0)).after_game(0, 1)


@pytest.mark.parametrize(
    ("match", "may"),
    [
        (MatchState(), (True, False)),
        (MatchState(on_roll=1), (False, True)),
        (MatchState(roll=(2, 1)), (False, False)),
        (MatchState(doubled=True), (False, False)),
        (MatchState(resigned=1), (False, False)),
        (MatchState(cube=2, cube_owner=0), (True, False)),
        (MatchState(cube=2, cube_owner=1), (False, False)),
        (MatchState(cube=MAX_CUBE, cube_owner=0), (False, False)),
        (MatchState(length=5, score=(4, 2), crawford=True), (False, False)),
        (MatchState(length=5, score=(4, 2)), (False, False)),
        (MatchState(length=5, score=(2, 4)), (True, False)),
        (MatchState(length=5, score=(1, 0), cube=4, cube_owner=0), (False, False)),
    ],
)
def test_a_seat_may_double_before_its_roll_with_a_cube_that_is_its_own_and_not_dead(match, may):
    assert (match.may_double(0), match.may_double(1)) == may


@pytest.mark.parametrize(
    ("match", "may"),
    [
        (MatchState(), True),
        (MatchState(beavers=False), False),
        (MatchState(length=5), False),
        (MatchState(cube=MAX_CUBE // 4, cube_owner=0), True),
        (MatchState(cube=MAX_CUBE // 2, cube_owner=0), False),
    ],
)
def test_a_double_may_be_beavered_for_money_up_to_the_highest_cube(match, may):
    assert match.may_beaver is may


def test_a_score_out_of_range_is_reported_as_people_write_it():
    with pytest.raises(ValueRangeError, match=r"not 0 and -1$"):
        MatchState(score=(0, -1))


def test_without_its_offers_a_state_keeps_the_cube_as_it_lies():
    offered = MatchState(doubled=True, beavered=True, resigned=2, cube=2, cube_owner=1)
    assert offered.without_offers() == MatchState(cube=2, cube_owner=1)
    assert MatchState(resigned=2, roll=(3, 1), jacoby=True).before_roll() == MatchState(jacoby=True)
    assert offered.next_turn() == MatchState(cube=2, cube_owner=1, on_roll=1)
    assert offered.after_game(1, 4) == MatchState(score=(0, 4))


def test_automatic_doubles_are_taken_out_of_money_play_alone():
    assert MatchState(cube=4, jacoby=True).without_automatic_doubles() == MatchState(jacoby=True)
    for match in (MatchState(cube=4, cube_owner=1), MatchState(length=5)):
        assert match.without_automatic_doubles() == match


def test_a_result_says_its_kind_and_counts_the_cube():
    result = MatchState(cube=4, cube_owner=0).game_result(1, 2)
    assert (result.winner, result.name, result.points) == (1, "gammon", 8)


@pytest.mark.parametrize(
    ("error", "changes", "field"),
    [
        (ValueRangeError, {"length": -1}, "length"),
        (ValueRangeError, {"length": 40000}, "length"),
        (ValueRangeError, {"score": (0, -1)}, "score"),
        (ValueRangeError, {"score": (1,)}, "score"),
        (ValueRangeError, {"cube": 3}, "cube"),
        (ValueRangeError, {"cube": 0}, "cube"),
        (ValueRangeError, {"cube": 2 * MAX_CUBE}, "cube"),
        (ValueRangeError, {"cube_owner": 2}, "cube_owner"),
        (ValueRangeError, {"on_roll": -1}, "on_roll"),
        (ValueRangeError, {"roll": (0, 3)}, "dice"),
        (ValueRangeError, {"resigned": 4}, "resigned"),
        (PositionError, {"length": 5, "score": (5, 0)}, "score"),
        (PositionError, {"crawford": True}, "crawford"),
        (PositionError, {"length": 5, "score": (3, 2), "crawford": True}, "crawford"),
        (PositionError, {"length": 5, "score": (4, 4), "crawford": True}, "crawford"),
        (PositionError, {"length": 5, "score": (4, 0), "crawford": True, "cube": 2}, "crawford"),
        (PositionError, {"length": 5, "score": (4, 0), "crawford": True, "cube_owner": 0}, "crawford"),
        (PositionError, {"doubled": True, "roll": (3, 1)}, "doubled"),
        (PositionError, {"doubled": True, "cube": 2, "cube_owner": 1}, "doubled"),
        (PositionError, {"doubled": True, "length": 5, "score": (4, 0), "crawford": True}, "doubled"),
        (PositionError, {"beavered": True, "cube": 2, "cube_owner": 1}, "beavered"),
        (PositionError, BEAVERED | {"cube_owner": 0}, "beavered"),
        (PositionError, BEAVERED | {"roll": (3, 1)}, "beavered"),
        (PositionError, BEAVERED | {"beavers": False}, "beavered"),
        (PositionError, BEAVERED | {"length": 9}, "beavered"),
        (PositionError, BEAVERED | {"cube": MAX_CUBE}, "beavered"),
    ],
)
def test_values_that_cannot_be_or_cannot_come_up_together_are_refused_by_name(error, changes, field):
    with pytest.raises(error) as caught:
        MatchState(**changes)
    assert caught.value.field == field


@pytest.mark.parametrize("length", [0, 5])
def test_a_state_with_or_without_dice_is_equal_to_one_that_was_made_so(length):
    state = MatchState(length=length, score=(2, 1), cube=2, cube_owner=1, resigned=2)
    rolled = state.with_roll((5, 2))
    made = MatchState(length=length, score=(2, 1), cube=2, cube_owner=1, resigned=2, roll=(5, 2))
    assert rolled == made
    assert hash(rolled) == hash(made)
    assert state.roll is None
    assert rolled.before_roll() == MatchState(length=length, score=(2, 1), cube=2, cube_owner=1)
    assert rolled.with_roll((6, 6)).roll == (6, 6)


def test_dice_that_cannot_be_out_are_refused():
    with pytest.raises(ValueRangeError):
        MatchState().with_roll((7, 1))
    with pytest.raises(PositionError):
        MatchState(doubled=True).with_roll((3, 1))
