"""The heuristic engine: plays by pips, blocks and blots, each times a factor.

*Source:* K. Ekman, "Backgammon Artificial Intelligence", CodeProject, 2021 to 2022. The article's text and
the C# that it prints contradict each other: `HeuristicConfig.tables` follows the text,
`HeuristicConfig.tables_as_printed` the C#. Open questions are decided here:

- A blot costs its number times a factor, as in the text; the C# divides by the factor.
- Blocks count as far as an opposing checker has not passed them (the C# says so in a remark), and blots
  behind that cost the smaller factor of the text. The C# stops at that point, so that its factor for passed
  blots is never used, and neither is the one for running or blocking: it tests whether the sides have passed
  each other at the first point of the loop, where it can only be false.
- All rows of blocks count alike; in the C# the row at which the loop ends counts its square.
- The race begins when the sides had passed each other *before* the play: all plays of a roll are then scored
  alike. Fewest pips outside the home board come first, then most checkers off, then fewest pips.
- The play that ends contact is scored as contact, with the lead times the factor for running or blocking:
  running is good for the side ahead, and bad for the side behind.
- Of equal plays the first is chosen, in an order that moves the rearmost checkers first (`rules.moves`).
- In the average over the opponent's rolls, a roll without a legal move has the score of the position itself.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.evaluator import find_first_highest
from gammond.engine.kernels import as_kernel_array
from gammond.engine.play.player import Player
from gammond.engine.rules.position import Board, Phase, classify_phases
from gammond.engine.rules.rules import Doubles
from gammond.nets.heritage.heuristic_engine import kernels as kernel_heuristic
from gammond.nets.player_specs import KindSpec

_POINT_NUMBERS = np.arange(26, dtype=np.float64)
_COUNTS = np.arange(16, dtype=np.float64)


class HeuristicConfig(msgspec.Struct, frozen=True):
    """The factors of the score; points are numbered in the side's own direction, its 24 point is 1."""

    pips: Annotated[float, Meta(ge=0, le=100, description="value of a pip ahead")] = 1.0
    cbp: Annotated[
        float, Meta(ge=0, le=20, description="connected blocks: factor of the number in a row")
    ] = 3.302
    cb: Annotated[float, Meta(ge=0, le=5, description="connected blocks: power of the number in a row")] = (
        1.62
    )
    bf: Annotated[
        float, Meta(ge=0, le=20, description="blot factor: a blot costs its number (24 point 1) times this")
    ] = 0.902
    bfp: Annotated[
        float, Meta(ge=0, le=20, description="the same for a blot that all opposing checkers have passed")
    ] = 0.643
    bt: Annotated[
        float, Meta(ge=0, le=24, description="blot threshold: blots up to this number cost nothing")
    ] = 5.0
    rb: Annotated[
        float, Meta(ge=0, le=20, description="run or block: extra value of a pip ahead after contact")
    ] = 0.663

    @property
    def tables(self) -> kernel_heuristic.HeuristicTables:
        """Tables for the compiled score."""
        rows = (self.cbp * _COUNTS) ** self.cb if self.cbp > 0 else np.zeros(len(_COUNTS))
        counted = np.where(self.bt < _POINT_NUMBERS, _POINT_NUMBERS, 0.0)
        blots = np.stack([self.bf * counted, self.bfp * counted])
        return kernel_heuristic.HeuristicTables(rows, rows, blots, float(self.pips), float(self.rb))

    @property
    def tables_as_printed(self) -> kernel_heuristic.HeuristicTables:
        """Tables for the formula of the article's C#, which divides by the blot factor, even by 0."""
        rows = (self.cbp * _COUNTS) ** self.cb
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = np.where(self.bt < _POINT_NUMBERS, _POINT_NUMBERS / self.bf, 0.0)
        blots = np.stack([costs, np.zeros(len(costs))])
        return kernel_heuristic.HeuristicTables(rows, _COUNTS**2, blots, float(self.pips), 0.0)


_UNTRAINED_CONFIG = HeuristicConfig(cbp=0.0, cb=0.0, bf=0.0, bfp=0.0, bt=0.0, rb=0.0)

PRINTED_CONFIGS: dict[str, HeuristicConfig] = {
    "untrained": _UNTRAINED_CONFIG,
    "author": HeuristicConfig(cbp=1.608432, cb=0.739531007, bf=1.225, bfp=1.925, bt=3.0, rb=0.262721103),
    "author-first": HeuristicConfig(
        cbp=2.158432, cb=1.54848384, bf=1.65978574, bfp=1.65978574, bt=6.0, rb=1.261879448
    ),
    "author-two": HeuristicConfig(
        cbp=1.145912, cb=2.019573916, bf=1.747286362, bfp=1.747286362, bt=14.0, rb=0.838315223
    ),
    "ascended": HeuristicConfig(
        pips=1.3952, cbp=2.1226, cb=1.3606, bf=1.870592, bfp=4.371011, bt=3.017, rb=1.2528
    ),
}
"""Configurations whose blot factors divide, by name, for `HeuristicConfig.tables_as_printed`.

Those of the author are not in the article but in his public program (KristianEkman/Backgammon,
``Ai/Config.cs``): ``author`` is his last one, ``author-first`` that of the first version, which had no factor
for passed blots, and ``author-two`` the one that he trained with doubles as two moves. ``ascended`` is the
result of ``gammond heritage ascend --player heuristic --reference pubeval``.
"""


HEURISTIC_CONFIGS: dict[str, HeuristicConfig] = {
    "trained": HeuristicConfig(),
    "untrained": _UNTRAINED_CONFIG,
    **{
        name: msgspec.structs.replace(its, bf=1.0 / its.bf, bfp=1.0 / its.bfp)
        for name, its in PRINTED_CONFIGS.items()
        if its is not _UNTRAINED_CONFIG
    },
}
"""Configurations by name.

``trained`` is the result of ``gammond heritage climb --test sprt --start author``, ``untrained`` has all
factors 0, so that pips alone count; the others are those of `PRINTED_CONFIGS` with reciprocal blot factors.
"""


class HeuristicPlayer(Player):
    """Plays the highest score, or the lowest probability score: the average of the opponent's best replies.

    Args:
        name: Its name in results.
        tables: The tables of a configuration.
        prefers_last: Whether ties go to the last play, not the first.
        looks_at_replies: Whether it plays by the probability score.
    """

    def __init__(
        self,
        name: str,
        tables: kernel_heuristic.HeuristicTables,
        *,
        prefers_last: bool = False,
        looks_at_replies: bool = False,
    ) -> None:
        self.name = name
        self.is_deep = looks_at_replies
        self._tables = tables
        self._prefers_last = prefers_last

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `gammond.engine.play.player.Player.pick`."""
        scores = self._score(boards, children, offsets, by_replies=self.is_deep)
        if not self._prefers_last:
            return find_first_highest(scores, offsets)
        last = len(scores) - 1
        return last - find_first_highest(scores[::-1], len(scores) - offsets[::-1])[::-1]

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score plays without replies, as `gammond.engine.play.player.Player.score_plays`."""
        return self._score(boards, children, offsets, by_replies=False).astype(np.float32)

    def _score(
        self, boards: Board, children: Board, offsets: NDArray[np.int64], *, by_replies: bool
    ) -> NDArray[np.float64]:
        scores = np.empty(len(children), np.float64)
        children, is_race = as_kernel_array(children, np.int8), classify_phases(boards) >= Phase.RACE
        has_short_doubles = self.rules.doubles is Doubles.TWO
        kernel_heuristic.score_plays(
            children, offsets, is_race, self._tables, by_replies, has_short_doubles, scores
        )
        return scores


_DEFAULT_CONFIG = "trained"


class HeuristicSpec(HeuristicConfig, KindSpec, frozen=True):
    """The factors or a configuration by name, and the way to use them."""

    name = "heuristic"
    summary = "pips, blocks and blots with factors, tuned by hill climbing"

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

    @property
    def is_deep(self) -> bool:
        """Whether it looks at the opponent's replies."""
        return self.probability

    def make(self) -> Player:
        """Make the player of the factors."""
        its = self.selected_config
        return HeuristicPlayer(
            self.format_name(),
            its.tables_as_printed if self.printed else its.tables,
            prefers_last=self.ties == "last",
            looks_at_replies=self.probability,
        )
