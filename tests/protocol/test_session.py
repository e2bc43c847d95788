from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import StateError
from engine.levels import DEFAULT_LEVEL, LEVELS, Depth
from engine.match import MatchState
from engine.position import Position
from protocol.limits import Limits
from protocol.session import CUSTOM_LEVEL, GameState, Session
from tests.protocol.talking import make_service

START = Position.start()


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
        with pytest.raises(StateError, match="a double waits: 'play take'"):
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


def test_an_analyst_is_loaded_once_for_all_clients_and_kept_per_choice():
    loads = []
    service = make_service()
    analyst = service.judges.load("racing")
    object.__setattr__(service.judges, "load", lambda name: loads.append(name) or analyst)
    for _ in range(2):
        assert Session(service, 1).analyst_source()() is analyst
    assert Session(service, 1).service.analyst("racing") is analyst
    assert loads == ["racing"]


def test_there_is_one_analyst_for_each_number_of_threads_up_to_the_cores(monkeypatch):
    monkeypatch.setattr("protocol.service.usable_cores", lambda: 2)
    service = make_service()
    one, two = service.analyst("racing"), service.analyst("default", threads=2)
    assert two is not one
    assert two.evaluator is one.evaluator
    assert service.analyst("racing", threads=2) is two
    assert service.analyst("racing", threads=200) is two


def test_what_a_request_says_goes_before_the_settings():
    session = make_session()
    assert session.depth() == Depth(0, "normal", True)
    session.engine = replace(session.engine, ply=3, filter_name="huge", is_cubeful=False)
    assert session.depth() == Depth(2, "huge", False)
    assert session.depth(1, "tiny", True) == Depth(1, "tiny", True)
    assert session.depth(0) == Depth(0, "huge", False)


def test_a_level_is_known_by_its_settings():
    session = make_session()
    assert session.engine.level == DEFAULT_LEVEL
    for name, level in LEVELS.items():
        session.engine = session.engine.at_level(level)
        assert session.engine.level == name
        assert session.engine.plies == level.plies
    for change in ({"ply": 5}, {"filter_name": "tiny"}, {"noise": 7}):
        assert replace(session.engine, **change).level == CUSTOM_LEVEL


def test_a_chooser_has_depth_noise_and_seed_of_the_moment_at_which_it_was_asked_for():
    session = make_session()
    session.engine = session.engine.at_level(LEVELS["beginner"])
    find_chooser = session.chooser_source()
    session.engine = session.engine.at_level(LEVELS["grandmaster"])
    chooser = find_chooser()
    assert chooser.depth == Depth(0, LEVELS["beginner"].filter_name, True)
    choices = {session.chooser_source()().play(START, (6, 4), MatchState()).play.play.moves}
    for seed in range(30):
        session.seed(seed)
        session.engine = session.engine.at_level(LEVELS["beginner"])
        choices.add(session.chooser_source()().play(START, (6, 4), MatchState()).play.play.moves)
    assert len(choices) > 1
