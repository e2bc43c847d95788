"""``gengammon``: a net on counts of checkers, trained to mimic experts' moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from nets.heritage.gengammon.net import GengammonPlayer, load_gengammon_net
from nets.manifest import ScorerEntry, read_manifest
from nets.player_kinds import PlayerKind


class GengammonOptions(Struct, frozen=True):
    """The net."""

    learned: Annotated[
        Literal["genetic", "linear", "backprop", "play"],
        Meta(
            description="trained by a genetic algorithm; the same without activation, as first described; by "
            "backpropagation; or from games against itself"
        ),
    ] = "genetic"


def _find_entry(options: GengammonOptions, manifest_file: Path) -> ScorerEntry:
    return read_manifest(manifest_file).find_scorer(f"gengammon-{options.learned}")


def _make(options: GengammonOptions, manifest_file: Path) -> GengammonPlayer:
    entry = _find_entry(options, manifest_file)
    return GengammonPlayer(KIND.format_name(options), load_gengammon_net(entry, manifest_file.parent))


KIND = PlayerKind(
    "gengammon",
    "a 52-26-1 net on counts of checkers that mimics experts; a simple rule plays its races",
    GengammonOptions,
    _make,
    make_of_own=lambda entry, folder: GengammonPlayer(entry.name, load_gengammon_net(entry, folder)),
    net_hashes=lambda options, manifest_file: _find_entry(options, manifest_file).net_hashes,
)
