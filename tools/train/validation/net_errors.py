"""How far nets are from labels that have errors themselves.

Squared errors against labels are too large by the labels' own, the square of the standard error of each; so
these are subtracted. They are the same for all nets, and drop out of differences. Standard errors come from
the spread over positions; those of ratios by the delta method, position by position, since what makes one net
err often makes another err too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.statistics import ValueWithError, mean_with_error, ratio_with_error, sqrt_with_error

_Values = NDArray[np.floating]


@dataclass(frozen=True)
class NetErrorStats:
    """How far a net is from labels, in points of cubeless equity.

    Attributes:
        net: What it was called.
        raw_rmse: Root of the mean squared difference from the labels, whose own errors are in it.
        rmse: The same with the labels' mean squared error subtracted; 0 where that is the greater.
        bias: Mean of net less label: positive where the net thinks too well of the side on roll.
        ratio: Of `rmse` to that of the first net; 1 for itself.
        mse_difference: Mean squared error less that of the first net, in squared points; 0 for itself.
    """

    net: str
    raw_rmse: float
    rmse: ValueWithError
    bias: ValueWithError
    ratio: ValueWithError
    mse_difference: ValueWithError


def compute_net_errors(
    equities: Mapping[str, _Values], labels: _Values, label_errors: _Values
) -> tuple[NetErrorStats, ...]:
    """Compare nets with labels and with the first net.

    Args:
        equities: By net what it says of each position, ``[n]`` in points.
        labels: What the positions are worth, ``[n]``.
        label_errors: Standard errors of the labels, ``[n]``.

    Returns:
        One for each net, in their order.
    """
    noise = np.square(label_errors, dtype=np.float64)
    differences = {net: values.astype(np.float64) - labels for net, values in equities.items()}
    squares = {net: np.square(values) - noise for net, values in differences.items()}
    first = next(iter(squares.values()))
    return tuple(
        NetErrorStats(
            net,
            math.sqrt(float(np.square(values).mean())),
            sqrt_with_error(mean_with_error(squares[net])),
            mean_with_error(values),
            sqrt_with_error(ratio_with_error(squares[net], first)),
            mean_with_error(squares[net] - first),
        )
        for net, values in differences.items()
    )


def rms(values: _Values) -> float:
    """Root of the mean square."""
    return math.sqrt(float(np.square(values, dtype=np.float64).mean()))
