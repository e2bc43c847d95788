"""Results of the engine in this process as those of the API."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gammond.api.position import Play
from gammond.api.results import (
    CubeDecision,
    Evaluation,
    Opinion,
    Outcome,
    PlayEvaluation,
    PlayRollout,
    Rollout,
    RolloutEstimate,
)

if TYPE_CHECKING:
    from gammond.engine.analysis.rollout_requests import RolloutResult as _RolloutResult
    from gammond.engine.evaluation.results import CubeDecision as _CubeDecision
    from gammond.engine.evaluation.results import Evaluation as _Evaluation
    from gammond.engine.evaluation.results import RankedPlay as _RankedPlay
    from gammond.engine.play.player import Opinion as _Opinion


def make_evaluation(found: _Evaluation) -> Evaluation:
    """Make the result of an evaluation."""
    effort = found.effort
    assert effort is not None
    return Evaluation(*_list_values(found), effort.plies, effort.is_stored)


def _list_values(found: _Evaluation) -> tuple[Outcome, float, float | None, float | None]:
    """Return outcome, cubeless equity, cubeful equity and match-winning chance, as a search has them."""
    assert found.outcome is not None
    assert found.cubeless_equity is not None
    return (
        Outcome(*found.outcome),
        found.cubeless_equity,
        found.points if found.is_cubeful else None,
        found.mwc,
    )


def make_play_evaluation(found: _RankedPlay, best: float) -> PlayEvaluation:
    """Make the result of a play, given the equity of the best one."""
    from gammond.engine.evaluation.results import is_on_scale

    evaluation = found.evaluation
    loss = max(best - evaluation.equity, 0.0)
    has_loss = found.survived and is_on_scale(loss, evaluation.mwc_per_point)
    return PlayEvaluation(
        Play._wrap(found.play), *_list_values(evaluation), loss if has_loss else None, evaluation.plies or 0
    )


def make_opinion(play: Play | None, found: _Opinion) -> Opinion:
    """Make the opinion on a position, or on a play of a roll."""
    outcome = None if found.outcome is None else Outcome(*found.outcome)
    return Opinion(play, found.score, outcome, found.features)


def make_cube_decision(decision: _CubeDecision, evaluation: Evaluation | None) -> CubeDecision:
    """Make the result of a cube decision, with the evaluation that it came with, if any."""
    take, pass_ = decision.double_take, decision.double_pass
    return CubeDecision(
        action=decision.text,
        should_double=decision.should_double,
        should_take=decision.should_take,
        should_beaver=decision.response == "beaver",
        no_double=decision.no_double.points,
        double_take=None if take is None else take.points,
        double_pass=None if pass_ is None else pass_.points,
        no_double_mwc=decision.no_double.mwc,
        double_take_mwc=None if take is None else take.mwc,
        double_pass_mwc=None if pass_ is None else pass_.mwc,
        evaluation=evaluation,
    )


def _make_estimate(found: _Evaluation) -> RolloutEstimate:
    assert found.outcome is not None
    assert found.error is not None
    equity, error = (found.equity, found.error) if found.is_scaled else (math.nan, math.nan)
    return RolloutEstimate(found.trials, Outcome(*found.outcome), equity, error, found.mwc)


def _make_play_rollout(found: _RankedPlay) -> PlayRollout:
    from gammond.engine.evaluation.results import is_on_scale

    estimate, behind = _make_estimate(found.evaluation), found.difference_to_best
    loss, error = (0.0, 0.0) if behind is None else (abs(behind.equity), behind.error)
    if not is_on_scale(loss, found.evaluation.mwc_per_point):
        loss = error = math.nan
    return PlayRollout(Play._wrap(found.play), estimate, loss, error)


def make_rollout(found: _RolloutResult) -> Rollout:
    """Make the result of a rollout."""
    from gammond.engine.rollout import CubeRollout

    results, ended = found.results, (found.trials, found.rollout.reason)
    if isinstance(results, list):
        plays = tuple(_make_play_rollout(each) for each in results)
        return Rollout(None, plays, None, None, *ended)
    if isinstance(results, CubeRollout):
        take = None if results.take is None else _make_estimate(results.take)
        decision = make_cube_decision(results.decision, None)
        return Rollout(_make_estimate(results.no_double), (), decision, take, *ended)
    return Rollout(_make_estimate(results), (), None, None, *ended)
