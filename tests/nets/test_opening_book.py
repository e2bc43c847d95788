"""The shipped opening book: of the shipped net, whole, and equal to fresh searches."""

import logging
import random
import time

import pytest

from gammond.engine.analysis.engine_store import make_question, read_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.store.database import StoreDatabase, StoreRow
from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import BOOK_FILE, identify_engine, load_engine

START = STANDARD_RULES.starting_position
REBUILD = "build the book anew: gammond store book --output nets/weights/opening-book.sqlite"
MAX_BYTES = 2_500_000
CUBEFUL = EvalSettings()
FIRST_PLAY = make_question(START, MatchState(), CUBEFUL, (3, 1))


@pytest.fixture(scope="module")
def rows():
    database = StoreDatabase(BOOK_FILE, is_book=True)
    found = list(database.iterate())
    database.close()
    return found


def test_it_is_of_the_shipped_net_pruner_and_tables(rows):
    expected = identify_engine().of_book
    assert {row.engine for row in rows} == {expected}, REBUILD


def test_it_is_small():
    assert BOOK_FILE.stat().st_size <= MAX_BYTES


def test_it_has_all_first_rolls_and_replies(rows):
    assert all(isinstance(row, StoreRow) for row in rows)
    depths: dict[object, set[int]] = {}
    for row in rows:
        depths.setdefault(row.question, set()).add(row.entry.plies)
    for cubeful in (True, False):
        settings = EvalSettings(is_cubeful=cubeful)
        questions = [make_question(START, MatchState(), settings, roll) for roll in (None, *ROLLS)]
        assert all(depths[question] == {2, 3, 4} for question in questions)
        lists = [make_question(START, MatchState(), settings.with_list(), roll) for roll in ROLLS]
        assert all(depths[question] == ({2, 3, 4} if cubeful else {2, 3}) for question in lists)
        entries = {row.question: row.entry for row in rows if row.entry.plies == 3}
        assert all(3 in entries[question].depths for question in questions)
    for length in (1, 3, 5, 7, 9, 11):
        match = MatchState(length=length)
        for settings in (CUBEFUL, CUBEFUL.with_list()):
            assert all(depths[make_question(START, match, settings, roll)] == {2, 3} for roll in ROLLS)
    best = load_engine().rank_plays(START, (3, 1), MatchState(), CUBEFUL).best
    replies = [make_question(best.play.result, MatchState(), CUBEFUL, roll) for roll in (None, *ROLLS)]
    assert all(depths[question] == {3} for question in replies)


def test_lists_of_first_plays_have_five_plays_of_one_depth(rows):
    lists = [row for row in rows if read_question(row.question)[2].candidates > 1]
    assert lists
    for row in lists:
        assert read_question(row.question)[2].candidates == 5
        assert row.entry.survivors >= min(5, len(row.entry.order))
        assert set(row.entry.depths[: row.entry.survivors].tolist()) == {row.entry.plies}


def test_its_values_are_those_of_fresh_searches(rows):
    engine = load_engine()
    cheap = [row for row in rows if row.entry.plies < 4]
    for row in random.Random(17).sample(cheap, 5):
        again = engine.search_entry(row.question, row.entry.plies)
        assert again.is_same_as(row.entry), f"{row.question} at {row.entry.plies}-ply: {REBUILD}"


def test_a_store_finds_what_is_in_it_at_once_and_counts_the_visits(tmp_path, rows):
    [expected] = [row.entry for row in rows if row.question == FIRST_PLAY and row.entry.plies == 3]
    file, identity = tmp_path / "store.sqlite", identify_engine()
    with AnalysisStore(file, book=BOOK_FILE) as store:
        assert store.find(FIRST_PLAY, identity, 3).is_same_as(expected)
        assert store.find(FIRST_PLAY, identity, 2, allow_deeper=True).plies == 4
        assert store.find(FIRST_PLAY, identity, 1) is None
        began_s = time.process_time()
        for roll in ROLLS:
            assert store.find(make_question(START, MatchState(), CUBEFUL, roll), identity, 2)
        assert time.process_time() - began_s < 0.5
    with AnalysisStore(file) as store:
        assert store.find(FIRST_PLAY, identity, 3).is_same_as(expected)
    database = StoreDatabase(file)
    assert {row.visits for row in database.iterate() if row.question == FIRST_PLAY} == {4}
    database.close()


@pytest.mark.parametrize("content", [None, b"", b"no book " * 1000])
def test_a_store_without_a_sound_book_says_so_and_works(tmp_path, content, caplog):
    book = tmp_path / "book.sqlite"
    if content is not None:
        book.write_bytes(content)
    with caplog.at_level(logging.WARNING), AnalysisStore(tmp_path / "store.sqlite", book=book) as store:
        assert store.find(FIRST_PLAY, identify_engine(), 3) is None
    assert f"the opening book {book} is not used" in caplog.text
    assert book.exists() is (content is not None)
    assert content is None or book.read_bytes() == content


def test_a_book_is_never_written(tmp_path):
    before = BOOK_FILE.read_bytes()
    with AnalysisStore(tmp_path / "store.sqlite", book=BOOK_FILE) as store:
        store.find(FIRST_PLAY, identify_engine(), 3)
    assert BOOK_FILE.read_bytes() == before
    assert not list(BOOK_FILE.parent.glob(f"{BOOK_FILE.name}-*"))
