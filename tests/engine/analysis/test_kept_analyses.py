"""Analyses as a store keeps them: the values of a search, to the bit."""

from __future__ import annotations

import pytest

from engine.analysis.engine_store import make_question
from engine.analysis.kept_analyses import search_entry
from engine.analysis.levels import EvalSettings
from engine.errors import CancelledWork
from engine.rules.match import MatchState
from engine.rules.moves import generate_plays
from engine.rules.rules import STANDARD_RULES
from engine.search.plays import RankedList
from engine.search.watch import SearchWatch
from engine.store.entries import StoreEntry
from nets.catalogue import load_engine

OPENING = STANDARD_RULES.starting_position
MONEY = MatchState()


@pytest.fixture(scope="module")
def engine():
    return load_engine()


MATCHES = [
    MONEY,
    MatchState(jacoby=True, cube=2, cube_owner=0),
    MatchState(length=7, score=(4, 2), on_roll=1),
    MatchState(length=5, score=(4, 2), crawford=True),
]


@pytest.mark.parametrize("is_cubeful", [True, False])
@pytest.mark.parametrize("match", MATCHES)
def test_an_entry_has_the_values_that_answers_are_read_from(engine, match, is_cubeful):
    settings = EvalSettings(1, is_cubeful=is_cubeful)
    question = make_question(OPENING, match, settings)
    entry, asked = search_entry(engine, question, 1), question.read()[1]
    found = engine.evaluate(OPENING, asked, settings)
    reading = engine.make_objective(asked, settings).read_root(entry.values[0], is_over=False)
    assert tuple(found.outcome) == tuple(entry.values[0, :5].tolist())
    assert (found.cubeful, found.mwc, found.decision) == tuple(reading)
    by_seat = engine.evaluate(OPENING, match, settings)
    assert by_seat.outcome == found.outcome
    assert by_seat.mwc_or_equity == pytest.approx(found.mwc_or_equity, abs=1e-12)


@pytest.mark.parametrize("match", MATCHES)
def test_an_entry_of_plays_has_their_ranking_and_values(engine, match):
    settings = EvalSettings(1, "tiny")
    question = make_question(OPENING, match, settings, (3, 1))
    entry, asked = search_entry(engine, question, 1), question.read()[1].before_roll()
    ranked = engine.rank_plays(OPENING, (3, 1), asked, settings)
    objective = engine.make_objective(asked, settings).other
    scores = -objective.equities(entry.values)
    plays = generate_plays(OPENING, (3, 1))
    read = RankedList(plays, objective, entry.order, entry.values, scores, entry.depths, entry.survivors)
    assert read == ranked.plays
    by_seat = engine.rank_plays(OPENING, (3, 1), match, settings)
    assert [play.play for play in by_seat.plays] == [play.play for play in read]
    assert by_seat.best.score == pytest.approx(read[0].score, abs=1e-12)


def test_an_entry_can_be_searched_again_to_the_bit_by_another_engine(engine):
    question = make_question(OPENING, MONEY, EvalSettings(2), (4, 2))
    entry = search_entry(engine, question, 2)
    again = search_entry(load_engine(threads=2), question, 2)
    assert again.is_same_as(entry)
    assert StoreEntry.decode(2, entry.encode()).is_same_as(entry)


@pytest.mark.parametrize("roll", [None, (3, 1)])
def test_a_search_that_was_stopped_is_no_entry(engine, roll):
    question = make_question(OPENING, MONEY, EvalSettings(2), roll)
    with pytest.raises(CancelledWork):
        search_entry(engine, question, 2, SearchWatch(lambda: True))
