from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.cubeful import make_cube_game, make_dead_cube_game
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, TrialCubes, roll_out, roll_out_cube
from gammond.engine.rollout.results import VALUE_COLUMN
from gammond.engine.rollout.trials import TrialBlock, make_trial_rules
from gammond.engine.rules.match import MatchState
from tests.engine.rollout.racing import BEAROFF, CONTACT, EVALUATOR, EVALUATORS, RACE
from tests.support import boards, naive_rollout
from tests.support.evaluators import RacingEvaluator

GAMMONISH = boards.position({6: 2, 5: 2, 4: 3, 3: 3}, {1: 7, 12: 8})


class _SharpEvaluator(RacingEvaluator):
    """Confident racing evaluator with gammons, so that cubes are turned, passed and played on."""

    name = "sharp"

    def evaluate(self, positions):
        outcomes = super().evaluate(positions)
        win = 1 / (1 + np.exp(-6 * (outcomes[:, 0] - 0.5)))
        open_games = (positions[:, :, 0] < 15).all(axis=1)
        outcomes[open_games, 0] = win[open_games]
        can_win_gammon = open_games & (positions[:, 1, 0] == 0)
        outcomes[can_win_gammon, 1] = 0.4 * win[can_win_gammon]
        return outcomes.astype(np.float32)


SHARP = _SharpEvaluator()
SHARP_EVALUATORS = RolloutEvaluators(EvaluatorPruner(SHARP), SHARP)

MATCHES = [
    MatchState(),
    MatchState(beavers=False, jacoby=True),
    MatchState(cube=2, cube_owner=0, jacoby=True),
    MatchState(cube=2, cube_owner=1, on_roll=1),
    MatchState(length=5, score=(1, 3)),
    MatchState(length=5, score=(3, 1), cube=2, cube_owner=1),
    MatchState(length=7, score=(6, 4), on_roll=1),
    MatchState(length=7, score=(6, 4), crawford=True),
    MatchState(length=3, score=(2, 2)),
]


@pytest.fixture(scope="module")
def table():
    return build_two_sided(6, 3, threads=1)


@pytest.mark.parametrize("match", MATCHES, ids=str)
@pytest.mark.parametrize("start", [RACE, CONTACT, GAMMONISH], ids=["race", "contact", "gammonish"])
def test_trials_with_the_cube_are_those_played_by_hand(match, start):
    for number, settings in enumerate(
        (
            RolloutSettings(variance_reduction=False, seed=1),
            RolloutSettings(truncation=3, seed=2),
            RolloutSettings(truncation=6, variance_reduction=False, seed=3),
        )
    ):
        at_once = number == 1
        game = replace(make_cube_game(match), may_double_first=at_once)
        trials = range(3 if settings.variance_reduction else 8)
        (found,), _ = TrialBlock(start.board[None], trials, settings, game).play(SHARP_EVALUATORS)
        for trial in trials:
            expected = naive_rollout.cubeful_trial_value(
                start, trial, SHARP, settings, match, doubles_at_once=at_once
            )
            assert found[trial, VALUE_COLUMN] == pytest.approx(expected, abs=2e-5)


def test_cubes_are_doubled_passed_taken_and_beavered_in_these_trials():
    game = make_cube_game(MatchState())
    settings = RolloutSettings(variance_reduction=False)
    (scores,), _ = TrialBlock(CONTACT.board[None], range(400), settings, game).play(SHARP_EVALUATORS)
    points, outcome = scores[:, VALUE_COLUMN], scores[:, 0]
    assert ((outcome > 0) & (outcome < 1)).sum() > 5  # games that end with a pass
    assert {1.0, 2.0, -1.0, -2.0} <= set(points.tolist())
    assert np.abs(points).max() >= 4


def test_the_outcome_of_a_dead_cube_is_that_of_a_cubeless_rollout():
    game = make_cube_game(MatchState(length=7, score=(6, 4), crawford=True))
    settings = RolloutSettings(trials=72)
    cubeless = roll_out([RACE], EVALUATORS, settings).state.scores[0]
    with_dead_cube = roll_out([RACE], EVALUATORS, settings, game=game).state.scores[0]
    assert np.allclose(with_dead_cube[:, :5], cubeless, atol=1e-12)


@pytest.mark.parametrize("role", ["exact", "exact_cubeful"])
def test_an_exact_position_of_a_match_is_scored_by_its_exact_outcome(table, role):
    game = make_cube_game(MatchState(length=3, score=(2, 2)))
    evaluators = RolloutEvaluators(EvaluatorPruner(EVALUATOR), EVALUATOR, **{role: (table,)})
    estimate = roll_out([BEAROFF], evaluators, RolloutSettings(trials=36), game=game).state.estimate(0, game)
    win = float(table.evaluate(BEAROFF.board[None])[0, 0])
    assert estimate.equity == pytest.approx(2 * win - 1, abs=1e-6)


def test_an_exact_start_has_the_right_to_double_only_if_the_first_side_has(table):
    evaluators = RolloutEvaluators(EvaluatorPruner(table), table, exact=(table,))
    nearly_won = boards.position({3: 1, 1: 1}, {24: 1})
    held, doubled = (
        roll_out(
            [nearly_won],
            evaluators,
            RolloutSettings(trials=36),
            game=replace(make_cube_game(MatchState()), may_double_first=at_once),
        ).state.scores[0][0, VALUE_COLUMN]
        for at_once in (False, True)
    )
    assert doubled == 1 > held + 0.01


OWNERS = [(MatchState(), 0), (MatchState(cube=2, cube_owner=0), 1), (MatchState(cube=2, cube_owner=1), 2)]


@pytest.mark.parametrize(("match", "column"), OWNERS, ids=["centred", "own", "other"])
def test_a_money_game_ends_with_the_exact_value_of_its_cube(table, match, column):
    game = make_cube_game(match)
    evaluators = RolloutEvaluators(EvaluatorPruner(EVALUATOR), EVALUATOR, exact_cubeful=(table,))
    estimate = roll_out([BEAROFF], evaluators, RolloutSettings(trials=36), game=game).state.estimate(0, game)
    assert estimate.equity == pytest.approx(float(table.cubeful_equities(BEAROFF.board[None])[0, column]))
    assert estimate.outcome.win == pytest.approx(float(table.evaluate(BEAROFF.board[None])[0, 0]))
    assert estimate.error == 0


@pytest.mark.parametrize(("match", "column"), OWNERS, ids=["centred", "own", "other"])
def test_exact_ends_agree_with_the_exact_value_before_them(table, match, column):
    """From a little before the small table, with perfect plays, a rollout finds the large one's value."""
    large = build_two_sided(6, 5, threads=1)
    start = boards.position({6: 2, 5: 1, 2: 1}, {19: 2, 21: 1})
    game = make_cube_game(match)
    evaluators = RolloutEvaluators(EvaluatorPruner(large), large, exact_cubeful=(table,))
    estimate = roll_out([start], evaluators, RolloutSettings(trials=1296), game=game).state.estimate(0, game)
    exact = float(large.cubeful_equities(start.board[None])[0, column])
    assert estimate.equity == pytest.approx(exact, abs=3.5 * estimate.error + 0.002)


def test_a_match_with_a_live_cube_plays_on_where_only_the_chances_to_win_are_known():
    """With the table's outcomes at the end of trials the value of the cube would be that of a formula."""
    table = build_two_sided(3, 6, threads=1)
    start = boards.position({1: 2, 2: 2, 3: 2}, {22: 2, 23: 2, 24: 2})
    game = make_cube_game(MatchState(length=5, score=(1, 2)))
    settings = RolloutSettings(trials=324)
    found = [
        roll_out_cube(
            start, game, RolloutEvaluators(EvaluatorPruner(table), table, exact_cubeful=exact), settings
        )
        for exact in ((table,), ())
    ]
    assert found[0].take.equity == found[1].take.equity
    assert found[0].take.error > 0


@pytest.mark.parametrize(
    "match",
    [
        MatchState(length=5, score=(1, 2), cube=2, cube_owner=0),
        MatchState(length=5, score=(1, 2)),
        MatchState(length=5, score=(4, 2)),
        MatchState(length=5, score=(2, 4), on_roll=1),
    ],
)
def test_a_resting_cube_makes_of_an_outcome_what_the_match_makes_of_its_results(match):
    game = make_dead_cube_game(match)
    settings = RolloutSettings(trials=36, truncation=1)
    state = roll_out([CONTACT], SHARP_EVALUATORS, settings, game=game).state
    mean = state.scores[0].mean(axis=0)
    dead = game.evaluate(mean[None, :VALUE_COLUMN].astype(np.float32))[0]
    assert mean[VALUE_COLUMN] == pytest.approx(float(dead[0]), abs=1e-5)
    assert not make_trial_rules(game, settings).own.may_double.any()
    assert not make_trial_rules(game, settings).other.may_double.any()


@pytest.mark.parametrize("match", [MatchState(), MatchState(length=5, score=(1, 2))], ids=["money", "match"])
def test_starts_with_other_cubes_do_not_mix(match):
    game, settings = make_cube_game(match), RolloutSettings(truncation=3)
    cubes = TrialCubes(
        np.array([0, game.state_after_take], np.int8), np.array([1.0, game.arrays.stake_factor])
    )
    starts = np.stack([CONTACT.board] * 2)
    both, _ = TrialBlock(starts, range(36), settings, game, cubes).play(SHARP_EVALUATORS)
    for one in range(2):
        alone, _ = TrialBlock(starts[:1], range(36), settings, game, cubes[[one]]).play(SHARP_EVALUATORS)
        assert np.array_equal(both[one], alone[0])
    assert not np.array_equal(both[0], both[1])
