from __future__ import annotations

import pytest

from protocol.core.requests import Reply, WorkControl
from tests.protocol.barca.test_commands import BEFORE_THE_WIN
from tests.protocol.repl.tables import make_talk


def begin(*lines):
    return make_talk("set game.variant barca", *lines)


def test_going_over_to_barca_says_how_to_begin():
    conversation = make_talk()
    assert conversation.answer("set game.variant barca")[1:] == [
        "Barca: 'new' starts a game against the engine, 'help' lists the commands.",
        "'set game.variant backgammon' goes back to backgammon.",
    ]
    assert conversation.toolbar(80) == " Barca: 'new' starts a game | level hard | weights hand"


def test_a_whole_game_is_played_against_the_engine():
    conversation = begin("level easy", "new")
    for _ in range(200):
        lines = conversation.answer("best")
        if conversation.toolbar(80).startswith(" game over"):
            break
        assert lines[0].startswith("You play ")
        assert lines[1].startswith("gammond plays ")
    end = next(line for line in lines if "wins" in line or line.startswith("Draw"))
    assert end
    assert conversation.answer("e2-e5")[0].startswith("error: the game is over")
    assert conversation.answer("undo")[0] in ("Undone: White is to move.", "Undone: Black is to move.")


def test_the_engine_begins_against_a_person_with_black():
    conversation = begin("level easy")
    lines = conversation.answer("new black")
    assert lines[0] == "You play Black, gammond White."
    assert lines[1].startswith("gammond plays ")
    assert conversation.toolbar(90) == " Black to move | you play Black | level easy | move 1 | weights hand"
    assert conversation.answer("new green")[0].startswith("error: expected one of white|black for side")


def test_a_win_ends_the_game():
    conversation = begin(f"position startpos moves {BEFORE_THE_WIN}", "play")
    lines = conversation.answer("f4g4")
    assert lines[:2] == ["You play f4-g4.", "White wins: three animals on watering holes."]
    assert any("White has won" in line for line in lines[2:])
    assert conversation.answer("undo")[0] == "Undone: White is to move."
    assert conversation.answer("redo")[0] == "Redone: the game is over."


def test_undo_takes_back_the_answer_too_and_redo_makes_both_again():
    conversation = begin("level easy", "new", "e2-e5")
    position = conversation.answer("get game.variant")
    board = conversation.answer("board")
    assert position == ["value game.variant barca"]
    assert conversation.answer("undo")[0] == "Undone: White is to move."
    assert any("L  M  M  L" in line for line in conversation.answer("board"))
    assert conversation.answer("redo")[0] == "Redone: White is to move."
    assert conversation.answer("board") == board
    conversation.answer("undo")
    assert conversation.answer("undo")[0] == "Undone: no game is on the table."


def test_hints_rank_the_moves():
    lines = begin("level easy", "new").answer("hint 3")
    assert [line.split()[0] for line in lines[1:4]] == ["1", "2", "3"]
    assert lines[4].strip().startswith("3 of 38 moves at depth 1, ")


def test_what_is_illegal_is_refused_with_its_reason():
    conversation = begin("new")
    assert conversation.answer("e2-h5") == [
        "error: the mouse on e2 cannot reach h5: it moves along ranks and files"
    ]
    assert conversation.answer("x9")[0].startswith(
        "error: expected a command or a move such as e1-a1, got 'x9'"
    )
    assert conversation.answer("roll")[0].startswith("error: 'roll' is a command of backgammon")


def test_two_people_can_play():
    conversation = begin("player human", "new")
    assert conversation.answer("e2-e5")[0] == "White plays e2-e5."
    assert conversation.answer("e9-e6")[0] == "Black plays e9-e6."
    assert conversation.answer("undo")[0] == "Undone: Black is to move."


def test_completion_offers_moves_commands_and_values():
    conversation = begin("new")

    def texts(line):
        return [suggestion.text for suggestion in conversation.suggest(line)]

    assert texts("e2-e")[:2] == ["e2-e3", "e2-e4"]
    assert "hint" in texts("h")
    assert texts("play e2-e5") == ["e2-e5"]
    assert texts("level ") == ["easy", "medium", "hard"]
    assert texts("new ") == ["white", "black"]
    assert "engine.weights" in texts("set engine.")
    assert texts("set engine.level m") == ["medium"]
    assert "barca" in texts("set game.variant ")
    assert texts("go ") == ["depth", "movetime", "nodes"]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("hint 3", [("", ""), ("command", "hint"), ("", " 3")]),
        ("e2-e5", [("play", "e2-e5")]),
        ("e2-e9", [("", "e2-e9")]),
        ("e2", [("", "e2")]),
        ("zebra", [("unknown", "zebra")]),
    ],
)
def test_the_line_is_marked_as_it_is_typed(text, pieces):
    assert begin("new").mark_input(text) == pieces


def test_the_board_is_marked_for_colours():
    conversation = begin("position startpos moves e2-e5 e9-e6")
    board = conversation.answer("board")
    marked = {mark.name for line in board for mark in line.marks}
    assert marked == {"frame", "own", "other", "play", "dice"}
    for line in board:
        places = [place for mark in line.marks for place in (mark.start, mark.end)]
        assert places == sorted(places)
        assert all(0 <= place <= len(line) for place in places)


def test_progress_is_told_in_the_words_of_the_game():
    progress = begin().make_progress()
    text = "depth 5 nodes 11179 time_ms 1300 multipv 1 score -29 pv e1-e4 g9-d6 e5-g5 c8-g4"
    assert progress.update(Reply("info", text, is_final=False)) == (
        "thinking: depth 5, best e1-e4 g9-d6 e5-g5 (-29), 11,179 positions, 1.3 s"
    )
    text = "depth 3 nodes 9 time_ms 400 multipv 1 score 999 win_in 2 pv e1-e4"
    assert "(win in 2)" in progress.update(Reply("info", text, is_final=False))


def test_a_stopped_search_still_moves():
    conversation = begin("new")
    control = WorkControl()
    control.stop()
    assert conversation.answer("e2-e5", control)[1].startswith("gammond plays ")


def test_help_explains_the_game_within_the_width_of_a_terminal():
    lines = begin().answer("help")
    assert lines[0].startswith("Three of your animals on watering holes")
    assert max(map(len, lines[:6])) < 80
    assert begin().answer("help level")[0].startswith("  level [easy|medium|hard] : set how strongly")
    assert begin().answer("help moves")[0].startswith("moves [N]")
