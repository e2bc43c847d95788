"""Load evaluators and players by name: the one place where nets, bearoff databases and names meet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from engine.analyst import CACHE_COLUMNS, Analyst
from engine.bearoff import load_bearoff
from engine.errors import DataFileError, ValueRangeError
from engine.evaluator import Evaluator, ExactJudge
from engine.players import EvaluatorPlayer, Player
from engine.replies import ReplyFinder
from engine.rollout import ShortlistedReplies
from engine.search import ValueCache
from nets.manifest import MANIFEST_FILE, EvaluatorEntry, Manifest, load_net, read_manifest
from nets.plans import PLANS, PlanNets
from nets.player_kinds import PlayerKind, find_kind, kind_names, unknown_player
from nets.player_specs import parse_player, player_of
from nets.router import Router
from nets.sparse_finder import SparseFinder, read_weights
from nets.wildbg import PREFIX as WILDBG
from nets.wildbg import load_wildbg, wildbg_hashes

DEFAULT = "default"
"""The name that stands for the manifest's default evaluator."""


def evaluator_names(manifest_file: Path = MANIFEST_FILE) -> list[str]:
    """Names that `load_evaluator` takes beside ``default``, the default's own name first.

    Raises:
        DataFileError: The manifest is faulty.
    """
    manifest = read_manifest(manifest_file)
    names = [entry.name for entry in manifest.evaluators]
    return sorted(names, key=lambda name: name != manifest.default)


def player_names(manifest_file: Path = MANIFEST_FILE) -> list[str]:
    """Names that `load_player` takes beside ``default``.

    Raises:
        DataFileError: The manifest is faulty.
    """
    evaluators = evaluator_names(manifest_file)
    return [*evaluators, *(kind for kind in kind_names() if kind not in evaluators)]


def load_evaluator(name: str = DEFAULT, manifest_file: Path = MANIFEST_FILE) -> Evaluator:
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
    entry = _find(manifest, name)
    folder = manifest_file.parent
    loaded = {net: load_net(manifest.net(net), folder) for net in _nets_of(entry)}
    return Router(
        entry.name,
        contact=_contact(entry, loaded),
        race=loaded[entry.race] if entry.race else None,
        crashed=loaded[entry.crashed] if entry.crashed else None,
        exact=exact_judges(),
    )


def load_finder(name: str | None = None, manifest_file: Path = MANIFEST_FILE) -> ReplyFinder:
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
    entry = _find(manifest, name or manifest.finder or DEFAULT)
    folder = manifest_file.parent
    if entry.contact is None:
        raise DataFileError(
            f"the nets of {entry.name} are split by plan: they cannot find replies", field="net"
        )
    contact = load_net(manifest.net(entry.contact), folder)
    race = load_net(manifest.net(entry.race), folder) if entry.race else contact
    return SparseFinder(entry.name, read_weights(contact.model), read_weights(race.model))


def load_analyst(name: str = DEFAULT, threads: int = 1, manifest_file: Path = MANIFEST_FILE) -> Analyst:
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
    finder = load_finder(manifest_file=manifest_file)
    return Analyst(
        evaluator,
        finder,
        policy=_policy(evaluator, finder, manifest_file),
        exact=(load_bearoff().two_sided,),
        cache=ValueCache(columns=CACHE_COLUMNS),
        threads=threads,
    )


def _policy(evaluator: Evaluator, finder: ReplyFinder, manifest_file: Path) -> ReplyFinder:
    """What plays as an evaluator does at 0 plies, as fast as its nets allow."""
    try:
        return load_finder(evaluator.name, manifest_file)
    except DataFileError:  # its nets have more than one layer: they choose from a short list
        return ShortlistedReplies(finder, evaluator)


def load_player(name: str = DEFAULT, manifest_file: Path = MANIFEST_FILE) -> Player:
    """Load a player.

    Args:
        name: What `load_evaluator` takes, with options behind it as `nets.player_specs.parse_player` reads
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
    kind = _kind(name, manifest_file)
    if kind is not None:
        player: Player = kind.make(kind.read(name), manifest_file)
        return player
    return player_of(
        name,
        partial(load_evaluator, manifest_file=manifest_file),
        partial(load_analyst, manifest_file=manifest_file),
    )


def exact_judges() -> tuple[ExactJudge, ...]:
    """The bearoff databases in the order in which a `Router` asks them, built first where they are missing.

    Raises:
        DataFileError: A database is faulty, or missing and cannot be built.
    """
    return tuple(load_bearoff())


def net_hashes(name: str, manifest_file: Path = MANIFEST_FILE, *, with_finder: bool = True) -> dict[str, str]:
    """Say exactly which nets a player plays with.

    Args:
        name: What `load_player` takes.
        manifest_file: The manifest.
        with_finder: Whether the nets that a player who looks ahead finds replies with count too.

    Returns:
        sha256 by name of the net; empty for players without nets.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name.
        DataFileError: The manifest is faulty, or a file of wildbg cannot be read.
    """
    if name.startswith(WILDBG):
        return wildbg_hashes(Path(name.removeprefix(WILDBG)))
    kind = _kind(name, manifest_file)
    if kind is not None:
        hashes: dict[str, str] = kind.hashes(kind.read(name), manifest_file)
        return hashes
    spec = parse_player(name)
    manifest = read_manifest(manifest_file)
    nets = _nets_of(_find(manifest, spec.name))
    if with_finder and spec.depth.plies and manifest.finder:
        nets += _nets_of(_find(manifest, manifest.finder))
    return {net: manifest.net(net).sha256 for net in nets}


def _kind(text: str, manifest_file: Path) -> PlayerKind[Any] | None:
    """Find the kind of a player by what it is called; None for an evaluator of the manifest.

    Raises:
        ValueRangeError: No player has this name.
        DataFileError: The manifest is faulty.
    """
    name = text.partition(":")[0]
    if name == DEFAULT or name in evaluator_names(manifest_file):
        return None
    kind = find_kind(name)
    if kind is None:
        raise unknown_player(name, [DEFAULT, *player_names(manifest_file)])
    return kind


def _nets_of(entry: EvaluatorEntry) -> list[str]:
    return list(entry.net_of_phase.values())


def _find(manifest: Manifest, name: str) -> EvaluatorEntry:
    """Look an evaluator up by name, ``default`` included."""
    if not manifest.evaluators:
        raise DataFileError("the manifest names no evaluator: no nets are installed", field="net")
    wanted = manifest.default if name == DEFAULT else name
    for entry in manifest.evaluators:
        if entry.name == wanted:
            return entry
    known = ", ".join(entry.name for entry in manifest.evaluators)
    raise ValueRangeError(f"no evaluator is called {name!r}, expected one of {known}", field="net")


def _contact(entry: EvaluatorEntry, loaded: Mapping[str, Evaluator]) -> Evaluator:
    """The judge of contact: one net, or one for each plan."""
    if entry.contact is not None:
        return loaded[entry.contact]
    names = entry.net_of_phase
    return PlanNets(f"{entry.name}-contact", {plan: loaded[names[plan]] for plan in PLANS})
