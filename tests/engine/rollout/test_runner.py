import contextlib
import itertools
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import CancelledWork, StateError, ValueRangeError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, TrialCubes, roll_out
from gammond.engine.rollout.trials import BATCH_S, MAX_ROWS, adapt_batches
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from tests.engine.rollout.racing import BEAROFF, CONTACT, EVALUATOR, EVALUATORS, RACE
from tests.support import boards
from tests.support.evaluators import RacingEvaluator, RandomEvaluator

CANDIDATES = [play.result for play in legal_plays(CONTACT, (3, 1))][:5]


@pytest.fixture(scope="module")
def table():
    return build_two_sided(6, 3, threads=1)


def _same(scores, others):
    return len(scores) == len(others) and all(map(np.array_equal, scores, others))


def test_threads_change_no_number():
    settings = RolloutSettings(trials=250, truncation=5, min_trials=108)
    alone = roll_out(CANDIDATES, EVALUATORS, settings)
    for threads in (2, 8):
        shared = roll_out(CANDIDATES, EVALUATORS, replace(settings, threads=threads))
        assert _same(shared.state.scores, alone.state.scores)
        assert (shared.reason, shared.survivors) == (alone.reason, alone.survivors)
        for one in range(len(CANDIDATES)):
            assert shared.state.estimate(one) == alone.state.estimate(one)


def test_an_exact_policy_finds_the_exact_value(table):
    exact = float(table.evaluate(BEAROFF.board[None])[0, 0])
    evaluators = RolloutEvaluators(EvaluatorPruner(table), table)
    plain = roll_out(
        [BEAROFF], evaluators, RolloutSettings(trials=2592, variance_reduction=False)
    ).state.estimate()
    assert abs(plain.outcome.win - exact) < 3.5 * plain.outcome_errors.win
    assert 0 < plain.outcome_errors.win < 0.02
    assert plain.outcome[1:] == (0, 0, 0, 0)


def test_with_an_exact_evaluator_of_luck_nothing_is_left_to_luck(table):
    exact = float(table.evaluate(BEAROFF.board[None])[0, 0])
    evaluators = RolloutEvaluators(EvaluatorPruner(table), table)
    reduced = roll_out([BEAROFF], evaluators, RolloutSettings(trials=72)).state.estimate()
    assert reduced.outcome.win == pytest.approx(exact, abs=1e-6)
    assert reduced.outcome_errors.win < 1e-6


def test_a_rollout_is_extended_to_what_it_would_have_been():
    settings = RolloutSettings(trials=324, truncation=5, min_trials=108)
    starts = [*(play.result for play in legal_plays(RACE, (2, 1))), boards.position({1: 1}, {24: 9})]
    whole = roll_out(starts, EVALUATORS, settings)
    half = roll_out(starts, EVALUATORS, replace(settings, trials=130))
    rest = roll_out(starts, EVALUATORS, settings, resume=half.state)
    assert half.state.count_trials(whole.survivors[0]) == 130
    assert min(map(len, half.state.scores)) == 108  # given up before, and not taken up again
    assert _same(rest.state.scores, whole.state.scores)
    assert (rest.reason, rest.survivors) == (whole.reason, whole.survivors)


@pytest.mark.parametrize("threads", [1, 3])
def test_where_the_work_is_cut_and_by_how_many_threads_ends_no_rule_elsewhere(monkeypatch, threads):
    monkeypatch.setattr(
        "gammond.engine.rollout.stop_rules._CHECKS_IN_DOUBLING", 1
    )  # moments: 108, 216, 432, 864 ...
    settings = RolloutSettings(trials=3000, variance_reduction=False, stop_error=1e-9, min_trials=2)
    error = roll_out([RACE], EVALUATORS, replace(settings, trials=432)).state.estimate().error
    settings = replace(settings, stop_error=error * 1.0001, threads=threads)
    whole = roll_out([RACE], EVALUATORS, settings)
    assert (whole.reason, whole.state.count_trials()) == ("error", 432)
    for cut in (100, 216, 431):
        part = roll_out([RACE], EVALUATORS, replace(settings, trials=cut, stop_error=0.0)).state
        rest = roll_out([RACE], EVALUATORS, settings, resume=part)
        assert rest.reason == "error"
        assert np.array_equal(rest.state.scores[0], whole.state.scores[0])


def test_a_state_keeps_its_estimates_and_no_room_for_trials_that_never_came():
    seen = []
    stopped = roll_out(
        [RACE],
        EVALUATORS,
        RolloutSettings(trials=100_000, truncation=1),
        progress=seen.append,
        cancelled=lambda: len(seen) > 3,
    )
    (scores,) = stopped.state.scores
    assert stopped.reason == "stopped"
    assert scores.base is None or scores.base.nbytes == scores.nbytes
    for state in seen:
        assert np.array_equal(state.scores[0], scores[: state.count_trials()])


def test_pruned_candidates_catch_up_though_another_rule_may_stop_them():
    settings = RolloutSettings(trials=216, truncation=4, min_trials=108, stop_jsd=0.0)
    whole = roll_out(CANDIDATES, EVALUATORS, settings).state
    scores = tuple(each[:108] if one in (1, 3) else each for one, each in enumerate(whole.scores))
    pruned = replace(whole, scores=scores)
    strict = replace(settings, stop_error=1e-5)
    resumed = roll_out(CANDIDATES, EVALUATORS, strict, resume=pruned)
    assert _same(resumed.state.scores, whole.scores)
    loose = replace(settings, trials=324, stop_error=1.0)
    stopped = roll_out(CANDIDATES, EVALUATORS, loose, resume=pruned)
    assert (stopped.reason, stopped.survivors) == ("error", (0, 1, 2, 3, 4))
    assert _same(stopped.state.scores, whole.scores)


def test_a_rollout_that_has_all_its_trials_comes_back_as_it_is():
    done = roll_out([RACE], EVALUATORS, RolloutSettings(trials=100))
    again = roll_out([RACE], EVALUATORS, RolloutSettings(trials=100), resume=done.state)
    assert again.state is done.state
    assert again.reason == "trials"


def test_fewer_trials_than_there_are_cannot_be_asked_for():
    done = roll_out([RACE], EVALUATORS, RolloutSettings(trials=100))
    with pytest.raises(
        ValueRangeError, match="expected 100 trials or more, as the saved rollout has, got 50"
    ) as refusal:
        roll_out([RACE], EVALUATORS, RolloutSettings(trials=50), resume=done.state)
    assert refusal.value.field == "trials"


@pytest.mark.parametrize(
    ("starts", "evaluators", "changed", "name"),
    [
        ([RACE], EVALUATORS, {"seed": 1}, "seed"),
        ([RACE], EVALUATORS, {"truncation": 3}, "truncation"),
        ([RACE], EVALUATORS, {"variance_reduction": False}, "variance"),
        ([CONTACT], EVALUATORS, {}, "other positions"),
        ([RACE], RolloutEvaluators(EVALUATORS.policy, RandomEvaluator(1)), {}, "evaluators"),
    ],
)
def test_a_state_of_another_rollout_is_refused(starts, evaluators, changed, name):
    done = roll_out([RACE], EVALUATORS, RolloutSettings(trials=36))
    with pytest.raises(StateError, match=name) as refusal:
        roll_out(starts, evaluators, RolloutSettings(trials=72, **changed), resume=done.state)
    assert refusal.value.field == "state"


def test_a_state_of_other_cubes_is_refused():
    done = roll_out([RACE], EVALUATORS, RolloutSettings(trials=36))
    with pytest.raises(StateError, match="other cubes"):
        roll_out([RACE], EVALUATORS, cubes=TrialCubes(np.array([1], np.int8), np.ones(1)), resume=done.state)


def test_one_candidate_left_ends_the_rollout():
    lost, open_race = boards.position({1: 1}, {24: 9}), RACE
    rollout = roll_out([lost, open_race], EVALUATORS, RolloutSettings(min_trials=100))
    assert rollout.reason == "jsd"
    assert rollout.survivors == (1,)
    assert rollout.state.count_trials(0) == rollout.state.count_trials(1) == 108


def test_candidates_without_a_difference_are_not_pruned():
    rollout = roll_out([RACE, RACE], EVALUATORS, RolloutSettings(trials=216, min_trials=108))
    assert rollout.reason == "trials"
    difference = rollout.state.estimate_difference(0, 1)
    assert (difference.equity, difference.error, difference.jsds) == (0, 0, 0)


def test_a_small_standard_error_ends_the_rollout():
    rollout = roll_out(
        [RACE], EVALUATORS, RolloutSettings(stop_error=0.05, min_trials=36, variance_reduction=False)
    )
    assert rollout.reason == "error"
    estimate = rollout.state.estimate()
    assert estimate.trials % 108 == 0
    assert estimate.error <= 0.05
    before = rollout.state.scores[0][:-108]
    equities = 2 * before[:, 0] - 1
    assert equities.std(ddof=1) / np.sqrt(len(equities)) > 0.05


def test_progress_is_reported_with_the_numbers_so_far_first_of_a_single_trial():
    seen = []
    rollout = roll_out([RACE], EVALUATORS, RolloutSettings(trials=500), progress=seen.append)
    counts = [state.count_trials() for state in seen]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (1, 500)
    assert counts[1] <= 13
    assert seen[0].estimate().trials == 1
    assert seen[-1] is rollout.state


def test_a_stop_keeps_the_trials_that_are_complete():
    stop = threading.Event()
    settings = RolloutSettings(trials=100_000, threads=2)
    rollout = roll_out([CONTACT], EVALUATORS, settings, progress=lambda _: stop.set(), cancelled=stop.is_set)
    assert rollout.reason == "stopped"
    trials = rollout.state.count_trials()
    assert 1 <= trials < 100_000
    assert _same(
        rollout.state.scores, roll_out([CONTACT], EVALUATORS, RolloutSettings(trials=trials)).state.scores
    )


def test_a_stop_before_any_trial_leaves_nothing():
    with pytest.raises(CancelledWork):
        roll_out([CONTACT], EVALUATORS, cancelled=lambda: True)


def test_a_rollout_that_looks_ahead_stops_soon():
    stop = threading.Event()
    stopped_s = []

    def press() -> None:
        stopped_s.append(time.process_time())
        stop.set()

    evaluators = make_rollout_evaluators(Engine(EVALUATOR), 2, 2, cancelled=stop.is_set)
    roll_out([BEAROFF], evaluators, RolloutSettings(trials=1, truncation=1))  # compiles what that takes
    threading.Timer(0.3, press).start()
    with contextlib.suppress(CancelledWork):
        roll_out([Position.start()], evaluators, RolloutSettings(trials=1000), cancelled=stop.is_set)
    assert time.process_time() - stopped_s[0] < 5  # of all threads, whatever else the machine does


def test_there_are_signs_of_life_while_no_trial_is_complete(monkeypatch):
    monkeypatch.setattr("gammond.engine.rollout.runner.HEARTBEAT_S", 0.01)
    seen = []
    stop = threading.Event()

    def progress(state) -> None:
        seen.append(state.count_trials())
        if len(seen) == 3:
            stop.set()

    evaluators = make_rollout_evaluators(Engine(EVALUATOR), 3, cancelled=stop.is_set)
    with pytest.raises(CancelledWork):
        roll_out([Position.start()], evaluators, progress=progress, cancelled=stop.is_set)
    assert seen[:3] == [0, 0, 0]


def test_a_fault_of_an_evaluator_comes_out_and_ends_the_work():
    class Broken(RacingEvaluator):
        def evaluate(self, positions):
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        roll_out([RACE], RolloutEvaluators(EVALUATORS.policy, Broken()), RolloutSettings(threads=2))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rollout")]


def test_nothing_to_roll_out_is_refused():
    with pytest.raises(ValueRangeError) as refusal:
        roll_out([], EVALUATORS)
    assert refusal.value.field == "position"


@pytest.mark.parametrize(
    "wrong",
    [
        {"trials": 0},
        {"trials": 1_000_001},
        {"trials": True},
        {"seed": -1},
        {"truncation": -1},
        {"stop_error": float("nan")},
        {"stop_jsd": float("inf")},
        {"min_trials": 1},
        {"threads": 0},
    ],
)
def test_impossible_settings_are_refused_by_name(wrong):
    with pytest.raises(ValueRangeError) as refusal:
        RolloutSettings(**wrong)
    assert [refusal.value.field] == list(wrong)
    assert str(next(iter(wrong.values()))) in refusal.value.message


def test_slow_rows_make_small_batches():
    sizes = []
    for rows in itertools.islice(adapt_batches(lambda: False), 5):
        sizes.append(rows)
        time.sleep(rows * BATCH_S / 4)
    assert max(sizes[1:]) <= 4


def test_fast_rows_make_large_batches():
    assert max(itertools.islice(adapt_batches(lambda: False), 10)) == MAX_ROWS


def test_stopping_is_asked_about_before_each_batch():
    with pytest.raises(CancelledWork):
        next(adapt_batches(lambda: True))
    done = []
    with pytest.raises(CancelledWork):
        done.extend(adapt_batches(iter([False, True]).__next__))
    assert len(done) <= 1
