"""The one place from a name to an evaluator, a pruning net, an engine or a player, all of them made ready."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

from engine.analysis.engine import CACHE_COLUMNS, Engine
from engine.analysis.engine_store import EngineStore
from engine.bearoff import defer_bearoff
from engine.cubeful import DEFAULT_EFFICIENCIES
from engine.cubeful.match_equity import load_default_table
from engine.errors import DataFileError, ValueRangeError
from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner, ShortlistPruner
from engine.options import did_you_mean
from engine.play.player import EvaluatorPlayer, Player
from engine.runtime.version import identify_program
from engine.search import ValueCache
from engine.store.entries import EngineIdentity
from engine.store.opening import StoreOpener
from nets.contact_classes import CONTACT_CLASSES
from nets.manifest import MANIFEST_FILE, MANIFEST_NAME, EvaluatorEntry, Manifest, load_net, read_manifest
from nets.own_nets import (
    find_own_folder,
    find_own_kind,
    list_own_folders,
    list_own_names,
    read_own_manifest,
)
from nets.player_kinds import find_kind
from nets.player_specs import KindSpec, PlayerSpec, parse_player
from nets.pruning_net import PruningNet, read_net_weights
from nets.router import ContactClassNets, Router
from nets.wildbg import NAME_PREFIX as WILDBG
from nets.wildbg import hash_wildbg_nets, load_wildbg

DEFAULT_EVALUATOR = "default"
"""The name of the manifest's default evaluator, whatever its own name is."""

BOOK_FILE = MANIFEST_FILE.parent / "weights" / "opening-book.sqlite"
"""The opening book of the default net, for stores of analyses."""

_SEARCHING = "engine.search.plays", "engine.search.positions", "nets.pruning_net", "nets.router"
"""The modules of search and evaluation, with all that they import."""

PlayerSource = Callable[[str], Player]
"""Loads a player that is neither in the manifest nor of a kind, given its whole name; fills in ``nets``."""

_NO_SOURCES: Mapping[str, PlayerSource] = MappingProxyType({})


@dataclass(frozen=True)
class FoundEvaluator:
    """An evaluator as a manifest has it.

    Attributes:
        entry: Its entry.
        manifest: Has the entries of its nets.
        file: The manifest's, in whose folder the files of the nets are.
    """

    entry: EvaluatorEntry
    manifest: Manifest
    file: Path

    @property
    def net_hashes(self) -> dict[str, str]:
        """sha256 by name of its nets."""
        return {net: self.manifest.find_net(net).sha256 for net in self.entry.nets_by_phase.values()}

    def load_net(self, name: str) -> Evaluator:
        """Load one of its nets.

        Raises:
            DataFileError: As `nets.manifest.load_net`.
        """
        return load_net(self.manifest.find_net(name), self.file.parent)


def list_evaluator_names(manifest_file: Path = MANIFEST_FILE) -> list[str]:
    """List the names that `load_evaluator` takes besides ``default``.

    The default's own name is the first, and the nets of one's own (`nets.own_nets`) are the last.

    Raises:
        DataFileError: The manifest is faulty.
    """
    manifest = read_manifest(manifest_file)
    names = sorted((entry.name for entry in manifest.evaluators), key=lambda name: name != manifest.default)
    return names + list_own_names(manifest)


def find_evaluator(name: str, manifest_file: Path = MANIFEST_FILE) -> FoundEvaluator:
    """Find an evaluator by name, in the manifest or in the data folder.

    Args:
        name: One of `list_evaluator_names`, or ``default``.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No evaluator has this name.
        DataFileError: The manifest is faulty, or that of the evaluator in the data folder.
    """
    manifest = read_manifest(manifest_file)
    if not manifest.evaluators:
        raise DataFileError("the manifest names no evaluator: no nets are installed", field="net")
    wanted = manifest.default if name == DEFAULT_EVALUATOR else name
    for entry in manifest.evaluators:
        if entry.name == wanted:
            return FoundEvaluator(entry, manifest, manifest_file)
    if name in list_own_folders() and (own := read_own_manifest(name, manifest)).evaluators:
        return FoundEvaluator(own.evaluators[0], own, find_own_folder(name) / MANIFEST_NAME)
    known = list_evaluator_names(manifest_file)
    word = name.partition(":")[0]
    if word in (DEFAULT_EVALUATOR, *known) or find_kind(word) or find_own_kind(word):
        hint = ", a player, which chooses plays and gives no values of positions"
    else:
        hint = did_you_mean(name, known)
    raise ValueRangeError(f"expected an evaluator ({', '.join(known)}), got {name[:40]!r}{hint}", field="net")


def check_own_fault(name: str, manifest_file: Path = MANIFEST_FILE) -> None:
    """Refuse an evaluator of the data folder that cannot be used; any other name passes.

    Raises:
        DataFileError: Its fault.
    """
    if name in list_own_folders():
        read_own_manifest(name, read_manifest(manifest_file))


def load_evaluator(
    name: str = DEFAULT_EVALUATOR,
    manifest_file: Path = MANIFEST_FILE,
    sources: Mapping[str, PlayerSource] = _NO_SOURCES,
) -> Evaluator:
    """Load an evaluator: the nets of its entry behind a router with the bearoff databases.

    Args:
        name: What `find_evaluator` takes, ``wildbg:FOLDER`` (`nets.wildbg`), or a player of a kind that plays
            by an evaluator alone, with its options.
        manifest_file: The manifest.
        sources: As for `load_player`; players that only choose plays are no evaluators.

    Returns:
        A 0-ply evaluator of all positions.

    Raises:
        FormatError: An option of a player cannot be parsed.
        ValueRangeError: No evaluator has this name, or it is a player that gives no values.
        UnsupportedError: A package that its nets need is missing.
        DataFileError: The manifest, a net or a bearoff database is missing or faulty.
    """
    if name.startswith(WILDBG):
        return load_wildbg(Path(name.removeprefix(WILDBG)))
    word = name.partition(":")[0]
    is_kind = find_kind(word) is not None and word not in (
        DEFAULT_EVALUATOR,
        *list_evaluator_names(manifest_file),
    )
    if is_kind or _find_source(name, sources):
        player = load_player(name, manifest_file, sources)
        if player.evaluator is None or not player.follows_evaluator:
            raise ValueRangeError(
                f"{name} chooses plays and gives no values of positions: expected an evaluator, or nets that "
                "can be one",
                field="net",
            )
        return player.evaluator
    found = find_evaluator(name, manifest_file)
    entry = found.entry
    nets = {net: found.load_net(net) for net in entry.nets_by_phase.values()}
    return Router(
        entry.name,
        contact=_make_contact_evaluator(entry, nets),
        race=nets[entry.race] if entry.race else None,
        crashed=nets[entry.crashed] if entry.crashed else None,
        exact=load_exact_evaluators(),
    )


def load_exact_evaluators(*, is_default: bool = False) -> tuple[ExactEvaluator, ...]:
    """Return the bearoff databases in the order in which a `Router` asks them, opened at their first use.

    Args:
        is_default: Whether to use the default ones even if the data folder has larger ones.
    """
    return tuple(defer_bearoff(is_default=is_default))


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
    found = find_evaluator(name or _find_pruner_name(manifest_file), manifest_file)
    entry = found.entry
    if entry.contact is None:
        raise DataFileError(
            f"expected an evaluator with one net for contact to prune plays, {entry.name} has one for each "
            "contact class",
            field="net",
        )
    contact = found.load_net(entry.contact)
    return _make_pruning_net(entry.name, contact, found.load_net(entry.race) if entry.race else contact)


def load_engine(
    name: str = DEFAULT_EVALUATOR,
    threads: int = 1,
    manifest_file: Path = MANIFEST_FILE,
    sources: Mapping[str, PlayerSource] = _NO_SOURCES,
    open_store: StoreOpener | None = None,
) -> Engine:
    """Load an engine with a cache of its own.

    Args:
        name: What `load_evaluator` takes.
        threads: How many threads work on one answer.
        manifest_file: The manifest.
        sources: As for `load_evaluator`.
        open_store: Returns the store in which its analyses are found and kept, if they are; those of
            evaluators that are not in the manifest never are.

    Raises:
        ValueRangeError: No evaluator has this name, or the number of threads is out of range.
        UnsupportedError: As `load_evaluator`.
        DataFileError: As `load_evaluator`.
    """
    evaluator = load_evaluator(name, manifest_file, sources)
    pruner = load_pruner(manifest_file=manifest_file)
    engine = Engine(
        evaluator,
        pruner,
        policy=_make_policy(evaluator, pruner),
        exact=(defer_bearoff().two_sided,),
        cache=ValueCache(columns=CACHE_COLUMNS),
        threads=threads,
    )
    if open_store is None or name not in (DEFAULT_EVALUATOR, *list_evaluator_names(manifest_file)):
        return engine
    return engine.with_store(EngineStore(open_store, partial(identify_engine, name, manifest_file)))


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
    if source := _find_source(name, sources):
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


def collect_net_hashes(
    name: str, manifest_file: Path = MANIFEST_FILE, sources: Mapping[str, PlayerSource] = _NO_SOURCES
) -> dict[str, str]:
    """Return sha256 by name of the nets of a player, as in its ``nets``; only players of sources are loaded.

    Args:
        name: What `load_player` takes.
        manifest_file: The manifest.
        sources: As for `load_player`.

    Raises:
        FormatError: As `load_player`.
        ValueRangeError: As `load_player`.
        DataFileError: The manifest is faulty, or a file of wildbg cannot be read.
    """
    if name.startswith(WILDBG):
        return hash_wildbg_nets(Path(name.removeprefix(WILDBG)))
    if source := _find_source(name, sources):
        return dict(source(name).nets)
    return _hash_nets(_parse(name, manifest_file), manifest_file)


def collect_pruning_net_hashes(manifest_file: Path = MANIFEST_FILE) -> dict[str, str]:
    """Return sha256 by name of the nets that prune plays for every player that looks ahead.

    Raises:
        DataFileError: The manifest is faulty.
    """
    return find_evaluator(_find_pruner_name(manifest_file), manifest_file).net_hashes


def identify_engine(name: str = DEFAULT_EVALUATOR, manifest_file: Path = MANIFEST_FILE) -> EngineIdentity:
    """Return what the values of an engine's searches depend on; no net is loaded.

    Args:
        name: What `find_evaluator` takes.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No evaluator has this name.
        DataFileError: The manifest is faulty.
    """
    found, pruner = (
        find_evaluator(name, manifest_file),
        find_evaluator(_find_pruner_name(manifest_file), manifest_file),
    )
    nets = [
        f"{role} {phase} {each.manifest.find_net(net).sha256}"
        for role, each in (("evaluator", found), ("pruner", pruner))
        for phase, net in sorted(each.entry.nets_by_phase.items())
    ]
    table = load_default_table()
    databases = [str(each.header) for each in defer_bearoff()]  # the same bytes anywhere
    equities = _hash(table.pre_crawford.tobytes() + table.post_crawford.tobytes())
    tables = [equities, repr(DEFAULT_EFFICIENCIES), *databases]
    return EngineIdentity(
        found.entry.name,
        _hash("\n".join(nets).encode()),
        _hash("\n".join(tables).encode()),
        identify_program(*_SEARCHING),
    )


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _find_source(name: str, sources: Mapping[str, PlayerSource]) -> PlayerSource | None:
    return sources.get(name.partition(":")[0])


def _find_pruner_name(manifest_file: Path) -> str:
    return read_manifest(manifest_file).pruner or DEFAULT_EVALUATOR


def _parse(name: str, manifest_file: Path, sources: Mapping[str, PlayerSource] = _NO_SOURCES) -> PlayerSpec:
    known = [DEFAULT_EVALUATOR, *list_evaluator_names(manifest_file)]
    word = name.partition(":")[0]
    if word not in known:
        check_own_fault(word, manifest_file)
    return parse_player(name, known, sources)


def _hash_nets(spec: PlayerSpec, manifest_file: Path) -> dict[str, str]:
    if isinstance(spec, KindSpec):
        hashes: dict[str, str] = spec.kind.net_hashes(spec.options, manifest_file)
        return hashes
    own = find_evaluator(spec.evaluator, manifest_file).net_hashes
    return own | collect_pruning_net_hashes(manifest_file) if spec.is_deep else own


def _make_contact_evaluator(entry: EvaluatorEntry, nets: Mapping[str, Evaluator]) -> Evaluator:
    """Return the evaluator of contact positions: one net, or one for each contact class."""
    if entry.contact is not None:
        return nets[entry.contact]
    names = entry.nets_by_phase
    return ContactClassNets(f"{entry.name}-contact", {each: nets[names[each]] for each in CONTACT_CLASSES})


def _make_policy(evaluator: Evaluator, pruner: PlayPruner) -> PlayPruner:
    """Return what chooses plays like an evaluator at 0-ply, as fast as its nets allow."""
    if isinstance(evaluator, Router) and evaluator.crashed is evaluator.contact:
        with suppress(DataFileError):  # its nets have several hidden layers: they choose from a short list
            return _make_pruning_net(evaluator.name, evaluator.contact, evaluator.race)
    return ShortlistPruner(pruner, evaluator)


def _make_pruning_net(name: str, contact: Evaluator, race: Evaluator) -> PruningNet:
    """Make a pruning net of two nets.

    Raises:
        DataFileError: They are of another kind than those that prune plays.
    """
    weights = [read_net_weights(net.name, getattr(net, "layers", None)) for net in (contact, race)]
    return PruningNet(name, *weights)
