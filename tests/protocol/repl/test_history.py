"""Games that were set aside come back."""

from __future__ import annotations

import pytest

from tests.protocol.repl.tables import make_talk

ROLLS = [(3, 1), (5, 2), (6, 4), (6, 2), (5, 4), (2, 1), (4, 3)]


@pytest.mark.parametrize("line", ["new 3", "new", "position startpos", "4HPwATDgc/ABMA", "newgame", "leave"])
def test_a_game_that_was_on_comes_back_with_undo(line):
    talk = make_talk("new 5", "8/5 6/5", rolls=ROLLS)
    before = talk.session.game
    talk.answer(line)
    assert talk.answer("undo")[0] == "Undone: you are back in the game, and you are to roll."
    assert talk.session.game is before
    assert talk.game.is_running
    assert talk.answer("undo")[0] == "Undone: you are to play 3-1."


def test_a_new_game_says_that_another_one_is_set_aside():
    talk = make_talk("new 5", "8/5 6/5", rolls=ROLLS)
    assert talk.answer("new 3")[0] == "The game that was on is set aside: 'undo' brings it back."
    assert talk.session.game.match.length == 3


def test_games_come_back_one_after_the_other_after_the_decisions_of_the_last():
    talk = make_talk("new 5", "new 7", "new 9", rolls=[(3, 1)] * 9)
    talk.answer("8/5 6/5")
    assert talk.answer("undo")[0] == "Undone: you are to play 3-1."
    for length in (7, 5):
        assert talk.answer("undo")[0].startswith("Undone: you are back in the game")
        assert talk.session.game.match.length == length
    assert talk.answer("undo")[0].startswith("error: nothing to undo")


def test_what_was_done_in_a_game_comes_back_with_it(tmp_path):
    talk = make_talk(
        "play against human", "8/5 6/5", "new 3", "undo", "roll", "13/8 24/22", rolls=[(3, 1), *ROLLS]
    )
    assert len(talk.session.log.actions) == 2


def test_steps_after_another_position_are_taken_back_first():
    talk = make_talk("new 5", "8/5 6/5", "position startpos", "dice 3 1", rolls=ROLLS)
    assert talk.answer("undo")[0] == "Undone."
    assert talk.answer("undo")[0].startswith("Undone: you are back in the game")
