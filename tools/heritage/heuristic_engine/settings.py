"""Settings of ``gammond heritage climb``."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gammond.engine.options import CHOICES
from gammond.engine.rules.rules import Doubles, Rules
from gammond.nets.heritage.heuristic_engine.heuristic import (
    HEURISTIC_CONFIGS,
    HeuristicConfig,
    HeuristicPlayer,
)
from gammond.tools.heritage.heuristic_engine.trials import (
    AcceptanceRule,
    FixedRule,
    SequentialRule,
)
from gammond.tools.tournament.statistics.sprt import SequentialTest
from gammond.tools.train.runs.strength_games import GamesOption, OpponentsOption, check_benchmark
from gammond.tools.train.runs.trainer import RunSettings


class ClimbSettings(RunSettings, frozen=True):
    """All that decides the result of a run."""

    lengths: ClassVar = ("trials",)

    trials: Annotated[int, Meta(ge=1, description="trials in all")] = 300
    start: Annotated[
        str,
        Meta(extra={CHOICES: tuple(HEURISTIC_CONFIGS)}, description="configuration to begin with, by name"),
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
    high: Annotated[float, Meta(description="Elo at which it is (sprt); 7 is 51 %% of games")] = 7.0
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
        Meta(description="whether all play by the average of the opponent's best replies: true or false"),
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
