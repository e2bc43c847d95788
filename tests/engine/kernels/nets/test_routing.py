"""Classes of positions, and their outcomes, against the same in NumPy."""

import numpy as np
import pytest

from gammond.engine.evaluation.leaves import open_question
from gammond.engine.kernels.nets import routing as kernel_routing
from gammond.engine.rules.outcome import evaluate_finished
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.compiled_net import pack_nets
from gammond.nets.manifest import CONTACT_CLASSES
from tests.engine.kernels.nets.test_packed_nets import random_compiled_net
from tests.support import boards, naive


def _sample(count):
    finished = [
        boards.position(x={}, o={19: 3}),
        boards.position(x={25: 2, 4: 8}, o={}),
        boards.position(x={19: 15}, o={}),
        boards.position(x={18: 15}, o={}),
        boards.position(x={}, o={7: 15}),
        boards.position(x={}, o={6: 15}),
        boards.position(x={}, o={0: 1, 24: 14}),
    ]
    return np.concatenate([np.stack([one.board for one in finished]), boards.random_boards(count, seed=5)])


@pytest.mark.nojit
def test_classes_are_phases_and_contact_classes():
    sample = _sample(300)
    classes = np.empty(len(sample), np.int8)
    races = kernel_routing.classify_positions(sample, classes)
    phases = classify_phases(sample)
    assert races == (phases == Phase.RACE).sum()
    assert len(CONTACT_CLASSES) == kernel_routing.CONTACT_CLASSES
    back = sample[:, :, 19:].sum(axis=2) >= 2
    expected = len(CONTACT_CLASSES) * phases + back @ [1, 2]
    np.testing.assert_array_equal(classes, np.where(phases == Phase.OVER, kernel_routing.FINISHED, expected))


@pytest.mark.nojit
def test_each_class_is_evaluated_by_its_net_and_the_known_are_left_alone():
    nets = [random_compiled_net("tesauro196", (6,), seed) for seed in range(4)]
    net_of_class = np.arange(kernel_routing.NET_CLASSES) % 4
    sample = _sample(40)
    classes = np.empty(len(sample), np.int8)
    kernel_routing.classify_positions(sample, classes)
    classes[9] = kernel_routing.KNOWN
    outcomes = np.full((len(sample), 5), 7.0, np.float32)
    question = open_question(lambda _: False, [nets[3].evaluate])
    numbers = np.where(net_of_class == 3, -1, net_of_class)
    arguments = question.cells, sample, classes, False, outcomes
    assert not kernel_routing.evaluate_classes(pack_nets(nets[:3]), numbers, *arguments)
    question.check()
    for i, class_ in enumerate(classes):
        one = sample[i : i + 1]
        if class_ == kernel_routing.KNOWN:
            expected = np.full((1, 5), 7.0)
        elif class_ == kernel_routing.FINISHED:
            expected = evaluate_finished(one)
        else:
            expected = naive.sanitise(nets[net_of_class[class_]].evaluate(one), one)
        np.testing.assert_array_equal(outcomes[i], expected[0])
