"""``random``: a random legal play."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from engine.play.player import RandomPlayer
from engine.rules.dice import MAX_SEED
from nets.player_kinds import PlayerKind


class RandomOptions(Struct, frozen=True):
    """The seed of the choices."""

    seed: Annotated[
        int,
        Meta(ge=0, le=MAX_SEED, description="seed; equal positions and rolls get equal plays"),
    ] = 0


KIND = PlayerKind(
    "random",
    "any legal play, all equally likely",
    RandomOptions,
    lambda options, _: RandomPlayer(options.seed),
)
