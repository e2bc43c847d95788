"""Load evaluators and players by name: the one place where nets, bearoff databases and names meet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from engine.analysis.engine import CACHE_COLUMNS, Engine
from engine.bearoff import load_bearoff
from engine.errors import DataFileError, ValueRangeError
from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner, ShortlistPruner
from engine.play.player import EvaluatorPlayer, Player
from engine.search import ValueCache
from nets.contact_classes import CONTACT_CLASSES, ContactClassNets
from nets.manifest import MANIFEST_FILE, EvaluatorEntry, Manifest, load_net, read_manifest
from nets.player_kinds import PlayerKind, find_kind, list_kind_names, make_unknown_player_error
from nets.player_specs import make_player, parse_player_spec
from nets.pruning_net import PruningNet, read_net_weights
from nets.router import Router
from nets.wildbg import NAME_PREFIX as WILDBG
from nets.wildbg import hash_wildbg_nets, load_wildbg

DEFAULT_EVALUATOR = "default"
"""The name that stands for the manifest's default evaluator."""


def list_evaluator_names(manifest_file: Path = MANIFEST_FILE) -> list[str]:
    """Names that `load_evaluator` takes beside ``default``, the default's own name first.

    Raises:
        DataFileError: The manifest is faulty.
    """
    manifest = read_manifest(manifest_file)
    names = [entry.name for entry in manifest.evaluators]
    return sorted(names, key=lambda name: name != manifest.default)


def list_player_names(manifest_file: Path = MANIFEST_FILE) -> list[str]:
    """Names that `load_player` takes beside ``default``.

    Raises:
        DataFileError: The manifest is faulty.
    """
    evaluators = list_evaluator_names(manifest_file)
    return [*evaluators, *(kind for kind in list_kind_names() if kind not in evaluators)]


def load_evaluator(name: str = DEFAULT_EVALUATOR, manifest_file: Path = MANIFEST_FILE) -> Evaluator:
    """Load an evaluator: the nets of its manifest entry behind a router with the bearoff databases.

    Args:
        name: The name of an evaluator in the manifest, ``default``, or ``wildbg:FOLDER`` (`nets.wildbg`).
        manifest_file: The manifest.

    Returns:
        A 0-ply evaluator of all positions.

    Raises:
        ValueRangeError: No evaluator has this name.
        UnsupportedError: A package is missing that wildbg's nets need.
        DataFileError: The manifest, a net or a bearoff database is missing or faulty.
    """
    if name.startswith(WILDBG):
        return load_wildbg(Path(name.removeprefix(WILDBG)))
    manifest = read_manifest(manifest_file)
    entry = _find_entry(manifest, name)
    folder = manifest_file.parent
    loaded = {net: load_net(manifest.find_net(net), folder) for net in _list_nets(entry)}
    return Router(
        entry.name,
        contact=_make_contact_evaluator(entry, loaded),
        race=loaded[entry.race] if entry.race else None,
        crashed=loaded[entry.crashed] if entry.crashed else None,
        exact=load_exact_evaluators(),
    )


def load_pruner(name: str | None = None, manifest_file: Path = MANIFEST_FILE) -> PlayPruner:
    """Load what search and rollouts find promising replies with.

    Args:
        name: An evaluator whose nets have one hidden layer; unless given, the one that the manifest calls its
            finder.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No evaluator has this name.
        DataFileError: The manifest or a net is missing or faulty, or the nets are of another kind.
    """
    manifest = read_manifest(manifest_file)
    entry = _find_entry(manifest, name or manifest.pruner or DEFAULT_EVALUATOR)
    folder = manifest_file.parent
    if entry.contact is None:
        raise DataFileError(
            f"the nets of {entry.name} are split by plan: they cannot find replies", field="net"
        )
    contact = load_net(manifest.find_net(entry.contact), folder)
    race = load_net(manifest.find_net(entry.race), folder) if entry.race else contact
    return PruningNet(entry.name, read_net_weights(contact.model), read_net_weights(race.model))


def load_engine(
    name: str = DEFAULT_EVALUATOR, threads: int = 1, manifest_file: Path = MANIFEST_FILE
) -> Engine:
    """Load what answers questions at any depth, with a cache of its own.

    Args:
        name: What `load_evaluator` takes.
        threads: How many threads work on one answer.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No evaluator has this name, or the number of threads is out of range.
        DataFileError: As `load_evaluator`.
    """
    evaluator = load_evaluator(name, manifest_file)
    finder = load_pruner(manifest_file=manifest_file)
    return Engine(
        evaluator,
        finder,
        policy=_load_policy(evaluator, finder, manifest_file),
        exact=(load_bearoff().two_sided,),
        cache=ValueCache(columns=CACHE_COLUMNS),
        threads=threads,
    )


def _load_policy(evaluator: Evaluator, pruner: PlayPruner, manifest_file: Path) -> PlayPruner:
    """What plays as an evaluator does at 0 plies, as fast as its nets allow."""
    try:
        return load_pruner(evaluator.name, manifest_file)
    except DataFileError:  # its nets have more than one layer: they choose from a short list
        return ShortlistPruner(pruner, evaluator)


def load_player(name: str = DEFAULT_EVALUATOR, manifest_file: Path = MANIFEST_FILE) -> Player:
    """Load a player.

    Args:
        name: What `load_evaluator` takes, with options behind it as `player_specs.parse_player_spec` reads
            them (``default:plies=2,filter=narrow``, ``default:level=casual``); or a kind of
            `nets.player_kinds`, with its own (``random:seed=3``). ``wildbg:FOLDER`` takes no options.
        manifest_file: The manifest.

    Returns:
        A player of cubeless money games.

    Raises:
        FormatError: An option cannot be read; it is named.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: As `load_evaluator`.
        DataFileError: As `load_evaluator`.
    """
    if name.startswith(WILDBG):
        return EvaluatorPlayer(load_evaluator(name))
    kind = _find_player_kind(name, manifest_file)
    if kind is not None:
        player: Player = kind.make(kind.parse_options(name), manifest_file)
        return player
    return make_player(
        name,
        partial(load_evaluator, manifest_file=manifest_file),
        partial(load_engine, manifest_file=manifest_file),
    )


def load_exact_evaluators() -> tuple[ExactEvaluator, ...]:
    """The bearoff databases in the order in which a `Router` asks them, built first where they are missing.

    Raises:
        DataFileError: A database is faulty, or missing and cannot be built.
    """
    return tuple(load_bearoff())


def collect_net_hashes(
    name: str, manifest_file: Path = MANIFEST_FILE, *, with_pruner: bool = True
) -> dict[str, str]:
    """Say exactly which nets a player plays with.

    Args:
        name: What `load_player` takes.
        manifest_file: The manifest.
        with_pruner: Whether the nets that a player who looks ahead finds replies with count too.

    Returns:
        sha256 by name of the net; empty for players without nets.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name.
        DataFileError: The manifest is faulty, or a file of wildbg cannot be read.
    """
    if name.startswith(WILDBG):
        return hash_wildbg_nets(Path(name.removeprefix(WILDBG)))
    kind = _find_player_kind(name, manifest_file)
    if kind is not None:
        hashes: dict[str, str] = kind.net_hashes(kind.parse_options(name), manifest_file)
        return hashes
    spec = parse_player_spec(name)
    manifest = read_manifest(manifest_file)
    nets = _list_nets(_find_entry(manifest, spec.name))
    if with_pruner and spec.settings.plies and manifest.pruner:
        nets += _list_nets(_find_entry(manifest, manifest.pruner))
    return {net: manifest.find_net(net).sha256 for net in nets}


def _find_player_kind(text: str, manifest_file: Path) -> PlayerKind[Any] | None:
    """Find the kind of a player by what it is called; None for an evaluator of the manifest.

    Raises:
        ValueRangeError: No player has this name.
        DataFileError: The manifest is faulty.
    """
    name = text.partition(":")[0]
    if name == DEFAULT_EVALUATOR or name in list_evaluator_names(manifest_file):
        return None
    kind = find_kind(name)
    if kind is None:
        raise make_unknown_player_error(name, [DEFAULT_EVALUATOR, *list_player_names(manifest_file)])
    return kind


def _list_nets(entry: EvaluatorEntry) -> list[str]:
    return list(entry.nets_by_phase.values())


def _find_entry(manifest: Manifest, name: str) -> EvaluatorEntry:
    """Look an evaluator up by name, ``default`` included."""
    if not manifest.evaluators:
        raise DataFileError("the manifest names no evaluator: no nets are installed", field="net")
    wanted = manifest.default if name == DEFAULT_EVALUATOR else name
    for entry in manifest.evaluators:
        if entry.name == wanted:
            return entry
    known = ", ".join(entry.name for entry in manifest.evaluators)
    raise ValueRangeError(f"no evaluator is called {name!r}, expected one of {known}", field="net")


def _make_contact_evaluator(entry: EvaluatorEntry, loaded: Mapping[str, Evaluator]) -> Evaluator:
    """The judge of contact: one net, or one for each plan."""
    if entry.contact is not None:
        return loaded[entry.contact]
    names = entry.nets_by_phase
    return ContactClassNets(f"{entry.name}-contact", {plan: loaded[names[plan]] for plan in CONTACT_CLASSES})
