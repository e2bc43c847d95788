"""The reward of games: how much better one vector of weights plays than another.

The games of a pair have the same dice, and each side begins one. The reward of a game is its points, a share
of which shrinks in proportion to the length of the game; plus the weighted difference of the average
evaluations of the positions that the two sides reached (`gammond.tools.train.ascent.matches.GameReward`).

*Source:* the technology page of Astros, section "Match Scoring". There a victory counts the
inverse of its length, and evaluations decide draws. Backgammon has no draws, so evaluations count in all
games. An evaluation is the mean of both players' scores of a position, as if each had reached it; or the
score of the reference, which no change of weights can bend.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Scorer
from gammond.engine.play.lockstep import play_games
from gammond.engine.rules.position import CHECKERS, OFF, Board
from gammond.tools.heritage.astros.families import FAMILIES
from gammond.tools.train.ascent.matches import GameReward, Vector

_CALIBRATION_GAMES = 100
_CALIBRATION_SEED = 5


@dataclass(frozen=True, eq=False)
class GameBatch:
    """Some paired games between two vectors of a family.

    Attributes:
        family_name: The name of the family.
        first: The vector whose reward counts.
        second: Its opponent.
        opinion: Evaluates positions; None for both players.
        reward: What a game counts.
        seed: Of the dice.
        first_game: The number of the first game.
        games: Number of games, even.
    """

    family_name: str
    first: Vector
    second: Vector
    opinion: Vector | None
    reward: GameReward
    seed: int
    first_game: int
    games: int


def play_batch(batch: GameBatch) -> NDArray[np.float64]:
    """Play games; return ``float64[games]``, the rewards of the first player; no points for endless ones."""
    kind, reward = FAMILIES[batch.family_name], batch.reward
    evaluating = (batch.first, batch.second) if batch.opinion is None else (batch.opinion,)
    scorers = [kind.make_scorer(vector) for vector in evaluating] if reward.evaluation_weight else []
    log = RewardLog(batch.games, scorers)
    points = play_games(
        kind.make_player(batch.first),
        kind.make_player(batch.second),
        batch.games,
        batch.seed,
        first_pair=batch.first_game // 2,
        may_be_endless=True,
        log=log,
    ).kinds.astype(np.float64)
    shares = reward.compute_share(log.turns.astype(np.float64))
    return points * shares + reward.weigh_lead(log.compute_lead())


class RewardLog:
    """Records lengths and evaluations of games; an `gammond.engine.play.lockstep.TurnLog`.

    Args:
        games: Number of games.
        scorers: Evaluate positions, with equal weights; none for no evaluations.
    """

    def __init__(self, games: int, scorers: list[Scorer]) -> None:
        self.turns = np.zeros(games, np.int64)
        self.evaluations: list[NDArray[np.float64]] = []
        self._scorers = scorers
        self._sums = np.zeros((2, games))
        self._counts = np.zeros((2, games))

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        """Record a turn, as `gammond.engine.play.lockstep.TurnLog.add`; finished games get no evaluation."""
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
        """Return how much better the first player's positions were on average: ``float64[games]``."""
        means = self._sums / np.maximum(self._counts, 1)
        lead: NDArray[np.float64] = means[0] - means[1]
        return lead


def calibrate_reward(
    family_name: str, vector: Vector, length_share: float, evaluation_weight: float
) -> GameReward:
    """Measure the length of games and the spread of evaluations of a vector against itself."""
    kind = FAMILIES[family_name]
    log = RewardLog(_CALIBRATION_GAMES, [kind.make_scorer(vector)])
    player = kind.make_player(vector)
    play_games(player, player, _CALIBRATION_GAMES, _CALIBRATION_SEED, log=log)
    spread = float(np.std(np.concatenate(log.evaluations))) or 1.0
    return GameReward(length_share, evaluation_weight, spread, float(log.turns.mean()))
