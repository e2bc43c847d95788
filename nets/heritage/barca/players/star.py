"""``star``: the best play by expectiminimax with cut-offs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.options import CHOICES
from nets.catalogue import DEFAULT_EVALUATOR
from nets.heritage.barca.leaf_evaluators import (
    collect_leaf_net_hashes,
    list_leaf_evaluators,
    load_star_search,
)
from nets.heritage.barca.star import MAX_STAR_PLIES, Cutoffs
from nets.heritage.barca.weighted_choice import DeepWeightedChoicePlayer, ExactLookAhead
from nets.player_kinds import PlayerKind


class StarOptions(Struct, frozen=True):
    """The evaluator, the depth and the cut-offs."""

    of: Annotated[str, Meta(extra={CHOICES: list_leaf_evaluators}, description="evaluator of the leaves")] = (
        DEFAULT_EVALUATOR
    )
    plies: Annotated[int, Meta(ge=0, le=MAX_STAR_PLIES, description="look-ahead, searching all replies")] = 1
    cutoffs: Annotated[
        Literal["none", "star1", "star2"], Meta(description="cut-offs, which change the speed and no choice")
    ] = "star2"
    deepening: Annotated[
        bool, Meta(description="search depth by depth, each ordering plays for the next")
    ] = False


def _make(options: StarOptions, manifest_file: Path) -> DeepWeightedChoicePlayer:
    cutoffs = Cutoffs(options.cutoffs)
    search = load_star_search(options.of, manifest_file, cutoffs, is_deepening=options.deepening)
    return DeepWeightedChoicePlayer(
        KIND.format_name(options), ExactLookAhead(search, options.plies), candidates=1
    )


KIND = PlayerKind(
    "star",
    "the best play by the full average over rolls and replies, with Star1 and Star2 cut-offs",
    StarOptions,
    _make,
    is_deep=lambda options: options.plies > 0,
    net_hashes=lambda options, manifest_file: collect_leaf_net_hashes(
        options.of, options.plies, manifest_file
    ),
)
