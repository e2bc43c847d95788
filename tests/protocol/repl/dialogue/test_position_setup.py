"""Positions set up by hand."""

from __future__ import annotations

import random

import pytest
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from gammond.engine.rules.position import Position
from gammond.protocol.repl.answers.checkers import format_checkers, is_checkers, parse_checkers, read_checkers
from gammond.protocol.repl.terminal import prompt_loop
from tests.protocol.repl.tables import make_talk
from tests.support import boards


def test_what_is_written_is_read_again():
    start = Position.start().board
    assert format_checkers(start) == "O 24:2 13:5 8:3 6:5 X 24:2 13:5 8:3 6:5"
    generator = random.Random(4)
    for board in boards.random_boards(200, seed=generator.randrange(99)):
        assert (parse_checkers(format_checkers(board), start) == board).all()


def test_the_side_that_comes_first_is_on_roll():
    start = Position.start()
    assert read_checkers("O 24:2 13:5 8:3 6:5 x 24:2 13:5 8:3 6:5") == (start, 0)
    assert read_checkers("X 6:5 O bar:1 5") == (boards.position({6: 5}, {0: 1, 20: 1}), 1)
    assert is_checkers("o 6:5 X bar:1")
    assert not any(map(is_checkers, ("O 6:5", "O 6:5 O 5:1", "X", "hello X O", "4HPwATDgc/ABMA")))


def test_what_was_assumed_of_a_position_is_said_under_it():
    talk = make_talk()
    said = talk.answer("OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:31:W:R:2:1:5:0")
    assert said[0] == "Position set: X is to play 3-1; O 2, X 1 to 5, cube 1 centred."
    assert said[1].startswith(
        "The colour W of this OGID is read as that of the player who reached the position"
    )


@pytest.mark.parametrize("word", ["", "position "])
def test_checkers_of_both_sides_and_the_start_are_positions_like_any_other(word):
    talk = make_talk("set game.length 3", "set game.score_p0 1")
    (said, *_) = talk.answer(f"{word}X bar:1 6:5 o 5:2")
    assert said == "Position set: X is to roll; O 1, X 0 to 3, cube 1 centred."
    assert talk.session.game.position == boards.position({25: 1, 6: 5}, {20: 2})
    assert not talk.answer(f"{word}startpos")[0].startswith("error")
    assert talk.session.game.position == Position.start()
    assert talk.answer(f"{word}O 6:16 X 1")[0] == "error: O has 16 checkers on the board, at most 15 exist"


@pytest.mark.parametrize("turn", ["p0", "p1"])
def test_the_checkers_of_each_mark_are_set_whoever_is_on_roll(turn):
    talk = make_talk("newgame", f"set game.turn {turn}", "edit O 6:5 5 X bar:2 3:1")
    on_roll = talk.session.game.match.on_roll
    assert on_roll == int(turn[1])
    board = talk.session.game.position.board
    own, other = board[on_roll], board[1 - on_roll]
    assert (own[6], own[5], own[0]) == (5, 1, 9)
    assert (other[25], other[3], other[0]) == (2, 1, 12)


def test_a_side_that_is_not_mentioned_stays():
    talk = make_talk("newgame", "edit x 3:2")
    assert talk.session.game.position.board[0].tolist() == Position.start().board[0].tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("6:5", "expected O or X, then points"),
        ("O 26:1", "got '26:1'"),
        ("O 0:1", "got '0:1'"),
        ("O six", "got 'six'"),
        ("O 6:16", "O"),
        ("O 6:5 X 19:2", "point"),
    ],
)
def test_what_cannot_be_says_why_and_changes_nothing(text, message):
    talk = make_talk("newgame")
    before = talk.session.game
    (line,) = talk.answer(f"edit {text}")
    assert line.startswith("error: ")
    assert message in line
    assert talk.session.game is before


def test_edit_alone_fills_the_next_prompt_with_the_checkers():
    talk, said = make_talk("newgame"), []
    with create_pipe_input() as keyboard:
        keyboard.send_text("edit\r\x7f4\rquit\r")
        prompt = prompt_loop.make_prompt(
            talk, history=InMemoryHistory(), input_=keyboard, output=DummyOutput()
        )
        prompt_loop.PromptLoop(talk, prompt, said.extend).run()
    assert talk.session.game.position.board[1, [6, 0]].tolist() == [4, 1]
