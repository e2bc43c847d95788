"""Self-play: the settings of a run, and its rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, ClassVar

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.formats.array_file import read_count
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.tools.train.kernels import td as kernel_td
from gammond.tools.train.runs.game_learner import RoundReport
from gammond.tools.train.runs.strength_games import (
    BacktrackOption,
    CheckpointGamesOption,
    OpponentsOption,
    check_backtrack,
    check_benchmark,
)
from gammond.tools.train.runs.trainer import RunSettings, VariantOption, find_training_rules
from gammond.tools.train.weights.td_nets import TdNets, make_untrained_td_net, td_nets_from_arrays


class TdSettings(RunSettings, frozen=True):
    """All that decides the result of a run."""

    lengths: ClassVar = ("games",)

    variant: VariantOption = STANDARD_RULES.variant.name
    games: Annotated[int, Meta(ge=1, description="games of self-play in all")] = 2_000_000
    hidden: Annotated[int, Meta(ge=1, description="hidden units of the contact net")] = 128
    race_hidden: Annotated[int, Meta(ge=1, description="hidden units of the race net")] = 64
    learning_rate: Annotated[float, Meta(gt=0, le=1, description="learning rate at the first game")] = 0.02
    final_rate: Annotated[
        float, Meta(gt=0, le=1, description="learning rate at the last game; it never falls below")
    ] = 0.001
    trace: Annotated[float, Meta(ge=0, le=1, description="lambda of the returns")] = 0.0
    threads: Annotated[int, Meta(ge=1, le=256, description="workers that play in parallel")] = 2
    round_games: Annotated[
        int, Meta(ge=1, description="games of each worker before weight changes are added")
    ] = 32
    checkpoint_every: Annotated[int, Meta(ge=1, description="games between checkpoints")] = 100_000
    opponents: OpponentsOption = ("pubeval",)
    benchmark_games: CheckpointGamesOption = 2000
    backtrack: BacktrackOption = 0.0
    backtrack_factor: Annotated[float, Meta(gt=0, le=1, description="factor of the learning rate then")] = 0.5
    seed: Annotated[int, Meta(ge=0, description="seed of the first weights and of the dice")] = 1

    @property
    def rules(self) -> Rules:
        """The rules of the games that the run plays."""
        return find_training_rules(self.variant)

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The rate would rise, the number of games is odd, or the run should go back to
                the best net and measures none.
            GammondError: An opponent cannot be loaded, or nets cannot learn the variant.
        """
        find_training_rules(self.variant)
        if self.final_rate > self.learning_rate:
            raise ValueRangeError(
                f"expected at least the final_rate, {self.final_rate}, as learning_rate, "
                f"got {self.learning_rate}",
                field="learning_rate",
            )
        check_backtrack(self.backtrack, self.opponents, self.benchmark_games)
        check_benchmark(self.opponents, self.benchmark_games)

    def learning_rate_at(self, games_done: int, cuts: int = 0) -> float:
        """The learning rate after a number of games, cut by as many returns to the best net."""
        share = min(games_done / self.games, 1.0)
        planned: float = self.learning_rate * (self.final_rate / self.learning_rate) ** share
        return max(planned * self.backtrack_factor**cuts, self.final_rate) if cuts else planned


class SelfPlay:
    """Self-play, round by round; the same settings give the same weights.

    Args:
        settings: Of the run.
        nets: Weights to start from; random ones unless given.
        games_done: Games that led to these weights.
        dice_states: ``uint64[threads]``, the states of the workers' dice; from the seed unless given.
        cuts: How often the run went back to the best net.

    Raises:
        UnsupportedError: Nets cannot learn the variant of the settings.
    """

    def __init__(
        self,
        settings: TdSettings,
        nets: TdNets | None = None,
        games_done: int = 0,
        dice_states: NDArray[np.uint64] | None = None,
        cuts: int = 0,
    ) -> None:
        generator = np.random.Generator(np.random.PCG64(settings.seed))
        self.settings = settings
        self._start = settings.rules.starting_position.board
        self.nets = nets or TdNets(
            "td",
            make_untrained_td_net(settings.hidden, generator),
            make_untrained_td_net(settings.race_hidden, generator),
        )
        self.games_done = games_done
        seeded = np.random.SeedSequence(settings.seed).generate_state(settings.threads, np.uint64)
        self.dice_states: NDArray[np.uint64] = (
            seeded.astype(np.uint64) if dice_states is None else dice_states
        )
        self.cuts = cuts

    @classmethod
    def from_arrays(cls, settings: TdSettings, name: str, arrays: Mapping[str, NDArray[Any]]) -> SelfPlay:
        """Go on from what a file of a run holds.

        Args:
            settings: Of the run.
            name: Of the nets.
            arrays: All that the file holds.

        Raises:
            DataFileError: An array is missing, or not as it should be.
        """
        nets, state = td_nets_from_arrays(name, arrays)
        if missing := [name for name in ("games_done", "dice", "cuts") if name not in state]:
            raise DataFileError(f"expected a checkpoint of a run, missing {' and '.join(missing)}")
        games_done, cuts = read_count(state, "games_done"), read_count(state, "cuts")
        dice = state["dice"]
        if dice.ndim != 1 or dice.dtype != np.uint64:
            raise DataFileError(f"expected dice as uint64[threads], got {dice.dtype}{list(dice.shape)}")
        return cls(settings, nets, games_done, dice.astype(np.uint64), cuts)

    @property
    def rate(self) -> float:
        """The learning rate of the next round."""
        return self.settings.learning_rate_at(self.games_done, self.cuts)

    def backtrack_to(self, nets: TdNets) -> None:
        """Go on from other weights at a lower rate; games done and dice stay as they are."""
        self.nets = nets
        self.cuts += 1

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """All that it takes to go on, aside from the weights."""
        return {
            "games_done": np.array(self.games_done),
            "dice": self.dice_states,
            "cuts": np.array(self.cuts),
        }

    def play_rounds(self) -> Iterator[RoundReport]:
        """Play rounds until all games are played; the nets may be changed between reports."""
        settings = self.settings
        with ThreadPoolExecutor(settings.threads) as pool:
            while self.games_done < settings.games:
                rate = self.rate
                tallies = np.zeros((settings.threads, 4), np.int64)
                squares = self._play_round(pool, rate, tallies)
                games, plies, gammons, _ = tallies.sum(axis=0).tolist()
                self.games_done += settings.threads * settings.round_games
                yield RoundReport(self.games_done, rate, games, plies, gammons, squares)

    def _play_round(self, pool: ThreadPoolExecutor, rate: float, tallies: NDArray[np.int64]) -> float:
        """Play a round, add up what the workers learned, and return the sum of squared errors."""
        settings, start = self.settings, self._start
        before = self.nets.copy()
        workers = [self.nets.copy() for _ in range(settings.threads)]

        def play(worker: TdNets, dice: NDArray[np.uint64], tally: NDArray[np.int64]) -> float:
            contact, race = worker.contact.one_layer_weights, worker.race.one_layer_weights
            return kernel_td.run_self_play(
                settings.round_games, start, contact, race, rate, settings.trace, dice, tally
            )

        dice = (self.dice_states[i : i + 1] for i in range(settings.threads))
        squares = sum(pool.map(play, workers, dice, tallies))
        for worker in workers:
            self.nets.contact.add_changes(before.contact, worker.contact)
            self.nets.race.add_changes(before.race, worker.race)
        return squares
