"""Settings of the trainers of Barca."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tools.barca.weights import SPACE
from tools.train.ascent.settings import AscentSettings
from tools.train.runs.trainer import RunSettings

PliesOption = Annotated[
    int, Meta(ge=1, le=8, description="plies of search of each move, which counts as one itself")
]
OpeningsOption = Annotated[int, Meta(ge=1, le=40, description="moves at random that begin each game")]


class AscendSettings(AscentSettings, frozen=True):
    """All that decides the result of a run of ``gammond train barca-ascend``."""

    length: Annotated[
        float, Meta(ge=0, le=1, description="share of a victory that shrinks with the length of the game")
    ] = 1.0
    evaluation: Annotated[
        float,
        Meta(ge=0, le=100, description="what a draw counts for a typical lead in the average evaluation"),
    ] = 0.5
    reference_games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="paired games of a measurement against the first vector")
    ] = 2000
    opinion: Annotated[
        Literal["players", "reference"],
        Meta(description="who evaluates draws: both players, or the first vector of the run alone"),
    ] = "players"
    plies: PliesOption = 1
    openings: OpeningsOption = 4

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The number of weights to start from is wrong, or one of them is out of range.
        """
        self.check_start(SPACE)


class FitSettings(RunSettings, frozen=True):
    """All that decides the result of a run of ``gammond train barca-fit``."""

    generations: Annotated[int, Meta(ge=1, description="generations in all")] = 10
    games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="games that a generation plays against itself")
    ] = 4000
    window: Annotated[
        int, Meta(ge=1, le=100, description="generations whose games a fit takes, the last ones")
    ] = 3
    plies: PliesOption = 1
    openings: OpeningsOption = 6
    reference_games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="paired games of a measurement against weights by hand")
    ] = 2000
    seed: Annotated[int, Meta(ge=0, description="seed of the openings")] = 1
