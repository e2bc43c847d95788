"""``heuristic``: pips, blocks and blots, each times a factor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from engine.errors import ValueRangeError
from engine.play.player import Player
from nets.heritage.heuristic_engine.heuristic import (
    HEURISTIC_CONFIGS,
    PRINTED_CONFIGS,
    HeuristicConfig,
    HeuristicPlayer,
    OnePlyHeuristicPlayer,
)
from nets.player_kinds import PlayerKind

_DEFAULT_CONFIG = "trained"


class HeuristicOptions(HeuristicConfig, frozen=True):
    """The factors or a configuration by name, and the way to use them."""

    config: Annotated[
        Literal["trained", "untrained", "author", "author-first", "author-two", "ascended"],
        Meta(description="a named configuration, which sets all factors"),
    ] = "trained"
    probability: Annotated[bool, Meta(description="minimise the average of the opponent's best replies")] = (
        False
    )
    printed: Annotated[bool, Meta(description="score like the article's C#, which divides by bf")] = False
    ties: Annotated[
        Literal["first", "last"],
        Meta(description="which of equal plays; the rearmost checkers move first"),
    ] = "first"

    def __post_init__(self) -> None:
        if self.config != _DEFAULT_CONFIG and self.explicit_config != HeuristicConfig():
            raise ValueRangeError(
                f"config={self.config} sets all factors; remove it or the factors", field="config"
            )
        if self.printed and self.probability and self.selected_config.bf == 0.0:
            raise ValueRangeError(
                "expected bf above 0 with printed=true and probability=true, which divide by it",
                field="bf",
            )

    @property
    def explicit_config(self) -> HeuristicConfig:
        """The factors given one by one."""
        return HeuristicConfig(*(getattr(self, name) for name in HeuristicConfig.__struct_fields__))

    @property
    def selected_config(self) -> HeuristicConfig:
        """All factors; the blot factors divide for the score of the C#."""
        if self.config == _DEFAULT_CONFIG:
            return self.explicit_config
        return (PRINTED_CONFIGS if self.printed else HEURISTIC_CONFIGS)[self.config]


def _make(options: HeuristicOptions, _: Path) -> Player:
    its = options.selected_config
    kind = OnePlyHeuristicPlayer if options.probability else HeuristicPlayer
    factors = its.tables_as_printed if options.printed else its.tables
    return kind(KIND.format_name(options), factors, prefers_last=options.ties == "last")


KIND = PlayerKind(
    "heuristic",
    "pips, blocks and blots with factors, tuned by hill climbing",
    HeuristicOptions,
    _make,
    is_deep=lambda options: options.probability,
)
