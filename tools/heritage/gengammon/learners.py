"""The three ways in which a net learns to mimic, step by step, and what a run keeps of them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from nets.heritage.gengammon.kernels.net import INPUTS
from nets.heritage.gengammon.net import HIDDEN_UNITS, GengammonNet
from tools.heritage.gengammon.backprop import BackpropTrainer
from tools.heritage.gengammon.dataset import CandidatePlays
from tools.heritage.gengammon.genes import decode_net
from tools.heritage.gengammon.genetic_algorithm import Population
from tools.heritage.gengammon.kernels.mimic import PackedMoves
from tools.heritage.gengammon.packed_moves import count_moves, measure_agreements, pack_moves
from tools.heritage.gengammon.playouts import find_best_by_playouts, measure_lead, sample_own_positions
from tools.heritage.gengammon.settings import MimicSettings

StepRecord = dict[str, Any]
StateArrays = dict[str, NDArray[Any]]

_POSITIONS = 0
_DICE = 1
_LEAD_GAMES = 500


class MimicLearner(Protocol):
    """A way of learning: so many steps, each of which changes the net.

    Attributes:
        unit: What a step is called, in the log too.
        total_steps: How many there are.
        checkpoint_every: So many steps lie between checkpoints.
        done: How many are done.
        net: The net after them.
    """

    unit: str
    total_steps: int
    checkpoint_every: int

    @property
    def steps_done(self) -> int:
        """How many steps are done."""
        ...

    @property
    def net(self) -> GengammonNet:
        """The net after them."""
        ...

    def run_step(self) -> StepRecord:
        """Do a step, and tell about it."""
        ...

    def state_dict(self) -> StateArrays:
        """The state from which it goes on."""
        ...

    def load_state_dict(self, arrays: StateArrays) -> None:
        """Take back what `arrays` gave.

        Raises:
            DataFileError: An array is missing, or has another shape.
        """
        ...


class GeneticLearner:
    """Generations of a genetic algorithm.

    Args:
        settings: Of the run.
        packed: Expert moves to learn from.
        threads: How many work on it; the result is the same.
    """

    unit = "generation"

    def __init__(self, settings: MimicSettings, packed: PackedMoves, threads: int) -> None:
        self.total_steps = settings.generations
        self.checkpoint_every = settings.validate_every
        self._settings = settings
        self._packed = packed
        self._threads = threads
        self._population = Population(settings, settings.seed)
        self._net = decode_net(self._population.genes[0], settings.activation)

    @property
    def steps_done(self) -> int:
        """Generations that were judged."""
        return self._population.generation

    @property
    def net(self) -> GengammonNet:
        """The fittest net of the last generation that was judged."""
        return self._net

    def run_step(self) -> StepRecord:
        """Judge a generation and make the next one, as `Learner.run_step`."""
        judged = self._population.evolve(self._packed, self._threads)
        self._net = judged.best
        moves = self._settings.sample or count_moves(self._packed)
        return {
            "fitness": judged.agreement.fitness,
            "mean_fitness": judged.mean_fitness,
            "first": judged.agreement.ranked_first,
            "judged": len(self._population.genes) * min(moves, count_moves(self._packed)),
        }

    def state_dict(self) -> StateArrays:
        """The population, as `Learner.state_dict`."""
        return {"genes": self._population.genes, "generation": np.array(self.steps_done)}

    def load_state_dict(self, arrays: StateArrays) -> None:
        """Go on from a population, as `Learner.load_state_dict`."""
        self._population = _restore_population(self._settings, arrays)


class BackpropLearner:
    """Epochs of backpropagation; arguments as those of `GeneticLearner`."""

    unit = "epoch"
    checkpoint_every = 1

    def __init__(self, settings: MimicSettings, packed: PackedMoves, threads: int) -> None:
        self.total_steps = settings.epochs
        self._settings = settings
        self._packed = packed
        self._threads = threads
        self._descender = BackpropTrainer(settings)

    @property
    def steps_done(self) -> int:
        """Epochs that are done."""
        return self._descender.epoch

    @property
    def net(self) -> GengammonNet:
        """The net after them."""
        return self._descender.net

    def run_step(self) -> StepRecord:
        """Go through the moves once, as `Learner.run_step`."""
        loss = self._descender.train_epoch(self._packed, self._threads)
        every = np.arange(count_moves(self._packed))
        (found,) = measure_agreements(self._packed, [self.net], self._settings.fitness, every, 1)
        return {"loss": loss, "fitness": found.fitness, "first": found.ranked_first, "judged": len(every)}

    def state_dict(self) -> StateArrays:
        """Weights and moments, as `Learner.state_dict`."""
        return {**self._descender.state_dict(), "epoch": np.array(self.steps_done)}

    def load_state_dict(self, arrays: StateArrays) -> None:
        """Take weights and moments back, as `Learner.load_state_dict`."""
        self._descender.load_state_dict(_read_number(arrays, "epoch"), arrays)


class SelfPlayLearner:
    """Rounds of data made by the net's own play, each followed by generations of the genetic algorithm.

    Args:
        settings: Of the run.
        threads: How many work on it; the result is the same.
    """

    unit = "round"
    checkpoint_every = 1

    def __init__(self, settings: MimicSettings, threads: int) -> None:
        self.total_steps = settings.rounds
        self._settings = settings
        self._threads = threads
        self._rounds_done = 0
        self._genes = Population(settings, settings.seed).genes
        self._net = decode_net(self._genes[0], settings.activation)

    @property
    def steps_done(self) -> int:
        """Rounds that are done."""
        return self._rounds_done

    @property
    def net(self) -> GengammonNet:
        """The fittest net of the last generation of the last round."""
        return self._net

    def run_step(self) -> StepRecord:
        """Make data and learn from them, as `Learner.run_step`."""
        settings, before = self._settings, self._net
        boards, plays = self._make_data()
        aside = max(1, round(settings.unseen * len(boards)))
        unseen, learned = _pack_range(boards, plays, 0, aside), _pack_range(boards, plays, aside, len(boards))
        population = Population(settings, settings.seed + self._rounds_done, self._genes)
        for _ in range(settings.round_generations):
            judged = population.evolve(learned, self._threads)
        self._genes, self._net, self._rounds_done = population.genes, judged.best, self._rounds_done + 1
        (apart,) = measure_agreements(unseen, [self._net], settings.fitness, np.arange(aside), 1)
        lead, lead_error = measure_lead(self._net, before, _LEAD_GAMES, 1)
        return {
            "fitness": judged.agreement.fitness,
            "mean_fitness": judged.mean_fitness,
            "first": judged.agreement.ranked_first,
            "own_unseen_first": apart.ranked_first,
            "lead": lead,
            "lead_error": lead_error,
            "judged": settings.round_generations
            * len(self._genes)
            * min(settings.sample or count_moves(learned), count_moves(learned)),
        }

    def state_dict(self) -> StateArrays:
        """The population and its fittest net, as `Learner.state_dict`."""
        return {"genes": self._genes, "weights": self._net.weights, "round": np.array(self._rounds_done)}

    def load_state_dict(self, arrays: StateArrays) -> None:
        """Go on from a population, as `Learner.load_state_dict`."""
        self._genes = _read_genes(self._settings, arrays)
        self._net = GengammonNet(
            _read_array(arrays, "weights", (HIDDEN_UNITS, INPUTS)), self._settings.activation
        )
        self._rounds_done = _read_number(arrays, "round")

    def _make_data(self) -> tuple[NDArray[np.int8], CandidatePlays]:
        """Positions of the net's games, and the plays that were best when they were played out."""
        settings = self._settings
        generator = np.random.default_rng([settings.seed, _POSITIONS, self._rounds_done])
        boards, dice = sample_own_positions(self._net, settings.positions, generator)
        seed = int(np.random.default_rng([settings.seed, _DICE, self._rounds_done]).integers(2**32))
        return boards, find_best_by_playouts(self._net, boards, dice, settings.trials, seed, self._threads)


def _pack_range(boards: NDArray[np.int8], plays: CandidatePlays, first: int, last: int) -> PackedMoves:
    """Pack a stretch of positions and their plays."""
    begin, end = plays.offsets[first], plays.offsets[last]
    offsets, chosen = plays.offsets[first : last + 1] - begin, plays.chosen[first:last] - begin
    return pack_moves(boards[first:last], CandidatePlays(plays.boards[begin:end], offsets, chosen))


def _restore_population(settings: MimicSettings, arrays: StateArrays) -> Population:
    genes, generation = _read_genes(settings, arrays), _read_number(arrays, "generation")
    return Population(settings, settings.seed, genes, generation)


def _read_genes(settings: MimicSettings, arrays: StateArrays) -> NDArray[np.int32]:
    return _read_array(arrays, "genes", (settings.population, HIDDEN_UNITS * INPUTS)).astype(np.int32)


def _read_number(arrays: StateArrays, name: str) -> int:
    return int(_read_array(arrays, name, ()))


def _read_array(arrays: StateArrays, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """An array of a checkpoint.

    Raises:
        DataFileError: It is missing, or has another shape.
    """
    if name not in arrays or arrays[name].shape != shape:
        found = list(arrays[name].shape) if name in arrays else "nothing"
        raise DataFileError(f"a checkpoint of this run has {name} of shape {list(shape)}, not {found}")
    return arrays[name]
