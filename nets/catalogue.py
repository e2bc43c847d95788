"""The one place from a name to an evaluator, a pruning net, an engine or a player, all of them made ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from engine.analysis.engine import CACHE_COLUMNS, Engine
from engine.bearoff import defer_bearoff
from engine.errors import DataFileError, ValueRangeError
from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner, ShortlistPruner
from engine.options import did_you_mean
from engine.play.player import EvaluatorPlayer, Player
from engine.search import ValueCache
from nets.contact_classes import CONTACT_CLASSES
from nets.manifest import MANIFEST_FILE, EvaluatorEntry, Manifest, load_net, read_manifest
from nets.player_specs import KindSpec, PlayerSpec, parse_player
from nets.pruning_net import PruningNet, read_net_weights
from nets.router import ContactClassNets, Router
from nets.trial_loop import make_trial_loop
from nets.wildbg import NAME_PREFIX as WILDBG
from nets.wildbg import hash_wildbg_nets, load_wildbg

DEFAULT_EVALUATOR = "default"
"""The name of the manifest's default evaluator, whatever its own name is."""

PlayerSource = Callable[[str], Player]
"""Loads a player that is neither in the manifest nor of a kind, given its whole name; fills in ``nets``."""

_NO_SOURCES: Mapping[str, PlayerSource] = MappingProxyType({})


def list_evaluator_names(manifest_file: Path = MANIFEST_FILE) -> list[str]:
    """List the names that `load_evaluator` takes besides ``default``, the default's own name first.

    Raises:
        DataFileError: The manifest is faulty.
    """
    manifest = read_manifest(manifest_file)
    names = [entry.name for entry in manifest.evaluators]
    return sorted(names, key=lambda name: name != manifest.default)


def load_evaluator(name: str = DEFAULT_EVALUATOR, manifest_file: Path = MANIFEST_FILE) -> Evaluator:
    """Load an evaluator: the nets of its manifest entry behind a router with the bearoff databases.

    Args:
        name: The name of an evaluator in the manifest, ``default``, or ``wildbg:FOLDER`` (`nets.wildbg`).
        manifest_file: The manifest.

    Returns:
        A 0-ply evaluator of all positions.

    Raises:
        ValueRangeError: No evaluator has this name.
        UnsupportedError: A package that wildbg's nets need is missing.
        DataFileError: The manifest, a net or a bearoff database is missing or faulty.
    """
    if name.startswith(WILDBG):
        return load_wildbg(Path(name.removeprefix(WILDBG)))
    manifest = read_manifest(manifest_file)
    entry = _find_entry(manifest, name)
    folder = manifest_file.parent
    nets = {net: load_net(manifest.find_net(net), folder) for net in entry.nets_by_phase.values()}
    return Router(
        entry.name,
        contact=_make_contact_evaluator(entry, nets),
        race=nets[entry.race] if entry.race else None,
        crashed=nets[entry.crashed] if entry.crashed else None,
        exact=load_exact_evaluators(),
    )


def load_exact_evaluators() -> tuple[ExactEvaluator, ...]:
    """Return the bearoff databases in the order in which a `Router` asks them, opened at their first use."""
    return tuple(defer_bearoff())


def load_pruner(name: str | None = None, manifest_file: Path = MANIFEST_FILE) -> PlayPruner:
    """Load a pruning net, which names the promising replies in search and rollouts.

    Args:
        name: An evaluator whose nets have one hidden layer; None for the manifest's pruner.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No evaluator has this name.
        DataFileError: The manifest or a net is missing or faulty, or the nets have several hidden layers or
            are split by contact class.
    """
    manifest = read_manifest(manifest_file)
    entry = _find_entry(manifest, name or manifest.pruner or DEFAULT_EVALUATOR)
    folder = manifest_file.parent
    if entry.contact is None:
        raise DataFileError(
            f"expected an evaluator with one net for contact to prune plays, {entry.name} has one for each "
            "contact class",
            field="net",
        )
    contact = load_net(manifest.find_net(entry.contact), folder)
    race = load_net(manifest.find_net(entry.race), folder) if entry.race else contact
    weights = [read_net_weights(net.name, net.layers) for net in (contact, race)]
    return PruningNet(entry.name, *weights)


def load_engine(
    name: str = DEFAULT_EVALUATOR, threads: int = 1, manifest_file: Path = MANIFEST_FILE
) -> Engine:
    """Load an engine with a cache of its own.

    Args:
        name: What `load_evaluator` takes.
        threads: How many threads work on one answer.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No evaluator has this name, or the number of threads is out of range.
        DataFileError: As `load_evaluator`.
    """
    evaluator = load_evaluator(name, manifest_file)
    pruner = load_pruner(manifest_file=manifest_file)
    return Engine(
        evaluator,
        pruner,
        policy=_load_policy(evaluator, pruner, manifest_file),
        exact=(defer_bearoff().two_sided,),
        cache=ValueCache(columns=CACHE_COLUMNS),
        threads=threads,
        compile_trials=make_trial_loop,
    )


def load_player(
    name: str = DEFAULT_EVALUATOR,
    manifest_file: Path = MANIFEST_FILE,
    sources: Mapping[str, PlayerSource] = _NO_SOURCES,
) -> Player:
    """Load a player of cubeless money games; its attribute ``nets`` identifies the nets that it plays with.

    Args:
        name: An evaluator with options (``default:plies=2,filter=narrow``, ``default:level=casual``), a
            player kind with its own (``random:seed=3``), or ``wildbg:FOLDER``.
        manifest_file: The manifest.
        sources: Loaders of further players, by the word before the colon.

    Raises:
        FormatError: An option cannot be parsed; the field is its name.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: As `load_evaluator`.
        DataFileError: As `load_evaluator`.
    """
    if name.startswith(WILDBG):
        player: Player = EvaluatorPlayer(load_evaluator(name))
        player.nets = collect_net_hashes(name)
        return player
    if source := sources.get(name.partition(":")[0]):
        return source(name)
    spec = _parse(name, manifest_file, sources)
    if isinstance(spec, KindSpec):
        player = spec.kind.make(spec.options, manifest_file)
    else:
        player = spec.make(
            partial(load_evaluator, manifest_file=manifest_file),
            partial(load_engine, manifest_file=manifest_file),
        )
    player.nets = _hash_nets(spec, manifest_file)
    return player


def collect_net_hashes(name: str, manifest_file: Path = MANIFEST_FILE) -> dict[str, str]:
    """Return sha256 by name of the nets of a player, as in its ``nets``, without loading it.

    Args:
        name: What `load_player` takes without sources.
        manifest_file: The manifest.

    Raises:
        FormatError: As `load_player`.
        ValueRangeError: As `load_player`.
        DataFileError: The manifest is faulty, or a file of wildbg cannot be read.
    """
    if name.startswith(WILDBG):
        return hash_wildbg_nets(Path(name.removeprefix(WILDBG)))
    return _hash_nets(_parse(name, manifest_file), manifest_file)


def collect_pruning_net_hashes(manifest_file: Path = MANIFEST_FILE) -> dict[str, str]:
    """Return sha256 by name of the nets that prune plays for every player that looks ahead.

    Raises:
        DataFileError: The manifest is faulty.
    """
    manifest = read_manifest(manifest_file)
    return _hash_entry(manifest, manifest.pruner or DEFAULT_EVALUATOR)


def _parse(name: str, manifest_file: Path, sources: Mapping[str, PlayerSource] = _NO_SOURCES) -> PlayerSpec:
    return parse_player(name, [DEFAULT_EVALUATOR, *list_evaluator_names(manifest_file)], sources)


def _hash_nets(spec: PlayerSpec, manifest_file: Path) -> dict[str, str]:
    if isinstance(spec, KindSpec):
        hashes: dict[str, str] = spec.kind.net_hashes(spec.options, manifest_file)
        return hashes
    own = _hash_entry(read_manifest(manifest_file), spec.evaluator)
    return own | collect_pruning_net_hashes(manifest_file) if spec.is_deep else own


def _hash_entry(manifest: Manifest, evaluator: str) -> dict[str, str]:
    entry = _find_entry(manifest, evaluator)
    return {net: manifest.find_net(net).sha256 for net in entry.nets_by_phase.values()}


def _find_entry(manifest: Manifest, name: str) -> EvaluatorEntry:
    """Find an evaluator by name, ``default`` included."""
    if not manifest.evaluators:
        raise DataFileError("the manifest names no evaluator: no nets are installed", field="net")
    wanted = manifest.default if name == DEFAULT_EVALUATOR else name
    for entry in manifest.evaluators:
        if entry.name == wanted:
            return entry
    known = [entry.name for entry in manifest.evaluators]
    raise ValueRangeError(
        f"expected an evaluator ({', '.join(known)}), got {name[:40]!r}{did_you_mean(name, known)}",
        field="net",
    )


def _make_contact_evaluator(entry: EvaluatorEntry, nets: Mapping[str, Evaluator]) -> Evaluator:
    """Return the evaluator of contact positions: one net, or one for each contact class."""
    if entry.contact is not None:
        return nets[entry.contact]
    names = entry.nets_by_phase
    return ContactClassNets(f"{entry.name}-contact", {each: nets[names[each]] for each in CONTACT_CLASSES})


def _load_policy(evaluator: Evaluator, pruner: PlayPruner, manifest_file: Path) -> PlayPruner:
    """Return what chooses plays like an evaluator at 0-ply, as fast as its nets allow."""
    try:
        return load_pruner(evaluator.name, manifest_file)
    except DataFileError:  # its nets have several hidden layers: they choose from a short list
        return ShortlistPruner(pruner, evaluator)
