"""``gengammon``: a net on counts of checkers that learned to mimic experts' moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from nets.gengammon import GengammonPlayer, load_scorer
from nets.manifest import ScorerEntry, read_manifest
from nets.player_kinds import PlayerKind


class GengammonOptions(Struct, frozen=True):
    """Which net."""

    learned: Annotated[
        Literal["genetic", "linear", "backprop", "play"],
        Meta(
            description="how: by a genetic algorithm; the same without activation, as first described; by "
            "backpropagation; or from games played out against itself"
        ),
    ] = "genetic"


def _entry(options: GengammonOptions, manifest_file: Path) -> ScorerEntry:
    return read_manifest(manifest_file).scorer(f"gengammon-{options.learned}")


def _make(options: GengammonOptions, manifest_file: Path) -> GengammonPlayer:
    entry = _entry(options, manifest_file)
    return GengammonPlayer(KIND.called(options), load_scorer(entry, manifest_file.parent))


KIND = PlayerKind(
    "gengammon",
    "a 52-26-1 net on counts of checkers that mimics experts; a simple rule plays its races",
    GengammonOptions,
    _make,
    hashes=lambda options, manifest_file: _entry(options, manifest_file).hashes,
)
