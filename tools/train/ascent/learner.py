"""Gradient ascent on a vector of weights, in any game: its state, its steps, and the run of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import Arrays
from gammond.engine.statistics import ValueWithError
from gammond.tools.common.journal import Record
from gammond.tools.train.ascent.matches import LearnedWeights, RatedVector, Vector, VectorMatches
from gammond.tools.train.ascent.settings import AscentSettings
from gammond.tools.train.runs.run import Learner, RunProgress
from gammond.tools.train.runs.strength_games import strengths_from_record

_STEP, _RANDOM_POINT = range(2)
"""Purposes of seeds."""


@dataclass(frozen=True, eq=False)
class AscentState:
    """The state of a run between two steps.

    Attributes:
        step: Steps done.
        games: Games played for gradients.
        now: The start of the next step.
        best: The best point since the last random one.
        best_ever: The best of all.
        delta: Change of a weight when the next step tries it.
        rate: Length of the next step.
        since_best: Steps since `best`.
        returns: Returns to `best` since it was found.
        random_points: Random points tried.
    """

    step: int
    games: int
    now: RatedVector
    best: RatedVector
    best_ever: RatedVector
    delta: float
    rate: float
    since_best: int = 0
    returns: int = 0
    random_points: int = 0


@dataclass(frozen=True, eq=False)
class Gradient:
    """The slope for each weight, in points per game for a step of its scale, with errors: ``float64[d]``."""

    slopes: Vector
    errors: Vector

    @property
    def signal_to_noise(self) -> float:
        """The root mean square of the slopes in standard errors; 1 is pure noise."""
        return float(np.sqrt(np.mean((self.slopes / np.maximum(self.errors, 1e-12)) ** 2)))


class AscentLearner(Learner):
    """An ascent as a run drives it; its first step measures the first point, step 0 of the log.

    The same settings give the same points.

    Args:
        settings: Of the run.
        matches: Measure its points.
        opponent: What the reference is called in the log.
    """

    unit = "step"

    def __init__(self, settings: AscentSettings, matches: VectorMatches, opponent: str) -> None:
        self.settings = settings
        self.matches = matches
        self._opponent = opponent
        self._state: AscentState | None = None
        self._reached: RatedVector | None = None
        self._gradient: Gradient | None = None
        self._restart_text = ""

    @property
    def state(self) -> AscentState:
        """The state after the last step."""
        assert self._state is not None
        return self._state

    @property
    def steps_done(self) -> int:
        """Steps done; -1 before the first point is measured."""
        return -1 if self._state is None else self._state.step

    @property
    def total_steps(self) -> int:
        """Steps in all."""
        return self.settings.steps

    def run_step(self, progress: RunProgress) -> None:
        """Make one step, or measure the first point."""
        before = self._state
        if before is None:
            self._state = self.rate_start()
            self._reached = self._state.now
        else:
            self._state, self._gradient = self.take_step(before)
            is_best = self._state.best is not before.best
            self._reached = self._state.best if is_best else self._state.now
            self._restart_text = _format_restart(before, self._state)
        progress.update(self.state.step, f"best {self.state.best_ever.points.value:+.3f}")

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe the step."""
        state, reached = self.state, self._reached
        assert reached is not None
        record: Record = {
            "games": state.games,
            "opponent": self._opponent,
            "ppg": reached.points.value,
            "ppg_error": reached.points.error,
            "ppg_games": self.settings.reference_games,
            "vector": reached.vector.tolist(),
            "best_ppg": state.best_ever.points.value,
            "delta": state.delta,
            "rate": state.rate,
            "returns": state.returns,
            "random_points": state.random_points,
        }
        if self._gradient is not None:
            record |= {
                "gradient": self._gradient.slopes.tolist(),
                "gradient_errors": self._gradient.errors.tolist(),
                "signal": self._gradient.signal_to_noise,
            }
        return record

    def format_record(self, record: Record) -> str:
        """Format a line of the log; the first point is not printed."""
        if "signal" not in record:
            return ""
        points = strengths_from_record(record)[0].points
        return (
            f"step {record['step']}: {points:+.3f}, best {record['best_ppg']:+.3f}, "
            f"signal {record['signal']:.2f}{self._restart_text}"
        )

    def score(self, record: Record) -> float:
        """Return the strength of the best point so far."""
        return float(record["best_ppg"])

    def state_dict(self) -> Arrays:
        """Return the state of the ascent."""
        return state_to_arrays(self.matches.space, self.state)

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        self._state = state_from_arrays(arrays, self.matches.space)

    def best_state_dict(self) -> Arrays:
        """Return the best point so far, and its strength."""
        best = self.state.best_ever
        return {
            "player": np.array(self.matches.space.title),
            "vector": best.vector,
            "ppg": np.array(best.points.value),
            "ppg_error": np.array(best.points.error),
        }

    def finish(self, folder: Path) -> str:
        """Measure the best point with fresh dice, and report it."""
        return self.matches.report(self.state.best_ever)

    def rate_start(self) -> AscentState:
        """Measure the first point."""
        first = self.matches.rate(self.matches.start)
        return AscentState(0, 0, first, first, first, self.settings.delta, self.settings.rate)

    def take_step(self, state: AscentState) -> tuple[AscentState, Gradient]:
        """Make one step."""
        gradient = self._estimate_gradient(state)
        settings, space = self.settings, self.matches.space
        length = float(np.linalg.norm(gradient.slopes))
        way = gradient.slopes / length if length else gradient.slopes
        point = self.matches.rate(space.clip(state.now.vector + state.rate * space.scales * way))
        games = state.games + settings.games * len(space.names)
        after = replace(state, step=state.step + 1, games=games, now=point)
        if point.points.value > state.best.points.value:
            after = replace(after, best=point, since_best=0, returns=0)
        else:
            after = replace(after, since_best=state.since_best + 1)
        if point.points.value > after.best_ever.points.value:
            after = replace(after, best_ever=point)
        return self._backtrack_if_stuck(after), gradient

    def _backtrack_if_stuck(self, state: AscentState) -> AscentState:
        """Return a stuck run to its best point with another delta and rate, or to a random point."""
        settings = self.settings
        if state.since_best < settings.patience:
            return state
        if settings.random_after and state.returns >= settings.random_after:
            point = self.matches.rate(self._draw_random_vector(state.random_points))
            best_ever = point if point.points.value > state.best_ever.points.value else state.best_ever
            return AscentState(
                state.step,
                state.games,
                point,
                point,
                best_ever,
                settings.delta,
                settings.rate,
                random_points=state.random_points + 1,
            )
        factor = settings.restart_factor
        return replace(
            state,
            now=state.best,
            delta=state.delta * factor,
            rate=state.rate * factor,
            since_best=0,
            returns=state.returns + 1,
        )

    def _draw_random_vector(self, number: int) -> Vector:
        generator = np.random.default_rng([self.settings.seed, _RANDOM_POINT, number])
        away = generator.uniform(-self.settings.spread, self.settings.spread, len(self.matches.start))
        space = self.matches.space
        return space.clip(self.matches.start + away * space.scales)

    def _estimate_gradient(self, state: AscentState) -> Gradient:
        """Try each weight: play the vector with the weight changed against the present vector."""
        space, now = self.matches.space, state.now.vector
        others, signs = [], []
        for place, scale in enumerate(space.scales):
            step = np.zeros(len(now))
            step[place] = state.delta * scale
            sign = 1.0 if now[place] + step[place] <= space.high[place] else -1.0
            others.append(space.clip(now + sign * step))
            signs.append(sign)
        seed = int(np.random.default_rng([self.settings.seed, _STEP, state.step]).integers(2**62))
        scores = self.matches.score_changes(others, now, seed)
        return Gradient(
            np.array(
                [sign * each.points.value / state.delta for sign, each in zip(signs, scores, strict=True)]
            ),
            np.array([each.points.error / state.delta for each in scores]),
        )


def _format_restart(before: AscentState, after: AscentState) -> str:
    if after.random_points > before.random_points:
        return "; stuck: on to a random point"
    if after.delta != before.delta:
        return f"; stuck: back to the best with delta {after.delta:g} and rate {after.rate:g}"
    return ""


def state_to_arrays(space: LearnedWeights, state: AscentState) -> dict[str, NDArray[Any]]:
    """Return the state of a run between two steps as named arrays for a file."""
    arrays: dict[str, NDArray[Any]] = {"player": np.array(space.title)}
    for name, value in vars(state).items():
        if isinstance(value, RatedVector):
            arrays |= {f"{name}_vector": value.vector}
            arrays |= {f"{name}_points": np.array([value.points.value, value.points.error])}
        else:
            arrays[name] = np.array(value)
    return arrays


def state_from_arrays(arrays: Mapping[str, NDArray[Any]], space: LearnedWeights) -> AscentState:
    """Read what `state_to_arrays` returned.

    Raises:
        DataFileError: An array is missing or damaged, or of another player.
    """
    try:
        return AscentState(
            step=int(arrays["step"]),
            games=int(arrays["games"]),
            now=_parse_rated_vector(arrays, "now", space),
            best=_parse_rated_vector(arrays, "best", space),
            best_ever=_parse_rated_vector(arrays, "best_ever", space),
            delta=float(arrays["delta"]),
            rate=float(arrays["rate"]),
            since_best=int(arrays["since_best"]),
            returns=int(arrays["returns"]),
            random_points=int(arrays["random_points"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"expected the state of an ascent, got {error!r}") from error


def _parse_rated_vector(arrays: Mapping[str, NDArray[Any]], name: str, space: LearnedWeights) -> RatedVector:
    points = ValueWithError(*arrays[f"{name}_points"].tolist())
    return RatedVector(space.parse(arrays, f"{name}_vector"), points)
