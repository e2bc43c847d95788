"""Nets of one hidden layer in matrix products: the slow twins of the sparse kernels."""

import numpy as np

from gammond.engine.rules.outcome import evaluate_finished
from gammond.engine.rules.position import Phase, classify_phases
from gammond.nets.encoders import encode_tesauro196


def random_net(seed, hidden, spread=0.3):
    """Make the weights of a net."""
    generator = np.random.default_rng(seed)
    shapes = (196, hidden), (hidden,), (5, hidden), (5,)
    return tuple(generator.normal(0, spread, shape).astype(np.float32) for shape in shapes)


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


def logits_of(net, sample):
    """Return a net's outputs for positions before the sigmoid, ``[n, 5]``."""
    w1, b1, w2, b2 = net
    return np.maximum(encode_tesauro196(sample) @ w1 + b1, 0) @ w2.T + b2


class BareNets:
    """An evaluator by two nets alone; finished positions are exact."""

    name = "bare"
    plies = 0

    def __init__(self, contact, race):
        self.nets = {True: race, False: contact}

    def evaluate(self, sample):
        result = np.empty((len(sample), 5), np.float32)
        phase = classify_phases(sample)
        over = phase == Phase.OVER
        result[over] = evaluate_finished(sample[over])
        for is_race, net in self.nets.items():
            rows = ~over & ((phase == Phase.RACE) == is_race)
            result[rows] = sigmoid(logits_of(net, sample[rows]))
        return result
