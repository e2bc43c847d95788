"""The best plays of many positions, against the ranking of each alone."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.compared_plays import compare_play
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import find_best_plays
from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.evaluator import choose_best_children
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.position import Position, find_finished
from gammond.engine.runtime.threads import Workers
from gammond.nets.catalogue import load_engine
from tests.support.boards import position

MATCHES = (
    MatchState(),
    MatchState(length=7, score=(2, 5), cube=2, cube_owner=1),
    MatchState(length=5, score=(4, 1), crawford=True),
    MatchState(jacoby=True, cube=4, cube_owner=0),
)
DANCING = position({25: 1, 6: 5, 8: 3}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 2})


@pytest.fixture(scope="module")
def engine():
    return load_engine("fast")


def some_positions(engine, count):
    generator = np.random.default_rng(2)
    boards, kept = np.repeat(Position.start().board[None], 32, axis=0), []
    while sum(map(len, kept)) < count - 1:
        dice = generator.integers(1, 7, (32, 2)).astype(np.int8)
        boards, _ = choose_best_children(engine.evaluator, boards, dice)
        boards[find_finished(boards)] = Position.start().board
        kept.append(boards.copy())
    boards = np.concatenate([DANCING.board[None], *kept])[:count]
    return boards, generator.integers(1, 7, (count, 2)).astype(np.int8), generator.integers(0, 4, count)


@pytest.mark.parametrize(("plies", "count"), [(0, 300), (1, 12)])
@pytest.mark.parametrize("is_cubeful", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_plays_and_numbers_are_those_of_the_ranking_of_each_position(
    engine, plies, count, is_cubeful, threads
):
    boards, rolls, indices = some_positions(engine, count)
    settings = EvalSettings(plies, is_cubeful=is_cubeful)
    positions = (boards, rolls, MATCHES, indices)
    found = find_best_plays(engine, *positions, settings, count=3, workers=Workers(threads))
    for place in range(count):
        match = MATCHES[indices[place]]
        ranked = engine.rank_plays(
            Position(boards[place]), tuple(rolls[place].tolist()), match, replace(settings, candidates=3)
        )[:3]
        assert found.texts[place] == [format_play(each.play) for each in ranked]
        assert {each.evaluation.plies for each in ranked} == {plies}
        scores = [each.evaluation.equity for each in ranked]
        np.testing.assert_array_equal(found.scores[place, : len(scores)], scores)
        assert np.isnan(found.scores[place, len(scores) :]).all()
        chances = [np.nan if each.evaluation.mwc is None else each.evaluation.mwc for each in ranked]
        np.testing.assert_array_equal(found.mwc[place, : len(chances)], chances)
        assert np.isnan(found.mwc[place, len(chances) :]).all()


@pytest.mark.parametrize("plies", [0, 1])
def test_work_that_is_cancelled_gives_nothing(engine, plies):
    boards, rolls, indices = some_positions(engine, 4)
    positions = (boards, rolls, MATCHES, indices)
    with pytest.raises(CancelledWork):
        find_best_plays(engine, *positions, EvalSettings(plies), cancelled=lambda: True)


def test_no_positions_have_no_plays(engine):
    positions = (np.empty((0, 2, 26), np.int8), np.empty((0, 2), np.int8), MATCHES, np.empty(0, np.int64))
    found = find_best_plays(engine, *positions, EvalSettings())
    assert (found.texts, found.scores.shape) == ([], (0, 2))


def test_the_second_play_is_searched_as_deep_as_the_best_and_that_stays_the_best(engine):
    opening, settings = Position.start(), EvalSettings(2)
    positions = (opening.board[None], np.array([[3, 1]], np.int8), (MatchState(),), np.zeros(1, np.int64))
    alone = engine.rank_plays(opening, (3, 1), MatchState(), settings)
    assert (alone[0].evaluation.plies, alone[1].evaluation.plies) == (2, 0)  # else this test shows nothing
    found = find_best_plays(engine, *positions, settings)
    assert found.texts[0] == [format_play(alone[0].play), format_play(alone[1].play)]
    assert found.scores[0, 0] == alone[0].evaluation.equity
    second = compare_play(engine, opening, (3, 1), MatchState(), alone[1].play, settings).chosen.evaluation
    assert (second.plies, second.equity) == (2, found.scores[0, 1])
