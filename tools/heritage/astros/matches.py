"""Matches of backgammon between the vectors of an ascent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gammond.engine.play.lockstep import PairedGameResults, play_games
from gammond.engine.play.player import Player
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.astros.families import get_family
from gammond.tools.heritage.astros.rewards import GameBatch, calibrate_reward, play_batch
from gammond.tools.heritage.astros.settings import START_REFERENCE, AscendSettings
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.ascent.matches import MeanReward, RatedVector, Vector, VectorMatches, format_weights

GAMES_PER_TASK = 1000
"""Games of a task; no effect on the result."""

_REFERENCE_SEED = 1
"""The same dice for all points, so that they differ by their weights alone."""

_FRESH_SEED = 2
"""Seed of dice other than those that chose the best point."""


class FamilyMatches(VectorMatches):
    """Matches between players of a family.

    Args:
        settings: Of the run.
        processes: Play.
    """

    def __init__(self, settings: AscendSettings, processes: Executor) -> None:
        self._settings = settings
        self._family = get_family(settings.player)
        self.space = self._family.space
        self._start: Vector = np.array(settings.start) if settings.start else self.space.start
        self._processes = processes
        self._reference = (
            self._family.make_player(self._start)
            if settings.reference == START_REFERENCE
            else load_opponent(settings.reference)
        )
        self._reward = calibrate_reward(
            settings.player,
            self._start,
            settings.length,
            settings.evaluation,
            is_evaluated_by_reference=settings.opinion == "reference",
        )

    def rate(self, vector: Vector) -> RatedVector:
        """Measure a vector, as `VectorMatches.rate`."""
        games = self._settings.reference_games
        results = play_games(
            self._family.make_player(vector), self._reference, games, _REFERENCE_SEED, may_be_endless=True
        )
        return RatedVector(vector, results.points_per_game, results.standard_error)

    def score_changes(self, others: Sequence[Vector], now: Vector, seed: int) -> list[MeanReward]:
        """Play vectors against the present one, as `VectorMatches.score_changes`."""
        played = self._processes.map(play_batch, self._make_batches(others, now, seed))
        stretches = -(-self._settings.games // GAMES_PER_TASK)
        parts = list(played)
        rewards = [np.concatenate(parts[i * stretches : (i + 1) * stretches]) for i in range(len(others))]
        return [MeanReward.from_rewards(each) for each in rewards]

    def _make_batches(self, others: Sequence[Vector], now: Vector, seed: int) -> Iterator[GameBatch]:
        settings = self._settings
        for other in others:
            for first_game in range(0, settings.games, GAMES_PER_TASK):
                games = min(GAMES_PER_TASK, settings.games - first_game)
                yield GameBatch(
                    settings.player, other, now, self._start, self._reward, seed, first_game, games
                )

    def report(self, best: RatedVector) -> str:
        """Measure the best vector with fresh dice, as `VectorMatches.report`."""
        settings, family = self._settings, self._family
        first, last = family.make_player(self._start), family.make_player(best.vector)
        lines = [f"{settings.player}, {settings.steps} steps; with fresh dice, points per game:"]
        if settings.reference != START_REFERENCE:
            for name, player in (("first", first), ("best", last)):
                result = self._play_fresh_games(player, self._reference)
                lines.append(f"{name} against {settings.reference}: {_format_points(result)}")
        lines.append(f"best against first: {_format_points(self._play_fresh_games(last, first))}")
        if called := family.format_player(best.vector):
            lines.append(f"the best as a player: {called}")
        lines += [format_weights(self.space.names, self._start, best.vector)]
        return "\n".join(lines) + "\n"

    def _play_fresh_games(self, player: Player, other: Player) -> PairedGameResults:
        return play_games(player, other, self._settings.reference_games, _FRESH_SEED, may_be_endless=True)


def _format_points(result: PairedGameResults) -> str:
    won = result.count_wins(0)[0] / result.games
    points = f"{result.points_per_game:+.3f} ± {result.standard_error:.3f}"
    return f"{points} in {result.games:,} games, {won:.1%} won"
