import pytest

from engine.match import MatchState
from protocol.repl.sentences import action_text, answers_text, offer_text, score_line, told, turn_text

NAMES = ("you", "gammond")
START = MatchState()


def test_sentences_about_the_person_and_the_engine_differ_in_the_verb():
    assert told("you", "roll", "3-1") == "You roll 3-1."
    assert told("gammond", "roll", "3-1") == "gammond rolls 3-1."
    assert told("gammond", "cannot move") == "gammond cannot move."


@pytest.mark.parametrize(
    ("action", "before", "after", "said"),
    [
        ("8/5 6/5", MatchState(roll=(3, 1)), START, "You play 8/5 6/5."),
        ("8/5 6/5", MatchState(on_roll=1, roll=(3, 1)), START, "3-1: gammond plays 8/5 6/5."),
        ("pass", MatchState(on_roll=1, roll=(6, 6)), START, "6-6: gammond cannot move."),
        ("double", START, MatchState(doubled=True), "You double to 2."),
        (
            "double",
            MatchState(on_roll=1, cube=2, cube_owner=1),
            MatchState(on_roll=1, cube=2, cube_owner=1, doubled=True),
            "gammond redoubles to 4. 'take', 'drop' or 'beaver'?",
        ),
        (
            "take",
            MatchState(doubled=True),
            MatchState(cube=2, cube_owner=1),
            "gammond takes. The cube is at 2.",
        ),
        (
            "beaver",
            MatchState(doubled=True),
            MatchState(cube=2, cube_owner=1, doubled=True, beavered=True),
            "gammond beavers to 4. 'take' or 'drop'?",
        ),
        ("drop", MatchState(on_roll=1, doubled=True), START, "You drop."),
        (
            "resign gammon",
            MatchState(on_roll=1),
            MatchState(on_roll=1, resigned=2),
            "gammond offers to lose a gammon, 2 points. 'accept' or 'reject'?",
        ),
        ("accept", MatchState(resigned=1), START, "gammond accepts."),
        ("reject", MatchState(resigned=1), START, "gammond rejects the offer, the game goes on."),
    ],
)
def test_what_a_seat_did_is_told_by_name_and_asks_only_the_person(action, before, after, said):
    assert action_text(action, before, after, NAMES) == said


def test_the_answers_that_are_possible_are_named():
    assert answers_text(MatchState(doubled=True)) == "'take', 'drop' or 'beaver'"
    assert answers_text(MatchState(doubled=True, beavers=False)) == "'take' or 'drop'"
    assert answers_text(MatchState(5, doubled=True)) == "'take' or 'drop'"
    assert answers_text(MatchState(cube=2048, cube_owner=0, doubled=True)) == "'take' or 'drop'"


def test_what_waits_is_named_with_its_answers():
    assert offer_text(START) == ""
    assert offer_text(MatchState(5, cube=2, cube_owner=0, doubled=True)) == "a double to 4: 'take' or 'drop'"
    assert offer_text(MatchState(resigned=3)) == "an offer to lose a backgammon: 'accept' or 'reject'"
    beavered = MatchState(cube=2, cube_owner=1, doubled=True, beavered=True)
    assert offer_text(beavered) == "a beaver to 4: 'take' or 'drop'"


def test_a_turn_is_told_by_what_is_to_be_done():
    assert turn_text(START) == "it is your roll"
    assert turn_text(MatchState(roll=(3, 1))) == "it is your 3-1"
    assert turn_text(MatchState(doubled=True)) == "the double waits for your answer"
    assert turn_text(MatchState(roll=(3, 1), resigned=1)) == "the offer waits for your answer"


def test_the_score_names_crawford_game_and_cube():
    assert score_line(MatchState(5, (4, 2), crawford=True), (4, 2), NAMES) == (
        "you 4, gammond 2 in a 5-point match, Crawford game, cube 1 centred"
    )
    assert score_line(MatchState(cube=4, cube_owner=1), (0, 3), NAMES) == (
        "you 0, gammond 3 in money play, cube 4 held by X"
    )
