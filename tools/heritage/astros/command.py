"""``gammond heritage ascend``: gradient ascent on the weights of a player, by matches against itself.

A step tries each weight: the player with that weight changed by --delta plays --games paired games against
the present player. The gain per unit of change is the gradient, and the next point lies --rate along it. Each
point plays the same reference with the same dice, and the run keeps the best. A run that finds no better
point for --patience steps returns to its best one with another delta and rate. The reward of a game combines
its points, its length and the evaluations of its positions.

The folder gets run.toml, checkpoint.npz, best.npz and a line of log.jsonl for each step. --resume continues a
run that was killed; it loses the step under way. At the end the first and the best point play the reference,
and each other, with fresh dice.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from gammond.engine.play.lockstep import play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.play.player import Player
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.astros.families import FAMILIES
from gammond.tools.heritage.astros.rewards import GameBatch, calibrate_reward, play_batch
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.ascent.learner import AscentLearner
from gammond.tools.train.ascent.matches import RatedVector, Vector, VectorMatches, format_weights
from gammond.tools.train.ascent.settings import AscentSettings
from gammond.tools.train.runs.strength_games import check_benchmark
from gammond.tools.train.runs.trainer import KeepNets, OneProcessWork, Trainer

SUMMARY = "learn the weights of a player without nets by gradient ascent on match scores"

START_REFERENCE = "start"
"""The reference that is the run's own first vector."""


class AscendSettings(AscentSettings, frozen=True):
    """All that decides the result of a run."""

    player: Annotated[
        Literal["bev", "heuristic", "phase-heuristic"],
        Meta(description=f"whose weights are learned: {', '.join(FAMILIES)}"),
    ] = "bev"
    reference: Annotated[
        str,
        Meta(description=f"opponent of each measurement: a player, or {START_REFERENCE!r}, the first vector"),
    ] = START_REFERENCE

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The number of weights to start from is wrong, or one of them is out of range.
            GammondError: The reference cannot be loaded.
        """
        self.check_start(FAMILIES[self.player].space)
        if self.reference != START_REFERENCE:
            check_benchmark((self.reference,), self.reference_games)


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

    play_batch = staticmethod(play_batch)

    def __init__(self, settings: AscendSettings, processes: Executor) -> None:
        self._settings = settings
        self._family = FAMILIES[settings.player]
        super().__init__(self._family.space, settings.start, processes)
        self._reference = (
            self._family.make_player(self.start)
            if settings.reference == START_REFERENCE
            else load_opponent(settings.reference)
        )
        self._opinion = self.start if settings.opinion == "reference" else None
        self._reward = calibrate_reward(settings.player, self.start, settings.length, settings.evaluation)

    def rate(self, vector: Vector) -> RatedVector:
        """Measure a vector, as `VectorMatches.rate`."""
        results = self._play(self._family.make_player(vector), self._reference, _REFERENCE_SEED)
        return RatedVector(vector, results.score)

    def make_batches(self, first: Vector, second: Vector, seed: int) -> Iterator[GameBatch]:
        """Divide games into tasks, as `VectorMatches.make_batches`."""
        settings = self._settings
        for first_game in range(0, settings.games, GAMES_PER_TASK):
            games = min(GAMES_PER_TASK, settings.games - first_game)
            yield GameBatch(
                settings.player, first, second, self._opinion, self._reward, seed, first_game, games
            )

    def report(self, best: RatedVector) -> str:
        """Measure the best vector with fresh dice, as `VectorMatches.report`."""
        settings, family = self._settings, self._family
        first, last = family.make_player(self.start), family.make_player(best.vector)
        lines = [f"{settings.player}, {settings.steps} steps; with fresh dice, points per game:"]
        if settings.reference != START_REFERENCE:
            for name, player in (("first", first), ("best", last)):
                result = self._play(player, self._reference, _FRESH_SEED)
                lines.append(f"{name} against {settings.reference}: {_format_points(result)}")
        lines.append(f"best against first: {_format_points(self._play(last, first, _FRESH_SEED))}")
        if called := family.format_player(best.vector):
            lines.append(f"the best as a player: {called}")
        lines += [format_weights(self.space.names, self.start, best.vector)]
        return "\n".join(lines) + "\n"

    def _play(self, player: Player, other: Player, seed: int) -> PairedScores:
        return play_games(player, other, self._settings.reference_games, seed, may_be_endless=True)


def _format_points(result: PairedScores) -> str:
    return f"{result.score:+.3f} in {result.counted.games:,} games, {result.win_share:.1%} won"


class AscendWork(OneProcessWork, frozen=True, kw_only=True):
    """Who plays, and whether a run keeps its vectors."""

    keep_nets: KeepNets = False


def _make_learner(
    folder: Path, settings: AscendSettings, work: AscendWork, processes: Executor
) -> AscentLearner:
    matches = FamilyMatches(settings, processes)
    return AscentLearner(settings, matches, settings.reference)


TRAINER = Trainer(
    "heritage ascend",
    AscendSettings,
    AscendWork,
    _make_learner,
)

COMMAND = TRAINER.make_command()
