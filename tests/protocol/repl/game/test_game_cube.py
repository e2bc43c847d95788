"""The cube and resignations in a game against the engine."""

import numpy as np
import pytest

from gammond.engine.errors import GammondError, StateError
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.game.games import undo
from gammond.protocol.repl.game.playing import make_play, roll, take_action
from tests.protocol.repl.tables import game_at, make_talk
from tests.support.boards import position
from tests.support.evaluators import GammonEvaluator, RacingEvaluator

ENGINE_AHEAD = position({6: 5, 5: 5, 4: 4}, {24: 4, 23: 2})
HUMAN_AHEAD = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4})


def test_the_engine_drops_a_double_that_it_must_and_the_points_count():
    game = game_at(HUMAN_AHEAD, length=5)
    lines = take_action(game, WorkControl(), "double")
    assert lines == [
        "You double to 2.",
        "gammond passes.",
        "You win a single game, 1 point.",
        "You 1, gammond 0 in a 5-point match.",
        "'new' starts the next game.",
    ]
    assert not game.is_running
    assert game.session.game.match.score == (1, 0)


def test_the_engine_doubles_before_its_roll_and_waits_for_the_answer():
    game = game_at(ENGINE_AHEAD, roll=(2, 1), length=5)
    lines = make_play(game, WorkControl(), "6/4 6/5")
    assert lines == ["You play 6/4 6/5.", "gammond doubles to 2. 'take' or 'drop'?"]
    for refused in (roll, lambda game, control: make_play(game, control, "8/7 8/6")):
        with pytest.raises(StateError, match="a double to 2 is pending: 'take' or 'drop'"):
            refused(game, WorkControl())
    with pytest.raises(StateError, match="is pending: 'take' or"):
        take_action(game, WorkControl(), "resign gammon")


def test_a_drop_loses_the_cube_as_it_was_before_the_double():
    game = game_at(ENGINE_AHEAD, roll=(2, 1), length=7, cube=2, cube_owner=1)
    assert make_play(game, WorkControl(), "6/4 6/5")[-1] == "gammond redoubles to 4. 'take' or 'drop'?"
    lines = take_action(game, WorkControl(), "drop")
    assert lines[:2] == ["You pass.", "gammond wins a single game, 2 points."]
    assert game.session.game.match.score == (0, 2)


def test_a_double_that_is_taken_is_followed_by_the_roll_of_the_engine():
    game = game_at(ENGINE_AHEAD, roll=(2, 1), rolls=[(2, 1)], length=5)
    make_play(game, WorkControl(), "6/4 6/5")
    lines = take_action(game, WorkControl(), "take")
    assert lines[0] == "You take. The cube is at 2."
    assert lines[1].startswith("2-1: gammond plays ")
    assert game.session.game.match.cube_owner == game.human_seat


def test_there_is_no_doubling_in_the_crawford_game():
    game = game_at(ENGINE_AHEAD, roll=(2, 1), rolls=[(2, 1)], length=5, score=(4, 2), crawford=True)
    lines = make_play(game, WorkControl(), "6/4 6/5")
    assert lines[1].startswith("2-1: gammond plays ")
    with pytest.raises(GammondError, match="no doubling in the Crawford game"):
        take_action(game, WorkControl(), "double")


def test_the_person_may_beaver_in_money_play():
    game = game_at(HUMAN_AHEAD.swap_sides(), on_roll=1, doubled=True)
    assert game.human_seat == 0
    lines = take_action(game, WorkControl(), "beaver")
    assert lines[0] == "You beaver to 4."
    assert lines[1] == "gammond passes."
    assert lines[2] == "You win a single game, 2 points."


class DecidedEvaluator(RacingEvaluator):
    """An evaluator for which every game is decided: the leader wins it."""

    def evaluate(self, boards):
        return np.round(super().evaluate(boards))


def test_the_engine_accepts_a_resignation_that_is_worth_it_and_rejects_another():
    game = game_at(ENGINE_AHEAD, roll=(2, 1), length=7, evaluator=GammonEvaluator())
    before = game.session.game
    lines = take_action(game, WorkControl(), "resign single")
    assert lines == [
        "You offer to resign a single game, 1 point.",
        "gammond rejects the resignation; the game continues.",
    ]
    assert game.session.game == before
    lines = take_action(game, WorkControl(), "resign gammon")
    assert lines[1:3] == ["gammond accepts.", "gammond wins a gammon, 2 points."]
    assert game.session.game.match.score == (0, 2)


def test_the_engine_resigns_what_it_has_lost_and_not_again_when_that_is_refused():
    lost = position({1: 5}, {23: 2, 22: 2})
    game = game_at(lost, roll=(2, 1), rolls=[(2, 1), (2, 1), (2, 1)], evaluator=DecidedEvaluator())
    lines = make_play(game, WorkControl(), "1/off(2)")
    assert lines[1] == "gammond offers to resign a single game, 1 point. 'accept' or 'reject'?"
    lines = take_action(game, WorkControl(), "reject")
    assert lines[0] == "You reject the resignation; the game continues."
    assert lines[1].startswith("2-1: gammond plays ")
    roll(game, WorkControl())
    assert make_play(game, WorkControl(), "1/off(2)")[1].startswith("2-1: gammond plays ")
    undo(game, WorkControl())
    undo(game, WorkControl())
    lines = take_action(game, WorkControl(), "accept")
    assert lines[:2] == ["You accept.", "You win a single game, 1 point."]


def test_undo_takes_back_decisions_about_the_cube_one_by_one():
    game = game_at(ENGINE_AHEAD, roll=(2, 1), rolls=[(2, 1)], length=5)
    start = game.session.game
    make_play(game, WorkControl(), "6/4 6/5")
    doubled = game.session.game
    take_action(game, WorkControl(), "drop")
    assert undo(game, WorkControl()) == ["Undone: you are to answer the double."]
    assert game.session.game is doubled
    assert game.session.game.match.score == (0, 0)
    assert game.is_running
    take_action(game, WorkControl(), "take")
    undo(game, WorkControl())
    assert game.session.game is doubled
    assert undo(game, WorkControl()) == ["Undone: you are to play 2-1."]
    assert game.session.game is start


def test_an_own_double_is_taken_back_with_its_answer():
    game = game_at(HUMAN_AHEAD, length=5)
    before = game.session.game
    take_action(game, WorkControl(), "double")
    assert undo(game, WorkControl()) == ["Undone: you are to roll."]
    assert game.session.game is before


@pytest.mark.parametrize(
    ("word", "done"),
    [("pass", "You pass."), ("decline", "You pass."), ("agree", "You take. The cube is at 2.")],
)
def test_words_for_other_things_answer_a_double_while_one_is_pending(word, done):
    talk = make_talk("newgame", "set game.length 5", "double", "play", rolls=[(3, 1), (5, 2)] * 4)
    assert talk.session.game.match.doubled
    assert talk.answer(word)[0] == done
    talk = make_talk("newgame", "set game.length 5", "double", "take")
    assert talk.answer(word)[0].startswith("error: ")
