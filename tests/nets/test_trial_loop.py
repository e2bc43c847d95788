"""The compiled loop of rollout trials against the same trials step by step."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.cubeful import CUBELESS_GAME, CubeEfficiencies, EfficiencyFormula, make_cube_game
from gammond.engine.errors import CancelledWork, LimitError
from gammond.engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, TrialCubes
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.nets.catalogue import load_engine
from gammond.nets.compiled_net import PruningNet
from gammond.nets.router import Router
from tests.engine.kernels.nets.test_packed_nets import random_compiled_net
from tests.engine.rollout import stepped_trials
from tests.engine.search.naive_search import SmoothEvaluator
from tests.nets.bare_nets import random_net
from tests.nets.stand_ins import Asked
from tests.support import boards

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
    contact = [random_compiled_net("tesauro196", (width,), seed) for seed in range(4)]
    router = Router("router", contact, race=random_compiled_net("tesauro196", (width,), 9), exact=exact)
    pruner = PruningNet("pruner", random_net(1, width), random_net(2, width))
    policy = pruner if size == 1 else ShortlistPruner(pruner, router, size, 0.3)
    return RolloutEvaluators(policy, router, exact=exact if ends else (), exact_cubeful=(two_sided,))


@functools.cache
def make_games():
    """Make games without a cube, for money and matches, with the first double before or after the roll."""
    money, match, crawford = (make_cube_game(each) for each in (MONEY, MATCH, CRAWFORD))
    return {
        "cubeless": CUBELESS_GAME,
        "money": money,
        "money, may double": money.other,
        "match, may double": match.other,
        "dead cube": crawford,
        "efficiencies": make_cube_game(
            MONEY, efficiencies=CubeEfficiencies.make_equal(EfficiencyFormula(contact=0.3))
        ),
    }


def ask(evaluators):
    """The same evaluators, of which the loop has nothing."""
    return replace(
        evaluators,
        policy=Asked(evaluators.policy),
        leaf=Asked(evaluators.leaf),
        luck=Asked(evaluators.luck_evaluator),
        cube=Asked(evaluators.cube_evaluator),
        luck_policy=evaluators.luck_policy and Asked(evaluators.luck_policy),
    )


def make_engine():
    evaluators = make_evaluators()
    return Engine(evaluators.leaf, evaluators.policy.pruner, policy=evaluators.policy)


def play(
    evaluators,
    settings,
    game,
    starts=(START, CONTACT, RACE, ENDING, OVER),
    trials=range(5, 7),
    cubes=None,
):
    """Play trials by the compiled loop, with nets and with all of it asked, and step by step."""
    stacked = np.stack([start.board for start in starts])
    found, asked = (
        TrialBlock(stacked, trials, settings, game, cubes).play(each)[0]
        for each in (evaluators, ask(evaluators))
    )
    np.testing.assert_array_equal(found, asked)
    return found, stepped_trials.play_trials(stacked, trials, settings, evaluators, game, cubes)


@pytest.mark.parametrize("game", make_games())
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
def test_scores_are_those_of_playing_step_by_step(settings, game):
    several = [make_evaluators(), make_evaluators(ends=True)]
    if game == "cubeless":
        several.append(make_evaluators(1))  # who chooses the plays alone knows no cube
    for evaluators in several:
        found, expected = play(evaluators, settings, make_games()[game])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.nojit
@pytest.mark.parametrize("game", ["cubeless", "money, may double", "match, may double"])
@pytest.mark.parametrize("variance_reduction", [True, False])
def test_a_few_scores_are_those_of_playing_step_by_step(variance_reduction, game):
    settings = RolloutSettings(truncation=2, variance_reduction=variance_reduction)
    found, expected = play(
        make_evaluators(3, ends=True, width=3),
        settings,
        make_games()[game],
        starts=(CONTACT, ENDING, OVER),
        trials=range(1),
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_repeated_positions_with_different_cubes_are_scored_apart():
    evaluators, game = make_evaluators(), make_games()["money"]
    cubes = TrialCubes(np.array([0, 1, 2, 0], np.int8), np.array([1.0, 2.0, 2.0, 4.0]))
    found, expected = play(evaluators, RolloutSettings(), game, [CONTACT] * 4, range(12), cubes)
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(found[0], found[1])


def test_a_trial_depends_on_no_other():
    evaluators = make_evaluators()
    game = make_games()["match, may double"]

    def scores_of(starts, trials):
        stacked = np.stack([start.board for start in starts])
        return TrialBlock(stacked, trials, RolloutSettings(), game).play(evaluators)[0]

    whole = scores_of([RACE, CONTACT, START], range(60))
    for number, start in enumerate((RACE, CONTACT, START)):
        np.testing.assert_array_equal(scores_of([start], range(17, 18))[0], whole[number, 17:18])


def test_the_shipped_engine_rolls_out_by_the_loop():
    engine = load_engine()
    found, expected = play(
        make_rollout_evaluators(engine),
        RolloutSettings(),
        make_games()["money"],
        (CONTACT, RACE),
        range(4),
    )
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("game", ["cubeless", "match, may double"])
@pytest.mark.parametrize("settings", [RolloutSettings(truncation=3), RolloutSettings(truncation=4, seed=2)])
def test_evaluators_that_look_ahead_play_measure_luck_apart_and_turn_the_cube(settings, game):
    engine = make_engine()
    evaluators = make_rollout_evaluators(engine, plies=1, leaf_plies=1)
    assert evaluators.effective_luck_policy is not evaluators.policy
    found, expected = play(evaluators, settings, make_games()[game], trials=range(2))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("game", ["cubeless", "money"])
def test_luck_is_that_of_its_own_policy_and_its_own_evaluator(game):
    evaluators, other = make_evaluators(), SmoothEvaluator(knows_the_end=True)
    for changed in (
        replace(evaluators, luck=other),
        replace(evaluators, luck=other, luck_policy=make_evaluators(1).policy),
        replace(evaluators, luck_policy=EvaluatorPruner(other), leaf=other),
        replace(evaluators, policy=EvaluatorPruner(other), cube=other),
    ):
        found, expected = play(changed, RolloutSettings(truncation=4), make_games()[game])
        np.testing.assert_array_equal(found, expected)


def test_a_long_list_of_plays_is_kept():
    evaluators = make_evaluators()
    policy = ShortlistPruner(evaluators.policy.pruner, evaluators.leaf, 60, 9.0)
    settings = RolloutSettings(truncation=2)
    found, expected = play(replace(evaluators, policy=policy), settings, CUBELESS_GAME, trials=range(1))
    np.testing.assert_array_equal(found, expected)


def test_playing_stops_when_cancelled():
    evaluators = make_evaluators()
    with pytest.raises(CancelledWork):
        TrialBlock(START.board[None], range(360), RolloutSettings(), CUBELESS_GAME).play(
            evaluators, iter([False] * 3 + [True]).__next__
        )


def test_a_trial_that_never_ends_is_an_error(monkeypatch):
    monkeypatch.setattr("gammond.engine.rollout.trials.MAX_TURNS", 32)
    evaluators = make_evaluators()
    settings = RolloutSettings(variance_reduction=False)
    with pytest.raises(LimitError, match="over 32 turns"):
        TrialBlock(Position.start().board[None], range(4), settings, CUBELESS_GAME).play(evaluators)
