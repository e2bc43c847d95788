"""The players that need no document, and the one of them that needs no net: any legal play."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from gammond.engine.play.player import RandomPlayer
from gammond.engine.rules.dice import MAX_SEED
from gammond.nets.player_specs import KindSpec


class RandomSpec(KindSpec, frozen=True):
    """A random legal play, with the seed of the choices."""

    name = "random"
    summary = "any legal play, all equally likely"

    seed: Annotated[
        int,
        Meta(ge=0, le=MAX_SEED, description="seed; equal positions and rolls get equal plays"),
    ] = 0

    def make(self) -> RandomPlayer:
        """Make the player."""
        return RandomPlayer(self.seed)


def _load_pubeval() -> type[KindSpec]:
    from gammond.nets.players.pubeval import PubevalSpec

    return PubevalSpec


def _load_wildbg() -> type[KindSpec]:
    from gammond.nets.players.wildbg import WildbgSpec

    return WildbgSpec


KINDS = {"pubeval": _load_pubeval, "random": lambda: RandomSpec, "wildbg": _load_wildbg}
