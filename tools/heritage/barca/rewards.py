"""The match score: how much better one vector of weights plays than another.

Each game of a pair has the same dice and the other side begins. A game counts its points; as much of them as
`RewardSettings.length_share` says shrinks in proportion to the length of the game; and to that comes the
difference of the average evaluations of the positions that the two brought about, times
`RewardSettings.evaluation_weight`.

*Source:* the technology page of the Barca project, section "Match Scoring". There a victory counts the
inverse of its length, and evaluations decide draws. Backgammon has no draws, so evaluations count in all
games. An evaluation is the mean of what both players think of a position, as if each had brought it about; or
what the reference thinks, which no change of weights can bend.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Scorer
from engine.play.lockstep import PairedGameResults, play_games
from engine.rules.position import CHECKERS, OFF, Board
from tools.heritage.barca.families import Vector, get_family

_CALIBRATION_GAMES = 100
_CALIBRATION_SEED = 5


@dataclass(frozen=True)
class RewardSettings:
    """What counts besides points.

    Attributes:
        length_share: Which share of the points shrinks with the length of the game, 0 to 1.
        evaluation_weight: What an average evaluation that is better by `evaluation_spread` counts, in points.
        is_evaluated_by_reference: Whether the reference alone evaluates, not the players.
        evaluation_spread: How far apart the evaluations of positions usually are.
        typical_turns: How many turns a usual game has: one of this length counts its points as they are.
    """

    length_share: float
    evaluation_weight: float
    is_evaluated_by_reference: bool
    evaluation_spread: float
    typical_turns: float


@dataclass(frozen=True, eq=False)
class GameBatch:
    """Some paired games between two vectors of a family.

    Attributes:
        family_name: Its name.
        first: Whose reward is counted.
        second: Against whom.
        reference: Evaluates where the players do not.
        reward: What counts.
        seed: Of the dice.
        first_game: The number of the first game.
        games: How many, even.
    """

    family_name: str
    first: Vector
    second: Vector
    reference: Vector
    reward: RewardSettings
    seed: int
    first_game: int
    games: int


@dataclass(frozen=True)
class MeanReward:
    """What games came to, for the first player.

    Attributes:
        mean: Reward of a game.
        standard_error: Its standard error, from the pairs.
    """

    mean: float
    standard_error: float

    @classmethod
    def from_rewards(cls, rewards: NDArray[np.float64]) -> MeanReward:
        """Put the rewards of paired games together."""
        results = PairedGameResults(rewards)
        return cls(results.points_per_game, results.standard_error)


def play_batch(batch: GameBatch) -> NDArray[np.float64]:
    """Play a contest; ``float64[games]``, the rewards of the first player."""
    kind, reward = get_family(batch.family_name), batch.reward
    evaluating = (batch.reference,) if reward.is_evaluated_by_reference else (batch.first, batch.second)
    opinions = [kind.make_scorer(vector) for vector in evaluating] if reward.evaluation_weight else []
    log = RewardLog(batch.games, opinions)
    points = play_games(
        kind.make_player(batch.first),
        kind.make_player(batch.second),
        batch.games,
        batch.seed,
        first_pair=batch.first_game // 2,
        log=log,
    ).points.astype(np.float64)
    shares = 1.0 - reward.length_share + reward.length_share * reward.typical_turns / log.turns
    return points * shares + reward.evaluation_weight / reward.evaluation_spread * log.compute_lead()


class RewardLog:
    """Notes lengths and evaluations of games; an `engine.play.lockstep.TurnLog`.

    Args:
        games: How many.
        scorers: Evaluate, with equal weights; none for no evaluations.
    """

    def __init__(self, games: int, scorers: list[Scorer]) -> None:
        self.turns = np.zeros(games, np.int64)
        self.evaluations: list[NDArray[np.float64]] = []
        self._scorers = scorers
        self._sums = np.zeros((2, games))
        self._counts = np.zeros((2, games))

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        """Take note of one turn, as `engine.play.lockstep.TurnLog.add`; results are no evaluations."""
        self.turns[games] += 1
        goes_on = after[:, 1, OFF] != CHECKERS
        if not self._scorers or not goes_on.any():
            return
        boards, playing = after[goes_on], games[goes_on]
        values = (
            np.stack([each.score_boards(boards) for each in self._scorers]).astype(np.float64).mean(axis=0)
        )
        self._sums[seat, playing] += values
        self._counts[seat, playing] += 1
        self.evaluations.append(values)

    def compute_lead(self) -> NDArray[np.float64]:
        """By how much the first player's positions were better on average: ``float64[games]``."""
        means = self._sums / np.maximum(self._counts, 1)
        lead: NDArray[np.float64] = means[0] - means[1]
        return lead


def calibrate_reward(
    family_name: str,
    vector: Vector,
    length_share: float,
    evaluation_weight: float,
    *,
    is_evaluated_by_reference: bool,
) -> RewardSettings:
    """Measure how long games of a vector against itself are and how far apart its evaluations."""
    kind = get_family(family_name)
    log = RewardLog(_CALIBRATION_GAMES, [kind.make_scorer(vector)])
    player = kind.make_player(vector)
    play_games(player, player, _CALIBRATION_GAMES, _CALIBRATION_SEED, log=log)
    spread = float(np.std(np.concatenate(log.evaluations))) or 1.0
    return RewardSettings(
        length_share, evaluation_weight, is_evaluated_by_reference, spread, float(log.turns.mean())
    )
