"""The ascent itself: where a run stands, and one step of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.games import play_games
from tools.opponents import load_opponent
from tools.train.ascend.families import Vector, family
from tools.train.ascend.runs import read_vector
from tools.train.ascend.scoring import Contest, Reward, Score, play_contest, usual_reward
from tools.train.ascend.settings import START, AscendSettings
from tools.train.files import read_arrays, write_arrays
from tools.train.processes import Processes

STRETCH_GAMES = 1000
"""Games of a task; the result does not depend on it."""

_REFERENCE_SEED = 1
"""Always the same dice, so that points differ by their weights alone."""

_STEP, _RANDOM_POINT = range(2)
"""What a seed is for."""


@dataclass(frozen=True, eq=False)
class Point:
    """A vector, and how strong it is.

    Attributes:
        vector: ``float64[d]``.
        points: Points per game against the reference.
        error: Its standard error.
    """

    vector: Vector
    points: float
    error: float


@dataclass(frozen=True, eq=False)
class Standing:
    """Where a run stands between two steps.

    Attributes:
        step: Steps that were made.
        games: Games that were played for gradients.
        now: Where the next step starts.
        best: The best point since the last random one.
        best_ever: The best of all.
        delta: How far the next step changes weights to try them.
        rate: How far it goes.
        since_best: Steps since `best`.
        returns: Returns to `best` since it was found.
        random_points: Random points that were tried.
    """

    step: int
    games: int
    now: Point
    best: Point
    best_ever: Point
    delta: float
    rate: float
    since_best: int = 0
    returns: int = 0
    random_points: int = 0


@dataclass(frozen=True, eq=False)
class Gradient:
    """What trying each weight came to, in points a game for a step of its scale: ``float64[d]`` each."""

    slopes: Vector
    errors: Vector

    @property
    def signal(self) -> float:
        """How far the slopes stand out of chance: their root mean square in standard errors; 1 is none."""
        return float(np.sqrt(np.mean((self.slopes / np.maximum(self.errors, 1e-12)) ** 2)))


class Ascent:
    """Steps of one run; the same settings give the same points.

    Args:
        settings: Of the run.
        processes: Who plays.
    """

    def __init__(self, settings: AscendSettings, processes: Processes) -> None:
        self.settings = settings
        self.kind = family(settings.player)
        self.start: Vector = np.array(settings.start) if settings.start else self.kind.start
        self._processes = processes
        self._reference = (
            self.kind.player(self.start) if settings.reference == START else load_opponent(settings.reference)
        )
        self._reward = usual_reward(
            settings.player,
            self.start,
            settings.length,
            settings.evaluation,
            is_fixed=settings.opinion == "reference",
        )

    @property
    def reward(self) -> Reward:
        """What counts in the games of a gradient."""
        return self._reward

    def begun(self) -> Standing:
        """Measure the first point."""
        first = self._measured(self.start)
        return Standing(0, 0, first, first, first, self.settings.delta, self.settings.rate)

    def stepped(self, standing: Standing) -> tuple[Standing, Gradient]:
        """Make one step."""
        gradient = self._gradient(standing)
        settings, kind = self.settings, self.kind
        length = float(np.linalg.norm(gradient.slopes))
        way = gradient.slopes / length if length else gradient.slopes
        point = self._measured(kind.clipped(standing.now.vector + standing.rate * kind.scales * way))
        games = standing.games + settings.games * len(kind.names)
        after = replace(standing, step=standing.step + 1, games=games, now=point)
        if point.points > standing.best.points:
            after = replace(after, best=point, since_best=0, returns=0)
        else:
            after = replace(after, since_best=standing.since_best + 1)
        if point.points > after.best_ever.points:
            after = replace(after, best_ever=point)
        return self._turned_back(after), gradient

    def _turned_back(self, standing: Standing) -> Standing:
        """Go back to the best point with another delta and rate, or to a random one, where a run is stuck."""
        settings = self.settings
        if standing.since_best < settings.patience:
            return standing
        if settings.random_after and standing.returns >= settings.random_after:
            point = self._measured(self._random_vector(standing.random_points))
            best_ever = point if point.points > standing.best_ever.points else standing.best_ever
            return Standing(
                standing.step,
                standing.games,
                point,
                point,
                best_ever,
                settings.delta,
                settings.rate,
                random_points=standing.random_points + 1,
            )
        factor = settings.restart_factor
        return replace(
            standing,
            now=standing.best,
            delta=standing.delta * factor,
            rate=standing.rate * factor,
            since_best=0,
            returns=standing.returns + 1,
        )

    def _random_vector(self, number: int) -> Vector:
        generator = np.random.default_rng([self.settings.seed, _RANDOM_POINT, number])
        away = generator.uniform(-self.settings.spread, self.settings.spread, len(self.start))
        return self.kind.clipped(self.start + away * self.kind.scales)

    def _measured(self, vector: Vector) -> Point:
        games = self.settings.reference_games
        results = play_games(self.kind.player(vector), self._reference, games, _REFERENCE_SEED)
        return Point(vector, results.points_per_game, results.standard_error)

    def _gradient(self, standing: Standing) -> Gradient:
        """Try each weight: play the vector with it changed against the vector as it is."""
        kind, settings, now = self.kind, self.settings, standing.now.vector
        others, signs = [], []
        for place, scale in enumerate(kind.scales):
            step = np.zeros(len(now))
            step[place] = standing.delta * scale
            sign = 1.0 if now[place] + step[place] <= kind.high[place] else -1.0
            others.append(kind.clipped(now + sign * step))
            signs.append(sign)
        seed = int(np.random.default_rng([settings.seed, _STEP, standing.step]).integers(2**62))
        played = self._processes.map(play_contest, self._contests(others, now, seed))
        stretches = -(-settings.games // STRETCH_GAMES)
        parts = list(played)
        rewards = [np.concatenate(parts[i * stretches : (i + 1) * stretches]) for i in range(len(others))]
        scores = [Score.of(each) for each in rewards]
        return Gradient(
            np.array([sign * each.mean / standing.delta for sign, each in zip(signs, scores, strict=True)]),
            np.array([each.error / standing.delta for each in scores]),
        )

    def _contests(self, others: list[Vector], now: Vector, seed: int) -> Iterator[Contest]:
        settings = self.settings
        for other in others:
            for first_game in range(0, settings.games, STRETCH_GAMES):
                games = min(STRETCH_GAMES, settings.games - first_game)
                yield Contest(settings.player, other, now, self.start, self._reward, seed, first_game, games)


def save_standing(file: Path, player: str, standing: Standing) -> None:
    """Write where a run stands, whole or not at all.

    Raises:
        DataFileError: It cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {"player": np.array(player)}
    for name, value in vars(standing).items():
        if isinstance(value, Point):
            arrays |= {f"{name}_vector": value.vector}
            arrays |= {f"{name}_points": np.array([value.points, value.error])}
        else:
            arrays[name] = np.array(value)
    write_arrays(file, arrays)


def load_standing(file: Path, settings: AscendSettings) -> Standing:
    """Read where a run stands.

    Raises:
        DataFileError: The file is missing, damaged, or of another player.
    """
    arrays = read_arrays(file)
    try:
        return Standing(
            step=int(arrays["step"]),
            games=int(arrays["games"]),
            now=_point(file, arrays, "now", settings),
            best=_point(file, arrays, "best", settings),
            best_ever=_point(file, arrays, "best_ever", settings),
            delta=float(arrays["delta"]),
            rate=float(arrays["rate"]),
            since_best=int(arrays["since_best"]),
            returns=int(arrays["returns"]),
            random_points=int(arrays["random_points"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"{file} does not say where a run stands: {error!r}") from error


def _point(file: Path, arrays: dict[str, NDArray[Any]], name: str, settings: AscendSettings) -> Point:
    points, error = arrays[f"{name}_points"].tolist()
    return Point(read_vector(file, arrays, f"{name}_vector", settings.player), points, error)
