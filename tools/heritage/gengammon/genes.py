"""Genes of the genetic algorithm: the weights of a net as whole numbers, so that single bits can be changed.

A gene is ``int32[26 * 52]``. Its weights are those numbers times `WEIGHT_STEP`: evenly spaced from -8 to 8,
and any 32 bits are a weight. Initial weights are between -1/4 and 1/4.

*Source:* the description of the GenGammon project (`docs/lab/history/1-gengammon.md`), which does not
give the form of the numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.nets.heritage.gengammon.kernels import INPUTS
from gammond.nets.heritage.gengammon.net import HIDDEN_UNITS, GengammonNet

Gene = NDArray[np.int32]

WEIGHTS_PER_GENE = HIDDEN_UNITS * INPUTS
"""Weights of a gene."""

WEIGHT_STEP = 2.0**-28
"""The weight of the number 1."""

_BITS = 32
_INITIAL_LIMIT = 2**26
"""The numbers of new genes are below this in absolute value."""


def make_random_genes(count: int, generator: np.random.Generator) -> Gene:
    """Make genes with random weights between -1/4 and 1/4: ``int32[count, WEIGHTS_PER_GENE]``."""
    return generator.integers(-_INITIAL_LIMIT, _INITIAL_LIMIT, (count, WEIGHTS_PER_GENE)).astype(np.int32)


def decode_net(gene: Gene, activation: str) -> GengammonNet:
    """Make the net of a gene."""
    return GengammonNet((gene * WEIGHT_STEP).astype(np.float32).reshape(HIDDEN_UNITS, INPUTS), activation)


def mutate_by_swaps(gene: Gene, swaps: int, generator: np.random.Generator) -> Gene:
    """Swap two random weights, a number of times."""
    changed = gene.copy()
    for first, second in generator.integers(0, WEIGHTS_PER_GENE, (swaps, 2)):
        changed[first], changed[second] = changed[second], changed[first]
    return changed


def mutate_by_bits(gene: Gene, bits: int, generator: np.random.Generator) -> Gene:
    """Change one bit of a random weight, a number of times."""
    changed = gene.copy()
    places = generator.integers(0, WEIGHTS_PER_GENE, bits)
    masks = (np.uint32(1) << generator.integers(0, _BITS, bits).astype(np.uint32)).view(np.int32)
    for place, mask in zip(places, masks, strict=True):
        changed[place] ^= mask
    return changed


def cross_by_weights(first: Gene, second: Gene, generator: np.random.Generator) -> Gene:
    """Take each weight from either parent with equal probability."""
    return np.where(generator.random(WEIGHTS_PER_GENE) < 0.5, first, second)


def cross_by_bits(first: Gene, second: Gene, generator: np.random.Generator) -> Gene:
    """Take each bit of each weight from either parent with equal probability."""
    from_first = generator.integers(-(2**31), 2**31, WEIGHTS_PER_GENE).astype(np.int32)
    crossed: Gene = (first & from_first) | (second & ~from_first)
    return crossed
