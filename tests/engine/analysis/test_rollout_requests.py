"""Rollout requests, against the rollouts they are made of."""

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import (
    CUBE,
    MOVES,
    POSITION,
    PreparedRollout,
    RolloutRequest,
    default_kind,
    make_rollout_evaluators,
)
from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.errors import GammondError, StateError, ValueRangeError
from gammond.engine.rollout import RolloutSettings, roll_out_cube, roll_out_plays, roll_out_position
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from tests.support.evaluators import RacingEvaluator

ENGINE = Engine(RacingEvaluator())
SETTINGS = RolloutSettings(trials=36, truncation=2)
START = Position.start()
MATCH = MatchState(length=5, score=(1, 2))


def answered(question, settings=SETTINGS, **more):
    return PreparedRollout(question, ENGINE, settings, lambda: False).run(**more)


@pytest.mark.parametrize("is_cubeful", [True, False])
def test_plays_are_the_best_at_0_plies(is_cubeful):
    question = RolloutRequest(MOVES, START, MATCH, (3, 1), is_cubeful, candidates=3)
    prepared = PreparedRollout(question, ENGINE, SETTINGS, lambda: False)
    plays = [evaluation.play for evaluation in ENGINE.rank_plays(START, (3, 1), MATCH)[:3]]
    game = question.make_cube_game(ENGINE)
    expected, rollout = roll_out_plays(
        START, (3, 1), make_rollout_evaluators(ENGINE), SETTINGS, plays=plays, game=game
    )
    assert prepared.plays == plays
    assert prepared.game is game.other
    answer = prepared.run()
    assert answer.results == expected
    assert (answer.trials, answer.plies, answer.evaluator_name) == (36, 0, ENGINE.name)
    assert answer.rollout.survivors == rollout.survivors


def test_a_position_and_a_cube_decision_are_those_of_the_engine():
    game = ENGINE.make_cube_game(MATCH)
    estimate, _ = roll_out_position(START, make_rollout_evaluators(ENGINE), SETTINGS, game=game)
    assert answered(RolloutRequest(POSITION, START, MATCH)).results == estimate
    expected = roll_out_cube(START, game, make_rollout_evaluators(ENGINE), SETTINGS)
    rows = answered(RolloutRequest(CUBE, START, MATCH)).results
    assert (rows.no_double, rows.take, rows.gain) == (expected.no_double, expected.take, expected.gain)


def test_only_money_play_without_the_cube_has_no_cube_to_lay_out():
    assert (
        RolloutRequest(POSITION, START, MatchState(), is_cubeful=False).make_cube_game(ENGINE)
        is CUBELESS_GAME
    )
    resting = RolloutRequest(POSITION, START, MATCH, is_cubeful=False).make_cube_game(ENGINE)
    assert not resting.is_money
    assert not resting.arrays.may_double.any()


def test_an_answer_is_gone_on_from_and_can_be_stopped():
    question = RolloutRequest(POSITION, START, MatchState())
    part = answered(question)
    whole = answered(question, RolloutSettings(trials=72, truncation=2), resume=part.rollout.state)
    assert (part.trials, whole.trials) == (36, 72)
    reported = []
    stopped = PreparedRollout(question, ENGINE, RolloutSettings(trials=5000), lambda: bool(reported[1:]))
    answer = stopped.run(progress=reported.append)
    assert answer.rollout.reason == "stopped"


@pytest.mark.parametrize(
    ("wrong", "kind", "field"),
    [
        ({"kind": "resign"}, ValueRangeError, "what"),
        ({"kind": MOVES}, StateError, "dice"),
        ({"kind": CUBE, "is_cubeful": False}, ValueRangeError, "cubeful"),
        ({"candidates": 0}, ValueRangeError, "candidates"),
        ({"plies": 5}, ValueRangeError, "plies"),
        ({"leaf_plies": -1}, ValueRangeError, "plies"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(wrong, kind, field):
    with pytest.raises(GammondError) as refusal:
        RolloutRequest(**{"kind": POSITION, "position": START, "match": MatchState()} | wrong)
    assert (type(refusal.value), refusal.value.field) == (kind, field)


def test_games_are_counted_before_they_are_played():
    kinds = ((MOVES, 4), (POSITION, 1), (CUBE, 2))
    for kind, starts in kinds:
        assert RolloutRequest(kind, START, MATCH, (3, 1), candidates=4).max_starts == starts
    assert (default_kind(None), default_kind((3, 1))) == (POSITION, MOVES)
