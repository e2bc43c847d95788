"""Nets with fewer hidden units: those that count least are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.nets.encoders import get_encoder
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.random_positions import sample_random_positions

_POSITIONS = 4096


def narrow_nets(nets: Mapping[str, LayeredNet], hidden: Sequence[int]) -> dict[str, LayeredNet]:
    """Leave out hidden units of layers that are wider than wanted, the same ones in all nets.

    A unit counts by how much its value varies between positions of random games, times its weights in the
    next layer, over all nets together. The average values of the units left out go into the next layer's
    biases. As all nets keep the same units, nets that share rows of weights still share them.

    Args:
        nets: Nets with the same hidden layers.
        hidden: Sizes of their hidden layers; layers that are not wider stay as they are.

    Returns:
        The nets, with the same keys.

    Raises:
        ValueRangeError: A layer would be narrowed, and the nets have different ones.
    """
    sizes = next(iter(nets.values())).hidden
    layers = [i for i, (wanted, size) in enumerate(zip(hidden, sizes, strict=False)) if wanted < size]
    if not layers:
        return dict(nets)
    if any(net.hidden != sizes for net in nets.values()):
        raise ValueRangeError("expected nets with the same hidden layers to narrow", field="hidden")
    boards = sample_random_positions(_POSITIONS, seed=1)
    inputs = {key: get_encoder(net.encoder_id).encode(boards) for key, net in nets.items()}
    for layer in layers:
        units = {key: net.run_hidden(inputs[key])[layer] for key, net in nets.items()}
        weights = [
            units[key].std(axis=0) * np.linalg.norm(net.layers[layer + 1][0], axis=1)
            for key, net in nets.items()
        ]
        kept = np.sort(np.argsort(np.sum(weights, axis=0))[sizes[layer] - hidden[layer] :])
        nets = {key: _keep_units(net, layer, kept, units[key].mean(axis=0)) for key, net in nets.items()}
    return dict(nets)


def _keep_units(
    net: LayeredNet, layer: int, kept: NDArray[np.int64], averages: NDArray[np.float32]
) -> LayeredNet:
    """Keep some units of a hidden layer; the averages of the others go into the next layer's biases."""
    (weights, bias), (next_weights, next_bias) = net.layers[layer : layer + 2]
    left_out = np.setdiff1d(np.arange(len(bias)), kept)
    layers = list(net.layers)
    layers[layer] = np.ascontiguousarray(weights[:, kept]), bias[kept]
    layers[layer + 1] = next_weights[kept], next_bias + averages[left_out] @ next_weights[left_out]
    return LayeredNet(net.encoder_id, tuple(layers))
