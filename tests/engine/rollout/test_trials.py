import numpy as np
import pytest

from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.errors import CancelledWork, LimitError
from gammond.engine.evaluation.pruning import EvaluatorPruner, Replies
from gammond.engine.rollout.settings import RolloutEvaluators, RolloutSettings
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.position import Position
from tests.engine.rollout.racing import CONTACT, EVALUATOR, EVALUATORS, RACE, SHUT_OUT
from tests.engine.search.naive_search import CountingPruner
from tests.support import boards, naive_rollout
from tests.support.evaluators import FixedEvaluator, RandomEvaluator

START = Position.start()


def _play(starts, trials, settings=None, evaluators=EVALUATORS, cancelled=lambda: False):
    stacked = np.stack([start.board for start in starts])
    block = TrialBlock(stacked, trials, settings or RolloutSettings(), CUBELESS_GAME)
    return block.play(evaluators, cancelled)[0]


@pytest.mark.parametrize(
    ("start", "trials", "settings"),
    [
        (RACE, range(30), RolloutSettings(variance_reduction=False)),
        (RACE, range(40, 48), RolloutSettings(seed=1)),
        (CONTACT, range(8), RolloutSettings(variance_reduction=False, seed=2)),
        (CONTACT, range(6), RolloutSettings(truncation=4, seed=3)),
        (CONTACT, range(6), RolloutSettings(truncation=3, seed=3)),
        (START, range(6), RolloutSettings(truncation=3, variance_reduction=False)),
        (START, range(1300, 1303), RolloutSettings(truncation=2)),
        (SHUT_OUT, range(4), RolloutSettings(truncation=6)),
    ],
)
def test_trials_are_those_played_by_hand(start, trials, settings):
    found = _play([start], trials, settings)[0]
    for trial, scores in zip(trials, found, strict=True):
        expected = naive_rollout.trial_outcome(start, trial, EVALUATOR, settings)
        assert scores == pytest.approx(expected, abs=1e-6)


def test_trials_end_where_an_exact_evaluator_knows_the_position():
    exact = build_two_sided(6, 2, threads=1)
    evaluators = RolloutEvaluators(EvaluatorPruner(EVALUATOR), EVALUATOR, exact=(exact,))
    for settings in (RolloutSettings(), RolloutSettings(variance_reduction=False)):
        found = _play([RACE], range(12), settings, evaluators)[0]
        for trial, scores in enumerate(found):
            expected = naive_rollout.trial_outcome(RACE, trial, EVALUATOR, settings, exact)
            assert scores == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("variance_reduction", [True, False])
def test_a_trial_depends_on_no_other(variance_reduction):
    settings = RolloutSettings(variance_reduction=variance_reduction, truncation=9)
    whole = _play([RACE, CONTACT, START], range(60), settings)
    for number, start in enumerate((RACE, CONTACT, START)):
        assert np.array_equal(_play([start], range(17, 18), settings)[0], whole[number, 17:18])
    assert np.array_equal(_play([START, RACE], range(30, 60), settings), whole[[2, 0], 30:])


def test_a_finished_position_counts_as_it_ended():
    lost_gammon = boards.position({24: 15}, {})
    won = boards.position({}, {24: 3})
    scores = _play([lost_gammon, won], range(3))
    assert scores[0].tolist() == [[0, 0, 0, 1, 1]] * 3
    assert scores[1].tolist() == [[1, 0, 0, 0, 0]] * 3


def test_repeated_positions_are_played_once():
    pruner = CountingPruner(EVALUATOR)
    evaluators = RolloutEvaluators(pruner, EVALUATOR)
    _play([START], range(1296), RolloutSettings(truncation=1, variance_reduction=False), evaluators)
    assert sum(pruner.batches) == 21


def test_luck_can_be_measured_by_others_than_those_who_play():
    plain = _play([CONTACT], range(40), RolloutSettings(variance_reduction=False, truncation=5))
    constant, random = FixedEvaluator(*[0.25] * 5), EvaluatorPruner(RandomEvaluator(1))
    lenient = RolloutEvaluators(EVALUATORS.policy, EVALUATOR, constant, random)
    found = _play([CONTACT], range(40), RolloutSettings(truncation=5), lenient)
    assert found == pytest.approx(plain, abs=1e-6)


class _Idler:
    """Finds replies that move nothing."""

    name = "idler"

    def prune_plays(self, positions, dice, keep, margin):
        children = np.ascontiguousarray(positions[:, ::-1])
        offsets = np.arange(len(positions) + 1)
        return Replies(
            children, np.zeros((len(positions), 8), np.int8), np.zeros(len(positions), np.float32), offsets
        )


def test_a_trial_that_never_ends_is_an_error(monkeypatch):
    monkeypatch.setattr("gammond.engine.rollout.trials.MAX_TURNS", 300)
    settings = RolloutSettings(variance_reduction=False)
    with pytest.raises(LimitError, match="over 300 turns"):
        _play([START], range(2), settings, RolloutEvaluators(_Idler(), EVALUATOR))


def test_playing_stops_when_cancelled():
    with pytest.raises(CancelledWork):
        _play([START], range(36), cancelled=iter([False] * 5 + [True]).__next__)
