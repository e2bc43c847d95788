"""Rollouts of what people ask, against the rollouts they are made of."""

from __future__ import annotations

import pytest

from engine.analyst import Analyst
from engine.errors import GammondError, StateError, ValueRangeError
from engine.match import MatchState
from engine.position import Position
from engine.rollout import (
    RolloutSettings,
    StopReason,
    roll_out_cube,
    roll_out_plays,
    roll_out_position,
    scoring_after_plays,
)
from engine.rollout.questions import CUBE, MOVES, POSITION, PreparedRollout, RolloutQuestion, usual_kind
from tests.boards import RacingJudge

ANALYST = Analyst(RacingJudge())
SETTINGS = RolloutSettings(trials=36, truncation=2)
START = Position.start()
MATCH = MatchState(length=5, score=(1, 2))


def answered(question, settings=SETTINGS, **more):
    return PreparedRollout(question, ANALYST, settings, lambda: False).run(**more)


@pytest.mark.parametrize("is_cubeful", [True, False])
def test_plays_are_the_best_at_0_plies(is_cubeful):
    question = RolloutQuestion(MOVES, START, MATCH, (3, 1), is_cubeful, candidates=3)
    prepared = PreparedRollout(question, ANALYST, SETTINGS, lambda: False)
    plays = [judged.play for judged in ANALYST.rank_plays(START, (3, 1), MATCH).plays[:3]]
    game = question.game(ANALYST)
    expected, rollout = roll_out_plays(
        START, (3, 1), ANALYST.rollout_judges(), SETTINGS, plays=plays, game=game
    )
    assert prepared.plays == plays
    assert prepared.scoring.name == scoring_after_plays(game).name
    answer = prepared.run()
    assert answer.rows == expected
    assert (answer.trials, answer.plies, answer.net) == (36, 0, ANALYST.name)
    assert answer.rollout.survivors == rollout.survivors


def test_a_position_and_a_cube_decision_are_those_of_the_engine():
    game = ANALYST.cube_game(MATCH)
    estimate, _ = roll_out_position(START, ANALYST.rollout_judges(), SETTINGS, game=game)
    assert answered(RolloutQuestion(POSITION, START, MATCH)).rows == estimate
    expected = roll_out_cube(START, game, ANALYST.rollout_judges(), SETTINGS)
    rows = answered(RolloutQuestion(CUBE, START, MATCH)).rows
    assert (rows.no_double, rows.take, rows.gain) == (expected.no_double, expected.take, expected.gain)


def test_only_money_play_without_the_cube_has_no_cube_to_lay_out():
    assert RolloutQuestion(POSITION, START, MatchState(), is_cubeful=False).game(ANALYST) is None
    resting = RolloutQuestion(POSITION, START, MATCH, is_cubeful=False).game(ANALYST)
    assert not resting.is_money
    assert not resting.may_double.any()


def test_an_answer_is_gone_on_from_and_can_be_stopped():
    question = RolloutQuestion(POSITION, START, MatchState())
    part = answered(question)
    whole = answered(question, RolloutSettings(trials=72, truncation=2), resume=part.rollout.state)
    assert (part.trials, whole.trials) == (36, 72)
    told = []
    stopped = PreparedRollout(question, ANALYST, RolloutSettings(trials=5000), lambda: bool(told[1:]))
    answer = stopped.run(progress=told.append)
    assert answer.rollout.reason is StopReason.CANCELLED


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
        RolloutQuestion(**{"kind": POSITION, "position": START, "match": MatchState()} | wrong)
    assert (type(refusal.value), refusal.value.field) == (kind, field)


def test_games_are_counted_before_they_are_played():
    kinds = ((MOVES, 4), (POSITION, 1), (CUBE, 2))
    for kind, starts in kinds:
        assert RolloutQuestion(kind, START, MATCH, (3, 1), candidates=4).starts == starts
    assert (usual_kind(None), usual_kind((3, 1))) == (POSITION, MOVES)
