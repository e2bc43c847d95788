"""Settings of an ascent in any game."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gammond.engine.errors import ValueRangeError
from gammond.tools.train.ascent.matches import LearnedWeights
from gammond.tools.train.runs.trainer import RunSettings

LengthOption = Annotated[
    float, Meta(ge=0, le=1, description="share of the points of a game that shrinks with its length")
]
ReferenceGamesOption = Annotated[int, Meta(ge=4, multiple_of=2, description="paired games of a measurement")]
"""Options whose defaults differ by game."""


class AscentSettings(RunSettings, frozen=True):
    """What decides the way of an ascent, whatever the game."""

    lengths: ClassVar = ("steps",)

    start: Annotated[
        tuple[float, ...],
        Meta(description="weights to start from, in order (default the player's own)"),
    ] = ()
    steps: Annotated[int, Meta(ge=1, description="steps in all")] = 40
    games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="paired games that try a weight at each step")
    ] = 1000
    delta: Annotated[
        float, Meta(gt=0, le=100, description="change of a weight to try it, in its own scale")
    ] = 0.5
    rate: Annotated[
        float,
        Meta(gt=0, le=100, description="length of a step along the gradient, in the weights' scales"),
    ] = 1.0
    length: LengthOption = 0.5
    evaluation: Annotated[
        float,
        Meta(ge=0, le=100, description="points for a typical lead in the average evaluation of positions"),
    ] = 0.5
    opinion: Annotated[
        Literal["players", "reference"],
        Meta(description="who evaluates: both players, or the first vector of the run alone"),
    ] = "players"
    reference_games: ReferenceGamesOption = 4000
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
    seed: Annotated[int, Meta(ge=0, description="seed of the games and of random points")] = 1

    def check_start(self, space: LearnedWeights) -> None:
        """Check the weights to start from.

        Raises:
            ValueRangeError: Their number is wrong, or one of them is out of range.
        """
        if self.start and len(self.start) != len(space.names):
            known = ", ".join(space.names)
            raise ValueRangeError(
                f"--start: expected {len(space.names)} weights of {space.title} ({known}), "
                f"got {len(self.start)}",
                field="start",
            )
        for name, value, low, high in zip(space.names, self.start, space.low, space.high, strict=False):
            if not low <= value <= high:
                raise ValueRangeError(f"expected {low:g}..{high:g} for {name}, got {value:g}", field="start")
