"""The reward of games: how much better one vector of weights plays than another.

The games of a pair have the same dice, and each side begins one. The reward of a game is its points, a share
of which (`RewardSettings.length_share`) shrinks in proportion to the length of the game; plus the difference
of the average evaluations of the positions that the two sides reached, times
`RewardSettings.evaluation_weight`.

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
from gammond.tools.heritage.astros.families import get_family
from gammond.tools.train.ascent.matches import Vector

_CALIBRATION_GAMES = 100
_CALIBRATION_SEED = 5


@dataclass(frozen=True)
class RewardSettings:
    """The parts of a reward besides points.

    Attributes:
        length_share: Share of the points that shrinks with the length of the game, 0 to 1.
        evaluation_weight: Points for an average evaluation that is better by `evaluation_spread`.
        is_evaluated_by_reference: Whether the reference alone evaluates, not the players.
        evaluation_spread: Standard deviation of the evaluations of positions.
        typical_turns: Turns of a typical game, which counts its points in full.
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
        family_name: The name of the family.
        first: The vector whose reward counts.
        second: Its opponent.
        reference: Evaluates if the players do not.
        reward: The reward of a game.
        seed: Of the dice.
        first_game: The number of the first game.
        games: Number of games, even.
    """

    family_name: str
    first: Vector
    second: Vector
    reference: Vector
    reward: RewardSettings
    seed: int
    first_game: int
    games: int


def play_batch(batch: GameBatch) -> NDArray[np.float64]:
    """Play games; return ``float64[games]``, the rewards of the first player; no points for endless ones."""
    kind, reward = get_family(batch.family_name), batch.reward
    evaluating = (batch.reference,) if reward.is_evaluated_by_reference else (batch.first, batch.second)
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
    ).points.astype(np.float64)
    shares = 1.0 - reward.length_share + reward.length_share * reward.typical_turns / log.turns
    return points * shares + reward.evaluation_weight / reward.evaluation_spread * log.compute_lead()


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
    family_name: str,
    vector: Vector,
    length_share: float,
    evaluation_weight: float,
    *,
    is_evaluated_by_reference: bool,
) -> RewardSettings:
    """Measure the length of games and the spread of evaluations of a vector against itself."""
    kind = get_family(family_name)
    log = RewardLog(_CALIBRATION_GAMES, [kind.make_scorer(vector)])
    player = kind.make_player(vector)
    play_games(player, player, _CALIBRATION_GAMES, _CALIBRATION_SEED, log=log)
    spread = float(np.std(np.concatenate(log.evaluations))) or 1.0
    return RewardSettings(
        length_share, evaluation_weight, is_evaluated_by_reference, spread, float(log.turns.mean())
    )
