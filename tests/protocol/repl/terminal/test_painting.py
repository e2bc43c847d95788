"""What is coloured, as pieces of text with their marks."""

from __future__ import annotations

import pytest

from gammond.engine.match_analysis.decision_errors import classify_loss
from gammond.protocol.repl.game.preferences import THEMES
from gammond.protocol.repl.terminal.pages import paint_line
from tests.protocol.repl.tables import make_talk


def marked(pieces, name):
    return [text for mark, text in pieces if mark == name]


def test_the_pieces_make_up_the_line():
    talk = make_talk("new 5", rolls=[(3, 1)])
    for line in (*talk.answer("board"), *talk.answer("hint"), *talk.answer("help"), *talk.answer("hnt")):
        assert "".join(text for _, text in paint_line(line)) == line


def test_own_and_other_checkers_differ_and_the_roll_stands_out():
    board = [paint_line(line) for line in make_talk("new 5", rolls=[(3, 1)]).answer("board")]
    own, other = (sum(len(marked(line, name)) for line in board) for name in ("own", "other"))
    assert (own, other) == (16, 16)  # 15 checkers and the name beside the board
    assert [text for line in board for text in marked(line, "dice")] == ["3-1"]


def test_rolls_in_sentences_are_marked_and_scores_are_not():
    assert marked(paint_line("5-2: gammond plays 13/8 24/22."), "dice") == ["5-2"]
    assert marked(paint_line("You roll 3, gammond 1. You start with 3-1."), "dice") == ["3-1"]
    assert marked(paint_line("You win the match 5-3. 'new' starts another."), "dice") == []
    assert paint_line("error: no dice") == [("failure", "error: no dice")]


def test_losses_are_marked_by_their_size():
    assert [classify_loss(loss) for loss in (0.0, 0.019, 0.02, 0.079, 0.08)] == [
        *("", "", "error", "error", "blunder"),
    ]
    lines = make_talk("newgame", "dice 3 1").answer("hint 16")
    for line in lines[2:-1]:
        loss = line[13:20].strip()
        (painted,) = [[mark for mark, text in paint_line(line) if mark]]
        assert painted == ([classify_loss(-float(loss))] if loss and classify_loss(-float(loss)) else [])


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("hint 3", [("command", "hint"), ("", " 3")]),
        ("q", [("command", "q")]),
        ("hin", [("", "hin")]),
        ("hyx", [("unknown", "hyx")]),
        ("8/5 6/5", [("play", "8/5 6/5")]),
        ("8/5 6/", [("", "8/5 6/")]),
        ("8/4", [("play", "8/4")]),
        ("8/3", [("", "8/3")]),
    ],
)
def test_the_line_is_coloured_as_it_is_typed(text, pieces):
    talk = make_talk("newgame", "dice 3 1")
    assert [piece for piece in talk.mark_input(text) if piece[1]] == pieces


def test_plays_are_not_checked_without_dice():
    assert make_talk().mark_input("8/5 6/5") == [("", "8/5 6/5")]


def test_each_theme_marks_the_same_things():
    names = {frozenset(styles) for name, styles in THEMES.items() if name != "plain"}
    assert len(names) == 1
    assert THEMES["plain"] == {}
