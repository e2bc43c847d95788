from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import StateError
from engine.match import MatchState
from engine.position import Position
from protocol.limits import Limits
from protocol.session import GameState, Session
from tests.protocol.talking import make_service


def make_session(**limits):
    return Session(make_service(limits=Limits(**limits)), seed=1)


def test_a_position_without_match_keeps_score_and_cube_and_drops_the_dice():
    session = make_session()
    session.change(GameState(None, MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, roll=(3, 1))))
    session.set_position(Position.start())
    match = session.game.match
    assert (match.length, match.score, match.cube, match.roll) == (5, (1, 2), 2, None)


def test_a_new_game_centres_the_cube_and_keeps_the_score():
    session = make_session()
    session.change(GameState(None, MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, roll=(3, 1))))
    session.new_game()
    match = session.game.match
    assert session.game.position == Position.start()
    assert (match.score, match.cube, match.cube_owner, match.roll) == ((1, 2), 1, None, None)


def test_undo_goes_back_step_by_step_and_says_when_there_is_none():
    session = make_session()
    session.new_game()
    states = [session.game]
    for _ in range(5):
        session.roll_dice()
        states.append(session.game)
        session.play(session.plays()[0])
        states.append(session.game)
    while len(states) > 1:
        assert session.game == states.pop()
        session.undo()
    session.undo()
    assert session.game == GameState()
    with pytest.raises(StateError):
        session.undo()


def test_the_way_back_is_bounded():
    session = make_session(history=3)
    for _ in range(10):
        session.new_game()
    for _ in range(3):
        session.undo()
    with pytest.raises(StateError):
        session.undo()


def test_no_dice_are_rolled_while_a_double_waits():
    session = make_session()
    session.new_game()
    session.change(replace(session.game, match=replace(session.game.match, doubled=True)))
    for act in (session.roll_dice, lambda: session.set_roll((3, 1))):
        with pytest.raises(StateError, match="offer"):
            act()


def test_refused_rolls_use_up_no_dice():
    one, other = make_session(), make_session()
    for session in (one, other):
        session.new_game()
    one.roll_dice()
    other.roll_dice()
    with pytest.raises(StateError):
        one.roll_dice()
    for session in (one, other):
        session.play(session.plays()[0])
        session.roll_dice()
    assert one.game.match.roll == other.game.match.roll


def test_an_evaluator_is_loaded_once_for_all_clients_and_kept_per_choice():
    loads = []
    service = make_service()
    judge = service.judges.load("racing")
    object.__setattr__(service.judges, "load", lambda name: loads.append(name) or judge)
    for _ in range(2):
        assert Session(service, 1).judge_source()() is judge
    assert Session(service, 1).service.judge("racing") is judge
    assert loads == ["racing"]
