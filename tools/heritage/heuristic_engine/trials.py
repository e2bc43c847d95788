"""A trial: a changed configuration plays the previous one, in several processes, until a rule decides.

A rule keeps a change after a fixed number of games, or by a sequential test; the settings say which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.play.player import Player
from gammond.engine.rules.rules import Doubles, Rules
from gammond.nets.heritage.heuristic_engine.heuristic import (
    HEURISTIC_CONFIGS,
    HeuristicConfig,
    HeuristicPlayer,
)
from gammond.tools.common.command_options import option
from gammond.tools.parallel.executor import Executor
from gammond.tools.tournament.statistics.sprt import SequentialTest, SprtVerdict
from gammond.tools.train.runs.strength_games import GamesOption, OpponentsOption, check_benchmark
from gammond.tools.train.runs.trainer import RunSettings


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
    ).kinds


class ClimbSettings(RunSettings, frozen=True):
    """All that decides the result of a run."""

    lengths: ClassVar = ("trials",)

    trials: Annotated[int, Meta(ge=1, description="trials in all")] = 300
    start: Annotated[
        str,
        option(
            f"configuration to begin with: {', '.join(HEURISTIC_CONFIGS)}",
            "NAME",
            choices=tuple(HEURISTIC_CONFIGS),
        ),
    ] = "untrained"
    test: Annotated[
        Literal["fixed", "paired", "sprt"],
        Meta(
            description="fixed: games with dice of their own, kept above a share; paired: the same "
            "in pairs with the same dice; sprt: paired games until a sequential test ends"
        ),
    ] = "fixed"
    games: Annotated[int, Meta(ge=2, description="games of a change (fixed, paired)")] = 3000
    share: Annotated[
        float, Meta(ge=0, le=1, description="share of them that a kept change exceeds (fixed, paired)")
    ] = 0.51
    low: Annotated[float, Meta(description="Elo at which a change is not kept (sprt)")] = 0.0
    high: Annotated[float, Meta(description="Elo at which it is (sprt); 7 is 51 % of games")] = 7.0
    alpha: Annotated[float, Meta(description="how often one that is worth LOW may be kept (sprt)")] = 0.05
    beta: Annotated[float, Meta(description="how often one that is worth HIGH may be missed (sprt)")] = 0.05
    most_games: Annotated[int, Meta(ge=1000, description="games after which a change is not kept (sprt)")] = (
        40_000
    )
    scale: Annotated[float, Meta(gt=0, le=10, description="factor of the typical step sizes")] = 1.0
    doubles: Annotated[Literal["four", "two"], Meta(description="checker moves of doubles: four or two")] = (
        "four"
    )
    probability: Annotated[
        bool,
        option("whether all play by the average of the opponent's best replies", is_word=True),
    ] = False
    measure_every: Annotated[int, Meta(ge=1, description="trials between measurements of strength")] = 25
    opponents: OpponentsOption = ("pubeval",)
    benchmark_games: GamesOption = 4000
    seed: Annotated[int, Meta(ge=0, le=2**31, description="seed of the changes and of the dice")] = 1

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: A number of games is odd, or the bounds of a test are not in order.
            GammondError: An opponent cannot be loaded.
        """
        _ = self.rule
        check_benchmark(self.opponents, self.benchmark_games)

    @property
    def rule(self) -> AcceptanceRule:
        """The rule that decides about a change.

        Raises:
            ValueRangeError: An option of it is invalid.
        """
        if self.test != "sprt":
            return FixedRule(self.games, self.share, has_pairs=self.test == "paired")
        test = SequentialTest(self.low, self.high, alpha=self.alpha, beta=self.beta)
        return SequentialRule(test, self.most_games)

    @property
    def start_configuration(self) -> HeuristicConfig:
        """The configuration to begin with."""
        return HEURISTIC_CONFIGS[self.start]

    @property
    def rules(self) -> Rules:
        """The rules of the games that the run plays."""
        return Rules(doubles=Doubles(self.doubles))

    def make_player(self, configuration: HeuristicConfig) -> HeuristicPlayer:
        """Make the player of a configuration."""
        return HeuristicPlayer("heuristic", configuration.tables, looks_at_replies=self.probability)
