"""Self-play of a trainee: what a run is made of, and its rounds."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.position import Position
from tools.train.kernels import td as kernel_td
from tools.train.network import Network, Trainee


@dataclass(frozen=True)
class TdConfig:
    """All that decides the result of a run; kept beside it as ``run.toml``.

    Attributes:
        games: Games of self-play in all.
        hidden: Hidden units of the contact net.
        race_hidden: Hidden units of the race net.
        learning_rate: At the first game.
        final_rate: At the last game; in between the rate falls by the same factor each game.
        trace: λ of the returns.
        threads: Workers that play side by side; their weight changes are added after each round.
        round_games: Games of each worker in a round.
        seed: Of the first weights and of all dice.
    """

    games: int = 3_000_000
    hidden: int = 128
    race_hidden: int = 64
    learning_rate: float = 0.02
    final_rate: float = 0.001
    trace: float = 0.0
    threads: int = 2
    round_games: int = 32
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("games", "hidden", "race_hidden", "threads", "round_games"):
            if getattr(self, name) < 1:
                raise ValueRangeError(f"{name} is 1 or more, not {getattr(self, name)}", field=name)
        if self.seed < 0:
            raise ValueRangeError(f"seed is 0 or more, not {self.seed}", field="seed")
        if not 0.0 <= self.trace <= 1.0:
            raise ValueRangeError(f"trace (λ) lies between 0 and 1, not at {self.trace}", field="trace")
        if not 0.0 < self.final_rate <= self.learning_rate <= 1.0:
            raise ValueRangeError(
                f"rates fall from {self.learning_rate} to {self.final_rate}: expected a fall, both over 0",
                field="learning_rate",
            )

    def rate(self, games_done: int) -> float:
        """The learning rate after a number of games."""
        share = min(games_done / self.games, 1.0)
        return float(self.learning_rate * (self.final_rate / self.learning_rate) ** share)

    def changed(self) -> dict[str, float]:
        """The fields that are not at their defaults."""
        return {name: value for name, value in asdict(self).items() if value != getattr(TdConfig, name)}

    def to_toml(self) -> str:
        """Write all fields as TOML."""
        return "".join(f"{name} = {value!r}\n" for name, value in asdict(self).items())


@dataclass(frozen=True)
class RoundReport:
    """What self-play did since the last report.

    Attributes:
        games: Games finished since the run began.
        rate: The learning rate at the end.
        error_points: Root mean square of the errors of equity, in points a ply.
        gammons: Share of games that were gammons or backgammons.
        plies: Plies a game.
    """

    games: int
    rate: float
    error_points: float
    gammons: float
    plies: float


class SelfPlay:
    """Self-play of one trainee, round by round; the same configuration gives the same weights.

    Args:
        config: The run.
        trainee: Weights to start from; random ones unless given.
        games_done: Games that led to these weights.
        dice: ``uint64[threads]``, the states of the workers' dice; from the seed unless given.
    """

    def __init__(
        self,
        config: TdConfig,
        trainee: Trainee | None = None,
        games_done: int = 0,
        dice: NDArray[np.uint64] | None = None,
    ) -> None:
        generator = np.random.Generator(np.random.PCG64(config.seed))
        self.config = config
        self.trainee = trainee or Trainee(
            "td",
            Network.untrained(config.hidden, generator),
            Network.untrained(config.race_hidden, generator),
        )
        self.games_done = games_done
        seeded = np.random.SeedSequence(config.seed).generate_state(config.threads, np.uint64)
        self.dice: NDArray[np.uint64] = seeded.astype(np.uint64) if dice is None else dice

    def rounds(self) -> Iterator[RoundReport]:
        """Play rounds until all games are played; the trainee changes in place between reports."""
        config = self.config
        start = Position.start().board
        with ThreadPoolExecutor(config.threads) as pool:
            while self.games_done < config.games:
                rate = config.rate(self.games_done)
                workers = [self.trainee.copy() for _ in range(config.threads)]
                before = self.trainee.copy()
                tallies = np.zeros((config.threads, 4), np.int64)
                errors = list(
                    pool.map(
                        lambda worker, dice, tally, rate=rate: kernel_td.self_play(
                            config.round_games,
                            start,
                            worker.contact.arrays,
                            worker.race.arrays,
                            rate,
                            config.trace,
                            dice,
                            tally,
                        ),
                        workers,
                        (self.dice[i : i + 1] for i in range(config.threads)),
                        tallies,
                    )
                )
                for worker in workers:
                    self.trainee.contact.add_changes(before.contact, worker.contact)
                    self.trainee.race.add_changes(before.race, worker.race)
                games, plies, gammons, _ = tallies.sum(axis=0)
                self.games_done += config.threads * config.round_games
                yield RoundReport(
                    self.games_done,
                    rate,
                    float(np.sqrt(sum(errors) / max(plies, 1))),
                    float(gammons / max(games, 1)),
                    float(plies / max(games, 1)),
                )
