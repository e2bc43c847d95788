"""Analysing a match: what is analysed, how deep, and that the numbers are those of single questions."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.compared_plays import compare_play
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import CancelledWork
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match, measure_luck
from gammond.engine.match_analysis.notes import add_notes
from gammond.engine.match_analysis.tasks import CLOSE_POINTS, AnalysisTask, list_tasks
from gammond.engine.match_files.model import ActionNotes, RecordedGame
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.engine.runtime.threads import Workers
from tests.support.boards import position

MATCH = """(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]RU[Crawford]RE[B+2]
;B[31qtst];W[64xn];B[65al]C[runs];W[double];B[take];W[42hdfd];B[21lnst];W[66]
;B[double];W[drop])(;FF[4]GM[6]MI[length:5][game:1][ws:0][bs:2]PW[ann]PB[bob]RU[Crawford]RE[B+2R]
;W[64xn];B[31qtst])(;FF[4]GM[6]MI[length:5][game:2][ws:0][bs:4]PW[ann]PB[bob]RU[Crawford:CrawfordGame]RE[W+1R]
;W[31hefe];B[52lqln];W[61mghg])"""


@pytest.fixture(scope="module")
def match():
    (match,) = parse_sgf(MATCH)
    assert match.issues == ()
    return match


@pytest.fixture(scope="module")
def analysed(engine, match):
    return analyse_match(engine, match, AnalysisSettings(1))


def walk(match):
    for game in match.games:
        for place, (situation, action, _) in enumerate(game.replayed):
            yield situation, action, game.notes.get(place)


def test_a_play_has_the_candidates_of_a_single_question(engine, analysed):
    for situation, action, notes in walk(analysed):
        if not isinstance(action, PlayAction):
            continue
        own = situation.match.before_roll()
        found = compare_play(
            engine, situation.position, action.roll, own, action.play, EvalSettings(1).with_list()
        )
        best, results = notes.candidates[0], [each.play.result for each in notes.candidates]
        assert best.evaluation.equity == found.best.evaluation.equity
        assert best.play == found.best.play
        made = notes.candidates[results.index(action.play.result)].evaluation
        assert made.equity == found.chosen.evaluation.equity
        assert made.depth == best.evaluation.depth == f"{found.best.evaluation.plies}-ply"
        assert len(set(results)) == len(results)


def test_the_first_candidates_have_one_depth_and_each_depth_is_ranked_by_itself(
    analysed,
):
    for situation, action, notes in walk(analysed):
        if isinstance(action, PlayAction):
            plays = len(legal_plays(situation.position, action.roll))
            depths = [each.evaluation.depth for each in notes.candidates]
            assert depths[:5] == ["1-ply"] * min(5, plays)
            assert set(depths[5:]) <= {"1-ply", "0-ply"}
            keys = [(each.evaluation.depth, each.evaluation.equity) for each in notes.candidates]
            assert keys == sorted(keys, reverse=True)


def test_a_double_and_its_response_have_one_decision(engine, analysed):
    doubles = [
        (situation, notes) for situation, action, notes in walk(analysed) if isinstance(action, DoubleAction)
    ]
    responses = [notes for _, action, notes in walk(analysed) if isinstance(action, ResponseAction)]
    assert len(doubles) == len(responses) == 2
    for (situation, notes), response in zip(doubles, responses, strict=True):
        decision = engine.evaluate(situation.position, situation.match, EvalSettings(1)).decision
        assert notes.cube.no_double.equity == decision.no_double.equity
        assert notes.cube.double_take.equity == decision.double_take.equity
        assert response.cube == notes.cube


def test_a_seat_decides_about_the_cube_only_where_it_may_turn_it(match):
    places = [
        (task.game, task.places[0])
        for number, game in enumerate(match.games)
        for task in list_tasks(number, game)
        if task.roll is None
    ]
    # Game 1: not before the first roll, nor after a take; then Black holds the cube. Game 2: the second roll
    # and the resignation; the Crawford game: the resignation alone.
    assert places == [(0, 1), (0, 2), (0, 3), (0, 6), (0, 8), (1, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("state", "places"),
    [
        (MatchState(), [0, 0, 1, 3]),
        (MatchState(roll=(5, 3)), [0, 1, 3]),
        (MatchState(cube=2, cube_owner=1), [0, 1, 3]),
        (MatchState(length=3, score=(2, 0), crawford=True), [0]),
    ],
    ids=["money", "dice are out", "the opponent's cube", "Crawford game"],
)
def test_a_seat_decides_before_the_first_roll_of_a_position_that_was_set(state, places):
    start = position({24: 1, 13: 5, 8: 4, 6: 4, 5: 1}, {1: 2, 12: 4, 17: 3, 19: 5, 14: 1})
    play = legal_plays(start, (5, 3))[0]
    actions = [PlayAction(0, (5, 3), play)]
    if not state.crawford:
        reply = legal_plays(play.result, (2, 1))[0]
        actions += [DoubleAction(1, 2 * state.cube), ResponseAction(0, True), PlayAction(1, (2, 1), reply)]
    game = RecordedGame(1, state, start, tuple(actions), None)
    assert [task.places[0] for task in list_tasks(0, game)] == places


def test_comments_stay_and_other_notes_go(engine, match):
    (noted,) = parse_sgf(MATCH.replace("[65al]", "[65al]LU[9.0]BM[2]DA[E ver 3]"))
    analysed = analyse_match(engine, noted, AnalysisSettings(0))
    notes = analysed.games[0].notes[2]
    assert (notes.comment, notes.play_mark) == ("runs", "")
    assert abs(notes.luck) < 1
    assert analysed.names == match.names


@pytest.mark.parametrize(("luck", "kept"), [(0.0, 0.0), (None, 0.3)])
def test_luck_takes_the_place_of_what_was_noted_even_if_it_is_none(match, luck, kept):
    noted = add_notes(match, [(0, 0, ActionNotes(luck=0.3))])
    assert add_notes(noted, [(0, 0, ActionNotes(luck=luck))]).games[0].notes[0].luck == kept


def test_the_luck_of_a_roll_is_its_best_play_less_the_mean_of_all(engine):
    table = position({24: 1, 13: 5, 8: 4, 6: 4, 5: 1}, {1: 2, 12: 4, 17: 3, 19: 5, 14: 1})
    state = MatchState(length=7, score=(3, 5), on_roll=1)
    best = np.array([engine.rank_plays(table, roll, state).best.evaluation.equity for roll in ROLLS])
    rolls = [AnalysisTask(0, (0,), (), table, state, roll[::-1]) for roll in ROLLS]
    luck = measure_luck(engine, rolls)
    assert luck == pytest.approx(best - best @ ROLL_WEIGHTS, abs=1e-6)
    assert luck @ ROLL_WEIGHTS == pytest.approx(0.0, abs=1e-6)


def test_the_luck_of_an_opening_roll_counts_beginning_too(engine):
    state = MatchState(length=3, score=(1, 2), crawford=True)
    pairs = [roll for roll in ROLLS if roll[0] != roll[1]]
    means = [
        np.mean([
            engine.rank_plays(Position.start(), roll, replace(state, on_roll=seat)).best.evaluation.equity
            for roll in pairs
        ])
        for seat in (0, 1)
    ]  # fmt: skip
    rolls = [
        AnalysisTask(0, (0,), (), Position.start(), replace(state, on_roll=seat), roll, is_opening=True)
        for seat in (0, 1) for roll in pairs
    ]  # fmt: skip
    luck = measure_luck(engine, rolls).reshape(2, -1).mean(axis=1)
    assert luck == pytest.approx([(means[0] + means[1]) / 2] * 2, abs=1e-6)
    assert luck[0] > 0.02  # to begin is lucky


def test_close_and_wrong_decisions_are_analysed_deeper(engine, analysed, match):
    deeper = analyse_match(engine, match, AnalysisSettings(1, 2))
    kinds = set()
    for (_, action, before), (_, _, after) in zip(walk(analysed), walk(deeper), strict=True):
        if isinstance(action, PlayAction):
            results = [each.play.result for each in before.candidates]
            equities = [each.evaluation.equity for each in before.candidates if "1" in each.evaluation.depth]
            error = equities[0] - before.candidates[results.index(action.play.result)].evaluation.equity
            is_near = len(equities) > 1 and equities[0] - equities[1] < CLOSE_POINTS
            is_deeper = error >= CLOSE_POINTS or is_near
            assert (after.candidates[0].evaluation.depth == "2-ply") == is_deeper
            assert is_deeper or after.candidates == before.candidates
            made = [each for each in after.candidates if each.play.result == action.play.result]
            assert made[0].evaluation.depth == after.candidates[0].evaluation.depth
            kinds.add(is_deeper)
    assert kinds == {False, True}


def test_threads_share_the_work_and_give_the_same(engine, match, analysed):
    seen = []
    again = analyse_match(
        engine, match, AnalysisSettings(1), workers=Workers(3), progress=lambda *at: seen.append(at)
    )
    assert again == analysed
    total = sum(len(list(list_tasks(number, game))) for number, game in enumerate(match.games))
    assert seen == [(done, total) for done in range(total + 1)]


def test_it_can_be_cancelled(engine, match):
    asked = []

    def cancelled():
        asked.append(1)
        return len(asked) > 12

    with pytest.raises(CancelledWork):
        analyse_match(engine, match, AnalysisSettings(2), cancelled=cancelled)
