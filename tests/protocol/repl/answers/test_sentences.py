import pytest

from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.repl.answers.sentences import (
    describe_action,
    describe_cube_access,
    describe_game,
    describe_offer,
    describe_score,
    describe_turn,
)
from gammond.protocol.state.game_state import GameState

NAMES = ("you", "gammond")


@pytest.mark.parametrize(
    ("action", "before", "after", "said"),
    [
        (
            "double",
            MatchState(on_roll=1, cube=2, cube_owner=1),
            MatchState(on_roll=1, cube=2, cube_owner=1, doubled=True),
            "gammond redoubles to 4. 'take', 'drop' or 'beaver'?",
        ),
        (
            "beaver",
            MatchState(doubled=True),
            MatchState(cube=2, cube_owner=1, doubled=True, beavered=True),
            "gammond beavers to 4. 'take' or 'drop'?",
        ),
    ],
)
def test_what_a_person_is_to_answer_is_asked_with_the_answers(action, before, after, said):
    assert describe_action(action, before, after, NAMES) == said


def test_who_is_to_answer_a_resignation_is_said_whatever_was_rolled():
    assert describe_turn(MatchState(roll=(3, 1), resigned=1)) == "you are to answer the resignation"


def test_what_waits_is_named_with_its_answers():
    assert describe_offer(MatchState()) == ""
    assert (
        describe_offer(MatchState(5, cube=2, cube_owner=0, doubled=True))
        == "a redouble to 4 is pending: 'take' or 'drop'"
    )
    assert (
        describe_offer(MatchState(resigned=3))
        == "an offer to resign a backgammon is pending: 'accept' or 'reject'"
    )
    beavered = MatchState(cube=2, cube_owner=1, doubled=True, beavered=True)
    assert describe_offer(beavered) == "a beaver to 4 is pending: 'take' or 'drop'"


CENTRED = "The cube is centred at 1"


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (MatchState(), f"{CENTRED}: both sides may double."),
        (MatchState(5, doubled=True), f"{CENTRED}; a double to 2 is pending: 'take' or 'drop'."),
        (MatchState(5, (4, 2), crawford=True), f"{CENTRED}: nobody doubles in the Crawford game."),
        (MatchState(5, (4, 2)), f"{CENTRED}: only gammond may gain by a double."),
        (MatchState(cube=2, cube_owner=0), "You hold the cube at 2: only you may gain by a redouble."),
        (
            MatchState(cube=4, cube_owner=1),
            "gammond holds the cube at 4: only gammond may gain by a redouble.",
        ),
        (MatchState(3, (1, 2), cube=2, cube_owner=0), "You hold the cube at 2: a double would gain nothing."),
    ],
)
def test_the_cube_is_described_with_those_who_may_turn_it(match, said):
    assert describe_cube_access(match, NAMES) == said


def test_the_score_names_crawford_game_and_cube():
    assert describe_score(MatchState(5, (4, 2), crawford=True), (4, 2), NAMES) == (
        "You 4, gammond 2 in a 5-point match, Crawford game, cube 1 centred"
    )
    assert describe_score(MatchState(cube=4, cube_owner=1), (0, 3), NAMES) == (
        "You 0, gammond 3 in money play, cube 4 held by X; no Jacoby rule, beavers"
    )


@pytest.mark.parametrize(
    ("match", "points", "said"),
    [
        (MatchState(5, (4, 2), crawford=True), (4, 2), "; the next game is the Crawford game"),
        (MatchState(5, (4, 3)), (4, 3), ""),
        (MatchState(5, (4, 2), crawford=True), (5, 2), ""),
        (MatchState(5, (4, 2), crawford=True), (4, 6), ""),
        (MatchState(cube=4, cube_owner=1), (0, 8), ""),
    ],
)
def test_after_a_game_the_next_one_is_the_crawford_game_only_where_there_is_a_next_one(match, points, said):
    text = describe_score(match, points, NAMES, is_over=True)
    game = "money play" if match.is_money else "a 5-point match"
    assert text == f"You {points[0]}, gammond {points[1]} in {game}{said}"


def test_a_game_that_is_over_has_its_final_score_and_no_cube():
    match = MatchState(5, (4, 2), crawford=True)
    over = GameState(Position.start(), match, is_conceded=True, final_score=(5, 2))
    assert describe_game(over) == "the game is over; O 5, X 2 to 5."
