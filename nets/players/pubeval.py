"""``pubeval``: Tesauro's public linear player."""

from __future__ import annotations

from msgspec import Struct

from nets.player_kinds import PlayerKind
from nets.pubeval import PubevalPlayer


class PubevalOptions(Struct, frozen=True):
    """None: it has one way to play."""


KIND = PlayerKind(
    "pubeval",
    "Tesauro's public linear player, the usual yardstick",
    PubevalOptions,
    lambda _, __: PubevalPlayer(),
)
