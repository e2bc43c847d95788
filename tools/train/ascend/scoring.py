"""The match score: how much better one vector of weights plays than another.

Each game of a pair has the same dice and the other side begins. A game counts its points; as much of them as
`Reward.length` says shrinks in proportion to the length of the game; and to that comes the difference of the
average evaluations of the positions that the two brought about, times `Reward.evaluation`.

*Source:* the technology page of the Barca project, section "Match Scoring". There a victory counts the
inverse of its length, and evaluations decide draws. Backgammon has no draws, so evaluations count in all
games. An evaluation is the mean of what both players think of a position, as if each had brought it about; or
what the reference thinks, which no change of weights can bend.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.games import GameResults, play_games
from engine.players import Scorer
from engine.position import CHECKERS, OFF, Board
from tools.train.ascend.families import Vector, family

_MEASURE_GAMES = 100
_MEASURE_SEED = 5


@dataclass(frozen=True)
class Reward:
    """What counts besides points.

    Attributes:
        length: Which share of the points shrinks with the length of the game, 0 to 1.
        evaluation: What an average evaluation that is better by `unit` counts, in points.
        is_fixed: Whether the reference alone evaluates, not the players.
        unit: How far apart the evaluations of positions usually are.
        turns: How many turns a usual game has: one of this length counts its points as they are.
    """

    length: float
    evaluation: float
    is_fixed: bool
    unit: float
    turns: float


@dataclass(frozen=True, eq=False)
class Contest:
    """Some paired games between two vectors of a family.

    Attributes:
        family: Its name.
        first: Whose reward is counted.
        second: Against whom.
        reference: Who evaluates where the players do not.
        reward: What counts.
        seed: Of the dice.
        first_game: The number of the first game.
        games: How many, even.
    """

    family: str
    first: Vector
    second: Vector
    reference: Vector
    reward: Reward
    seed: int
    first_game: int
    games: int


@dataclass(frozen=True)
class Score:
    """What games came to, for the first player.

    Attributes:
        mean: Reward of a game.
        error: Its standard error, from the pairs.
    """

    mean: float
    error: float

    @classmethod
    def of(cls, rewards: NDArray[np.float64]) -> Score:
        """Put the rewards of paired games together."""
        results = GameResults(rewards)
        return cls(results.points_per_game, results.standard_error)


def play_contest(contest: Contest) -> NDArray[np.float64]:
    """Play a contest; ``float64[games]``, the rewards of the first player."""
    kind, reward = family(contest.family), contest.reward
    judged = (contest.reference,) if reward.is_fixed else (contest.first, contest.second)
    opinions = [kind.opinion(vector) for vector in judged] if reward.evaluation else []
    diary = GameDiary(contest.games, opinions)
    points = play_games(
        kind.player(contest.first),
        kind.player(contest.second),
        contest.games,
        contest.seed,
        first_pair=contest.first_game // 2,
        log=diary,
    ).points.astype(np.float64)
    shares = 1.0 - reward.length + reward.length * reward.turns / diary.turns
    return points * shares + reward.evaluation / reward.unit * diary.lead()


class GameDiary:
    """Notes lengths and evaluations of games; an `engine.games.TurnLog`.

    Args:
        games: How many.
        opinions: Who evaluates, all alike; none for no evaluations.
    """

    def __init__(self, games: int, opinions: list[Scorer]) -> None:
        self.turns = np.zeros(games, np.int64)
        self.seen: list[NDArray[np.float64]] = []
        self._opinions = opinions
        self._sums = np.zeros((2, games))
        self._counts = np.zeros((2, games))

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        """Take note of one turn, as `engine.games.TurnLog.add`; results are no evaluations."""
        self.turns[games] += 1
        goes_on = after[:, 1, OFF] != CHECKERS
        if not self._opinions or not goes_on.any():
            return
        boards, playing = after[goes_on], games[goes_on]
        values = np.stack([each.scores(boards) for each in self._opinions]).astype(np.float64).mean(axis=0)
        self._sums[seat, playing] += values
        self._counts[seat, playing] += 1
        self.seen.append(values)

    def lead(self) -> NDArray[np.float64]:
        """By how much the first player's positions were better on average: ``float64[games]``."""
        means = self._sums / np.maximum(self._counts, 1)
        lead: NDArray[np.float64] = means[0] - means[1]
        return lead


def usual_reward(name: str, vector: Vector, length: float, evaluation: float, *, is_fixed: bool) -> Reward:
    """Measure how long games of a vector against itself are and how far apart its evaluations."""
    kind = family(name)
    diary = GameDiary(_MEASURE_GAMES, [kind.opinion(vector)])
    player = kind.player(vector)
    play_games(player, player, _MEASURE_GAMES, _MEASURE_SEED, log=diary)
    spread = float(np.std(np.concatenate(diary.seen))) or 1.0
    return Reward(length, evaluation, is_fixed, spread, float(diary.turns.mean()))
