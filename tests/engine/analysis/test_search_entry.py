"""Analyses as a store keeps them: the values of a search, to the bit."""

import pytest

from gammond.engine.analysis.engine_store import make_question, read_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import CancelledWork
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.engine.search.watch import SearchWatch
from gammond.engine.store.entries import StoreEntry
from gammond.nets.catalogue import load_engine

OPENING = STANDARD_RULES.starting_position
MONEY = MatchState()


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
    entry, asked = engine.search_entry(question, 1), read_question(question)[1]
    found = engine.evaluate(OPENING, asked, settings)
    game = engine.make_objective(asked, settings).game
    decision = game.decide(entry.values[0, 5:]) if is_cubeful else None
    assert tuple(found.outcome) == tuple(entry.values[0, :5].tolist())
    assert found.decision == decision
    if decision:
        assert (found.cubeful, found.mwc) == (decision.best.equity, decision.best.mwc)
    else:
        assert (found.cubeful, found.mwc) == (None, entry.values[0, 5] if match.length else None)
    by_seat = engine.evaluate(OPENING, match, settings)
    assert by_seat.outcome == found.outcome
    assert by_seat.mwc_or_equity == pytest.approx(found.mwc_or_equity, abs=1e-12)


@pytest.mark.parametrize("match", MATCHES)
def test_an_entry_of_plays_has_their_ranking_and_values(engine, match):
    settings = EvalSettings(1, "tiny")
    question = make_question(OPENING, match, settings, (3, 1))
    entry, asked = engine.search_entry(question, 1), read_question(question)[1].before_roll()
    ranked = engine.rank_plays(OPENING, (3, 1), asked, settings)
    objective = engine.make_objective(asked, settings).other
    plays = generate_plays(OPENING, (3, 1))
    equities = -objective.game.equities(entry.values)
    kept = entry.order, entry.values, equities, entry.depths, entry.survivors
    read = RankedPlays(plays, objective, *kept, ranked.effort)
    assert read == ranked
    by_seat = engine.rank_plays(OPENING, (3, 1), match, settings)
    assert [play.play for play in by_seat] == [play.play for play in read]
    assert by_seat.best.evaluation.equity == pytest.approx(read[0].evaluation.equity, abs=1e-12)


def test_an_entry_can_be_searched_again_to_the_bit_by_another_engine(engine):
    question = make_question(OPENING, MONEY, EvalSettings(2), (4, 2))
    entry = engine.search_entry(question, 2)
    again = load_engine(threads=2).search_entry(question, 2)
    assert again.is_same_as(entry)
    assert StoreEntry.decode(2, entry.encode()).is_same_as(entry)


@pytest.mark.parametrize("roll", [None, (3, 1)])
def test_a_search_that_was_stopped_is_no_entry(engine, roll):
    question = make_question(OPENING, MONEY, EvalSettings(2), roll)
    with pytest.raises(CancelledWork):
        engine.search_entry(question, 2, SearchWatch(lambda: True))
