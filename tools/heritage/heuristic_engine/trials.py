"""A trial: a changed configuration plays the previous one, in several processes, until a rule decides.

A rule keeps a change after a fixed number of games, or by a sequential test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import Player
from gammond.engine.rules.rules import Rules
from gammond.tools.parallel.executor import Executor
from gammond.tools.tournament.statistics.scores import PairedScores
from gammond.tools.tournament.statistics.sprt import SequentialTest, SprtVerdict


@dataclass(frozen=True)
class ChangeDecision:
    """The decision of a rule.

    Attributes:
        is_accepted: Whether to keep the change.
        games: Number of games that decided.
    """

    is_accepted: bool
    games: int


@dataclass(frozen=True)
class FixedRule:
    """Plays a fixed number of games; keeps a change that wins more than a share of them.

    *Source:* K. Ekman's trainer: 3,000 games, 51 %, each with its own dice.

    Attributes:
        most_games: Number of games, even.
        share: The share of games that a kept change exceeds.
        has_pairs: Whether games come in pairs with the same dice.

    Raises:
        ValueRangeError: The number of games is odd.
    """

    most_games: int = 3000
    share: float = 0.51
    has_pairs: bool = False

    def __post_init__(self) -> None:
        if self.most_games % 2:
            raise ValueRangeError(f"expected an even number of games, got {self.most_games}", field="games")

    def decide(self, scores: PairedScores) -> ChangeDecision | None:
        """Decide about a change from its games against the configuration before; None to play on."""
        if scores.games < self.most_games:
            return None
        whole = scores.take_first(self.most_games)
        return ChangeDecision(whole.wins > self.share * self.most_games, self.most_games)


@dataclass(frozen=True)
class SequentialRule:
    """Plays paired games until a sequential test ends; keeps a change that it accepts.

    Attributes:
        test: Tests the changed configuration's wins.
        most_games: Maximum number of games, after which the change is dropped.
    """

    test: SequentialTest
    most_games: int = 40_000
    has_pairs: bool = True

    def decide(self, scores: PairedScores) -> ChangeDecision | None:
        """Decide, as `FixedRule.decide`."""
        result = self.test.run(scores.take_first(self.most_games))
        if result.verdict is not SprtVerdict.UNDECIDED:
            return ChangeDecision(result.verdict is SprtVerdict.ACCEPTED, result.games)
        return ChangeDecision(False, self.most_games) if scores.games >= self.most_games else None


AcceptanceRule = FixedRule | SequentialRule


GAMES_PER_TASK = 500
"""Games of a task; no effect on the result."""

_PAIRS_PER_TRIAL = 2**24
"""Distance of the trials in the numbering of pairs of games."""


@dataclass(frozen=True, eq=False)
class TrialGames:
    """Some games of a trial.

    Attributes:
        changed: The player of the changed configuration, whose points count.
        baseline: Its opponent.
        rules: The rules of the games.
        seed: Of the dice.
        first_pair: The number of the first pair of games.
        games: How many, even.
        has_pairs: Whether they come in pairs with the same dice.
    """

    changed: Player
    baseline: Player
    rules: Rules
    seed: int
    first_pair: int
    games: int
    has_pairs: bool


def run_trial(
    changed: Player,
    baseline: Player,
    rules: Rules,
    seed: int,
    number: int,
    rule: AcceptanceRule,
    processes: Executor,
) -> tuple[ChangeDecision, PairedScores]:
    """Play until a rule decides.

    Args:
        changed: The player of the changed configuration.
        baseline: That of the previous one.
        rules: The rules of the games.
        seed: Of the dice.
        number: The number of the trial; each has its own dice.
        rule: Decides.
        processes: Play the games; no effect on the result.

    Returns:
        The decision, and the games that it is based on, for the changed configuration.
    """
    tasks = (
        TrialGames(
            changed,
            baseline,
            rules,
            seed,
            number * _PAIRS_PER_TRIAL + start // 2,
            min(GAMES_PER_TASK, rule.most_games - start),
            rule.has_pairs,
        )
        for start in range(0, rule.most_games, GAMES_PER_TASK)
    )
    scores = PairedScores.empty()
    for points in processes.map(play_trial_games, tasks):
        scores = scores.concatenate(PairedScores(points.astype(np.float64), points))
        decision = rule.decide(scores)
        if decision is not None:
            return decision, scores.take_first(decision.games)
    raise AssertionError("a rule decides after its last game at the latest")


def play_trial_games(task: TrialGames) -> NDArray[np.int8]:
    """Play some games; return ``int8[games]``, points of the changed configuration; 0 for an endless one."""
    return play_games(
        task.changed,
        task.baseline,
        task.games,
        task.seed,
        first_pair=task.first_pair,
        has_pairs=task.has_pairs,
        rules=task.rules,
        may_be_endless=True,
    ).points
