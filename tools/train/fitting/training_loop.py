"""Labels in fitting: split, shuffled, encoded batch by batch, and compared with a net."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.seeded_random import BoardHasher, to_integers_below
from gammond.nets.encoders import get_encoder
from gammond.tools.train.fitting.torch_fitter import OUTPUT_WEIGHTS, Fitter
from gammond.tools.train.labels.shards import Labels
from gammond.tools.train.weights.layers import LayeredNet

_EVALUATION_BATCH = 4096
_SPLIT_PARTS = 1_000_000


@dataclass(frozen=True)
class FitMetrics:
    """How far a net is from labels.

    Attributes:
        loss: Mean weighted sum of squared errors, what the fit makes small.
        equity_rmse: Root mean square of the errors of equity, in points.
    """

    loss: float
    equity_rmse: float


def split_labels(labels: Labels, validation_share: float, seed: int) -> tuple[Labels, Labels]:
    """Set labels aside for validation; a position is on the same side whenever the seed is the same.

    Args:
        labels: All of them.
        validation_share: To set aside, 0 to 1.
        seed: Decides which.

    Returns:
        Those to learn from, and those set aside.
    """
    aside = to_integers_below(BoardHasher(seed).hash_boards(labels.boards), _SPLIT_PARTS) < round(
        validation_share * _SPLIT_PARTS
    )
    return labels.select(~aside), labels.select(aside)


def iterate_steps(
    fitter: Fitter,
    labels: Labels,
    steps: int,
    batch: int,
    rate: Callable[[float], float],
    generator: np.random.Generator,
) -> Iterator[float]:
    """Take steps on shuffled labels, starting over as often as they run out.

    Positions are encoded as they are needed: that costs a few hundredths of the step, and the inputs of
    millions of positions would not fit into memory.

    Args:
        fitter: What learns.
        labels: At least one.
        steps: How many.
        batch: Positions of each step, fewer where there are no more.
        rate: The learning rate by the share of the steps that is done.
        generator: Of the order.

    Yields:
        The loss of each step.
    """
    encode = get_encoder(fitter.encoder_id).encode
    size = min(batch, len(labels))
    order, at = generator.permutation(len(labels)), 0
    for step in range(steps):
        if at + size > len(order):
            order, at = generator.permutation(len(labels)), 0
        rows = order[at : at + size]
        at += size
        yield fitter.step(encode(labels.boards[rows]), labels.targets[rows], rate(step / steps))


def compute_fit_metrics(net: LayeredNet, labels: Labels) -> FitMetrics:
    """Compare a net with labels; nan where there are none."""
    encode = get_encoder(net.encoder_id).encode
    squares, points = 0.0, 0.0
    for start in range(0, len(labels), _EVALUATION_BATCH):
        rows = slice(start, start + _EVALUATION_BATCH)
        outcomes, targets = net.forward(encode(labels.boards[rows])), labels.targets[rows]
        squares += float((np.square(outcomes - targets) @ np.array(OUTPUT_WEIGHTS, np.float32)).sum())
        points += float(np.square(cubeless_equity(outcomes) - cubeless_equity(targets)).sum())
    count = len(labels) or math.nan
    return FitMetrics(squares / count, math.sqrt(points / count))


def cosine_rate(first: float, last: float, share: float) -> float:
    """Compute a rate that falls along half a cosine, by the share of the work that is done."""
    return last + (first - last) * 0.5 * (1.0 + math.cos(math.pi * min(share, 1.0)))


def halving_rate(first: float, last: float, share: float) -> float:
    """Compute a rate that falls by halves, in steps of equal length, and ends at the last."""
    drops = max(1, round(math.log2(first / last))) if last < first else 0
    done = min(int(share * (drops + 1)), drops)
    return first * (last / first) ** (done / drops) if drops else first


SCHEDULES: dict[str, Callable[[float, float, float], float]] = {"cosine": cosine_rate, "steps": halving_rate}
"""How a learning rate falls, by name: from the first and the last rate and the share of the work done."""
