"""``bev``: a board evaluation vector."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta

from engine.errors import ValueRangeError
from engine.players import ScorerPlayer
from nets.bev import HAND, LEARNED, BevScorer, Weights
from nets.player_kinds import PlayerKind


class BevOptions(Weights, frozen=True):
    """The weights, one by one, or those that were learned."""

    learned: Annotated[
        bool, Meta(description="the weights of gradient ascent in place of all others, which are set by hand")
    ] = False

    def __post_init__(self) -> None:
        if self.learned and self.own_weights != HAND:
            raise ValueRangeError(
                "learned=true has all its weights: give either that or weights", field="learned"
            )

    @property
    def own_weights(self) -> Weights:
        """The weights that are given one by one."""
        return Weights(*(getattr(self, name) for name in Weights.__struct_fields__))


def _make(options: BevOptions, _: Path) -> ScorerPlayer:
    weights = LEARNED if options.learned else options.own_weights
    return ScorerPlayer(KIND.called(options), BevScorer(weights.vector))


KIND = PlayerKind(
    "bev",
    "a board evaluation vector: features of both sides, each times a weight",
    BevOptions,
    _make,
)
