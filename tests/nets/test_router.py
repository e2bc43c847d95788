"""The router: every position to its evaluator, results in input order, the same whatever the batch."""

from __future__ import annotations

import numpy as np
import pytest

from engine.bearoff.one_sided import build_one_sided
from engine.bearoff.two_sided import build_two_sided
from engine.rules.outcome import evaluate_finished, sanitise_outcomes
from engine.rules.position import Phase, classify_phases
from nets.encoders import get_encoder
from nets.net_evaluator import NetEvaluator
from nets.onnx_model import OnnxModel
from nets.router import Router
from tests import boards
from tests.nets.kernels.test_packed_nets import random_compiled_net
from tests.nets.net_files import write_net


class _Marker:
    """An evaluator whose numbers show its own mark and the pips of the position, so that order shows."""

    plies = 0
    is_optimal = False

    def __init__(self, mark: float, known=None) -> None:
        self.name = str(mark)
        self.mark = mark
        self.asked = 0
        self._known = known

    def covers(self, positions):
        assert (classify_phases(positions) == Phase.RACE).all()
        return self._known(positions)

    def evaluate(self, positions):
        if self._known is not None:
            assert self._known(positions).all()
        self.asked += 1
        outcomes = np.zeros((len(positions), 5), np.float32)
        outcomes[:, 0] = self.mark + (positions[:, 0].astype(np.int64) @ np.arange(26)) / 10_000
        return outcomes


def _mixed_sample():
    finished = [boards.position(x={}, o={19: 3}), boards.position(x={25: 2, 4: 8}, o={})]
    races = [boards.position(x={point: 5}, o={25 - point: 4}) for point in range(1, 13)]
    sample = np.concatenate(
        [np.stack([one.board for one in finished + races]), boards.random_boards(400, seed=21)]
    )
    return sample[np.random.default_rng(22).permutation(len(sample))]


def _few_pips(positions):
    return (positions[:, :, 1:7].sum(axis=2) + positions[:, :, 0] == 15).all(axis=1)


def _no_pips(positions):
    return (positions[:, :, 1].astype(np.int64) + positions[:, :, 0] == 15).all(axis=1)


def test_each_position_goes_to_its_evaluator_and_comes_back_in_input_order():
    sample = _mixed_sample()
    first, second = _Marker(0.1, _no_pips), _Marker(0.2, _few_pips)
    race, crashed, contact = _Marker(0.3), _Marker(0.4), _Marker(0.5)
    outcomes = Router("all", contact, race, crashed, exact=(first, second)).evaluate(sample)
    seen = set()
    for board, outcome in zip(sample, outcomes, strict=True):
        one = board[None]
        phase = classify_phases(one)[0]
        if phase == Phase.OVER:
            expected = evaluate_finished(one)
        elif phase == Phase.RACE and _no_pips(one)[0]:
            expected = first.evaluate(one)
        elif phase == Phase.RACE and _few_pips(one)[0]:
            expected = second.evaluate(one)
        else:
            evaluator = {Phase.RACE: race, Phase.CRASHED: crashed, Phase.CONTACT: contact}[phase]
            expected = evaluator.evaluate(one)
        seen.add(round(float(expected[0, 0]), 1))
        assert np.array_equal(outcome, expected[0])
    assert seen >= {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0}


def test_the_contact_net_takes_the_phases_without_a_net_in_one_call():
    sample = _mixed_sample()
    contact = _Marker(0.5)
    outcomes = Router("one", contact).evaluate(sample)
    unfinished = classify_phases(sample) != Phase.OVER
    assert contact.asked == 1
    assert np.array_equal(outcomes[unfinished], contact.evaluate(sample[unfinished]))


def test_evaluators_without_positions_are_not_asked():
    contact, race = _Marker(0.5), _Marker(0.3)
    starts = np.repeat(boards.position(x={24: 15}, o={2: 15}).board[None], 20, axis=0)
    Router("two", contact, race).evaluate(starts)
    assert (contact.asked, race.asked) == (1, 0)


class _Wild:
    """A net that gives impossible numbers."""

    name = "wild"
    plies = 0

    def evaluate(self, positions):
        return np.tile(np.array([1.2, 0.9, 1.0, 0.8, -0.3], np.float32), (len(positions), 1))


def test_outputs_of_nets_are_made_possible():
    sample = _mixed_sample()
    outcomes = Router("wild", _Wild()).evaluate(sample)
    assert np.array_equal(outcomes, sanitise_outcomes(outcomes, sample))
    assert outcomes.max() <= 1
    assert outcomes.min() >= 0


def test_no_positions_give_no_outcomes():
    assert Router("none", _Wild()).evaluate(np.empty((0, 2, 26), np.int8)).shape == (0, 5)


@pytest.mark.parametrize("rows", [1, 15, 100])
def test_outcomes_are_the_same_bytes_whatever_the_batch_and_the_order(tmp_path, rows):

    nets = [
        NetEvaluator(f"net{seed}", get_encoder("tesauro196"), OnnxModel("net", file.read_bytes(), 196, 5))
        for seed in range(2)
        for file in [write_net(tmp_path / f"{seed}.onnx", (196, 128, 5), seed=seed)]
    ]
    router = Router("nets", *nets)
    sample = np.concatenate([_mixed_sample(), boards.random_boards(900, seed=23)])
    whole = router.evaluate(sample)
    parts = [router.evaluate(sample[start : start + rows]) for start in range(0, len(sample), rows)]
    order = np.random.default_rng(24).permutation(len(sample))
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    assert router.evaluate(sample[order]).tobytes() == whole[order].tobytes()


class _Unknown:
    """A bearoff table that the router cannot hand to a kernel."""

    def __init__(self, table) -> None:
        self.covers, self.evaluate, self.is_optimal = table.covers, table.evaluate, table.is_optimal


def test_bearoff_tables_in_a_kernel_answer_as_when_they_are_asked_one_by_one():
    tables = build_two_sided(4, 3), build_one_sided(6, 6)
    net = random_compiled_net("tesauro196", (6,), 1)
    in_kernel, one_by_one = (
        Router("test", net, exact=exact) for exact in (tables, [_Unknown(table) for table in tables])
    )
    assert in_kernel.bearoff
    assert one_by_one.bearoff is None
    few = boards.random_boards(300, seed=23)
    few[:, :, 7:] = 0
    few[:, :, 1:7] //= 2
    few[:, :, 0] = 15 - few[:, :, 1:].sum(axis=2)
    sample = np.concatenate([_mixed_sample(), few])
    assert tables[0].covers(few).sum() > 3
    assert (tables[1].covers(few) & ~tables[0].covers(few)).sum() > 3
    np.testing.assert_array_equal(in_kernel.evaluate(sample), one_by_one.evaluate(sample))
