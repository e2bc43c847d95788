"""Settings of ``gammond heritage heuristic-net``."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from engine.errors import ValueRangeError
from tools.heritage.phase_features.inputs import INPUT_ENCODINGS, InputEncoding
from tools.train.runs.strength_games import OpponentsOption, check_benchmark
from tools.train.runs.trainer import RunSettings


class HeuristicNetSettings(RunSettings, frozen=True):
    """All that decides the resulting net."""

    inputs: Annotated[
        Literal["gated", "plain", "counts"],
        Meta(
            description="what the net sees: gated, features in the block of the phase; plain, without the "
            "phase; counts, gated but not normalised"
        ),
    ] = "gated"
    random_games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="games of random plays that give positions to imitate on")
    ] = 1000
    epochs: Annotated[
        int,
        Meta(
            ge=0,
            description="how often each of those is learned, with the heuristic's value; 0: no imitation",
        ),
    ] = 10
    rounds: Annotated[int, Meta(ge=0, description="rounds of learning from outcomes after that")] = 50
    round_games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="games of a round, whose positions learn who won")
    ] = 1000
    round_epochs: Annotated[int, Meta(ge=1, description="how often each position of a round is learned")] = 2
    chooser: Annotated[
        Literal["heuristic", "net"],
        Meta(description="who plays those games: heuristic, or net (itself, as it was before the round)"),
    ] = "heuristic"
    among: Annotated[
        int, Meta(ge=1, le=100, description="how many of its best plays the chooser chooses among by chance")
    ] = 4
    batch: Annotated[int, Meta(ge=1, description="positions of a step")] = 50
    rate: Annotated[float, Meta(gt=0, le=1, description="learning rate at the first step of each part")] = (
        1e-3
    )
    final_rate: Annotated[
        float, Meta(gt=0, le=1, description="learning rate at the last step of each part")
    ] = 1e-5
    opponents: OpponentsOption = (
        "phase-heuristic",
        "pubeval",
        "random",
    )
    games: Annotated[
        int,
        Meta(ge=0, description="paired games against each of them in a measurement; 0 for none"),
    ] = 2000
    measure_every: Annotated[
        int, Meta(ge=1, description="rounds between measurements; one is made after the imitation too")
    ] = 10
    seed: Annotated[int, Meta(ge=0, description="seed of the first weights, of dice, plays and order")] = 1

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The rate would rise, there is nothing to learn, or the number of games is odd.
            GammondError: An opponent cannot be loaded.
        """
        if not self.epochs + self.rounds:
            raise ValueRangeError("expected epochs or rounds to learn in, not 0 of both", field="rounds")
        if self.final_rate > self.rate:
            raise ValueRangeError(
                f"the learning rate falls, it cannot go from {self.rate} to {self.final_rate}", field="rate"
            )
        check_benchmark(self.opponents, self.games)

    @property
    def encoding(self) -> InputEncoding:
        """The input encoding."""
        return INPUT_ENCODINGS[self.inputs]
