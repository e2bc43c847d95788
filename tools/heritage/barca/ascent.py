"""The ascent: its state, and one step of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.play.lockstep import play_games
from tools.common.opponents import load_opponent
from tools.common.parallel import ProcessPool
from tools.heritage.barca.families import Vector, get_family
from tools.heritage.barca.rewards import GameBatch, MeanReward, RewardSettings, calibrate_reward, play_batch
from tools.heritage.barca.runs import parse_vector
from tools.heritage.barca.settings import START_REFERENCE, AscendSettings

GAMES_PER_TASK = 1000
"""Games of a task; no effect on the result."""

_REFERENCE_SEED = 1
"""The same dice for all points, so that they differ by their weights alone."""

_STEP, _RANDOM_POINT = range(2)
"""Purposes of seeds."""


@dataclass(frozen=True, eq=False)
class RatedVector:
    """A vector with its strength.

    Attributes:
        vector: ``float64[d]``.
        points_per_game: Points per game against the reference.
        standard_error: Its standard error.
    """

    vector: Vector
    points_per_game: float
    standard_error: float


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
        processes: Play.
    """

    def __init__(self, settings: AscendSettings, processes: ProcessPool) -> None:
        self.settings = settings
        self.family = get_family(settings.player)
        self.start: Vector = np.array(settings.start) if settings.start else self.family.start
        self._processes = processes
        self._reference = (
            self.family.make_player(self.start)
            if settings.reference == START_REFERENCE
            else load_opponent(settings.reference)
        )
        self._reward = calibrate_reward(
            settings.player,
            self.start,
            settings.length,
            settings.evaluation,
            is_evaluated_by_reference=settings.opinion == "reference",
        )

    @property
    def reward(self) -> RewardSettings:
        """The reward of the games of a gradient."""
        return self._reward

    def rate_start(self) -> AscentState:
        """Measure the first point."""
        first = self._rate_vector(self.start)
        return AscentState(0, 0, first, first, first, self.settings.delta, self.settings.rate)

    def take_step(self, state: AscentState) -> tuple[AscentState, Gradient]:
        """Make one step."""
        gradient = self._estimate_gradient(state)
        settings, kind = self.settings, self.family
        length = float(np.linalg.norm(gradient.slopes))
        way = gradient.slopes / length if length else gradient.slopes
        point = self._rate_vector(kind.clip(state.now.vector + state.rate * kind.scales * way))
        games = state.games + settings.games * len(kind.names)
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
            point = self._rate_vector(self._draw_random_vector(state.random_points))
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
        return self.family.clip(self.start + away * self.family.scales)

    def _rate_vector(self, vector: Vector) -> RatedVector:
        games = self.settings.reference_games
        results = play_games(self.family.make_player(vector), self._reference, games, _REFERENCE_SEED)
        return RatedVector(vector, results.points_per_game, results.standard_error)

    def _estimate_gradient(self, state: AscentState) -> Gradient:
        """Try each weight: play the vector with the weight changed against the present vector."""
        kind, settings, now = self.family, self.settings, state.now.vector
        others, signs = [], []
        for place, scale in enumerate(kind.scales):
            step = np.zeros(len(now))
            step[place] = state.delta * scale
            sign = 1.0 if now[place] + step[place] <= kind.high[place] else -1.0
            others.append(kind.clip(now + sign * step))
            signs.append(sign)
        seed = int(np.random.default_rng([settings.seed, _STEP, state.step]).integers(2**62))
        played = self._processes.map(play_batch, self._make_batches(others, now, seed))
        stretches = -(-settings.games // GAMES_PER_TASK)
        parts = list(played)
        rewards = [np.concatenate(parts[i * stretches : (i + 1) * stretches]) for i in range(len(others))]
        scores = [MeanReward.from_rewards(each) for each in rewards]
        return Gradient(
            np.array([sign * each.mean / state.delta for sign, each in zip(signs, scores, strict=True)]),
            np.array([each.standard_error / state.delta for each in scores]),
        )

    def _make_batches(self, others: list[Vector], now: Vector, seed: int) -> Iterator[GameBatch]:
        settings = self.settings
        for other in others:
            for first_game in range(0, settings.games, GAMES_PER_TASK):
                games = min(GAMES_PER_TASK, settings.games - first_game)
                yield GameBatch(
                    settings.player, other, now, self.start, self._reward, seed, first_game, games
                )


def state_to_arrays(player: str, state: AscentState) -> dict[str, NDArray[Any]]:
    """Return the state of a run between two steps as named arrays for a file."""
    arrays: dict[str, NDArray[Any]] = {"player": np.array(player)}
    for name, value in vars(state).items():
        if isinstance(value, RatedVector):
            arrays |= {f"{name}_vector": value.vector}
            arrays |= {f"{name}_points": np.array([value.points_per_game, value.standard_error])}
        else:
            arrays[name] = np.array(value)
    return arrays


def state_from_arrays(arrays: Mapping[str, NDArray[Any]], player: str) -> AscentState:
    """Read what `state_to_arrays` returned.

    Raises:
        DataFileError: An array is missing or damaged, or of another player.
    """
    try:
        return AscentState(
            step=int(arrays["step"]),
            games=int(arrays["games"]),
            now=_parse_rated_vector(arrays, "now", player),
            best=_parse_rated_vector(arrays, "best", player),
            best_ever=_parse_rated_vector(arrays, "best_ever", player),
            delta=float(arrays["delta"]),
            rate=float(arrays["rate"]),
            since_best=int(arrays["since_best"]),
            returns=int(arrays["returns"]),
            random_points=int(arrays["random_points"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"expected the state of an ascent, got {error!r}") from error


def _parse_rated_vector(arrays: Mapping[str, NDArray[Any]], name: str, player: str) -> RatedVector:
    points, error = arrays[f"{name}_points"].tolist()
    return RatedVector(parse_vector(arrays, f"{name}_vector", player), points, error)
