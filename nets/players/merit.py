"""``merit``: one of the five best plays, chosen by chance, the better ones more often."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from engine.dice import MAX_SEED
from engine.merit import USUAL_FEW
from engine.players import Player
from engine.search.star import MAX_STAR_PLIES
from nets.leaf_judges import JUDGES, judge_hashes
from nets.loading import DEFAULT
from nets.merit_players import MAX_FEW, load_merit_player
from nets.options import CHOICES
from nets.player_kinds import PlayerKind


class MeritOptions(Struct, frozen=True):
    """Who judges, and how the choice is made."""

    of: Annotated[str, Meta(extra={CHOICES: JUDGES}, description="judge of the plays")] = DEFAULT
    plies: Annotated[int, Meta(ge=0, le=MAX_STAR_PLIES, description="look-ahead")] = 0
    among: Annotated[
        int, Meta(ge=1, le=MAX_FEW, description="how many of the best plays it chooses among")
    ] = USUAL_FEW
    rising: Annotated[bool, Meta(description="whether better plays count more than in proportion")] = True
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="of its choices")] = 0


def _make(options: MeritOptions, manifest_file: Path) -> Player:
    name, seed = KIND.called(options), options.seed
    few, is_rising = options.among, options.rising
    return load_merit_player(
        name, options.of, options.plies, manifest_file, few=few, is_rising=is_rising, seed=seed
    )


KIND = PlayerKind(
    "merit",
    "one of the five best plays, by chance and merit",
    MeritOptions,
    _make,
    is_deep=lambda options: options.plies > 0,
    hashes=lambda options, manifest_file: judge_hashes(options.of, options.plies, manifest_file),
)
