from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from gammond.engine.cubeful import CUBELESS_GAME, make_cube_game
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.settings import MAX_TRIALS
from gammond.engine.rollout.stop_rules import (
    CHECK_TRIALS,
    REASONS,
    STOP_RULES,
    apply_rules,
    check_interval,
    describe_end,
    is_check_trial,
    next_check_trial,
)
from gammond.engine.rules.match import MatchState
from tests.engine.rollout.racing import make_state

SETTINGS = RolloutSettings(min_trials=108)
MONEY = make_cube_game(MatchState())


def _cube_state(held, taken, spread, trials=216):
    """A state whose values without a double and after a take have given means, and spreads of their own."""
    noise = np.tile([1.0, -1.0], trials // 2) * spread
    values = held + noise, taken + np.roll(np.repeat(noise[:2], trials // 2), 1)
    scores = (np.column_stack([np.zeros((trials, 5)), each]) for each in values)
    return make_state(*scores, scoring=MONEY.name)


@pytest.mark.parametrize(
    ("held", "taken", "stops"),
    [
        (0.1, 0.5, True),  # double, take
        (0.45, 0.5, False),  # double or not?
        (0.5, 0.98, False),  # take or pass?
        (0.5, 1.5, True),  # double, pass
        (0.98, 1.5, False),  # double or play on?
        (1.4, 1.5, True),  # too good, by far: what a take is worth does not matter
        (0.5, -0.5, True),  # no double
    ],
)
def test_a_cube_rollout_stops_when_neither_decision_is_in_doubt(held, taken, stops):
    _, reason = apply_rules(_cube_state(held, taken, 0.4), [0, 1], SETTINGS, MONEY, is_cube=True)
    assert (reason == "jsd") == stops


def test_a_decision_can_be_rolled_out_without_pruning():
    """The second start is far behind the first, the third is not."""
    equities = np.array([[0.0], [0.5], [0.001]]) + np.tile([0.1, -0.1], 54)
    scores = [np.column_stack([(each + 1) / 2, *np.zeros((4, 108))]) for each in equities]
    state, game = make_state(*scores[:2], np.roll(scores[2], 1, axis=0)), CUBELESS_GAME
    assert apply_rules(state, [0, 1, 2], SETTINGS, game) == ([0, 2], None)
    assert apply_rules(state, [0, 1, 2], SETTINGS, game, prunes=False) == ([0, 1, 2], None)
    assert apply_rules(state, [0, 1], SETTINGS, game, prunes=False) == ([0, 1], "jsd")


def test_a_cube_rollout_stops_by_standard_error_too():
    settings = RolloutSettings(min_trials=108, stop_jsd=0.0, stop_error=0.05)
    for spread, reason in ((0.4, "error"), (4.0, None)):
        assert apply_rules(_cube_state(0.5, 0.98, spread), [0, 1], settings, MONEY, is_cube=True)[1] == reason


@pytest.mark.parametrize(
    ("trials", "variance_reduction", "reason"),
    [(108, True, "error"), (108, False, None), (1080, False, "error")],
)
def test_games_that_all_came_out_alike_are_not_known_without_error(trials, variance_reduction, reason):
    """108 games won out of 108: one in a hundred may still be lost."""
    scores = np.column_stack([np.ones(trials), np.zeros((trials, 4))])
    state = make_state(scores, variance_reduction=variance_reduction)
    settings = RolloutSettings(min_trials=108, stop_error=0.001)
    assert apply_rules(state, [0], settings, CUBELESS_GAME) == ([0], reason)


@pytest.mark.parametrize("name", STOP_RULES)
def test_a_rule_has_its_setting_its_option_and_its_words(name):
    rule = STOP_RULES[name]
    settings = replace(SETTINGS, **{name: rule.field.bounds.high})
    assert name == rule.field.name == f"stop_{rule.reason}"
    assert getattr(RolloutSettings(), name) == rule.field.default
    assert settings.with_options({name: None}) == settings == SETTINGS.with_options(vars(settings))
    assert REASONS[rule.reason] == rule.summary
    for is_cube in (False, True):
        assert f"{rule.field.bounds.high:g}" in describe_end(rule.reason, settings, is_cube=is_cube)


def test_each_rule_has_a_word_of_its_own():
    assert len(REASONS) == len(STOP_RULES) + 2
    assert [describe_end(word, SETTINGS, is_cube=False) for word in ("trials", "stopped")] == ["", ""]


@pytest.mark.parametrize(
    ("trials", "kept"),
    [(36, ([0, 1], None)), (107, ([0, 1], None)), (108, ([0], "jsd")), (110, ([0, 1], None))],
)
def test_at_its_moment_a_rule_keeps_the_candidate_with_the_least_equity_for_the_next_mover(trials, kept):
    scores = np.zeros((trials, 5))
    better = scores.copy()
    better[:, 0] = 1
    assert apply_rules(make_state(scores, better), [0, 1], SETTINGS, CUBELESS_GAME) == kept


def test_moments_of_the_rules_are_multiples_of_108_ever_further_apart():
    moments = [0]
    while moments[-1] < MAX_TRIALS:
        moments.append(next_check_trial(moments[-1]))
    gaps = np.diff(moments)
    assert set(gaps[np.array(moments[1:]) <= 6912]) == {CHECK_TRIALS}
    assert all(gap in (before, 2 * before) for before, gap in pairwise(gaps))
    assert all(gap <= max(CHECK_TRIALS, moment / 32) for moment, gap in zip(moments[:-1], gaps, strict=True))
    assert sum(moments) <= 64 * moments[-1]


@pytest.mark.parametrize("trials", [0, 1, 107, 108, 6911, 6912, 6913, 20_000, 500_001])
def test_the_next_moment_is_the_same_from_wherever_the_work_was_cut(trials):
    step = next(
        after for after in range(trials + 1, trials + MAX_TRIALS) if after % check_interval(after) == 0
    )
    assert next_check_trial(trials) == step
    assert is_check_trial(step, SETTINGS)
    assert not any(is_check_trial(between, SETTINGS) for between in range(max(trials + 1, 108), step))
