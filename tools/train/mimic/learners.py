"""The three ways in which a net learns to mimic, step by step, and what a run keeps of them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from nets.gengammon import UNITS, GengammonNet
from nets.kernels.gengammon import INPUTS
from tools.train.kernels.mimic import Packed
from tools.train.mimic.descending import Descender
from tools.train.mimic.evolving import Population
from tools.train.mimic.examples import Candidates
from tools.train.mimic.genes import net_of
from tools.train.mimic.packing import agreements, count_of, pack
from tools.train.mimic.playing_out import lead_over, own_positions, played_out
from tools.train.mimic.settings import MimicSettings

Record = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

_POSITIONS = 0
_DICE = 1
_LEAD_GAMES = 500


class Learner(Protocol):
    """A way of learning: so many steps, each of which changes the net.

    Attributes:
        unit: What a step is called, in the log too.
        total: How many there are.
        interval: So many steps lie between checkpoints.
        done: How many are done.
        net: The net after them.
    """

    unit: str
    total: int
    interval: int

    @property
    def done(self) -> int:
        """How many steps are done."""
        ...

    @property
    def net(self) -> GengammonNet:
        """The net after them."""
        ...

    def advance(self) -> Record:
        """Do a step, and tell about it."""
        ...

    def arrays(self) -> Arrays:
        """The state from which it goes on."""
        ...

    def go_on_from(self, arrays: Arrays) -> None:
        """Take back what `arrays` gave.

        Raises:
            DataFileError: An array is missing, or has another shape.
        """
        ...


class Genetic:
    """Generations of a genetic algorithm.

    Args:
        settings: Of the run.
        packed: Expert moves to learn from.
        threads: How many work on it; the result is the same.
    """

    unit = "generation"

    def __init__(self, settings: MimicSettings, packed: Packed, threads: int) -> None:
        self.total = settings.generations
        self.interval = settings.validate_every
        self._settings = settings
        self._packed = packed
        self._threads = threads
        self._population = Population(settings, settings.seed)
        self._net = net_of(self._population.genes[0], settings.activation)

    @property
    def done(self) -> int:
        """Generations that were judged."""
        return self._population.generation

    @property
    def net(self) -> GengammonNet:
        """The fittest net of the last generation that was judged."""
        return self._net

    def advance(self) -> Record:
        """Judge a generation and make the next one, as `Learner.advance`."""
        judged = self._population.advance(self._packed, self._threads)
        self._net = judged.best
        moves = self._settings.sample or count_of(self._packed)
        return {
            "fitness": judged.agreement.fitness,
            "mean_fitness": judged.mean_fitness,
            "first": judged.agreement.first,
            "judged": len(self._population.genes) * min(moves, count_of(self._packed)),
        }

    def arrays(self) -> Arrays:
        """The population, as `Learner.arrays`."""
        return {"genes": self._population.genes, "generation": np.array(self.done)}

    def go_on_from(self, arrays: Arrays) -> None:
        """Go on from a population, as `Learner.go_on_from`."""
        self._population = _population(self._settings, arrays)


class Backprop:
    """Epochs of backpropagation; arguments as those of `Genetic`."""

    unit = "epoch"
    interval = 1

    def __init__(self, settings: MimicSettings, packed: Packed, threads: int) -> None:
        self.total = settings.epochs
        self._settings = settings
        self._packed = packed
        self._threads = threads
        self._descender = Descender(settings)

    @property
    def done(self) -> int:
        """Epochs that are done."""
        return self._descender.epoch

    @property
    def net(self) -> GengammonNet:
        """The net after them."""
        return self._descender.net

    def advance(self) -> Record:
        """Go through the moves once, as `Learner.advance`."""
        loss = self._descender.learn(self._packed, self._threads)
        every = np.arange(count_of(self._packed))
        (found,) = agreements(self._packed, [self.net], self._settings.fitness, every, 1)
        return {"loss": loss, "fitness": found.fitness, "first": found.first, "judged": len(every)}

    def arrays(self) -> Arrays:
        """Weights and moments, as `Learner.arrays`."""
        return {**self._descender.arrays(), "epoch": np.array(self.done)}

    def go_on_from(self, arrays: Arrays) -> None:
        """Take weights and moments back, as `Learner.go_on_from`."""
        self._descender.go_on_from(_number(arrays, "epoch"), arrays)


class Play:
    """Rounds of data made by the net's own play, each followed by generations of the genetic algorithm.

    Args:
        settings: Of the run.
        threads: How many work on it; the result is the same.
    """

    unit = "round"
    interval = 1

    def __init__(self, settings: MimicSettings, threads: int) -> None:
        self.total = settings.rounds
        self._settings = settings
        self._threads = threads
        self._done = 0
        self._genes = Population(settings, settings.seed).genes
        self._net = net_of(self._genes[0], settings.activation)

    @property
    def done(self) -> int:
        """Rounds that are done."""
        return self._done

    @property
    def net(self) -> GengammonNet:
        """The fittest net of the last generation of the last round."""
        return self._net

    def advance(self) -> Record:
        """Make data and learn from them, as `Learner.advance`."""
        settings, before = self._settings, self._net
        boards, plays = self._made()
        aside = max(1, round(settings.unseen * len(boards)))
        unseen, learned = _part(boards, plays, 0, aside), _part(boards, plays, aside, len(boards))
        population = Population(settings, settings.seed + self._done, self._genes)
        for _ in range(settings.round_generations):
            judged = population.advance(learned, self._threads)
        self._genes, self._net, self._done = population.genes, judged.best, self._done + 1
        (apart,) = agreements(unseen, [self._net], settings.fitness, np.arange(aside), 1)
        lead, lead_error = lead_over(self._net, before, _LEAD_GAMES, 1)
        return {
            "fitness": judged.agreement.fitness,
            "mean_fitness": judged.mean_fitness,
            "first": judged.agreement.first,
            "own_unseen_first": apart.first,
            "lead": lead,
            "lead_error": lead_error,
            "judged": settings.round_generations
            * len(self._genes)
            * min(settings.sample or count_of(learned), count_of(learned)),
        }

    def arrays(self) -> Arrays:
        """The population and its fittest net, as `Learner.arrays`."""
        return {"genes": self._genes, "weights": self._net.weights, "round": np.array(self._done)}

    def go_on_from(self, arrays: Arrays) -> None:
        """Go on from a population, as `Learner.go_on_from`."""
        self._genes = _genes(self._settings, arrays)
        self._net = GengammonNet(_array(arrays, "weights", (UNITS, INPUTS)), self._settings.activation)
        self._done = _number(arrays, "round")

    def _made(self) -> tuple[NDArray[np.int8], Candidates]:
        """Positions of the net's games, and the plays that were best when they were played out."""
        settings = self._settings
        generator = np.random.default_rng([settings.seed, _POSITIONS, self._done])
        boards, dice = own_positions(self._net, settings.positions, generator)
        seed = int(np.random.default_rng([settings.seed, _DICE, self._done]).integers(2**32))
        return boards, played_out(self._net, boards, dice, settings.trials, seed, self._threads)


def _part(boards: NDArray[np.int8], plays: Candidates, first: int, last: int) -> Packed:
    """Pack a stretch of positions and their plays."""
    begin, end = plays.offsets[first], plays.offsets[last]
    offsets, chosen = plays.offsets[first : last + 1] - begin, plays.chosen[first:last] - begin
    return pack(boards[first:last], Candidates(plays.boards[begin:end], offsets, chosen))


def _population(settings: MimicSettings, arrays: Arrays) -> Population:
    genes, generation = _genes(settings, arrays), _number(arrays, "generation")
    return Population(settings, settings.seed, genes, generation)


def _genes(settings: MimicSettings, arrays: Arrays) -> NDArray[np.int32]:
    return _array(arrays, "genes", (settings.population, UNITS * INPUTS)).astype(np.int32)


def _number(arrays: Arrays, name: str) -> int:
    return int(_array(arrays, name, ()))


def _array(arrays: Arrays, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of a checkpoint.

    Raises:
        DataFileError: It is missing, or has another shape.
    """
    if name not in arrays or arrays[name].shape != shape:
        found = list(arrays[name].shape) if name in arrays else "nothing"
        raise DataFileError(f"a checkpoint of this run has {name} of shape {list(shape)}, not {found}")
    return arrays[name]
