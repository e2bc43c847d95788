"""Engines with a store: what is kept is what a search finds, to the last bit, and given at once."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.compared_plays import compare_play
from gammond.engine.analysis.engine_store import EngineStore, make_question, read_question
from gammond.engine.analysis.levels import EvalSettings, StoreUse
from gammond.engine.errors import DataFileError
from gammond.engine.evaluation.results import Effort, Evaluation
from gammond.engine.rules.dice import SeededDice
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles, Rules
from gammond.engine.search.watch import SearchWatch
from gammond.engine.store.database import StoreDatabase
from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import identify_engine, load_engine

OPENING = STANDARD_RULES.starting_position
TWO_PLY = EvalSettings(2, "tiny")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.fixture
def stored(file):
    with AnalysisStore(file) as store:
        yield load_stored_engine(store)


def load_stored_engine(store):
    engine = load_engine()
    engine.store = EngineStore(lambda: store, identify_engine)
    return engine


def play_positions(engine, count, seed=1):
    """Positions of games that the engine plays against itself, with the roll for each."""
    dice, position, found = SeededDice(seed), OPENING, []
    while len(found) < count:
        roll = dice.roll()
        found.append((position, roll))
        plays = engine.rank_plays(position, roll, MatchState())
        position = plays[min(dice.roll()[0] // 3, len(plays) - 1)].play.result
        if position.is_over:
            position = OPENING
    return found


def list_matches():
    """Match states of both seats: money with and without Jacoby and beavers, scores, cubes, Crawford."""
    states = []
    for seat in (0, 1):
        states += [
            MatchState(on_roll=seat),
            MatchState(on_roll=seat, jacoby=True, beavers=True),
            MatchState(on_roll=seat, cube=4, cube_owner=seat, jacoby=True),
            MatchState(on_roll=seat, cube=2, cube_owner=1 - seat),
            MatchState(length=1, on_roll=seat),
            MatchState(length=7, score=(4, 2), on_roll=seat),
            MatchState(length=9, score=(6, 4), on_roll=seat, cube=2, cube_owner=1 - seat),
            MatchState(length=5, score=(4, 2), on_roll=seat, crawford=True),
            MatchState(length=5, score=(4, 3), on_roll=seat),
            MatchState(length=11, score=(3, 9), on_roll=seat, cube=4, cube_owner=seat),
            MatchState(length=25, score=(24, 0), on_roll=seat),
        ]
    return states


def without_effort(found):
    effort = Effort(found.effort.plies, found.effort.is_finished, 0, 0.0)
    return found._replace(effort=effort) if isinstance(found, Evaluation) else replace(found, effort=effort)


def test_the_depths_of_kept_answers_are_listed_without_a_visit(stored, engine, file):
    match, roll = MatchState(), (3, 1)
    assert stored.list_kept_depths(OPENING, match, TWO_PLY, roll) == []
    for plies in (3, 2):
        stored.rank_plays(OPENING, roll, match, TWO_PLY.with_plies(plies))
    for _ in range(5):
        assert stored.list_kept_depths(OPENING, match, TWO_PLY, roll) == [2, 3]
    assert stored.list_kept_depths(OPENING, match, TWO_PLY) == []
    assert engine.list_kept_depths(OPENING, match, TWO_PLY, roll) == []
    stored.store.store.flush()
    with AnalysisStore(file) as store:
        again = load_stored_engine(store)
        assert again.list_kept_depths(OPENING, match, TWO_PLY, roll) == [2, 3]
    (row, *_) = StoreDatabase(file).iterate()
    assert row.visits == 2


@pytest.mark.slow
@pytest.mark.parametrize("is_cubeful", [True, False])
def test_kept_answers_equal_fresh_searches_to_the_bit(engine, file, is_cubeful):
    questions = [
        (position, roll, match)
        for place, match in enumerate(list_matches())
        for position, roll in play_positions(engine, 6, seed=place)
    ]
    settings = EvalSettings(2, "tiny", is_cubeful)

    def ask(engine):
        found = []
        for position, roll, match in questions:
            found.append(engine.evaluate(position, match, settings))
            found.append(engine.rank_plays(position, roll[::-1], match, settings))
        return found

    fresh = ask(load_engine())
    with AnalysisStore(file) as store:
        first = ask(load_stored_engine(store))
    with AnalysisStore(file) as store:
        again = ask(load_stored_engine(store))
    assert all(each.effort.is_stored and not each.effort.nodes for each in again)
    for searched, kept, read in zip(fresh, first, again, strict=True):
        assert without_effort(searched) == without_effort(kept) == without_effort(read)


def test_an_answer_is_kept_for_both_seats_any_length_and_any_order_of_the_dice(stored):
    seats = [MatchState(length=7, score=(4, 2)), MatchState(length=9, score=(4, 6), on_roll=1)]
    found = [stored.evaluate(OPENING, match, TWO_PLY) for match in seats]
    assert [each.effort.is_stored for each in found] == [False, True]
    assert without_effort(found[0]) == without_effort(found[1])
    ranked = [
        stored.rank_plays(OPENING, *asked, TWO_PLY) for asked in zip([(3, 1), (1, 3)], seats, strict=True)
    ]
    assert [each.effort.is_stored for each in ranked] == [False, True]
    assert ranked[0] == ranked[1]


def test_nothing_is_found_or_kept_where_the_settings_say_so(stored):
    off = replace(TWO_PLY, store=StoreUse.OFF)
    assert not any(stored.evaluate(OPENING, MatchState(), off).effort.is_stored for _ in range(2))
    assert not stored.evaluate(OPENING, MatchState(), TWO_PLY).effort.is_stored
    assert stored.evaluate(OPENING, MatchState(), TWO_PLY).effort.is_stored
    assert not stored.evaluate(OPENING, MatchState(), off).effort.is_stored


def test_a_deeper_answer_is_given_only_where_that_is_allowed_and_says_its_depth(engine, stored):
    one_ply, deeper = EvalSettings(1, "tiny"), EvalSettings(1, "tiny", store=StoreUse.DEEPER)
    stored.evaluate(OPENING, MatchState(), TWO_PLY)
    stored.rank_plays(OPENING, (4, 1), MatchState(), TWO_PLY)
    assert stored.evaluate(OPENING, MatchState(), one_ply).effort.plies == 1
    found = stored.evaluate(OPENING, MatchState(), deeper)
    assert without_effort(found) == without_effort(engine.evaluate(OPENING, MatchState(), TWO_PLY))
    ranked = stored.rank_plays(OPENING, (4, 1), MatchState(), deeper)
    assert ranked.effort.is_stored
    assert ranked == engine.rank_plays(OPENING, (4, 1), MatchState(), TWO_PLY)
    assert stored.rank_plays(OPENING, (4, 1), MatchState(), one_ply).effort.plies == 1


def test_plays_by_a_larger_filter_are_given_only_where_deeper_ones_are(engine, stored):
    asked = OPENING, (5, 1), MatchState()
    narrow, normal = EvalSettings(2, "narrow"), EvalSettings(2, "normal")
    deeper = replace(narrow, store=StoreUse.DEEPER)
    first = stored.rank_plays(*asked, normal)
    assert stored.recall(OPENING, MatchState(), narrow, (5, 1)) is None
    found = stored.rank_plays(*asked, deeper)
    assert found.effort.is_stored
    assert found == first
    kept = stored.recall(OPENING, MatchState(), deeper, (5, 1))
    assert read_question(kept.question)[2].filter_name == "normal"
    assert kept.ask_again()
    assert not stored.rank_plays(*asked, replace(deeper, filter_name="large")).effort.is_stored
    assert not stored.rank_plays(*asked, narrow).effort.is_stored
    found = stored.rank_plays(*asked, deeper)  # its own filter comes first
    assert found == engine.rank_plays(*asked, narrow)
    assert not kept.ask_again()
    question = stored.recall(OPENING, MatchState(), deeper, (5, 1)).question
    assert read_question(question)[2].filter_name == "narrow"


def test_an_answer_of_one_ply_is_kept_when_it_is_asked_for_again_and_the_net_alone_never(stored):
    for plies, expected in ((0, [False] * 4), (1, [False, False, True, True])):
        found = [stored.evaluate(OPENING, MatchState(), EvalSettings(plies)) for _ in range(4)]
        assert [each.effort.is_stored for each in found] == expected


def test_positions_together_are_found_and_searched_in_order(engine, stored):
    positions = [position for position, _ in play_positions(engine, 8)]
    stored.evaluate_positions(positions[2:5], MatchState(), TWO_PLY)
    found = stored.evaluate_positions(positions, MatchState(), TWO_PLY)
    assert [each.effort.is_stored for each in found] == [False] * 2 + [True] * 3 + [False] * 3
    fresh = engine.evaluate_positions(positions, MatchState(), TWO_PLY)
    assert list(map(without_effort, found)) == list(map(without_effort, fresh))


def test_a_search_that_was_stopped_is_not_kept(stored):
    for ask in (
        lambda *watch: stored.evaluate(OPENING, MatchState(), TWO_PLY, *watch),
        lambda *watch: stored.rank_plays(OPENING, (3, 1), MatchState(), TWO_PLY, *watch),
    ):
        assert not ask(SearchWatch(lambda: True)).effort.is_finished
        assert not ask().effort.is_stored
        assert ask().effort.is_stored


def test_a_ranking_that_ended_early_is_not_kept(engine, stored):
    position, roll = next(
        (position, roll)
        for position, roll in play_positions(engine, 60)
        if engine.rank_plays(position, roll, MatchState(), TWO_PLY, stop_when_decided=True).effort.plies < 2
        and len(engine.rank_plays(position, roll, MatchState())) > 1
    )
    asked = position, roll, MatchState(), TWO_PLY
    assert stored.rank_plays(*asked, stop_when_decided=True).effort.plies < 2
    whole = stored.rank_plays(*asked)
    assert (whole.effort.is_stored, whole.effort.plies) == (False, 2)
    assert stored.rank_plays(*asked, stop_when_decided=True).effort.is_stored
    assert stored.rank_plays(*asked) == whole


def test_a_list_is_kept_beside_the_best_play_and_answers_for_it_where_deeper_ones_do(engine, stored):
    best, listed = EvalSettings(2, "normal"), EvalSettings(2, "normal").with_list()
    asked = OPENING, (3, 1), MatchState()
    alone = stored.rank_plays(*asked, best)
    assert alone.survivors < 5
    found = stored.rank_plays(*asked, listed)
    assert (found.effort.is_stored, found.survivors) == (False, 5)
    again = stored.rank_plays(*asked, listed)
    assert again.effort.is_stored
    assert again == found == engine.rank_plays(*asked, listed)
    assert stored.rank_plays(*asked, best) == alone
    assert not stored.rank_plays(*asked, listed.with_list(7)).effort.is_stored
    other = OPENING, (5, 1), MatchState()
    stored.rank_plays(*other, listed)
    assert not stored.rank_plays(*other, best.with_plies(1)).effort.is_stored
    deeper = stored.rank_plays(*other, replace(best, plies=1, store=StoreUse.DEEPER))
    assert (deeper.effort.is_stored, deeper.effort.plies, deeper.survivors) == (True, 2, 5)


def test_a_play_beside_the_kept_best_one_is_compared_as_without_a_store(engine, stored):
    ranked = stored.rank_plays(OPENING, (6, 4), MatchState(), TWO_PLY)
    for place in (0, len(ranked) - 1):
        asked = OPENING, (6, 4), MatchState(), ranked[place].play, TWO_PLY
        found, fresh = compare_play(stored, *asked), compare_play(engine, *asked)
        assert (found.chosen, found.best, found.rank) == (fresh.chosen, fresh.best, fresh.rank)
        assert found.ranked.effort.is_stored == (place == 0)


def test_a_play_beside_a_deeper_kept_ranking_is_as_deep(engine, stored):
    ranked = stored.rank_plays(OPENING, (6, 4), MatchState(length=5), TWO_PLY)
    asked = OPENING, (6, 4), MatchState(length=5), ranked[-1].play
    found = compare_play(stored, *asked, EvalSettings(1, "tiny", store=StoreUse.DEEPER))
    fresh = compare_play(engine, *asked, TWO_PLY)
    assert (found.chosen, found.best, found.rank) == (fresh.chosen, fresh.best, fresh.rank)


def test_a_variant_with_another_start_has_the_same_answers_and_other_plays_have_none(stored):
    assert not stored.evaluate(OPENING, MatchState(), TWO_PLY).effort.is_stored
    nackgammon = stored.with_rules(Rules(variant=VARIANTS["nackgammon"]))
    assert nackgammon.evaluate(OPENING, MatchState(), TWO_PLY).effort.is_stored
    two_moves = stored.with_rules(Rules(doubles=Doubles.TWO))
    plays = two_moves.rank_plays(OPENING, (3, 3), MatchState(), EvalSettings(is_cubeful=False))
    assert len(plays) < len(stored.rank_plays(OPENING, (3, 3), MatchState()))


def test_a_finished_game_is_evaluated_without_a_question(stored):
    board = np.zeros((2, 26), np.int8)
    board[0, 0] = board[1, 6] = 15
    over = Position(board)
    assert [stored.evaluate(over, MatchState(), TWO_PLY).effort.is_stored for _ in range(2)] == [False] * 2


def test_an_entry_that_does_not_fit_its_question_is_searched_again(engine, stored, monkeypatch):
    position = engine.rank_plays(OPENING, (3, 1), MatchState()).best.play.result
    for match in (MatchState(), MatchState(length=5)):
        stored.evaluate(OPENING, match, TWO_PLY)
        stored.rank_plays(position, (6, 6), match, TWO_PLY)
    wrong = {
        roll: stored.store.find(make_question(where, MatchState(length=5), TWO_PLY, roll), TWO_PLY)
        for where, roll in ((OPENING, None), (position, (6, 6)))
    }
    monkeypatch.setattr(
        stored.store, "find", lambda question, _: wrong[(6, 6) if " " in question.settings else None]
    )
    assert all(wrong.values())
    assert not stored.evaluate(OPENING, MatchState(), TWO_PLY).effort.is_stored
    assert not stored.rank_plays(position, (6, 6), MatchState(), TWO_PLY).effort.is_stored
    assert not stored.rank_plays(position, (2, 1), MatchState(length=5), TWO_PLY).effort.is_stored


def test_values_that_cannot_be_kept_do_not_fail_the_answer(stored, monkeypatch):
    def refuse(*_):
        raise DataFileError("expected the values of a search")

    monkeypatch.setattr("gammond.engine.store.entries.StoreEntry.__post_init__", refuse)
    assert not stored.evaluate(OPENING, MatchState(), TWO_PLY).effort.is_stored
    assert stored.rank_plays(OPENING, (3, 1), MatchState(), TWO_PLY).effort.plies == 2


def test_the_end_of_a_kept_search_is_reported_once(stored):
    reports = []
    for _ in range(2):
        reports.clear()
        stored.rank_plays(OPENING, (3, 1), MatchState(), TWO_PLY, SearchWatch(progress=reports.append))
    [report] = reports
    assert (report.effort.plies, report.effort.is_stored, report.effort.nodes) == (2, True, 0)
    assert report.best is not None
