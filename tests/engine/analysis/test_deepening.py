"""Deepening: which searches it makes, that their values are those of fresh ones, how it stops and goes on."""

import itertools
import sqlite3
import threading
import time

import pytest

from gammond.engine.analysis.deepening import Deepening, is_deepened_now
from gammond.engine.analysis.engine_store import make_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import CancelledWork, DataFileError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.store.database import BadRow, DepthTiers, StoreDatabase
from gammond.engine.store.entries import StoreQuestion
from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import identify_engine, load_engine
from tests.engine.store.samples import list_rows, start

OPENING = STANDARD_RULES.starting_position
IDENTITY = identify_engine()
TIERS = DepthTiers(((1, 2), (3, 3)))
PLAYS = make_question(OPENING, MatchState(length=5, score=(1, 3)), EvalSettings(1), (3, 1))
VALUE = make_question(OPENING, MatchState(), EvalSettings(1, is_cubeful=False))
LONG = make_question(OPENING, MatchState(length=7), EvalSettings(1), (4, 3))


@pytest.fixture
def store(tmp_path):
    with AnalysisStore(tmp_path / "store.sqlite") as opened:
        yield opened


def keep(store, engine, question, visits, plies=1):
    store.keep(question, IDENTITY, engine.search_entry(question, plies), visits)


def test_every_question_gets_the_depth_of_its_visits_and_the_values_of_a_fresh_search(store, engine):
    keep(store, engine, PLAYS, 1)
    keep(store, engine, VALUE, 3)
    keep(store, engine, LONG, 0)
    loop = Deepening(store, engine.search_entry, IDENTITY, TIERS)
    steps = []
    while due := loop.step():
        steps.append((due.question, due.plies, due.visits))
    assert steps == [(VALUE, 2, 3), (PLAYS, 2, 1), (VALUE, 3, 3)]
    fresh = load_engine()
    for question, plies, _ in steps:
        assert store.find(question, IDENTITY, plies).is_same_as(fresh.search_entry(question, plies))
    assert store.find(PLAYS, IDENTITY, 1) is not None
    assert store.find(LONG, IDENTITY, 2) is None
    assert loop.left == 0


def test_each_result_is_in_the_file_when_the_step_returns_and_counts_no_visit(store, engine):
    keep(store, engine, PLAYS, 1)
    Deepening(store, engine.search_entry, IDENTITY, TIERS).step()
    assert [(row.entry.plies, row.visits) for row in list_rows(store.file)] == [(1, 1), (2, 1)]


def test_visits_that_come_in_meanwhile_count(store, engine):
    keep(store, engine, PLAYS, 1)
    loop = Deepening(store, engine.search_entry, IDENTITY, TIERS)
    assert loop.step().plies == 2
    assert loop.step() is None
    for _ in range(2):
        store.find(PLAYS, IDENTITY, 1)
    assert loop.step().plies == 3


def test_what_takes_too_long_is_left_and_the_next_one_searched(store, engine):
    keep(store, engine, PLAYS, 2)
    keep(store, engine, VALUE, 1)
    times = iter([0.0, 100.0, 200.0])
    loop = Deepening(store, engine.search_entry, IDENTITY, TIERS, 50.0, lambda: next(times, 200.0))
    assert loop.step().question == VALUE
    assert loop.step() is None
    assert loop.left == 1
    assert store.find(PLAYS, IDENTITY, 2) is None


def test_a_question_that_is_none_is_left(store, engine):
    forged = StoreQuestion("XGID=nothing", "backgammon", "cubeful")
    store.keep(forged, IDENTITY, engine.search_entry(VALUE, 1))
    loop = Deepening(store, engine.search_entry, IDENTITY, TIERS)
    assert loop.step() is None
    assert loop.left == 1


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_looks_every_tenth_of_a_second_of_work_whether_it_is_to_stop(store, engine, threads):
    keep(store, engine, LONG, 1, plies=3)
    deep = load_engine(threads=threads)
    deep.evaluate(OPENING, MatchState())
    loop = Deepening(store, deep.search_entry, IDENTITY, DepthTiers(((1, 4),)))
    worked_s: dict[int, list[float]] = {}
    began_s = time.process_time()

    def is_stopped():
        worked_s.setdefault(threading.get_ident(), []).append(time.thread_time())
        return time.process_time() - began_s > 0.3

    with pytest.raises(CancelledWork):
        loop.step(is_stopped)
    assert time.process_time() - began_s < 1.0
    gaps_s = [after - before for each in worked_s.values() for before, after in itertools.pairwise(each)]
    assert max(gaps_s) < 0.1
    assert [row.entry.plies for row in list_rows(store.file)] == [3]


def test_one_process_deepens_a_store_at_a_time(store, engine):
    keep(store, engine, PLAYS, 1)
    loops = [Deepening(store, engine.search_entry, IDENTITY, TIERS) for _ in range(2)]
    with loops[0].alone() as first, loops[1].alone() as second:
        assert (first, second) == (True, False)
        assert is_deepened_now(store.file)
    assert not is_deepened_now(store.file)
    with loops[1].alone() as second:
        assert second


def test_a_file_that_was_replaced_is_filled_again_and_not_searched_for_ever(store, engine):
    keep(store, engine, PLAYS, 1)
    loop = Deepening(store, engine.search_entry, IDENTITY, TIERS)
    assert loop.step().plies == 2
    store.flush()
    for each in store.file.parent.glob("store.sqlite*"):
        each.unlink()
    keep(store, engine, PLAYS, 1)
    assert loop.step().plies == 2
    assert loop.step() is None


def test_a_file_that_cannot_be_written_is_said(store, engine, monkeypatch):
    keep(store, engine, PLAYS, 1)
    store.flush()

    def refuse(*_):
        raise sqlite3.OperationalError("the disk is full")

    monkeypatch.setattr(StoreDatabase, "put", refuse)
    with pytest.raises(DataFileError, match="cannot be written"):
        Deepening(store, engine.search_entry, IDENTITY, TIERS).step()


@pytest.mark.slow
def test_a_kill_loses_no_result_and_the_next_run_goes_on(tmp_path, engine):
    file = tmp_path / "store.sqlite"
    scores = [(own, other) for own in range(3) for other in range(4)]
    with AnalysisStore(file) as store:
        for score in scores:
            question = make_question(OPENING, MatchState(length=7, score=score), EvalSettings(1), (4, 3))
            keep(store, engine, question, 1)
    program = """
        search = load_engine().search_entry
        loop = Deepening(AnalysisStore(Path(sys.argv[1])), search, IDENTITY, TIERS)
        while due := loop.step():
            print(due.question.xgid, flush=True)
    """
    process = start("tests.engine.analysis.test_deepening", program, file)
    said = [process.stdout.readline().strip() for _ in range(3)]
    process.kill()
    said += process.communicate()[0].split("\n")[:-1]
    rows = list_rows(file)
    assert not any(isinstance(row, BadRow) for row in rows)
    deep = {row.question.xgid: row.entry for row in rows if row.entry.plies == 2}
    assert {*said} <= {*deep}
    with AnalysisStore(file) as store:
        loop = Deepening(store, engine.search_entry, IDENTITY, TIERS)
        while due := loop.step():
            assert due.question.xgid not in deep
    rows = [row for row in list_rows(file) if row.entry.plies == 2]
    assert len(rows) == len(scores)
    for row in rows[::5]:
        assert row.entry.is_same_as(engine.search_entry(row.question, 2))
