from __future__ import annotations

from dataclasses import replace

import pytest

from gammond.engine.errors import StateError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.table import GameTable


def make_table():
    return GameTable(1, undo_steps=100)


def test_a_position_without_match_keeps_score_and_cube_and_drops_the_dice():
    table = make_table()
    table.push_state(GameState(None, MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, roll=(3, 1))))
    table.set_position(Position.start())
    match = table.game.match
    assert (match.length, match.score, match.cube, match.roll) == (5, (1, 2), 2, None)


def test_a_new_game_centres_the_cube_and_keeps_the_score():
    table = make_table()
    table.push_state(GameState(None, MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, roll=(3, 1))))
    table.start_game()
    match = table.game.match
    assert table.game.position == Position.start()
    assert (match.score, match.cube, match.cube_owner, match.roll) == ((1, 2), 1, None, None)


def make_first_play(table):
    """Make the first legal play."""
    play = table.list_legal_plays()[0]
    table.push_action(format_play(play), play.result, table.game.match.next_turn())


def test_the_way_back_is_bounded():
    table = GameTable(1, undo_steps=3)
    for _ in range(10):
        table.start_game()
    for _ in range(3):
        table.undo()
    with pytest.raises(StateError):
        table.undo()


def test_no_dice_are_rolled_while_a_double_waits():
    table = make_table()
    table.start_game()
    table.push_state(replace(table.game, match=replace(table.game.match, doubled=True)))
    for act in (table.roll_dice, lambda: table.set_roll((3, 1))):
        with pytest.raises(StateError, match="a double is pending: 'play take'"):
            act()


def test_refused_rolls_use_up_no_dice():
    one, other = make_table(), make_table()
    for table in (one, other):
        table.start_game()
    one.roll_dice()
    other.roll_dice()
    with pytest.raises(StateError):
        one.roll_dice()
    for table in (one, other):
        make_first_play(table)
        table.roll_dice()
    assert one.game.match.roll == other.game.match.roll
