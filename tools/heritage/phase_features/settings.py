"""Settings of ``gammond heritage heuristic-net``."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gammond.engine.errors import ValueRangeError
from gammond.nets.heritage.phase_features.net import HIDDEN
from gammond.tools.heritage.phase_features.trainer import INPUT_ENCODINGS, InputEncoding
from gammond.tools.train.runs.strength_games import OpponentsOption, check_benchmark
from gammond.tools.train.runs.trainer import RunSettings

_MOST_UNITS = 4096


class HeuristicNetSettings(RunSettings, frozen=True):
    """All that decides the resulting net."""

    lengths: ClassVar = ("rounds",)

    inputs: Annotated[
        Literal["gated", "plain", "counts"],
        Meta(
            description="encoding: gated, features in the block of the phase; plain, without the phase; "
            "counts, gated but not normalised"
        ),
    ] = "gated"
    hidden: Annotated[tuple[int, ...], Meta(description="sizes of the two hidden layers")] = HIDDEN
    random_games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="random games whose positions are imitated")
    ] = 1000
    epochs: Annotated[
        int,
        Meta(
            ge=0,
            description="epochs of imitation; 0 for none",
        ),
    ] = 10
    rounds: Annotated[int, Meta(ge=0, description="rounds of learning from outcomes")] = 50
    round_games: Annotated[int, Meta(ge=4, multiple_of=2, description="games of a round")] = 1000
    round_epochs: Annotated[int, Meta(ge=1, description="epochs of a round")] = 2
    chooser: Annotated[
        Literal["heuristic", "net"],
        Meta(description="player of those games: heuristic, or net (as it was before the round)"),
    ] = "heuristic"
    among: Annotated[
        int, Meta(ge=1, le=100, description="number of best plays from which the chooser draws")
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
        int, Meta(ge=1, description="rounds between measurements; also one after the imitation")
    ] = 10
    seed: Annotated[int, Meta(ge=0, description="seed of the first weights, of dice, plays and order")] = 1

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: There are not two layers, the rate would rise, there is nothing to learn, or the
                number of games is odd.
            GammondError: An opponent cannot be loaded.
        """
        if len(self.hidden) != len(HIDDEN) or not all(1 <= units <= _MOST_UNITS for units in self.hidden):
            sizes = ",".join(map(str, self.hidden))
            raise ValueRangeError(
                f"--hidden: expected two sizes of 1..{_MOST_UNITS}, got {sizes}", field="hidden"
            )
        if not self.epochs + self.rounds:
            raise ValueRangeError("expected epochs or rounds above 0, got 0 of both", field="rounds")
        if self.final_rate > self.rate:
            raise ValueRangeError(
                f"expected a final_rate up to {self.rate}, the rate, got {self.final_rate}", field="rate"
            )
        check_benchmark(self.opponents, self.games)

    @property
    def encoding(self) -> InputEncoding:
        """The input encoding."""
        return INPUT_ENCODINGS[self.inputs]
