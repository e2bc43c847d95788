"""Settings of ``gammond heritage ascend``."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from engine.errors import ValueRangeError
from tools.heritage.barca.families import FAMILY_NAMES, get_family
from tools.train.runs.strength_games import check_benchmark
from tools.train.runs.trainer import RunSettings

START_REFERENCE = "start"
"""The reference that is the run's own first vector."""

_EvenGames = Meta(ge=4, multiple_of=2, description="paired games that try a weight at each step")


class AscendSettings(RunSettings, frozen=True):
    """All that decides the result of a run."""

    player: Annotated[
        Literal["bev", "heuristic", "phase-heuristic"],
        Meta(description=f"whose weights are learned: {', '.join(FAMILY_NAMES)}"),
    ] = "bev"
    start: Annotated[
        tuple[float, ...],
        Meta(description="weights to start from, in order; default: the player's own"),
    ] = ()
    steps: Annotated[int, Meta(ge=1, description="steps in all")] = 40
    games: Annotated[int, _EvenGames] = 1000
    delta: Annotated[
        float, Meta(gt=0, le=100, description="change of a weight to try it, in its own scale")
    ] = 0.5
    rate: Annotated[
        float,
        Meta(gt=0, le=100, description="length of a step along the gradient, in the weights' scales"),
    ] = 1.0
    length: Annotated[
        float, Meta(ge=0, le=1, description="share of the points of a game that shrinks with its length")
    ] = 0.5
    evaluation: Annotated[
        float,
        Meta(ge=0, le=100, description="points for a typical lead in the average evaluation of positions"),
    ] = 0.5
    opinion: Annotated[
        Literal["players", "reference"],
        Meta(description="who evaluates: both players, or the first vector of the run alone"),
    ] = "players"
    reference: Annotated[
        str,
        Meta(description=f"opponent of each measurement: a player, or {START_REFERENCE!r}, the first vector"),
    ] = START_REFERENCE
    reference_games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="paired games of a measurement")
    ] = 4000
    patience: Annotated[
        int, Meta(ge=1, description="steps without a better point before a run returns to its best one")
    ] = 4
    restart_factor: Annotated[
        float, Meta(gt=0, le=10, description="factor of delta and rate on a return")
    ] = 0.5
    random_after: Annotated[
        int,
        Meta(
            ge=0,
            description="returns in a row without a better point before a random one; 0 for never",
        ),
    ] = 0
    spread: Annotated[
        float,
        Meta(gt=0, le=100, description="how far random points are from the first, in the weights' scales"),
    ] = 3.0
    seed: Annotated[int, Meta(ge=0, description="seed of dice and random points")] = 1

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The number of weights to start from is wrong, or one of them is out of range.
            GammondError: The reference cannot be loaded.
        """
        kind = get_family(self.player)
        if self.start and len(self.start) != len(kind.names):
            known = ", ".join(kind.names)
            raise ValueRangeError(
                f"expected {len(kind.names)} weights of {self.player} ({known}), got {len(self.start)}",
                field="start",
            )
        for name, value, low, high in zip(kind.names, self.start, kind.low, kind.high, strict=False):
            if not low <= value <= high:
                raise ValueRangeError(f"expected {low:g}..{high:g} for {name}, got {value:g}", field="start")
        if self.reference != START_REFERENCE:
            check_benchmark((self.reference,), self.reference_games)
