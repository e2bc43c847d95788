from __future__ import annotations

import pytest

from tests.protocol.repl.tables import answer_and_leave, make_talk

BEGIN = ("set game.variant barca", "level easy", "new", "g2-h3", "h3-d7")


def test_a_game_of_barca_is_kept_and_gone_on_with(tmp_path):
    file = tmp_path / "state" / "game.json"
    said = answer_and_leave(file, *BEGIN)
    assert said[-1] == "The game of barca is kept: 'barca' in the next 'gammond' goes on with it."
    board = said[-13:-1]
    again = answer_and_leave(file, "set game.variant barca")
    assert again[0] == "Your game of barca waits: 'barca' goes on with it."
    assert again[2] == "Going on with the game that you left: White is to move. ('new' starts another.)"
    assert again[-13:-1] == board
    undone = answer_and_leave(file, "set game.variant barca", "undo", "h3-d7")
    assert "Undone: h3-d7" in "".join(undone)
    assert sum(line.startswith("gammond plays ") for line in undone) == 1
    assert "Level: easy (easy, medium, hard)." in answer_and_leave(file, "set game.variant barca", "level")


def test_leaving_from_barca_names_both_games_that_are_kept(tmp_path):
    said = answer_and_leave(tmp_path / "game.json", "new 3", *BEGIN)
    assert said[-2:] == [
        "The game of backgammon is kept: the next 'gammond' goes on with it.",
        "The game of barca is kept: 'barca' in the next 'gammond' goes on with it.",
    ]


def test_level_and_seat_come_back(tmp_path):
    answer_and_leave(tmp_path / "game.json", "barca", "level medium", "new black")
    conversation = make_talk()
    answer_and_leave(tmp_path / "game.json", "barca", talk=conversation)
    assert conversation.talk.toolbar(90).startswith(" Black to move | you play Black | level medium | move 1")


def test_a_game_that_was_left_is_not_kept(tmp_path):
    file = tmp_path / "game.json"
    answer_and_leave(file, *BEGIN)
    assert (tmp_path / "barca.json").exists()
    assert answer_and_leave(file, "set game.variant barca", "leave")[-1].startswith("You have left the game")
    assert not (tmp_path / "barca.json").exists()
    assert not any("Going on" in line for line in answer_and_leave(file, "set game.variant barca"))


@pytest.mark.parametrize(
    "text", ["", "{}", '{"format":2,"human":0,"lines":[]}', '{"format":1,"human":0,"lines":["play e2-e9"]}']
)
def test_a_damaged_file_is_refused_and_the_terminal_goes_on(tmp_path, text):
    (tmp_path / "barca.json").write_text(text)
    said = answer_and_leave(tmp_path / "game.json", "set game.variant barca", "new")
    assert said[2].startswith("error: ")
    assert any(line == "You play White, gammond Black." for line in said)
