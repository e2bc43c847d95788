"""Plays as text: every spelling people use, and refusals that name the rule."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.engine.errors import FormatError, GammondError, PlayError
from gammond.engine.rules import notation
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import generate_plays, legal_plays
from gammond.engine.rules.notation import format_moves_plain, format_play, format_plays, parse_play
from gammond.engine.rules.position import Position
from tests.support import boards
from tests.support.boards import position

START = Position.start()
HITTING = position({24: 2, 13: 5, 8: 3, 6: 5}, {18: 1, 22: 1, 1: 2, 12: 5, 17: 3, 19: 3})


ON_THE_BAR = position({25: 1, 13: 14}, {1: 2, 11: 5, 19: 8})
SHUT_OUT = position({25: 1, 6: 14}, dict.fromkeys(range(19, 25), 2))
ONE_BLOT_ON_THE_WAY = position({24: 1, 10: 14}, {18: 1, 1: 2})
MUST_HIT = position({24: 1, 10: 14}, {18: 1, 19: 2, 1: 2})

SPELLINGS = [
    (
        "8/5 6/5", START, (3, 1),
        ["8/5 6/5", "6/5 8/5", "8-5 6-5", "8/5,6/5", "8/5, 6/5", " 8 / 5   6 / 5 ", "31: 8/5 6/5",
         "13: 8/5 6/5", "3-1: 8-5 6-5", "(31): 8/5 6/5", "8/5 6/5.", "8/5* 6/5"],
    ),
    (
        "bar/22 13/12", ON_THE_BAR, (3, 1),
        ["bar/22 13/12", "BAR/22, 13/12", "b/22 13/12", "25/22 13/12"],
    ),
    ("bar/21", ON_THE_BAR, (3, 1), ["25-21", "bar/22/21"]),
    (
        "6/off 5/off", position({6: 3, 5: 2}, {19: 2}), (6, 5),
        ["6/off 5/off", "6/0 5/0", "6-off 5-off", "6/OFF, 5/o"],
    ),
    (
        "6/off(2)", position({6: 2}, {19: 2}), (6, 6),
        ["6/off(2)", "6/off 6/off", "6/0(2)", "6/off (2)", "6/offx2", "6/off*(2)", "6/off(2)*"],
    ),
    ("24/16(2)", START, (4, 4), ["24/16(2)", "24/20 24/20 20/16(2)", "24/20/16 24/16"]),
    ("24/13", ONE_BLOT_ON_THE_WAY, (6, 5), ["24/13"]),
    ("24/18*/13", ONE_BLOT_ON_THE_WAY, (6, 5), ["24/13*", "24/18/13", "24/18*/13"]),
    ("24/18*/13", MUST_HIT, (6, 5), ["24/13", "24/18/13*"]),
    (
        "pass", SHUT_OUT, (6, 1),
        ["", "  ", "pass", "Pass", "cannot move", "Can't  move", "61: ", "no move", "dances"],
    ),
]  # fmt: skip
"""How plays are written, with the position, the roll, and other spellings of the same."""


@pytest.mark.parametrize(
    ("text", "written", "on", "roll"),
    [(text, written, on, roll) for written, on, roll, texts in SPELLINGS for text in texts],
)
def test_a_play_has_many_spellings_and_is_written_in_one(text, written, on, roll):
    assert format_play(parse_play(text, on, roll)) == written


def test_a_plain_play_has_each_checker_move_and_no_hit():
    assert format_moves_plain(parse_play("24/18*/13", ONE_BLOT_ON_THE_WAY, (6, 5))) == "24/18 18/13"
    assert format_moves_plain(parse_play("", SHUT_OUT, (6, 1))) == "pass"


def test_a_play_that_could_hit_on_either_of_two_points_is_ambiguous():
    on = position({24: 1, 10: 14}, {18: 1, 19: 1, 1: 2})
    with pytest.raises(PlayError, match=r"24/18\*/13, 24/19\*/13|24/19\*/13, 24/18\*/13"):
        parse_play("24/13", on, (6, 5))


@pytest.mark.parametrize(
    ("text", "on", "roll", "reason"),
    [
        ("8/5 6/5", START, (4, 1), "8/5 is 3 pips"),
        ("8/5 13/10", START, (3, 1), "13/10 cannot be played with 1 left|8/5 cannot be played with 1 left"),
        ("8/5", START, (3, 1), "both dice must be played"),
        ("6/5(2)", START, (1, 1), "expected 4 moves of 1, got 2"),
        ("8/5 6/5 24/23", START, (3, 1), "expected at most 2 checker moves with 3-1, got 3"),
        ("13/12 6/3", START, (3, 1), "13/12 is blocked by 5 checkers"),
        ("7/4 6/5", START, (3, 1), "no checker on 7"),
        ("bar/22 6/5", START, (3, 1), "no checker on the bar"),
        ("13/10 6/5", position({25: 1, 13: 8, 6: 6}, {1: 2}), (3, 1), "bar must enter"),
        ("bar/22 6/5", position({25: 1, 6: 14}, {22: 2}), (3, 1), "bar/22 is blocked by 2"),
        (
            "6/off 5/4",
            position({13: 1, 6: 7, 5: 7}, {19: 2}),
            (6, 1),
            "no bearing off while a checker is on 13",
        ),
        (
            "4/off 5/4",
            position({5: 7, 4: 8}, {19: 2}),
            (6, 1),
            "a 6 bears off from 4 only when no checker is higher",
        ),
        ("8/7", position({8: 1, 1: 14}, {19: 2}), (6, 1), "both dice must be played"),
        ("24/22", position({24: 1}, {16: 2, 3: 2}), (6, 2), "it must be the larger one, 6"),
        ("5/8", START, (3, 1), "off, got 5/8"),
        ("8/8", START, (3, 1), "off, got 8/8"),
        ("61: 8/5 6/5", START, (3, 1), "expected a play of 3-1, got one of 6-1"),
        ("pass", START, (3, 1), "a checker can move with 3-1"),
        ("6/5", SHUT_OUT, (6, 1), "expected 'pass'"),
    ],
)
def test_a_refusal_names_the_rule(text, on, roll, reason):
    with pytest.raises(PlayError, match=reason) as caught:
        parse_play(text, on, roll)
    assert caught.value.field == "move"


@pytest.mark.parametrize(
    "text", ["junk", "8/5 6", "8/", "/5", "8/5(5)", "8/5 & 6/5", "100/97", "8//5", "x" * 300, "bar"]
)
def test_text_that_is_no_play_is_refused_as_such(text):
    with pytest.raises(FormatError) as caught:
        parse_play(text, START, (3, 1))
    assert caught.value.field == "move"


def test_every_legal_play_is_found_again_from_both_of_its_spellings():
    generator = random.Random(20)
    for board in boards.random_boards(300, seed=21):
        on, roll = Position(board), generator.choice(ROLLS)
        plays = legal_plays(on, roll)
        for play in generator.sample(plays, min(len(plays), 4)):
            assert parse_play(format_play(play), on, roll).result == play.result
            assert parse_play(format_moves_plain(play), on, roll).result == play.result


def test_reading_point_by_point_gives_what_the_search_gives(monkeypatch):
    generator = random.Random(22)
    read = []
    for board in boards.random_boards(150, seed=23):
        on, roll = Position(board), generator.choice(ROLLS)
        for play in generator.sample(plays := legal_plays(on, roll), min(len(plays), 4)):
            text = format_play(play)
            ends = re.sub(r"(?:/[^ /]+)*/", "/", text)
            starred = re.sub(r"/[0-9]+", lambda move: move[0] + generator.choice(("", "*")), ends)
            read += [(each, on, roll) for each in (text, text.replace("*", ""), ends, starred)]

    def reported(text, on, roll):
        try:
            return parse_play(text, on, roll)
        except PlayError as error:
            return error.message

    found = []

    def noted(*asked):
        found.append(carried_out(*asked))
        return found[-1]

    carried_out = notation._find_as_written
    monkeypatch.setattr(notation, "_find_as_written", noted)
    quick = [reported(*each) for each in read]
    monkeypatch.setattr(notation, "_find_as_written", lambda *_: None)
    assert [reported(*each) for each in read] == quick
    assert 0.5 < sum(play is not None for play in found) / len(found) < 1


@given(st.text(max_size=60) | st.text(alphabet="0123456789/-*(), barofx:", max_size=40))
def test_any_text_is_read_or_refused_with_a_typed_error(text):
    try:
        play = parse_play(text, HITTING, (4, 2))
    except GammondError:
        return
    assert play in legal_plays(HITTING, (4, 2))


def test_many_plays_are_formatted_as_each_alone():
    for board in boards.random_boards(60, seed=17):
        if Position(board).is_over:
            continue
        for roll in ((3, 1), (6, 6)):
            plays = generate_plays(Position(board), roll)
            assert format_plays(plays) == [format_play(play) for play in plays]
            assert any("*" in text for text in format_plays(plays)) == any(any(play.hits) for play in plays)
