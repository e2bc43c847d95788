"""``bev``: a board evaluation vector."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from engine.errors import ValueRangeError
from engine.play.player import ScorerPlayer
from nets.heritage.barca.bev import HAND_WEIGHTS, LEARNED_WEIGHTS, BevScorer, BevWeights
from nets.player_kinds import PlayerKind


class BevOptions(BevWeights, frozen=True):
    """The weights, one by one, or the learned ones."""

    learned: Annotated[
        bool, Meta(description="the weights of gradient ascent in place of those set by hand")
    ] = False

    def __post_init__(self) -> None:
        if self.learned and self.explicit_weights != HAND_WEIGHTS:
            raise ValueRangeError("learned=true sets all weights; remove it or the weights", field="learned")

    @property
    def explicit_weights(self) -> BevWeights:
        """The weights given one by one."""
        return BevWeights(*(getattr(self, name) for name in BevWeights.__struct_fields__))


def _make(options: BevOptions, _: Path) -> ScorerPlayer:
    weights = LEARNED_WEIGHTS if options.learned else options.explicit_weights
    return ScorerPlayer(KIND.format_name(options), BevScorer(weights.vector))


KIND = PlayerKind(
    "bev",
    "a board evaluation vector: features of both sides, each times a weight",
    BevOptions,
    _make,
)
