"""The ascent: its state, and one step of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.tools.train.ascent.matches import LearnedWeights, RatedVector, Vector, VectorMatches
from gammond.tools.train.ascent.settings import AscentSettings

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


class GradientAscent:
    """Steps of one run; the same settings give the same points.

    Args:
        settings: Of the run.
        matches: Measure its points.
    """

    def __init__(self, settings: AscentSettings, matches: VectorMatches) -> None:
        self.settings = settings
        self.matches = matches
        self.space = matches.space
        self.start = matches.start

    def rate_start(self) -> AscentState:
        """Measure the first point."""
        first = self.matches.rate(self.start)
        return AscentState(0, 0, first, first, first, self.settings.delta, self.settings.rate)

    def take_step(self, state: AscentState) -> tuple[AscentState, Gradient]:
        """Make one step."""
        gradient = self._estimate_gradient(state)
        settings, space = self.settings, self.space
        length = float(np.linalg.norm(gradient.slopes))
        way = gradient.slopes / length if length else gradient.slopes
        point = self.matches.rate(space.clip(state.now.vector + state.rate * space.scales * way))
        games = state.games + settings.games * len(space.names)
        after = replace(state, step=state.step + 1, games=games, now=point)
        if point.points_per_game > state.best.points_per_game:
            after = replace(after, best=point, since_best=0, returns=0)
        else:
            after = replace(after, since_best=state.since_best + 1)
        if point.points_per_game > after.best_ever.points_per_game:
            after = replace(after, best_ever=point)
        return self._backtrack_if_stuck(after), gradient

    def _backtrack_if_stuck(self, state: AscentState) -> AscentState:
        """Return a stuck run to its best point with another delta and rate, or to a random point."""
        settings = self.settings
        if state.since_best < settings.patience:
            return state
        if settings.random_after and state.returns >= settings.random_after:
            point = self.matches.rate(self._draw_random_vector(state.random_points))
            best_ever = point if point.points_per_game > state.best_ever.points_per_game else state.best_ever
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
        away = generator.uniform(-self.settings.spread, self.settings.spread, len(self.start))
        return self.space.clip(self.start + away * self.space.scales)

    def _estimate_gradient(self, state: AscentState) -> Gradient:
        """Try each weight: play the vector with the weight changed against the present vector."""
        space, now = self.space, state.now.vector
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
            np.array([sign * each.mean / state.delta for sign, each in zip(signs, scores, strict=True)]),
            np.array([each.standard_error / state.delta for each in scores]),
        )


def state_to_arrays(space: LearnedWeights, state: AscentState) -> dict[str, NDArray[Any]]:
    """Return the state of a run between two steps as named arrays for a file."""
    arrays: dict[str, NDArray[Any]] = {"player": np.array(space.title)}
    for name, value in vars(state).items():
        if isinstance(value, RatedVector):
            arrays |= {f"{name}_vector": value.vector}
            arrays |= {f"{name}_points": np.array([value.points_per_game, value.standard_error])}
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
    points, error = arrays[f"{name}_points"].tolist()
    return RatedVector(space.parse(arrays, f"{name}_vector"), points, error)
