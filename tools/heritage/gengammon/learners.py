"""Methods by which a net learns to mimic experts, as a run drives them: the genetic algorithm, and play."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.formats.array_file import Arrays, read_array, read_count
from gammond.engine.statistics import ValueWithError
from gammond.nets.heritage.gengammon.kernels import INPUTS
from gammond.nets.heritage.gengammon.net import HIDDEN_UNITS, GengammonNet, GengammonPlayer, format_net
from gammond.tools.common.files import write_atomically
from gammond.tools.common.journal import Record
from gammond.tools.common.progress import format_short_number
from gammond.tools.heritage.gengammon.agreement import (
    ExpertAgreement,
    count_moves,
    measure_agreements,
    pack_moves,
)
from gammond.tools.heritage.gengammon.expert_moves.dataset import CandidatePlays
from gammond.tools.heritage.gengammon.genetic_algorithm import Population, decode_net
from gammond.tools.heritage.gengammon.kernels.mimic import PackedMoves
from gammond.tools.heritage.gengammon.playouts import (
    find_best_by_playouts,
    measure_lead,
    sample_own_positions,
)
from gammond.tools.heritage.gengammon.runs import NET_FILE
from gammond.tools.heritage.gengammon.settings import MimicSettings
from gammond.tools.train.runs.run import Learner, RunProgress
from gammond.tools.train.runs.strength_games import measure_player

_POSITIONS = 0
_DICE = 1
_LEAD_GAMES = 500


class MimicLearner(Learner):
    """A method of learning to mimic experts, measured on moves of unseen matches.

    Args:
        settings: Of the run.
        learned: Expert moves to learn from; None for a method that plays.
        unseen: Expert moves of matches that nothing is learned from, if any.
        threads: Number of threads; the result is the same.
        name: The name of the net as a player.

    Attributes:
        net: The net after the steps done; of generations the fittest of the last one.
    """

    net: GengammonNet

    def __init__(
        self,
        settings: MimicSettings,
        learned: PackedMoves | None = None,
        unseen: PackedMoves | None = None,
        threads: int = 1,
        name: str = "",
    ) -> None:
        self._settings = settings
        self._learned = learned
        self._unseen = unseen
        self._threads = threads
        self._name = name
        self._metrics: Record = {}
        self._ranked = 0
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Make the first net."""

    @property
    def learned(self) -> PackedMoves:
        """The expert moves to learn from."""
        assert self._learned is not None
        return self._learned

    @property
    def total_steps(self) -> int:
        """What the settings say of the unit: generations, epochs or rounds in all."""
        return int(getattr(self._settings, f"{self.unit}s"))

    @abstractmethod
    def learn(self) -> Record:
        """Do a step; return its fields of the log, and as ``ranked`` how often a net ranked a move."""

    def run_step(self, progress: RunProgress) -> None:
        """Do a step."""
        self._metrics = self.learn()
        self._ranked += int(self._metrics.pop("ranked"))
        progress.update(self.steps_done, f"fitness {self._metrics['fitness']:.4f}")

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe the last step, and the net's agreement with experts on unseen matches."""
        record = {**self._metrics, "moves_per_s": self._ranked / elapsed_s}
        self._ranked = 0
        if self._unseen is not None:
            agreement = self.measure_agreement(self._unseen)
            record |= {
                "unseen_fitness": agreement.fitness,
                "unseen_first": agreement.ranked_first,
                "unseen": count_moves(self._unseen),
            }
        return record

    def measure_agreement(self, packed: PackedMoves) -> ExpertAgreement:
        """Return the net's agreement with experts on all of some moves."""
        every = np.arange(count_moves(packed))
        (agreement,) = measure_agreements(packed, [self.net], self._settings.fitness, every, 1)
        return agreement

    def evolve(self, population: Population, packed: PackedMoves) -> tuple[GengammonNet, Record]:
        """Make the next generation; return the fittest net of the one before, and the fields of the log."""
        result = population.evolve(packed, self._threads)
        moves = count_moves(packed)
        return result.best, {
            "fitness": result.agreement.fitness,
            "mean_fitness": result.mean_fitness,
            "first": result.agreement.ranked_first,
            "ranked": len(population.genes) * min(self._settings.sample or moves, moves),
        }

    def measure_strength(self) -> Record:
        """Play all opponents after the last step."""
        settings = self._settings
        if self.steps_done < self.total_steps or not settings.games:
            return {}
        return measure_player(GengammonPlayer(self._name, self.net), settings.opponents, settings.games)

    def format_record(self, record: Record) -> str:
        """Format a line of the log."""
        parts = [f"{self.unit} {record[self.unit]}: fitness {record['fitness']:.4f}"]
        parts.append(f"{record['first']:.1%} ranked first")
        if "unseen_first" in record:
            parts.append(f"unseen {record['unseen_fitness']:.4f}, {record['unseen_first']:.1%}")
        if "lead" in record:
            lead = ValueWithError(record["lead"], record["lead_error"])
            parts.append(f"{lead:+.1f} pips ahead of the previous net")
        parts.append(f"{format_short_number(record['moves_per_s'])} moves/s")
        return ", ".join(parts)

    def score(self, record: Record) -> None:
        """Return None: the last net is the result."""

    def write_files(self, folder: Path) -> None:
        """Write the net as text."""
        write_atomically(folder / NET_FILE, format_net(self.net).encode())


class GeneticLearner(MimicLearner):
    """Generations of a genetic algorithm."""

    unit = "generation"

    def begin(self) -> None:
        """Make the first population, as `MimicLearner.begin`."""
        settings = self._settings
        self.checkpoint_every = settings.validate_every
        self._population = Population(settings, settings.seed)
        self.net = decode_net(self._population.genes[0], settings.activation)

    @property
    def steps_done(self) -> int:
        """Generations done."""
        return self._population.generation

    def learn(self) -> Record:
        """Measure a generation and make the next one, as `MimicLearner.learn`."""
        self.net, record = self.evolve(self._population, self.learned)
        return record

    def state_dict(self) -> Arrays:
        """Return the population, as `Learner.state_dict`."""
        return {"genes": self._population.genes, "generation": np.array(self.steps_done)}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a population, as `Learner.load_state_dict`."""
        settings = self._settings
        genes, generation = _read_genes(settings, arrays), read_count(arrays, "generation")
        self._population = Population(settings, settings.seed, genes, generation)


class SelfPlayLearner(MimicLearner):
    """Rounds of data from the net's own play, each followed by generations of the genetic algorithm."""

    unit = "round"

    def begin(self) -> None:
        """Make the first population, as `MimicLearner.begin`."""
        settings = self._settings
        self._rounds_done = 0
        self._genes = Population(settings, settings.seed).genes
        self.net = decode_net(self._genes[0], settings.activation)

    @property
    def steps_done(self) -> int:
        """Rounds done."""
        return self._rounds_done

    def learn(self) -> Record:
        """Make data and learn from them, as `MimicLearner.learn`."""
        settings, before = self._settings, self.net
        boards, plays = self._make_data()
        aside = max(1, round(settings.unseen * len(boards)))
        unseen, learned = _pack_range(boards, plays, 0, aside), _pack_range(boards, plays, aside, len(boards))
        population = Population(settings, settings.seed + self._rounds_done, self._genes)
        for _ in range(settings.round_generations):
            self.net, record = self.evolve(population, learned)
        self._genes, self._rounds_done = population.genes, self._rounds_done + 1
        lead = measure_lead(self.net, before, _LEAD_GAMES, 1)
        return {
            **record,
            "own_unseen_first": self.measure_agreement(unseen).ranked_first,
            "lead": lead.value,
            "lead_error": lead.error,
            "ranked": settings.round_generations * record["ranked"],
        }

    def state_dict(self) -> Arrays:
        """Return the population and its fittest net, as `Learner.state_dict`."""
        return {"genes": self._genes, "weights": self.net.weights, "round": np.array(self._rounds_done)}

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a population, as `Learner.load_state_dict`."""
        self._genes = _read_genes(self._settings, arrays)
        self.net = GengammonNet(
            read_array(arrays, "weights", (HIDDEN_UNITS, INPUTS)), self._settings.activation
        )
        self._rounds_done = read_count(arrays, "round")

    def _make_data(self) -> tuple[NDArray[np.int8], CandidatePlays]:
        """Return positions of the net's games, and the plays that playing out found best."""
        settings = self._settings
        generator = np.random.default_rng([settings.seed, _POSITIONS, self._rounds_done])
        boards, dice = sample_own_positions(self.net, settings.positions, generator)
        seed = int(np.random.default_rng([settings.seed, _DICE, self._rounds_done]).integers(2**32))
        return boards, find_best_by_playouts(self.net, boards, dice, settings.trials, seed, self._threads)


def _pack_range(boards: NDArray[np.int8], plays: CandidatePlays, first: int, last: int) -> PackedMoves:
    """Pack a range of positions and their plays."""
    begin, end = plays.offsets[first], plays.offsets[last]
    offsets, chosen = plays.offsets[first : last + 1] - begin, plays.chosen[first:last] - begin
    return pack_moves(boards[first:last], CandidatePlays(plays.boards[begin:end], offsets, chosen))


def _read_genes(settings: MimicSettings, arrays: Arrays) -> NDArray[np.int32]:
    return read_array(arrays, "genes", (settings.population, HIDDEN_UNITS * INPUTS)).astype(np.int32)
