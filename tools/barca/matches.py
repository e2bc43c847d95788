"""Matches of Barca between two vectors, and what their games are worth to the one that is learned.

*Source:* the technology page of the Barca project, section "Match Scoring": both sides begin once; a victory
counts the inverse of its length; a draw counts the average evaluation of the positions of one side less that
of the other's, where an evaluation is the mean of both sides' opinions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.tools.barca.self_play import SelfPlayedGame, count_score, play_games, play_pairs
from gammond.tools.barca.weights import SPACE, make_evaluation_vector, select_learned
from gammond.tools.common.progress import Progress
from gammond.tools.parallel.executor import Executor
from gammond.tools.train.ascent.matches import GameReward, RatedVector, Vector, VectorMatches, format_weights
from gammond.tools.train.ascent.settings import AscentSettings, LengthOption, ReferenceGamesOption
from gammond.tools.train.runs.trainer import RunSettings

PliesOption = Annotated[
    int, Meta(ge=1, le=8, description="plies of search of each move, which counts as one itself")
]
OpeningsOption = Annotated[int, Meta(ge=1, le=40, description="moves at random that begin each game")]

RUN_PLAYER = "search:depth=1,weights=run:{folder}"
"""The name by which a run plays."""

COMPARISON = "gammond tournament --variant barca {players} search:depth=1 --games 2000"


class VectorAscendSettings(AscentSettings, frozen=True):
    """All that decides the result of a run of ``gammond train barca-ascend``."""

    length: LengthOption = 1.0
    reference_games: ReferenceGamesOption = 2000
    plies: PliesOption = 1
    openings: OpeningsOption = 4

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The number of weights to start from is wrong, or one of them is out of range.
        """
        self.check_start(SPACE)


class VectorFitSettings(RunSettings, frozen=True):
    """All that decides the result of a run of ``gammond train barca-fit``."""

    lengths: ClassVar = ("generations",)

    generations: Annotated[int, Meta(ge=1, description="generations in all")] = 10
    games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="games that a generation plays against itself")
    ] = 4000
    window: Annotated[
        int, Meta(ge=1, le=100, description="generations whose games a fit takes, the last ones")
    ] = 3
    plies: PliesOption = 1
    openings: OpeningsOption = 6
    reference_games: ReferenceGamesOption = 2000
    seed: Annotated[int, Meta(ge=0, description="seed of the openings")] = 1


COUNT_PER_TASK = 50
"""Games, or pairs of games, of a task; no effect on the result."""

_REFERENCE_SEED, _FRESH_SEED, _CALIBRATION_SEED = 1, 2, 5
"""The same openings for all points, others for the report, and those that the reward is measured with."""

_CALIBRATION_GAMES = 50


PLAIN_REWARD = GameReward()
"""A victory counts 1, and a draw nothing."""


@dataclass(frozen=True, eq=False)
class VectorBatch:
    """Some games between two vectors.

    Attributes:
        first: The vector whose reward counts.
        second: Its opponent.
        depth: Plies of search of each move.
        opening_moves: Moves at random before.
        seed: Of the openings.
        numbers: Those of the games, or of the pairs of games.
        reward: What a game counts.
        opinion: Evaluates draws; None for both players.
    """

    first: Vector
    second: Vector
    depth: int
    opening_moves: int
    seed: tuple[int, int]
    numbers: range
    reward: GameReward = PLAIN_REWARD
    opinion: Vector | None = None


def play_batch(batch: VectorBatch) -> NDArray[np.float64]:
    """Play pairs of games; return ``float64[2 * pairs]``, the rewards of the first vector."""
    opinion = (batch.first + batch.second) / 2 if batch.opinion is None else batch.opinion
    first, second = make_evaluation_vector(batch.first), make_evaluation_vector(batch.second)
    played = play_pairs(first, second, batch.depth, batch.numbers, batch.seed, batch.opening_moves)
    return np.array(
        [reward_game(game, side, batch.reward, opinion) for pair in played for side, game in enumerate(pair)]
    )


def reward_game(game: SelfPlayedGame, side: int, reward: GameReward, opinion: Vector) -> float:
    """Return what a game counts for a side: a draw the lead in evaluations, another the victory."""
    if game.winner is None:
        return reward.weigh_lead(compute_lead(game, side, opinion))
    return count_score(game, side) * reward.compute_share(float(game.plies))


def compute_lead(game: SelfPlayedGame, side: int, opinion: Vector) -> float:
    """Compute how much better a side's positions were on average than the other side's.

    Args:
        game: The game.
        side: The side, 0 White or 1 Black.
        opinion: What evaluates the positions in which a side is to move, for that side.
    """
    values = _evaluate_positions(game, opinion)
    sides = (game.first_side + np.arange(len(values))) % 2
    means = [float(values[sides == each].mean()) if (sides == each).any() else 0.0 for each in (0, 1)]
    return means[side] - means[1 - side]


def _evaluate_positions(game: SelfPlayedGame, opinion: Vector) -> NDArray[np.float64]:
    """Evaluate the positions of a game for the side to move: ``float64[n]``."""
    values: NDArray[np.float64] = select_learned(game.list_conditions()) @ opinion
    return values


class VectorRatings:
    """Measures vectors against the first one of a run, by points per game.

    Args:
        start: The first vector.
        settings: Of the run.
        processes: Play.
    """

    def __init__(
        self, start: Vector, settings: VectorAscendSettings | VectorFitSettings, processes: Executor
    ) -> None:
        self.start = start
        self._settings = settings
        self._processes = processes

    def rate(self, vector: Vector, seed: int = _REFERENCE_SEED) -> RatedVector:
        """Measure a vector, always with the same openings for a seed."""
        batches = self.make_batches(vector, self.start, self._settings.reference_games // 2, (seed, 0))
        rewards = np.concatenate(list(self._processes.map(play_batch, batches)))
        return RatedVector.from_rewards(vector, rewards)

    def make_batches(
        self,
        first: Vector,
        second: Vector,
        count: int,
        seed: tuple[int, int],
        reward: GameReward = PLAIN_REWARD,
        opinion: Vector | None = None,
    ) -> Iterator[VectorBatch]:
        """Divide so many games, or pairs of games, between two vectors into tasks; see `VectorBatch`."""
        for start in range(0, count, COUNT_PER_TASK):
            numbers = range(start, min(start + COUNT_PER_TASK, count))
            depth, opening_moves = self._settings.plies, self._settings.openings
            yield VectorBatch(first, second, depth, opening_moves, seed, numbers, reward, opinion)

    def report(self, best: RatedVector, learning: str) -> str:
        """Measure the best vector with fresh openings, and report it in a few lines.

        Args:
            best: The vector.
            learning: How much was learned, such as ``10 steps``.
        """
        fresh = self.rate(best.vector, _FRESH_SEED)
        return (
            f"{learning} at depth {self._settings.plies}; best against first, with fresh openings: "
            f"{fresh.points:+.3f} points per game "
            f"in {self._settings.reference_games:,} games\n"
            f"{format_weights(SPACE.names, self.start, best.vector)}\n"
        )


class BarcaMatches(VectorMatches):
    """Matches between vectors.

    Args:
        settings: Of the run.
        processes: Play.
    """

    play_batch = staticmethod(play_batch)

    def __init__(self, settings: VectorAscendSettings, processes: Executor) -> None:
        super().__init__(SPACE, settings.start, processes)
        self._settings = settings
        self._ratings = VectorRatings(self.start, settings, processes)
        self._reward = self._calibrate()

    def rate(self, vector: Vector) -> RatedVector:
        """Measure a vector against the first one, as `VectorMatches.rate`."""
        return self._ratings.rate(vector)

    def make_batches(self, first: Vector, second: Vector, seed: int) -> Iterator[VectorBatch]:
        """Divide games into tasks, as `VectorMatches.make_batches`."""
        opinion = self.start if self._settings.opinion == "reference" else None
        pairs = self._settings.games // 2
        return self._ratings.make_batches(first, second, pairs, (seed, 0), self._reward, opinion)

    def report(self, best: RatedVector) -> str:
        """Measure the best vector with fresh openings, as `VectorMatches.report`."""
        return self._ratings.report(best, f"{self._settings.steps} steps")

    def _calibrate(self) -> GameReward:
        """Measure the length of games and the spread of evaluations of the first vector against itself."""
        settings, vector = self._settings, make_evaluation_vector(self.start)
        numbers, seed = range(_CALIBRATION_GAMES), (_CALIBRATION_SEED, 0)
        games = list[SelfPlayedGame]()
        with Progress(_CALIBRATION_GAMES, "calibration games") as bar:
            for game in play_games(vector, vector, settings.plies, numbers, seed, settings.openings):
                games.append(game)
                bar.update(len(games))
        values = np.concatenate([_evaluate_positions(game, self.start) for game in games])
        plies = float(np.mean([game.plies for game in games]))
        return GameReward(settings.length, settings.evaluation, float(values.std()) or 1.0, plies)
