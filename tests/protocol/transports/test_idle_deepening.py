"""Deepening in a server: when it begins, when it stops, and what it says."""

from __future__ import annotations

import contextlib
import threading
import time
from types import SimpleNamespace

import pytest

from gammond.engine.analysis.engine_store import EngineStore, make_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.store.database import DepthTiers
from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import identify_engine, load_engine
from gammond.protocol.transports import idle_deepening
from gammond.protocol.transports.idle_deepening import IdleDeepening
from tests.support.waiting import wait_until

TIERS = DepthTiers(((1, 2),))
SETTINGS = EvalSettings(1)
COUNT = 12


@pytest.fixture(autouse=True)
def at_usual_priority(monkeypatch):
    """Search as soon as anything else does: at the lowest priority a busy machine keeps tests waiting."""
    monkeypatch.setattr(idle_deepening, "yield_to_other_work", lambda niceness: None)


@pytest.fixture
def engine(tmp_path):
    """An engine whose store was asked for some questions, each once."""
    with keep_searches(tmp_path / "store.sqlite", list_questions(), plies=1) as engine:
        yield engine


@pytest.fixture
def deep_engine(tmp_path):
    """An engine whose store has one question, searched at 3-ply: at 4-ply that takes seconds."""
    with keep_searches(tmp_path / "store.sqlite", list_questions()[:1], plies=3) as engine:
        yield engine


@contextlib.contextmanager
def keep_searches(file, questions, plies):
    with AnalysisStore(file) as store:
        engine = load_engine()
        engine.store = EngineStore(lambda: store, identify_engine)
        for question in questions:
            store.keep(question, identify_engine(), engine.search_entry(question, plies))
        assert engine.store.find(questions[0], EvalSettings(plies))
        yield engine


def list_questions():
    start = STANDARD_RULES.starting_position
    return [make_question(start, MatchState(length=41, score=(own, 0)), SETTINGS) for own in range(COUNT)]


def count_deep(engine):
    store = engine.store.store
    return sum(store.recall(question, engine.store.identity, 2) is not None for question in list_questions())


def watch_searches(engine):
    """Have the engine say while it searches, and list what it searched to the end."""
    original, searching, completed = engine.find_values, threading.Event(), []

    def search(position, match, settings, watch):
        searching.set()
        try:
            values = original(position, match, settings, watch)
            completed.append(position)
            return values
        finally:
            searching.clear()

    engine.find_values = search
    return searching, completed


class Idle:
    """Deepening beside a service that a test plays."""

    def __init__(self, engine, idle_s=0.05, tiers=TIERS, clock=time.monotonic):
        self.service = SimpleNamespace(request_count=0, list_engines=lambda: [engine], list_shared=lambda: [])
        self.said = []
        self.is_busy = False
        self.deepening = IdleDeepening(self.service, idle_s, tiers, self.said.append, clock)

    def run(self):
        return self.deepening.beside(lambda: self.is_busy)


def test_what_was_asked_is_searched_once_nobody_asks_and_said_once(engine):
    idle = Idle(engine)
    with idle.run():
        idle.service.request_count += 1
        wait_until(lambda: count_deep(engine) == COUNT)
    [line] = idle.said
    assert line.startswith("no client asks: what was asked often is searched deeper, first at 2-ply")


def test_nothing_is_searched_before_the_first_request_nor_while_clients_ask_or_work_is_under_way(engine):
    now = [0.0]
    idle = Idle(engine, idle_s=0.1, clock=lambda: now[0])

    def let_pass(seconds):
        """Let time pass, and the thread look around a few times."""
        now[0] += seconds
        time.sleep(0.1)

    with idle.run():
        let_pass(1.0)
        for _ in range(4):
            idle.service.request_count += 1
            wait_until(lambda: idle.deepening._seen_requests == idle.service.request_count)
            let_pass(0.09)
        idle.is_busy = True
        let_pass(0.0)
        let_pass(1.0)
        assert count_deep(engine) == 0
        assert idle.said == []
        idle.is_busy = False
        let_pass(1.0)
        wait_until(lambda: count_deep(engine) > 0)


def test_a_request_stops_it_and_it_goes_on_when_idle_again(deep_engine):
    idle = Idle(deep_engine, idle_s=0.1, tiers=DepthTiers(((1, 4),)))
    searching, completed = watch_searches(deep_engine)
    with idle.run():
        for _ in range(3):
            idle.service.request_count += 1
            wait_until(searching.is_set)
            time.sleep(0.05)
            idle.service.request_count += 1
            wait_until(lambda: not searching.is_set())
    assert completed == []


def test_a_fault_is_reported_and_deepening_goes_on_after_the_next_request(engine, caplog):
    idle, faults = Idle(engine), iter([MemoryError("no room")])

    def list_shared():
        for fault in faults:
            raise fault
        return []

    idle.service.list_shared = list_shared
    with idle.run():
        idle.service.request_count += 1
        wait_until(lambda: "no room" in caplog.text)
        idle.service.request_count += 1
        wait_until(lambda: count_deep(engine) == COUNT)


def test_it_ends_with_the_server(deep_engine):
    idle = Idle(deep_engine, tiers=DepthTiers(((1, 4),)))
    searching, completed = watch_searches(deep_engine)
    before = threading.active_count()
    with idle.run():
        idle.service.request_count += 1
        wait_until(searching.is_set)
    assert completed == []
    assert threading.active_count() <= before + 1  # the store's own thread


def test_a_store_that_nobody_asked_is_not_opened():
    def refuse():
        raise AssertionError

    engine = load_engine()
    engine.store = EngineStore(refuse, identify_engine)
    idle = Idle(engine)
    with idle.run():
        idle.service.request_count += 1
        time.sleep(0.3)
    assert idle.said == []
