"""Rollouts of the decisions of a match: which, of what, and what they say."""

import math

import pytest

from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.errors import CancelledWork, ValueRangeError
from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match
from gammond.engine.match_analysis.notes import ROLLED_OUT, SEARCHED
from gammond.engine.match_analysis.rollouts import DecisionRollouts, roll_out_decisions
from gammond.engine.match_analysis.tasks import CLOSE_POINTS, list_match_tasks
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.decisions import roll_out_cube, roll_out_plays

MATCH = """(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[ann]PB[bob]RU[Crawford]RE[B+2]
;B[31qtst];W[64xn];B[65al]C[runs];W[double];B[take];W[42hdfd];B[21lnst];W[66])
(;FF[4]GM[6]MI[length:5][game:1][ws:0][bs:2]PW[ann]PB[bob]RU[Crawford]RE[W+1R]
;W[21mkfe];B[41ablp];W[51mhfe];B[32adln];W[43mimj])"""
SETTINGS = RolloutSettings(trials=36, truncation=3, min_trials=36)


@pytest.fixture(scope="module")
def analysed(engine):
    (match,) = parse_sgf(MATCH)
    return analyse_match(engine, match, AnalysisSettings(0))


@pytest.fixture(scope="module")
def rolled(engine, analysed):
    return roll_out_decisions(engine, analysed, DecisionRollouts(SETTINGS))


def list_decisions(match):
    """Return each task with its notes."""
    found = []
    for task in list_match_tasks(match):
        notes = match.games[task.game].notes[task.places[0]]
        own = ActionNotes(candidates=notes.candidates) if task.roll else ActionNotes(cube=notes.cube)
        found.append((task, own))
    return found


def test_what_is_close_or_wrong_is_rolled_out_and_nothing_else(analysed, rolled):
    kinds = set()
    for (task, before), (_, after) in zip(list_decisions(analysed), list_decisions(rolled), strict=True):
        assert task.is_close(before) == (before != after)
        kinds.add((task.roll is None, before != after))
    assert kinds == {(False, False), (False, True), (True, False), (True, True)}


def test_the_play_that_was_made_and_those_near_the_best_get_the_same_rollout(engine, analysed, rolled):
    several = 0
    for (task, before), (_, after) in zip(list_decisions(analysed), list_decisions(rolled), strict=True):
        if task.roll is None or before == after:
            continue
        candidates = [each for each in after.candidates if each.evaluation.trials]
        assert list(after.candidates[: len(candidates)]) == candidates
        assert {each.evaluation.trials for each in candidates} == {36}
        assert {each.evaluation.depth for each in candidates} == {"rollout of 3 plies"}
        best = before.candidates[0].evaluation
        wanted = [
            each.play.result
            for each in before.candidates
            if each.play.result == task.play.result
            or (each.evaluation.depth == best.depth and best.equity - each.evaluation.equity < CLOSE_POINTS)
        ]
        assert {each.play.result for each in candidates} == set(wanted[:5])
        assert task.play.result in wanted[:5]
        results, _ = roll_out_plays(
            *(task.position, task.roll, make_rollout_evaluators(engine), SETTINGS),
            plays=[each.play for each in candidates],
            game=engine.make_cube_game(task.match),
        )
        for each, expected in zip(candidates, results, strict=True):
            assert each.play.result == expected.play.result
            assert each.evaluation.equity == expected.evaluation.equity
            assert each.evaluation.error == expected.evaluation.error
        assert {each.play for each in after.candidates} == {each.play for each in before.candidates}
        several += len(candidates) > 1
    assert several > 2


def test_a_cube_decision_gets_both_actions(engine, rolled):
    (found,) = [
        (task, notes) for task, notes in list_decisions(rolled) if task.roll is None and len(task.places) > 1
    ]
    task, notes = found
    cube = roll_out_cube(
        task.position, engine.make_cube_game(task.match), make_rollout_evaluators(engine), SETTINGS
    )
    assert notes.cube.equities[:2] == (cube.no_double.equity, cube.take.equity)
    assert notes.cube.no_double.error == cube.no_double.error > 0
    assert notes.cube.double_take.error == cube.take.error > 0
    for place in task.places:
        assert rolled.games[0].notes[place].cube == notes.cube


def test_comments_and_luck_stay(analysed, rolled):
    for game, again in zip(analysed.games, rolled.games, strict=True):
        for place, before in game.notes.items():
            assert (again.notes[place].comment, again.notes[place].luck) == (before.comment, before.luck)


def test_threads_change_nothing_and_the_progress_ends_at_the_total(engine, analysed, rolled):
    seen = []
    rollouts = DecisionRollouts(RolloutSettings(trials=36, truncation=3, min_trials=36, threads=3))
    again = roll_out_decisions(engine, analysed, rollouts, progress=lambda *at: seen.append(at))
    assert again == rolled
    dones, totals = zip(*seen, strict=True)
    assert list(dones) == sorted(dones)
    assert set(totals) == {dones[-1]}


def test_a_journal_spares_what_it_has(engine, analysed, rolled):
    journal = {}
    (match,) = parse_sgf(MATCH)
    assert analyse_match(engine, match, AnalysisSettings(0), journal=journal) == analysed
    assert roll_out_decisions(engine, analysed, DecisionRollouts(SETTINGS), journal=journal) == rolled
    assert {stage for stage, _ in journal} == {SEARCHED, ROLLED_OUT}
    assert [number for stage, number in journal if stage == SEARCHED] == list(
        range(len(list_match_tasks(match)))
    )
    before = dict(journal)
    asked = []
    assert analyse_match(engine, match, AnalysisSettings(0), journal=journal) == analysed
    again = roll_out_decisions(
        engine, analysed, DecisionRollouts(SETTINGS), journal=journal, cancelled=lambda: asked.append(1)
    )
    assert again == rolled
    assert asked == []
    assert journal == before


def test_it_can_be_cancelled(engine, analysed):
    with pytest.raises(CancelledWork):
        roll_out_decisions(engine, analysed, DecisionRollouts(SETTINGS), cancelled=lambda: True)


def test_a_single_trial_has_no_error(engine, analysed):
    settings = RolloutSettings(trials=1, truncation=1)
    rolled = roll_out_decisions(engine, analysed, DecisionRollouts(settings))
    evaluations = [each.evaluation for notes in rolled.games[0].notes.values() for each in notes.candidates]
    assert 1 in {each.trials for each in evaluations}
    assert {each.error for each in evaluations} == {None}
    assert not any(math.isnan(each.equity) for each in evaluations)


def test_numbers_out_of_range_are_refused():
    with pytest.raises(ValueRangeError, match="2 plays or more, got 1"):
        DecisionRollouts(SETTINGS, max_plays=1)
    with pytest.raises(ValueRangeError, match="plies"):
        DecisionRollouts(SETTINGS, leaf_plies=9)


def test_a_wrong_take_is_worth_a_deeper_look(analysed):
    (task,) = [task for task in list_match_tasks(analysed) if len(task.places) > 1]
    right = CubeDecision.of_choices(Evaluation(0.5), Evaluation(0.75))
    assert not task.is_close(ActionNotes(cube=right))
    for wrong in (
        CubeDecision.of_choices(Evaluation(0.5), Evaluation(1.25)),  # a pass
        CubeDecision.of_choices(Evaluation(0.8), Evaluation(0.75)),  # no double
        CubeDecision.of_choices(Evaluation(0.5), Evaluation(0.985)),  # take or pass?
        CubeDecision.of_choices(Evaluation(0.74), Evaluation(0.75)),  # double or not?
    ):
        assert task.is_close(ActionNotes(cube=wrong))
