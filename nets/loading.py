"""Load evaluators and players by name: the one place where nets, bearoff databases and names meet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.bearoff import load_bearoff
from engine.errors import DataFileError, ValueRangeError
from engine.evaluator import Evaluator, ExactJudge
from engine.players import EvaluatorPlayer, Player, RandomPlayer
from engine.replies import ReplyFinder
from nets.manifest import MANIFEST_FILE, EvaluatorEntry, Manifest, load_net, read_manifest
from nets.pubeval import PubevalPlayer
from nets.router import Router
from nets.sparse_finder import SparseFinder, read_weights

DEFAULT = "default"
"""The name that stands for the manifest's default evaluator."""

_SIMPLE_PLAYERS: dict[str, Callable[[], Player]] = {"pubeval": PubevalPlayer, "random": RandomPlayer}


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
    return [*evaluator_names(manifest_file), *_SIMPLE_PLAYERS]


def load_evaluator(name: str = DEFAULT, manifest_file: Path = MANIFEST_FILE) -> Evaluator:
    """Load an evaluator: the nets of its manifest entry behind a router with the bearoff databases.

    Args:
        name: The name of an evaluator in the manifest, or ``default``.
        manifest_file: The manifest.

    Returns:
        A 0-ply evaluator of all positions.

    Raises:
        ValueRangeError: No evaluator has this name.
        DataFileError: The manifest, a net or a bearoff database is missing or faulty.
    """
    manifest = read_manifest(manifest_file)
    entry = _find(manifest, name)
    folder = manifest_file.parent
    loaded = {net: load_net(manifest.net(net), folder) for net in _nets_of(entry)}
    return Router(
        entry.name,
        contact=loaded[entry.contact],
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
    contact = load_net(manifest.net(entry.contact), folder)
    race = load_net(manifest.net(entry.race), folder) if entry.race else contact
    return SparseFinder(entry.name, read_weights(contact.model), read_weights(race.model))


def load_player(name: str = DEFAULT, manifest_file: Path = MANIFEST_FILE) -> Player:
    """Load a player.

    Args:
        name: What `load_evaluator` takes, ``pubeval`` or ``random``.
        manifest_file: The manifest.

    Returns:
        A player of cubeless money games.

    Raises:
        ValueRangeError: No player has this name.
        DataFileError: As `load_evaluator`.
    """
    if name in _SIMPLE_PLAYERS:
        return _SIMPLE_PLAYERS[name]()
    if name != DEFAULT and name not in evaluator_names(manifest_file):
        raise ValueRangeError(
            f"no player is called {name!r}, expected one of {', '.join(player_names(manifest_file))}",
            field="player",
        )
    return EvaluatorPlayer(load_evaluator(name, manifest_file))


def exact_judges() -> tuple[ExactJudge, ...]:
    """The bearoff databases in the order in which a `Router` asks them, built first where they are missing.

    Raises:
        DataFileError: A database is faulty, or missing and cannot be built.
    """
    return tuple(load_bearoff())


def net_hashes(name: str, manifest_file: Path = MANIFEST_FILE) -> dict[str, str]:
    """Say exactly which nets a player plays with.

    Args:
        name: What `load_player` takes.
        manifest_file: The manifest.

    Returns:
        sha256 by name of the net; empty for players without nets.

    Raises:
        ValueRangeError: No player has this name.
        DataFileError: The manifest is faulty.
    """
    if name in _SIMPLE_PLAYERS:
        return {}
    manifest = read_manifest(manifest_file)
    return {net: manifest.net(net).sha256 for net in _nets_of(_find(manifest, name))}


def _nets_of(entry: EvaluatorEntry) -> list[str]:
    return [net for net in (entry.contact, entry.crashed, entry.race) if net is not None]


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
