"""Statistics of decisions, against sums made by hand."""

import statistics
from dataclasses import replace
from unittest.mock import ANY

import pytest

from gammond.engine.match_analysis.decision_errors import (
    Choice,
    CountedDecision,
    GamePhase,
    ScaledPoints,
    classify_loss,
)
from gammond.engine.match_analysis.statistics import (
    AnalysedRoll,
    ErrorTotal,
    RatingTotal,
    compute_by_phase,
    compute_statistics,
)


def decide(seat, choice, error=0.0, *, xg=True, gnubg=True, worth=0.125):
    return CountedDecision(seat, choice, ScaledPoints(error, worth), xg, gnubg, True, GamePhase.CONTACT)


def roll(seat, luck, worth):
    return AnalysedRoll(seat, ScaledPoints(luck, worth), 0)


DECISIONS = [
    decide(0, Choice.PLAY, 0.125),
    decide(0, Choice.PLAY, xg=False),
    decide(0, Choice.PLAY, xg=False, gnubg=False),
    decide(0, Choice.NO_DOUBLE, 0.03125),
    decide(0, Choice.DOUBLE, 0.0625),
    decide(0, Choice.TAKE, 0.25),
    decide(0, Choice.PASS, 0.5),
    decide(0, Choice.PASS),
    decide(1, Choice.PLAY, 1.0),
    decide(1, Choice.TAKE, 2.0),
]


def test_errors_are_added_up_by_kind():
    found = compute_statistics(0, DECISIONS)
    assert found.plays == ErrorTotal(1, 0.125, 0.015625)
    assert found.doublings == ErrorTotal(2, 0.09375, 0.09375 / 8)
    assert found.responses == ErrorTotal(3, 0.75, 0.09375)
    assert found.total == ErrorTotal(8, 0.96875, 0.96875 / 8)
    assert found.missed_doubles == ErrorTotal(1, 0.03125, 0.03125 / 8)
    assert found.wrong_doubles == ErrorTotal(1, 0.0625, 0.0625 / 8)
    assert found.wrong_takes == ErrorTotal(1, 0.25, 0.25 / 8)
    assert found.wrong_passes == ErrorTotal(1, 0.5, 0.5 / 8)
    assert (found.errors, found.blunders) == (5, 3)
    assert found.counted_decisions == 6


def test_each_rate_is_on_the_scale_of_its_program():
    found = compute_statistics(0, DECISIONS)
    assert found.performance_rating == pytest.approx(500 * 0.96875 / 6)
    assert found.gnubg_error_rate == pytest.approx(1000 * 0.96875 / 7)
    assert found.snowie_error_rate == pytest.approx(1000 * 0.96875 / 4)


def test_the_interval_is_that_of_a_mean():
    spread = statistics.stdev([0.125, 0.03125, 0.0625, 0.25, 0.5, 0.0])
    assert compute_statistics(0, DECISIONS).performance_rating_95 == pytest.approx(
        1.96 * 500 * spread / 6**0.5
    )


def test_a_match_is_split_by_phase():
    bearoff = [replace(each, phase=GamePhase.BEAROFF) for each in DECISIONS[4:]]
    rolls = [roll(0, 0.5, 0.125)]
    found = compute_by_phase([*DECISIONS[:4], *bearoff], rolls)
    assert found.players == (compute_statistics(0, DECISIONS, rolls), compute_statistics(1, DECISIONS, rolls))
    assert list(found.phases) == [GamePhase.CONTACT, GamePhase.BEAROFF]
    for phase, chosen in ((GamePhase.CONTACT, DECISIONS[:4]), (GamePhase.BEAROFF, bearoff)):
        assert found.phases[phase] == (compute_statistics(0, chosen), compute_statistics(1, chosen))


def test_luck_is_of_the_own_rolls_in_points_and_chances():
    rolls = [roll(0, 0.5, 0.125), roll(0, -0.25, 0.5), roll(1, 3.0, 0.125)]
    found = compute_statistics(0, [], rolls)
    assert (found.luck_points, found.luck_mwc) == (0.25, 0.0625 - 0.125)


def test_money_play_has_no_match_winning_chances():
    found = compute_statistics(0, [decide(0, Choice.PLAY, 0.5, worth=None)], [roll(0, 1.0, None)])
    assert found.total == ErrorTotal(1, 0.5, None)
    assert found.luck_mwc is None


def test_without_decisions_there_are_no_rates():
    found = compute_statistics(0, [])
    assert (found.performance_rating, found.performance_rating_95) == (None, None)
    assert (found.gnubg_error_rate, found.snowie_error_rate) == (None, None)


@pytest.mark.parametrize(
    ("points", "word"), [(0.0194, ""), (0.0196, "error"), (0.0794, "error"), (0.0796, "blunder")]
)
def test_a_loss_is_called_by_what_is_shown_of_it(points, word):
    assert classify_loss(points) == word


def test_rating_totals_of_parts_add_up_to_the_statistics_of_the_whole():
    whole = compute_statistics(0, DECISIONS)

    total = RatingTotal.add_up(0, DECISIONS[:4]) + RatingTotal.add_up(0, DECISIONS[4:])

    assert total.counted == whole.counted_decisions == 6
    assert total.performance_rating == pytest.approx(whole.performance_rating)
    assert total.performance_rating_95 == pytest.approx(whole.performance_rating_95)
    assert RatingTotal().performance_rating is None
    assert RatingTotal.add_up(0, DECISIONS[:1]).performance_rating_95 is None


def test_errors_without_a_scale_count_for_no_rate_and_in_winning_chances():
    tiny = decide(0, Choice.TAKE, 5000.0, worth=1e-6)
    huge = decide(0, Choice.PLAY, 100.0, worth=1e-3)
    found = compute_statistics(0, [*DECISIONS, tiny, huge])
    assert replace(
        found, total=ErrorTotal(8, 0.96875, 0.96875 / 8), errors=5, blunders=3, unscaled=0, wrong_takes=ANY
    ) == replace(compute_statistics(0, DECISIONS), wrong_takes=ANY)
    assert found.unscaled == 2
    assert found.total == ErrorTotal(10, 0.96875, pytest.approx(0.96875 / 8 + 0.005 + 0.1))
    assert (found.errors, found.blunders) == (6, 4)  # at double match point .01 and .2


def test_without_any_error_on_a_scale_there_is_no_rate():
    found = compute_statistics(0, [decide(0, Choice.PLAY, 3.0, worth=0.0)], [roll(0, 0.5, 0.0)])
    rates = found.performance_rating, found.performance_rating_95, found.gnubg_error_rate
    assert {*rates, found.snowie_error_rate, found.luck_points, found.total.error_points} == {None}
    assert (found.unscaled, found.luck_mwc, found.counted_decisions) == (1, 0.0, 0)


def test_money_play_always_has_a_scale():
    assert compute_statistics(0, [decide(0, Choice.PLAY, 20.0, worth=None)]).performance_rating == 10_000
