"""``phase-net``: a net on the features that `phase-heuristic` weighs by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.play.player import ScorerPlayer
from nets.heritage.phase_features.net import load_phase_net
from nets.manifest import ScorerEntry, read_manifest
from nets.player_kinds import PlayerKind


class PhaseNetOptions(Struct, frozen=True):
    """The net."""

    learned: Annotated[
        Literal["outcomes", "self"],
        Meta(description="trained on the outcomes of phase-heuristic's games, or of its own"),
    ] = "outcomes"


def _find_entry(options: PhaseNetOptions, manifest_file: Path) -> ScorerEntry:
    return read_manifest(manifest_file).find_scorer(f"{KIND.name}-{options.learned}")


def _make(options: PhaseNetOptions, manifest_file: Path) -> ScorerPlayer:
    net = load_phase_net(_find_entry(options, manifest_file), manifest_file.parent)
    return ScorerPlayer(KIND.format_name(options), net)


KIND = PlayerKind(
    "phase-net",
    "a 48-64-64-1 net on the features of phase-heuristic, trained on who won",
    PhaseNetOptions,
    _make,
    make_of_own=lambda entry, folder: ScorerPlayer(entry.name, load_phase_net(entry, folder)),
    net_hashes=lambda options, manifest_file: _find_entry(options, manifest_file).net_hashes,
)
