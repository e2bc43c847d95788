"""Settings of the trainers of Barca."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from gammond.tools.barca.weights import SPACE
from gammond.tools.train.ascent.settings import AscentSettings, LengthOption, ReferenceGamesOption
from gammond.tools.train.runs.trainer import RunSettings

PliesOption = Annotated[
    int, Meta(ge=1, le=8, description="plies of search of each move, which counts as one itself")
]
OpeningsOption = Annotated[int, Meta(ge=1, le=40, description="moves at random that begin each game")]

RUN_PLAYER = "search:depth=1,weights=run:{folder}"
"""The name by which a run plays."""

COMPARISON = "gammond tournament --variant barca {players} search:depth=1 --games 2000"


class VectorAscendSettings(AscentSettings, frozen=True):
    """All that decides the result of a run of ``gammond train barca-ascend``."""

    length: LengthOption = 1.0
    reference_games: ReferenceGamesOption = 2000
    plies: PliesOption = 1
    openings: OpeningsOption = 4

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The number of weights to start from is wrong, or one of them is out of range.
        """
        self.check_start(SPACE)


class VectorFitSettings(RunSettings, frozen=True):
    """All that decides the result of a run of ``gammond train barca-fit``."""

    lengths: ClassVar = ("generations",)

    generations: Annotated[int, Meta(ge=1, description="generations in all")] = 10
    games: Annotated[
        int, Meta(ge=4, multiple_of=2, description="games that a generation plays against itself")
    ] = 4000
    window: Annotated[
        int, Meta(ge=1, le=100, description="generations whose games a fit takes, the last ones")
    ] = 3
    plies: PliesOption = 1
    openings: OpeningsOption = 6
    reference_games: ReferenceGamesOption = 2000
    seed: Annotated[int, Meta(ge=0, description="seed of the openings")] = 1
