"""The games of one trial: a changed configuration against the previous one, in several processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import Player
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.nets.heritage.heuristic_engine.heuristic import (
    HeuristicConfig,
    HeuristicPlayer,
    OnePlyHeuristicPlayer,
)
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


@dataclass(frozen=True)
class PlaySettings:
    """How configurations play.

    Attributes:
        rules: The rules of the games.
        uses_probability_score: Whether they play by the probability score, the average of the opponent's best
            replies.
    """

    rules: Rules = STANDARD_RULES
    uses_probability_score: bool = False

    def make_player(self, configuration: HeuristicConfig) -> Player:
        """Make the player of a configuration."""
        kind = OnePlyHeuristicPlayer if self.uses_probability_score else HeuristicPlayer
        return kind("heuristic", configuration.tables)


@dataclass(frozen=True)
class ClimbTrial:
    """A trial: its players, dice and rules.

    Attributes:
        changed: The configuration whose points count.
        baseline: Its opponent.
        seed: Of the dice.
        number: The number of the trial; each has its own dice.
        play_settings: How both play.
    """

    changed: HeuristicConfig
    baseline: HeuristicConfig
    seed: int
    number: int
    play_settings: PlaySettings = PlaySettings()


@dataclass(frozen=True)
class _TrialGames:
    """Some games of a trial, and whether they come in pairs with the same dice."""

    trial: ClimbTrial
    first_game: int
    games: int
    has_pairs: bool


def run_trial(
    trial: ClimbTrial, rule: AcceptanceRule, processes: Executor
) -> tuple[ChangeDecision, PairedScores]:
    """Play until a rule decides.

    Args:
        trial: The trial.
        rule: Decides.
        processes: Play the games; no effect on the result.

    Returns:
        The decision, and the games that it is based on.
    """
    scores = PairedScores.empty()
    for points in processes.map(play_trial_games, _split_trial(trial, rule)):
        scores = scores.concatenate(PairedScores(points.astype(np.float64), points))
        decision = rule.decide(scores)
        if decision is not None:
            return decision, scores.take_first(decision.games)
    raise AssertionError("a rule decides after its last game at the latest")


def play_trial_games(games: _TrialGames) -> NDArray[np.int8]:
    """Play some games; return ``int8[games]``, points of the changed configuration; 0 for an endless one."""
    trial = games.trial
    first, second = (trial.play_settings.make_player(each) for each in (trial.changed, trial.baseline))
    return play_games(
        first,
        second,
        games.games,
        trial.seed,
        first_pair=trial.number * _PAIRS_PER_TRIAL + games.first_game // 2,
        has_pairs=games.has_pairs,
        rules=trial.play_settings.rules,
        may_be_endless=True,
    ).points


def _split_trial(trial: ClimbTrial, rule: AcceptanceRule) -> Iterator[_TrialGames]:
    for start in range(0, rule.most_games, GAMES_PER_TASK):
        yield _TrialGames(trial, start, min(GAMES_PER_TASK, rule.most_games - start), rule.has_pairs)
