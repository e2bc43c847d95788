from __future__ import annotations

from dataclasses import replace

import pytest

from engine.analysis.levels import DEFAULT_LEVEL, LEVELS, EvalSettings
from engine.errors import StateError
from engine.rules.match import MatchState
from engine.rules.notation import format_play
from engine.rules.position import Position
from protocol.core.limits import ClientLimits
from protocol.state.game_state import GameState
from protocol.state.session import CUSTOM_LEVEL, Session
from tests.protocol.talking import make_service

START = Position.start()


def make_session(**limits):
    return Session(make_service(limits=ClientLimits(**limits)), seed=1)


def test_a_position_without_match_keeps_score_and_cube_and_drops_the_dice():
    session = make_session()
    session.push_state(GameState(None, MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, roll=(3, 1))))
    session.set_position(Position.start())
    match = session.game.match
    assert (match.length, match.score, match.cube, match.roll) == (5, (1, 2), 2, None)


def test_a_new_game_centres_the_cube_and_keeps_the_score():
    session = make_session()
    session.push_state(GameState(None, MatchState(length=5, score=(1, 2), cube=2, cube_owner=1, roll=(3, 1))))
    session.start_game()
    match = session.game.match
    assert session.game.position == Position.start()
    assert (match.score, match.cube, match.cube_owner, match.roll) == ((1, 2), 1, None, None)


def make_first_play(session):
    """Make the first legal play."""
    play = session.list_legal_plays()[0]
    session.push_action(format_play(play), play.result, session.game.match.next_turn())


def test_undo_goes_back_step_by_step_and_says_when_there_is_none():
    session = make_session()
    session.start_game()
    states = [session.game]
    for _ in range(5):
        session.roll_dice()
        states.append(session.game)
        make_first_play(session)
        states.append(session.game)
    while len(states) > 1:
        assert session.game == states.pop()
        session.undo()
    session.undo()
    assert session.game == GameState()
    with pytest.raises(StateError):
        session.undo()


def test_the_way_back_is_bounded():
    session = make_session(undo_steps=3)
    for _ in range(10):
        session.start_game()
    for _ in range(3):
        session.undo()
    with pytest.raises(StateError):
        session.undo()


def test_no_dice_are_rolled_while_a_double_waits():
    session = make_session()
    session.start_game()
    session.push_state(replace(session.game, match=replace(session.game.match, doubled=True)))
    for act in (session.roll_dice, lambda: session.set_roll((3, 1))):
        with pytest.raises(StateError, match="a double is pending: 'play take'"):
            act()


def test_refused_rolls_use_up_no_dice():
    one, other = make_session(), make_session()
    for session in (one, other):
        session.start_game()
    one.roll_dice()
    other.roll_dice()
    with pytest.raises(StateError):
        one.roll_dice()
    for session in (one, other):
        make_first_play(session)
        session.roll_dice()
    assert one.game.match.roll == other.game.match.roll


def test_an_engine_is_loaded_once_for_all_clients_and_cached_for_each_choice():
    loads = []
    service = make_service()
    engine = service.catalogue.load("racing")
    object.__setattr__(service.catalogue, "load", lambda name: loads.append(name) or engine)
    for _ in range(2):
        assert Session(service, 1).make_engine_loader()() is engine
    assert Session(service, 1).service.get_engine("racing") is engine
    assert loads == ["racing"]


def test_there_is_one_engine_for_each_number_of_threads_up_to_the_cores(monkeypatch):
    monkeypatch.setattr("protocol.state.service.count_usable_cores", lambda: 2)
    service = make_service()
    one, two = service.get_engine("racing"), service.get_engine("default", threads=2)
    assert two is not one
    assert two.evaluator is one.evaluator
    assert service.get_engine("racing", threads=2) is two
    assert service.get_engine("racing", threads=200) is two


def test_what_a_request_says_goes_before_the_settings():
    session = make_session()
    assert session.make_eval_settings() == EvalSettings(0, "normal", True)
    session.engine_settings = replace(session.engine_settings, ply=3, filter_name="huge", is_cubeful=False)
    assert session.make_eval_settings() == EvalSettings(2, "huge", False)
    assert session.make_eval_settings(1, "tiny", True) == EvalSettings(1, "tiny", True)
    assert session.make_eval_settings(0) == EvalSettings(0, "huge", False)


def test_a_level_is_known_by_its_settings():
    session = make_session()
    assert session.engine_settings.level == DEFAULT_LEVEL
    for name, level in LEVELS.items():
        session.engine_settings = session.engine_settings.with_level(level)
        assert session.engine_settings.level == name
        assert session.engine_settings.plies == level.plies
    for change in ({"ply": 5}, {"filter_name": "tiny"}, {"noise": 7}):
        assert replace(session.engine_settings, **change).level == CUSTOM_LEVEL


def test_a_decider_has_the_depth_noise_and_seed_of_the_moment_of_the_request():
    session = make_session()
    session.engine_settings = session.engine_settings.with_level(LEVELS["beginner"])
    load_decider = session.make_decider_loader()
    session.engine_settings = session.engine_settings.with_level(LEVELS["grandmaster"])
    decider = load_decider()
    assert decider.settings == EvalSettings(0, LEVELS["beginner"].filter_name, True)
    choices = {session.make_decider_loader()().choose_play(START, (6, 4), MatchState()).evaluation.play.moves}
    for seed in range(30):
        session.reseed_dice(seed)
        session.engine_settings = session.engine_settings.with_level(LEVELS["beginner"])
        choices.add(
            session.make_decider_loader()().choose_play(START, (6, 4), MatchState()).evaluation.play.moves
        )
    assert len(choices) > 1
