"""The genetic algorithm: generations of nets that are selected by how well they agree with experts.

A generation's dice depend on the seed and its number alone, so a run that goes on from its last population
comes out as one that was never stopped.

A gene is ``int32[26 * 52]``, the weights of a net as whole numbers, so that single bits can be changed: those
numbers times `WEIGHT_STEP` are evenly spaced from -8 to 8, and any 32 bits are a weight. Initial weights are
between -1/4 and 1/4.

*Source:* the description of the GenGammon project (`docs/lab/history/1-gengammon.md`), which does not
give the form of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.nets.heritage.gengammon.kernels import INPUTS
from gammond.nets.heritage.gengammon.net import HIDDEN_UNITS, GengammonNet
from gammond.tools.heritage.gengammon.agreement import ExpertAgreement, count_moves, measure_agreements
from gammond.tools.heritage.gengammon.kernels.mimic import PackedMoves
from gammond.tools.heritage.gengammon.settings import MimicSettings

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


Mutation = Callable[[Gene, int, np.random.Generator], Gene]
Crossover = Callable[[Gene, Gene, np.random.Generator], Gene]

_MUTATIONS: dict[str, Mutation] = {"swap": mutate_by_swaps, "bit": mutate_by_bits}
_CROSSOVERS: dict[str, Crossover] = {"weights": cross_by_weights, "bits": cross_by_bits}
_FIRST = 0
_NEXT = 1


@dataclass(frozen=True)
class GenerationResult:
    """The measurement of a generation.

    Attributes:
        best: The fittest net.
        agreement: Of the fittest net with the experts.
        mean_fitness: Of all nets.
    """

    best: GengammonNet
    agreement: ExpertAgreement
    mean_fitness: float


class Population:
    """Genes that develop from generation to generation.

    Args:
        settings: Of the run.
        seed: Seed of all random numbers.
        genes: ``int32[population, WEIGHTS_PER_GENE]`` to start from; random if None.
        generation: Number of generations before.
    """

    def __init__(
        self,
        settings: MimicSettings,
        seed: int,
        genes: Gene | None = None,
        generation: int = 0,
    ) -> None:
        self._settings = settings
        self.generation = generation
        self._seed = seed
        started = make_random_genes(settings.population, np.random.default_rng([seed, _FIRST]))
        self.genes: Gene = started if genes is None else genes

    def evolve(self, packed: PackedMoves, threads: int) -> GenerationResult:
        """Measure the present generation, and replace it by its offspring."""
        generator = np.random.default_rng([self._seed, _NEXT, self.generation])
        moves = draw_sample(count_moves(packed), self._settings.sample, generator)
        nets = [decode_net(gene, self._settings.activation) for gene in self.genes]
        agreements = measure_agreements(packed, nets, self._settings.fitness, moves, threads)
        fitness = np.array([each.fitness for each in agreements])
        order = np.argsort(-fitness, kind="stable")
        best = int(order[0])
        result = GenerationResult(nets[best], agreements[best], float(fitness.mean()))
        self.genes = self._breed(order, float(fitness[best]), generator)
        self.generation += 1
        return result

    def _breed(self, order: NDArray[np.int64], fitness: float, generator: np.random.Generator) -> Gene:
        """Return the next generation: the elite first, the fittest, of this fitness, at the front."""
        settings = self._settings
        size = len(self.genes)
        kept = min(round(settings.elite * size), size - 1)
        crossed = _CROSSOVERS[self._choose_crossover(fitness)]
        parents = order[generator.integers(0, size, (size - kept, 2, settings.contest)).min(axis=2)]
        is_mutated = generator.random(size - kept) < settings.mutation_share
        offspring = [self.genes[place] for place in order[:kept]]
        for (first, second), mutated in zip(parents, is_mutated, strict=True):
            gene = crossed(self.genes[first], self.genes[second], generator)
            if mutated:
                gene = _MUTATIONS[settings.mutation](gene, settings.mutations, generator)
            offspring.append(gene)
        return np.stack(offspring)

    def _choose_crossover(self, fitness: float) -> str:
        if self._settings.crossover != "alternating":
            return self._settings.crossover
        if fitness < self._settings.alternate_from:
            return "weights"
        return ("weights", "bits")[self.generation // self._settings.alternate_every % 2]


def draw_sample(count: int, sample: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Draw a number of expert moves, in order; all if the number is 0 or there are no more."""
    if not 0 < sample < count:
        return np.arange(count)
    return np.sort(generator.choice(count, sample, replace=False))
