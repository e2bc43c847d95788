"""``heuristic``: pips, blocks and blots, each times a factor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from engine.errors import ValueRangeError
from engine.players import Player
from nets.heuristic import CONFIGURATIONS, PRINTED, Configuration, HeuristicPlayer, ReplyAveragingPlayer
from nets.player_kinds import PlayerKind

_OWN = "trained"


class HeuristicOptions(Configuration, frozen=True):
    """The factors, or a configuration by name; and how they are used."""

    config: Annotated[
        Literal["trained", "untrained", "author", "author-first", "author-two", "ascended"],
        Meta(description="all factors by name, in place of the others"),
    ] = "trained"
    probability: Annotated[
        bool, Meta(description="play what leaves the opponent the lowest average of its best replies")
    ] = False
    printed: Annotated[bool, Meta(description="score as the article's C# does, whose bf divides")] = False
    ties: Annotated[
        Literal["first", "last"], Meta(description="which of equal plays: the rearmost checkers move first")
    ] = "first"

    def __post_init__(self) -> None:
        if self.config != _OWN and self.own_factors != Configuration():
            raise ValueRangeError(
                f"config={self.config} has all its factors: give either config or factors", field="config"
            )
        if self.printed and self.probability and self.configuration.bf == 0.0:
            raise ValueRangeError(
                "printed=true divides by bf, and probability=true takes the difference of what comes of it: "
                "bf is above 0",
                field="bf",
            )

    @property
    def own_factors(self) -> Configuration:
        """The factors that are given one by one."""
        return Configuration(*(getattr(self, name) for name in Configuration.__struct_fields__))

    @property
    def configuration(self) -> Configuration:
        """All factors; the blot factors divide where the score is that of the C#."""
        if self.config == _OWN:
            return self.own_factors
        return (PRINTED if self.printed else CONFIGURATIONS)[self.config]


def _make(options: HeuristicOptions, _: Path) -> Player:
    its = options.configuration
    kind = ReplyAveragingPlayer if options.probability else HeuristicPlayer
    factors = its.factors_as_printed if options.printed else its.factors
    return kind(KIND.called(options), factors, prefers_last=options.ties == "last")


KIND = PlayerKind(
    "heuristic",
    "pips, blocks and blots with factors, tuned by hill climbing",
    HeuristicOptions,
    _make,
    is_deep=lambda options: options.probability,
)
