"""``classic``: a net as in the first years of TD-Gammon, of several sizes and kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.bearoff import load_bearoff
from engine.play.player import EvaluatorPlayer
from nets.manifest import NetEntry, load_net, read_manifest
from nets.player_kinds import PlayerKind
from nets.router import Router


class ClassicOptions(Struct, frozen=True):
    """The net, and the evaluator of races."""

    hidden: Annotated[Literal["10", "20", "40", "80"], Meta(description="hidden units")] = "40"
    outputs: Annotated[
        Literal["1", "2", "5"], Meta(description="outputs: 1 winning chance, 2 with gammons, 5 the outcome")
    ] = "5"
    layout: Annotated[
        Literal["normal", "symmetric"],
        Meta(description="symmetric: the opponent's inputs have the negated weights of the player's own"),
    ] = "normal"
    races: Annotated[
        Literal["one", "own", "bearoff"],
        Meta(description="races by the one net, by their own net, or by that and a bearoff database"),
    ] = "one"


def _find_entries(options: ClassicOptions, manifest_file: Path) -> list[NetEntry]:
    """Return the net for contact, and that for races if they have their own."""
    names = [f"classic-{options.hidden}-{options.outputs}-{options.layout}-contact"]
    if options.races != "one":
        names.append("classic-race")
    manifest = read_manifest(manifest_file)
    return [manifest.find_net(name) for name in names]


def _make(options: ClassicOptions, manifest_file: Path) -> EvaluatorPlayer:
    nets = [load_net(entry, manifest_file.parent) for entry in _find_entries(options, manifest_file)]
    exact = (load_bearoff().two_sided,) if options.races == "bearoff" else ()
    router = Router(KIND.format_name(options), contact=nets[0], race=nets[-1], exact=exact)
    return EvaluatorPlayer(router)


KIND = PlayerKind(
    "classic",
    "a small net trained by temporal differences on its own games, like the first TD-Gammon",
    ClassicOptions,
    _make,
    net_hashes=lambda options, manifest_file: {
        entry.name: entry.sha256 for entry in _find_entries(options, manifest_file)
    },
)
