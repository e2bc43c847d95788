"""Games that were set aside come back."""

from __future__ import annotations

import pytest

from gammond.protocol.games import GAMES, OTHER_GAMES
from tests.protocol.repl.tables import make_talk

ROLLS = [(3, 1), (5, 2), (6, 4), (6, 2), (5, 4), (2, 1), (4, 3)]
GAMES_ON = {
    "backgammon": ("new 5", "8/5 6/5"),
    **{game: (f"set game.variant {game}", "new", "best") for game in OTHER_GAMES},
}
"""The first moves of a game of each kind."""


@pytest.mark.parametrize(
    ("game", "line"),
    [
        *((game, line) for game in GAMES for line in ("new", "position startpos", "newgame", "leave")),
        *(("backgammon", line) for line in ("new 3", "4HPwATDgc/ABMA", "edit X 3:2")),
        *(("barca", line) for line in ("new black", "position startpos moves e2-e3")),
    ],
)
def test_a_game_that_was_on_comes_back_with_undo_as_it_was(game, line):
    talk = make_talk(*GAMES_ON[game], rolls=ROLLS)
    board, status = talk.answer("board"), talk.talk.toolbar(80)
    said = talk.answer(line)
    assert any("is set aside" in text for text in said) == (line != "leave")
    assert talk.talk.toolbar(80) != status
    assert talk.answer("undo")[0].startswith("Undone: you are back in the game, and ")
    assert (talk.answer("board"), talk.talk.toolbar(80)) == (board, status)
    assert "back in the game" not in talk.answer("undo")[0]


def test_games_come_back_one_after_the_other_after_the_decisions_of_the_last():
    talk = make_talk("new 5", "new 7", "new 9", rolls=[(3, 1)] * 9)
    talk.answer("8/5 6/5")
    assert talk.answer("undo")[0] == "Undone: you are to play 3-1."
    for length in (7, 5):
        assert talk.answer("undo")[0].startswith("Undone: you are back in the game")
        assert talk.session.game.match.length == length
    assert talk.answer("undo")[0].startswith("error: nothing to undo")


def test_what_was_done_in_a_game_comes_back_with_it(tmp_path):
    talk = make_talk("play against human", "8/5 6/5", "new 3", "undo", "roll", "13/8 24/22", rolls=ROLLS)
    assert len(talk.session.log.actions) == 2


def test_steps_after_another_position_are_taken_back_first():
    talk = make_talk("new 5", "8/5 6/5", "position startpos", "dice 3 1", rolls=ROLLS)
    assert talk.answer("undo")[0] == "Undone."
    assert talk.answer("undo")[0].startswith("Undone: you are back in the game")


def end_match_game(*lines):
    """Make a talk in which the first game of a match to 3 is lost, 0-1."""
    talk = make_talk("new 3", "8/5 6/5", "resign", *lines, rolls=ROLLS)
    assert talk.session.game.match.score == (0, 1)
    return talk


def test_a_finished_game_comes_back_from_a_pasted_position_with_its_score():
    talk = end_match_game()
    over = talk.session.game
    lines = talk.answer("XGID=--a-BCCBB-A---a---bcbbbb--:0:0:1:00:0:0:0:3:10")
    assert "Your match is set aside: 'undo' brings it back." in lines
    talk.answer("play")
    lines = talk.answer("undo")
    assert lines[:2] == [
        "Undone: you are back at the end of the game.",
        "You 0, gammond 1 in a 3-point match.",
    ]
    assert len(lines) > 2  # the board
    assert talk.session.game == over
    assert talk.answer("review")[0].endswith("; 1 decision counted.")
    assert talk.answer("undo")[0] == "Undone: you are to roll."
    assert talk.answer("undo")[0] == "Undone: you are to play 3-1."


def test_a_game_begun_after_another_is_undone_to_its_end():
    talk = end_match_game("new")
    assert talk.answer("undo")[0] == "Undone: you are back at the end of the game."
    assert talk.session.game.match.score == (0, 1)
    assert talk.answer("undo")[0] == "Undone: you are to roll."


def test_after_undo_the_same_dice_come_again():
    talk = make_talk("new 5")
    while talk.session.game.match.roll is None:
        talk.answer("new 5")
    play = talk.answer("hint 1")[-2].split("  ")[-1]
    first = talk.answer(play)
    for _ in range(2):
        talk.answer("undo")
        assert talk.answer(play) == first
    rolled = talk.answer("roll")
    talk.answer("new")
    for turn in ("back in the game", "play"):
        assert turn in talk.answer("undo")[0]
    talk.answer(play)
    assert talk.answer("roll") == rolled


def test_dice_that_were_started_again_are_not_wound_back():
    talk = make_talk("newgame", "set engine.seed 1", "roll")
    first = talk.session.game.match.roll
    for line in ("undo", "set engine.seed 1", "roll", "undo", "roll"):
        talk.answer(line)
    assert talk.session.game.match.roll == first
