"""Settings of ``gammond heritage mimic``."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gammond.engine.errors import ValueRangeError
from gammond.engine.options import CHOICES
from gammond.tools.heritage.gengammon.agreement import FITNESSES
from gammond.tools.train.runs.strength_games import GamesOption, check_benchmark
from gammond.tools.train.runs.trainer import RunSettings


class MimicSettings(RunSettings, frozen=True):
    """All that decides the resulting net."""

    lengths: ClassVar = ("generations", "epochs", "rounds")

    moves: Annotated[str, Meta(description="file of expert moves, from gammond heritage expert-moves")] = ""
    method: Annotated[
        Literal["genetic", "backprop", "play"],
        Meta(description="genetic; backprop, by gradients; or play, without experts"),
    ] = "genetic"
    activation: Annotated[
        Literal["linear", "softsign"], Meta(description="activation of hidden units: linear or softsign")
    ] = "softsign"
    fitness: Annotated[
        str, Meta(extra={CHOICES: tuple(FITNESSES)}, description=f"fitness function: {', '.join(FITNESSES)}")
    ] = "3-nearness"
    learned: Annotated[
        int, Meta(ge=0, description="expert moves to learn from, drawn at random; 0 for all")
    ] = 0
    unseen: Annotated[float, Meta(gt=0, lt=1, description="share of the matches held out for validation")] = (
        0.2
    )
    validate_every: Annotated[
        int, Meta(ge=1, description="generations between validations, each of which is a checkpoint")
    ] = 200
    population: Annotated[int, Meta(ge=2, description="nets of a generation")] = 64
    generations: Annotated[int, Meta(ge=1, description="generations in all")] = 20_000
    elite: Annotated[
        float, Meta(ge=0, lt=1, description="share of the population, the fittest, that survives unchanged")
    ] = 0.15
    contest: Annotated[
        int, Meta(ge=1, description="nets drawn for each parent; the fittest becomes the parent")
    ] = 4
    mutation: Annotated[
        Literal["swap", "bit"], Meta(description="swap: two weights change places; bit: one bit changes")
    ] = "bit"
    mutation_share: Annotated[float, Meta(ge=0, le=1, description="share of the offspring that mutates")] = (
        0.6
    )
    mutations: Annotated[int, Meta(ge=1, description="swaps or bits of a mutation")] = 8
    crossover: Annotated[
        Literal["weights", "bits", "alternating"],
        Meta(description="what offspring inherit from either parent: weights, bits, or alternating"),
    ] = "weights"
    alternate_every: Annotated[
        int, Meta(ge=1, description="generations after which alternating switches")
    ] = 50
    alternate_from: Annotated[
        float, Meta(ge=0, le=1, description="fitness of the fittest net from which alternating alternates")
    ] = 0.0
    sample: Annotated[
        int,
        Meta(ge=0, description="expert moves that measure a generation, drawn anew for each; 0 for all"),
    ] = 1000
    epochs: Annotated[int, Meta(ge=1, description="passes of backpropagation through the moves")] = 60
    batch: Annotated[int, Meta(ge=1, description="expert moves of a step of backpropagation")] = 256
    rate: Annotated[float, Meta(gt=0, le=1, description="learning rate at the first step")] = 0.02
    sharpness: Annotated[float, Meta(gt=0, description="factor of the ratings before the softmax")] = 4.0
    rounds: Annotated[int, Meta(ge=1, description="rounds of play, each with new data")] = 8
    round_generations: Annotated[int, Meta(ge=1, description="generations of a round of play")] = 300
    positions: Annotated[int, Meta(ge=10, description="positions of a round of play")] = 1000
    trials: Annotated[int, Meta(ge=1, description="playouts of each play of a roll")] = 64
    opponents: Annotated[tuple[str, ...], Meta(description="opponents of the final net")] = (
        "random",
        "pubeval",
    )
    games: GamesOption = 2000
    seed: Annotated[int, Meta(ge=0, description="seed of all random numbers")] = 1

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The file of moves is missing, or the number of games is odd.
            GammondError: An opponent cannot be loaded.
        """
        if self.method != "play" and not self.moves:
            raise ValueRangeError(
                "expected --moves FILE, a file of expert moves from 'gammond heritage expert-moves'",
                field="moves",
            )
        check_benchmark(self.opponents, self.games)
