from __future__ import annotations

from dataclasses import fields, replace

from gammond.engine.analysis.levels import LEVELS, EvalSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.state.session import EngineSettings, Session, list_setting_fields
from tests.protocol.talking import make_service

START = Position.start()


def make_session():
    return Session(make_service(), seed=1)


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
    monkeypatch.setattr("gammond.protocol.state.service.count_usable_cores", lambda: 2)
    service = make_service()
    one, two = service.get_engine("racing"), service.get_engine("default", threads=2)
    assert two is not one
    assert two.evaluator is one.evaluator
    assert service.get_engine("racing", threads=2) is two
    assert service.get_engine("racing", threads=200) is two


def test_kept_answers_are_told_apart_by_every_setting_but_those_that_shape_none_of_them():
    start = make_session().engine_settings
    others = {each.name: replace(start, **{each.name: object()}) for each in fields(start)}
    alike = {name for name, other in others.items() if other.answer_key == start.answer_key}
    marked = list_setting_fields(EngineSettings).items()
    assert alike == {name for name, each in marked if each.shapes_no_answer}
    assert alike.isdisjoint({"net", "ply", "filter_name", "is_cubeful", "store"})


def test_a_decider_has_the_depth_noise_and_seed_of_the_moment_of_the_request():
    session = make_session()
    session.engine_settings = session.engine_settings.with_level(LEVELS["beginner"])
    load_decider = session.make_decider_loader()
    session.engine_settings = session.engine_settings.with_level(LEVELS["grandmaster"])
    decider = load_decider()
    assert decider.settings == EvalSettings(0, LEVELS["beginner"].filter_name, True)
    choices = {session.make_decider_loader()().choose_play(START, (6, 4), MatchState()).play.moves}
    for seed in range(30):
        session.reseed_dice(seed)
        session.engine_settings = session.engine_settings.with_level(LEVELS["beginner"])
        choices.add(session.make_decider_loader()().choose_play(START, (6, 4), MatchState()).play.moves)
    assert len(choices) > 1
