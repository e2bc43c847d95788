"""Settings of ``gammond heritage ascend``."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from gammond.tools.heritage.astros.families import FAMILY_NAMES, get_family
from gammond.tools.train.ascent.settings import AscentSettings
from gammond.tools.train.runs.strength_games import check_benchmark

START_REFERENCE = "start"
"""The reference that is the run's own first vector."""


class AscendSettings(AscentSettings, frozen=True):
    """All that decides the result of a run."""

    player: Annotated[
        Literal["bev", "heuristic", "phase-heuristic"],
        Meta(description=f"whose weights are learned: {', '.join(FAMILY_NAMES)}"),
    ] = "bev"
    reference: Annotated[
        str,
        Meta(description=f"opponent of each measurement: a player, or {START_REFERENCE!r}, the first vector"),
    ] = START_REFERENCE

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: The number of weights to start from is wrong, or one of them is out of range.
            GammondError: The reference cannot be loaded.
        """
        self.check_start(get_family(self.player).space)
        if self.reference != START_REFERENCE:
            check_benchmark((self.reference,), self.reference_games)
