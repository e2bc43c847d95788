"""The heuristic engine: plays by pips, blocks, blots and a few factors that say what these are worth.

*Source:* K. Ekman, "Backgammon Artificial Intelligence", CodeProject, 2021 to 2022. The article's text and
the C# that it prints contradict each other: `HeuristicConfig.tables` follows the text,
`HeuristicConfig.tables_as_printed` the C#. What is left open is decided here:

- A blot costs its number times a factor, as the text has it; the C# divides by the factor.
- Blocks count as far as an opposing checker has not passed them (the C# says so in a remark), and blots
  behind that cost the smaller factor of the text. The C# stops at that point, so that its factor for passed
  blots is never used, and neither is the one for running or blocking: it tests whether the sides have passed
  each other at the first point of the loop, where it can only be false.
- All rows of blocks count alike; in the C# the row at which the loop ends counts its square.
- The game is in its end where the sides had passed each other *before* the play: all plays of a roll are then
  measured alike. Fewest pips outside the home board go first, then most checkers off, then fewest pips.
- The play that goes past the opponent is scored as contact is, with the lead times the factor for running or
  blocking: ahead, it is worth running; behind, it is not.
- Of equal plays the first one counts, in an order that moves the rearmost checkers first (`rules.moves`).
- Rolls that the opponent cannot play count, in the average over its rolls, what the position is worth as it
  stands.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from engine.play.player import Player
from engine.rules.moves import expand_rolls
from engine.rules.position import Board, Phase, classify_phases
from nets.heritage.heuristic_engine.kernels import heuristic as kernel_heuristic

_POINT_NUMBERS = np.arange(26, dtype=np.float64)
_COUNTS = np.arange(16, dtype=np.float64)


class HeuristicConfig(msgspec.Struct, frozen=True):
    """What everything is worth; points have numbers in the side's own direction, its 24 point 1."""

    pips: Annotated[float, Meta(ge=0, le=100, description="what a pip ahead counts")] = 1.0
    cbp: Annotated[
        float, Meta(ge=0, le=20, description="connected blocks: what each block counts before the power")
    ] = 3.302
    cb: Annotated[
        float, Meta(ge=0, le=5, description="connected blocks: the power of the number in a row")
    ] = 1.62
    bf: Annotated[
        float, Meta(ge=0, le=20, description="blot factor: a blot costs its number (24 point 1) times this")
    ] = 0.902
    bfp: Annotated[
        float, Meta(ge=0, le=20, description="the same for a blot that all opponents have passed")
    ] = 0.643
    bt: Annotated[
        float, Meta(ge=0, le=24, description="blot threshold: blots up to this number cost nothing")
    ] = 5.0
    rb: Annotated[
        float, Meta(ge=0, le=20, description="run or block: what a pip ahead counts besides once past")
    ] = 0.663

    @property
    def tables(self) -> kernel_heuristic.HeuristicTables:
        """The tables of the compiled score."""
        rows = (self.cbp * _COUNTS) ** self.cb if self.cbp > 0 else np.zeros(len(_COUNTS))
        counted = np.where(self.bt < _POINT_NUMBERS, _POINT_NUMBERS, 0.0)
        blots = np.stack([self.bf * counted, self.bfp * counted])
        return kernel_heuristic.HeuristicTables(rows, rows, blots, float(self.pips), float(self.rb))

    @property
    def tables_as_printed(self) -> kernel_heuristic.HeuristicTables:
        """The tables for the formula of the article's C#, whose blot factor divides, and may be 0."""
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

Those of the author are not in the article; they stand in his public program (KristianEkman/Backgammon,
``Ai/Config.cs``): ``author`` is his last one, ``author-first`` that of the first version, which knew no
factor for passed blots, and ``author-two`` the one that he trained with doubles as two moves.
``ascended`` is what ``gammond heritage ascend --player heuristic --reference pubeval`` came to.
"""


def _invert_blot_factors(printed: HeuristicConfig) -> HeuristicConfig:
    """A configuration whose blot factors multiply, given one whose blot factors divide."""
    return msgspec.structs.replace(printed, bf=1.0 / printed.bf, bfp=1.0 / printed.bfp)


HEURISTIC_CONFIGS: dict[str, HeuristicConfig] = {
    "trained": HeuristicConfig(),
    "untrained": _UNTRAINED_CONFIG,
    **{
        name: _invert_blot_factors(its)
        for name, its in PRINTED_CONFIGS.items()
        if its is not _UNTRAINED_CONFIG
    },
}
"""Configurations by name.

``trained`` is what ``gammond heritage climb --test sprt --start author`` found, ``untrained`` has all factors
0, so that pips alone count; the others are those of `PRINTED_CONFIGS` with their reciprocals.
"""


class HeuristicPlayer(Player):
    """Plays the highest score.

    Args:
        name: What results call it.
        tables: The tables of a configuration.
        prefers_last: Whether ties go to the last of the plays, not the first.
    """

    def __init__(
        self, name: str, tables: kernel_heuristic.HeuristicTables, *, prefers_last: bool = False
    ) -> None:
        self.name = name
        self._tables = tables
        self._prefers_last = prefers_last

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `engine.play.player.Player.pick`."""
        chosen = np.empty(len(boards), np.int64)
        is_race = classify_phases(boards) >= Phase.RACE
        kernel_heuristic.choose_plays(children, offsets, is_race, self._tables, self._prefers_last, chosen)
        return chosen


class OnePlyHeuristicPlayer(Player):
    """Plays what leaves the opponent the least: the probability score, an average of its best replies.

    Its arguments are those of `HeuristicPlayer`. It knows the usual rules alone, so it picks no plays that
    others list.
    """

    is_deep = True

    def __init__(
        self, name: str, tables: kernel_heuristic.HeuristicTables, *, prefers_last: bool = False
    ) -> None:
        self.name = name
        self._tables = tables
        self._prefers_last = prefers_last

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `engine.play.player.Player.choose`."""
        children, _, offsets = expand_rolls(boards, dice)
        chosen = np.empty(len(boards), np.int64)
        is_race = classify_phases(boards) >= Phase.RACE
        kernel_heuristic.choose_plays_by_replies(
            children, offsets, is_race, self._tables, self._prefers_last, chosen
        )
        return children[chosen]
