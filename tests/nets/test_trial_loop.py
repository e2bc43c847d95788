"""The compiled loop of rollout trials against the same trials step by step."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.rollout_evaluators import make_rollout_evaluators
from engine.bearoff.one_sided import build_one_sided
from engine.bearoff.two_sided import build_two_sided
from engine.cubeful import CubeEfficiencies, EfficiencyFormula, build_cube_state_space
from engine.errors import CancelledWork, LimitError
from engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from engine.rollout import CubefulScoring, RolloutEvaluators, RolloutSettings, TrialCubes, TrialScoring
from engine.rollout.trials import find_loop, play_trials
from engine.rules.match import MatchState
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES
from nets.catalogue import load_engine
from nets.pruning_net import PruningNet
from nets.router import ContactClassNets, Router
from tests import boards
from tests.nets.bare_nets import random_net
from tests.nets.kernels.test_packed_nets import random_compiled_net

START = STANDARD_RULES.starting_position
CONTACT = boards.position({25: 1, 20: 2, 6: 3, 4: 2}, {2: 2, 7: 1, 19: 4, 21: 3})
RACE = boards.position({6: 5, 5: 3, 4: 3, 8: 2, 10: 2}, {19: 5, 20: 3, 21: 3, 17: 2, 15: 2})
ENDING = boards.position({1: 2, 3: 2}, {24: 3, 22: 1})
OVER = boards.position({}, {24: 3})

MONEY = MatchState(jacoby=True)
MATCH = MatchState(length=7, score=(2, 5))
CRAWFORD = MatchState(length=5, score=(4, 2), crawford=True)


@functools.cache
def make_evaluators(size=8, *, ends=False, width=12):
    """Make evaluators with random nets; databases of few checkers end trials."""
    two_sided = build_two_sided(4, 3, threads=1)
    exact = (two_sided, build_one_sided(4, 5, threads=1))
    contact = ContactClassNets(
        "classes",
        dict(
            zip(
                ("loose", "holding", "containing", "mutual"),
                (random_compiled_net("tesauro196", (width,), seed) for seed in range(4)),
                strict=True,
            )
        ),
    )
    router = Router("router", contact, race=random_compiled_net("tesauro196", (width,), 9), exact=exact)
    pruner = PruningNet("pruner", random_net(1, width), random_net(2, width))
    policy = pruner if size == 1 else ShortlistPruner(pruner, router, size, 0.3)
    return RolloutEvaluators(policy, router, exact=exact if ends else (), exact_cubeful=(two_sided,))


@functools.cache
def make_scorings():
    """Make scorings without a cube, for money and matches, with the first double before or after the roll."""
    money, match, crawford = (build_cube_state_space(each) for each in (MONEY, MATCH, CRAWFORD))
    return {
        "cubeless": TrialScoring(),
        "money": CubefulScoring(money),
        "money, may double": CubefulScoring(money.opponent_view, may_double_at_start=True),
        "match, may double": CubefulScoring(match.opponent_view, may_double_at_start=True),
        "dead cube": CubefulScoring(crawford),
        "efficiencies": CubefulScoring(
            money, efficiencies=CubeEfficiencies.make_equal(EfficiencyFormula(contact=0.3))
        ),
    }


class _WithoutLoop:
    """An evaluator without its compiled form."""

    plies = 0

    def __init__(self, evaluator) -> None:
        self.name, self.evaluate = evaluator.name, evaluator.evaluate


def play(
    evaluators,
    settings,
    scoring,
    starts=(START, CONTACT, RACE, ENDING, OVER),
    trials=range(5, 8),
    cubes=None,
):
    """Play trials by the compiled loop, and step by step."""
    assert has_loop(evaluators, settings, scoring)
    in_steps = replace(evaluators, luck=_WithoutLoop(evaluators.luck_evaluator))
    assert not has_loop(in_steps, settings, scoring)
    stacked = np.stack([start.board for start in starts])
    found, expected = (
        play_trials(stacked, trials, settings, each, scoring, lambda: False, cubes)
        for each in (evaluators, in_steps)
    )
    return found, expected


def has_loop(evaluators, settings, scoring):
    return find_loop(evaluators, scoring.make_rules(settings)) is not None


@pytest.mark.parametrize("scoring", make_scorings())
@pytest.mark.parametrize(
    "settings",
    [
        RolloutSettings(seed=1),
        RolloutSettings(seed=2, variance_reduction=False),
        RolloutSettings(seed=3, truncation=5),
        RolloutSettings(seed=4, truncation=4, variance_reduction=False),
    ],
    ids=str,
)
def test_scores_are_those_of_playing_step_by_step(settings, scoring):
    several = [make_evaluators(), make_evaluators(ends=True)]
    if scoring == "cubeless":
        several.append(make_evaluators(1))  # who chooses the plays alone knows no cube
    for evaluators in several:
        found, expected = play(evaluators, settings, make_scorings()[scoring])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.nojit
@pytest.mark.parametrize("scoring", ["cubeless", "money, may double", "match, may double"])
@pytest.mark.parametrize("variance_reduction", [True, False])
def test_a_few_scores_are_those_of_playing_step_by_step(variance_reduction, scoring):
    settings = RolloutSettings(truncation=2, variance_reduction=variance_reduction)
    found, expected = play(
        make_evaluators(3, ends=True, width=3),
        settings,
        make_scorings()[scoring],
        starts=(CONTACT, ENDING, OVER),
        trials=range(1),
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_repeated_positions_with_different_cubes_are_scored_apart():
    evaluators, scoring = make_evaluators(), make_scorings()["money"]
    cubes = TrialCubes(np.array([0, 1, 2, 0], np.int8), np.array([1.0, 2.0, 2.0, 4.0]))
    found, expected = play(evaluators, RolloutSettings(), scoring, [CONTACT] * 4, range(12), cubes)
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(found[0], found[1])


def test_a_trial_depends_on_no_other():
    evaluators = make_evaluators()
    scoring = make_scorings()["match, may double"]

    def scores_of(starts, trials):
        stacked = np.stack([start.board for start in starts])
        return play_trials(stacked, trials, RolloutSettings(), evaluators, scoring, lambda: False)

    whole = scores_of([RACE, CONTACT, START], range(60))
    for number, start in enumerate((RACE, CONTACT, START)):
        np.testing.assert_array_equal(scores_of([start], range(17, 18))[0], whole[number, 17:18])


def test_the_shipped_engine_rolls_out_by_the_loop():
    engine = load_engine()
    found, expected = play(
        make_rollout_evaluators(engine),
        RolloutSettings(),
        make_scorings()["money"],
        (CONTACT, RACE),
        range(4),
    )
    np.testing.assert_array_equal(found, expected)


def test_evaluators_that_look_ahead_are_asked_step_by_step():
    engine, scorings = load_engine(), make_scorings()
    cubeless, money = scorings["cubeless"], scorings["money"]
    truncated, full = RolloutSettings(truncation=7), RolloutSettings()
    assert not has_loop(make_rollout_evaluators(engine, play_plies=1), full, cubeless)
    leaves = make_rollout_evaluators(engine, leaf_plies=1)
    assert has_loop(leaves, full, money)
    assert not has_loop(leaves, truncated, cubeless)
    cubes = make_rollout_evaluators(engine, cube_plies=1)
    assert has_loop(cubes, truncated, cubeless)
    assert not has_loop(cubes, full, money)


def test_other_evaluators_have_no_loop():
    evaluators, scoring, settings = make_evaluators(), TrialScoring(), RolloutSettings()
    other = boards.RandomEvaluator(1)
    assert has_loop(evaluators, settings, scoring)
    assert not has_loop(replace(evaluators, policy=EvaluatorPruner(other)), settings, scoring)
    assert not has_loop(replace(evaluators, luck=other), settings, scoring)
    assert not has_loop(replace(evaluators, exact=(other,)), settings, scoring)
    apart = replace(evaluators, luck_policy=EvaluatorPruner(other))
    assert not has_loop(apart, settings, scoring)
    assert has_loop(apart, RolloutSettings(variance_reduction=False), scoring)


def test_playing_stops_when_cancelled():
    evaluators = make_evaluators()
    with pytest.raises(CancelledWork):
        play_trials(
            START.board[None],
            range(360),
            RolloutSettings(),
            evaluators,
            TrialScoring(),
            iter([False] * 3 + [True]).__next__,
        )


def test_a_trial_that_never_ends_is_an_error(monkeypatch):
    monkeypatch.setattr("engine.rollout.trials.MAX_TURNS", 32)
    evaluators = make_evaluators()
    settings = RolloutSettings(variance_reduction=False)
    with pytest.raises(LimitError, match="over 32 turns"):
        play_trials(
            Position.start().board[None], range(4), settings, evaluators, TrialScoring(), lambda: False
        )
