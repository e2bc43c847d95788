"""``gammond train barca-fit``: fit the board evaluation vector of Barca to the results of its own games.

A generation plays --games games of the present vector against itself, from openings at random. The next
vector is the one by which the conditions of a position best predict who wins the game: logistic regression on
the games of the last --window generations, draws as half a win. The vector by hand begins, and each vector
plays against that one with the same openings; the run keeps the best.

The folder gets run.toml, checkpoint.npz, best.npz and a line of log.jsonl for each generation. --resume
continues a run that was killed; it loses the generation under way. The best vector plays as
search:depth=3,weights=run:FOLDER.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import Arrays
from gammond.engine.statistics import ValueWithError
from gammond.tools.barca.matches import COMPARISON, RUN_PLAYER, VectorBatch, VectorFitSettings, VectorRatings
from gammond.tools.barca.self_play import play_games
from gammond.tools.barca.weights import SPACE, VECTOR_ARRAY, make_evaluation_vector, select_learned
from gammond.tools.common.journal import Record
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.ascent.matches import RatedVector, Vector
from gammond.tools.train.runs.run import Learner, RunProgress
from gammond.tools.train.runs.strength_games import strengths_from_record
from gammond.tools.train.runs.trainer import OneProcessWork, Trainer

SUMMARY = "fit the board evaluation vector of Barca to the results of its games against itself"

_LAST_POSITIONS = 3
"""Positions at the end of a game that are left out: a search sees how it ends from there."""

_SIZE_OF_HOLES = 120.0
"""What two holes are worth more than none in a fitted vector; a fit says only how weights compare."""

_RIDGE = 1e-4
_ITERATIONS = 50


@dataclass(frozen=True, eq=False)
class VectorSamples:
    """Positions and how their games ended.

    Attributes:
        conditions: ``int16[n, 10]``, of the side to move less those of the other.
        results: ``float32[n]``, of the side to move: 1 won, 0.5 drawn, 0 lost.
    """

    conditions: NDArray[np.int16]
    results: NDArray[np.float32]


def collect_samples(batch: VectorBatch) -> VectorSamples:
    """Play games of a task, and return their positions but the last few."""
    conditions, results = [np.empty((0, len(SPACE.names)), np.int16)], [np.empty(0, np.float32)]
    weights, numbers = make_evaluation_vector(batch.first), batch.numbers
    for game in play_games(weights, weights, batch.depth, numbers, batch.seed, batch.opening_moves):
        kept = select_learned(game.list_conditions())[: -_LAST_POSITIONS - 1]
        sides = (game.first_side + np.arange(len(kept))) % 2
        drawn = np.full(len(kept), 0.5)
        conditions.append(kept.astype(np.int16))
        results.append((drawn if game.winner is None else sides == game.winner).astype(np.float32))
    return VectorSamples(np.concatenate(conditions), np.concatenate(results))


def fit_vector(samples: VectorSamples) -> Vector:
    """Fit a vector: logistic regression by Newton's steps, scaled so that holes have their usual size.

    Only the differences of the three weights for holes held matter: that for one is what it is by the ridge.
    """
    spreads = samples.conditions.std(axis=0) + 1e-9
    inputs = samples.conditions / spreads
    slopes = np.zeros(inputs.shape[1])
    ridge = _RIDGE * np.eye(len(slopes))
    for _ in range(_ITERATIONS):
        chances = 1.0 / (1.0 + np.exp(-inputs @ slopes))
        surplus = inputs.T @ (samples.results - chances) / len(inputs) - _RIDGE * slopes
        curvature = (inputs * (chances * (1.0 - chances))[:, None]).T @ inputs / len(inputs) + ridge
        slopes += np.linalg.solve(curvature, surplus)
    weights = slopes / spreads
    span = weights[2] - weights[0]
    return SPACE.clip(
        weights * (_SIZE_OF_HOLES / span if span > 0 else _SIZE_OF_HOLES / np.abs(weights).max())
    )


class VectorFitLearner(Learner):
    """A fit as a run drives it; its first step measures the first vector, generation 0 of the log.

    Args:
        settings: Of the run.
        processes: Play.
    """

    unit = "generation"

    def __init__(self, settings: VectorFitSettings, processes: Executor) -> None:
        self._settings = settings
        self._processes = processes
        self._ratings = VectorRatings(SPACE.start, settings, processes)
        self._generation = -1
        self._now = self._best = RatedVector(SPACE.start, ValueWithError(-np.inf, np.nan))
        self._window: list[VectorSamples] = []

    @property
    def steps_done(self) -> int:
        """Generations done; -1 before the first vector is measured."""
        return self._generation

    @property
    def total_steps(self) -> int:
        """Generations in all."""
        return self._settings.generations

    def run_step(self, progress: RunProgress) -> None:
        """Make one generation, or measure the first vector."""
        vector = self._now.vector if self._generation < 0 else self._make_generation(self._now.vector)
        self._now = self._ratings.rate(vector)
        self._generation += 1
        if self._now.points.value > self._best.points.value:
            self._best = self._now
        progress.update(self._generation, f"best {self._best.points.value:+.3f}")

    def _make_generation(self, vector: Vector) -> Vector:
        seed = self._settings.seed, self._generation + 1
        tasks = self._ratings.make_batches(vector, vector, self._settings.games, seed)
        self._window.append(_join(list(self._processes.map(collect_samples, tasks))))
        self._window = self._window[-self._settings.window :]
        return fit_vector(_join(self._window))

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe the generation."""
        return {
            "games": self._settings.games * self._generation,
            "positions": sum(len(each.results) for each in self._window),
            "opponent": "hand",
            "ppg": self._now.points.value,
            "ppg_error": self._now.points.error,
            "ppg_games": self._settings.reference_games,
            "vector": self._now.vector.tolist(),
            "best_ppg": self._best.points.value,
        }

    def format_record(self, record: Record) -> str:
        """Format a line of the log."""
        points = strengths_from_record(record)[0].points
        return f"generation {record['generation']}: {points:+.3f}, best {record['best_ppg']:+.3f}"

    def score(self, record: Record) -> float:
        """Return the strength of the best vector so far."""
        return float(record["best_ppg"])

    def state_dict(self) -> Arrays:
        """Return the vectors and the games of the window."""
        arrays = {"generation": np.array(self._generation), "samples": np.array(len(self._window))}
        for name, rated in (("now", self._now), ("best", self._best)):
            arrays[f"{name}_vector"] = rated.vector
            arrays[f"{name}_points"] = np.array([rated.points.value, rated.points.error])
        for place, samples in enumerate(self._window):
            arrays[f"conditions_{place}"] = samples.conditions
            arrays[f"results_{place}"] = samples.results
        return arrays

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        try:
            self._generation = int(arrays["generation"])
            self._now, self._best = (
                RatedVector(
                    SPACE.parse(arrays, f"{name}_vector"), ValueWithError(*arrays[f"{name}_points"].tolist())
                )
                for name in ("now", "best")
            )
            self._window = [
                VectorSamples(arrays[f"conditions_{place}"], arrays[f"results_{place}"])
                for place in range(int(arrays["samples"]))
            ]
        except (KeyError, TypeError, ValueError) as error:
            raise DataFileError(f"expected the state of a fit, got {error!r}") from error

    def best_state_dict(self) -> Arrays:
        """Return the best vector so far, and its strength."""
        return {
            VECTOR_ARRAY: self._best.vector,
            "ppg": np.array(self._best.points.value),
            "ppg_error": np.array(self._best.points.error),
        }

    def finish(self, folder: Path) -> str:
        """Measure the best vector with fresh openings, and report it."""
        return self._ratings.report(self._best, f"{self._settings.generations} generations")


def _join(parts: Sequence[VectorSamples]) -> VectorSamples:
    return VectorSamples(
        np.concatenate([part.conditions for part in parts]), np.concatenate([part.results for part in parts])
    )


TRAINER = Trainer(
    "train barca-fit",
    VectorFitSettings,
    OneProcessWork,
    lambda folder, settings, work, processes: VectorFitLearner(settings, processes),
    comparisons=(COMPARISON,),
    player=RUN_PLAYER,
)

COMMAND = TRAINER.make_command()
