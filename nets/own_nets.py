"""Nets of one's own: evaluators and players in the data folder, beside the shipped ones.

Each is a folder ``nets/NAME`` with a manifest and how the nets in it were made. The manifest has either one
evaluator, called NAME, with its nets, or one net with one output, called NAME, which is a player. `gammond
export` writes the folder, and `nets.catalogue` finds it by name. It is read as strictly as the shipped
manifest; one with a fault is of no use, and disturbs no other.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.bearoff.databases import data_folder
from engine.errors import DataFileError, GammondError, ValueRangeError
from engine.wording import escape_unprintable
from nets.manifest import MANIFEST_NAME, Manifest, NetEntry, ScorerEntry, check_name, read_manifest
from nets.player_kinds import NoOptions, PlayerKind, find_kind, list_kind_names

NETS_FOLDER = "nets"
"""Its name in the data folder."""

RESERVED_NAMES = ("default", "net", "human", "run", "function", "gnubg", "wildbg")
"""Names of players and evaluators that are neither in a manifest nor player kinds."""

_MAX_OWN_KINDS = 64

_LOG = logging.getLogger(__name__)


def find_own_folder(name: str) -> Path:
    """Return the folder of an evaluator in the data folder, which need not exist."""
    return data_folder() / NETS_FOLDER / name


def list_own_folders() -> list[str]:
    """List the names of the folders of nets, faulty ones included, in alphabetical order."""
    try:
        with os.scandir(data_folder() / NETS_FOLDER) as entries:
            return sorted(each.name for each in entries if _may_be_net(each))
    except FileNotFoundError:
        return []
    except OSError as error:
        _warn(f"the nets of one's own are left out: {error.filename}: {error.strerror}")
        return []


def _may_be_net(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder, and one whose name can be shown."""
    try:
        is_folder = entry.is_dir() and not entry.name.startswith(".")
    except OSError:  # a link that leads back to itself
        return False
    if is_folder and not entry.name.isprintable():
        _warn(f"the folder of nets has {escape_unprintable(entry.name)}, which is no name: it is left out")
        return False
    return is_folder


def list_own_names(shipped: Manifest) -> list[str]:
    """List the evaluators in the data folder that can be used; warn once of each net that cannot.

    Args:
        shipped: Has the names that they cannot have.
    """
    names = []
    for name in list_own_folders():
        with _leave_out_faulty():
            if read_own_manifest(name, shipped).evaluators:
                names.append(name)
    return names


def load_own_kinds() -> list[PlayerKind[NoOptions]]:
    """Return the players of one's own that can be used, each as a kind without options; warn of others."""
    kinds = []
    for name in list_own_folders():
        with _leave_out_faulty():
            kinds.append(_read_own_kind(name))
    return [kind for kind in kinds if kind is not None]


def find_own_kind(name: str) -> PlayerKind[NoOptions] | None:
    """Return a player of one's own as a kind without options; None where there is none of this name.

    Raises:
        DataFileError: Its manifest is faulty.
    """
    return _read_own_kind(name) if name in list_own_folders() else None


def _read_own_kind(name: str) -> PlayerKind[NoOptions] | None:
    """Return the kind of a net in its folder, as `find_own_kind`; None if it is an evaluator."""
    scorers = read_own_manifest(name, read_manifest()).scorers
    return _make_own_kind(scorers[0], find_own_folder(name)) if scorers else None


@functools.lru_cache(_MAX_OWN_KINDS)
def _make_own_kind(entry: ScorerEntry, folder: Path) -> PlayerKind[NoOptions]:
    """Make the kind of a net, one and the same for the same content."""
    kind = find_kind(entry.player or "")
    if kind is None or kind.make_of_own is None:
        raise DataFileError(
            f"net {entry.name}: expected a player kind that plays nets of one's own, got {entry.player!r}",
            field="net",
        )
    make = kind.make_of_own
    return PlayerKind(
        entry.name,
        f"a net of one's own that plays as {kind.name} does",
        NoOptions,
        lambda _, __: make(entry, folder),
        net_hashes=lambda _, __: entry.net_hashes,
    )


def read_own_manifest(name: str, shipped: Manifest) -> Manifest:
    """Read the manifest of an evaluator in the data folder; its net files are checked when they are loaded.

    Args:
        name: The evaluator.
        shipped: Has the names that it and its nets cannot have.

    Raises:
        DataFileError: The manifest is missing or faulty, has more or other than the evaluator of this name, a
            name of it is taken, or a file of it is not in its folder.
    """
    with _named_errors(name):
        check_free_name(name, shipped)
        manifest = read_manifest(find_own_folder(name) / MANIFEST_NAME)
        _check_own_manifest(name, manifest, shipped)
        return manifest


def check_free_name(name: str, shipped: Manifest) -> None:
    """Check that an evaluator in the data folder can have a name.

    Args:
        name: The name.
        shipped: Has the names that are taken.

    Raises:
        ValueRangeError: No manifest allows it, or gammond has an evaluator or a player of this name.
    """
    check_name(name)
    evaluators = [entry.name for entry in shipped.evaluators]
    if name in (*RESERVED_NAMES, *evaluators, *list_kind_names()):
        raise ValueRangeError(
            f"expected a name that gammond has no player or evaluator for, got {name!r}: choose another name",
            field="name",
        )


def _check_own_manifest(name: str, manifest: Manifest, shipped: Manifest) -> None:
    names = [each.name for each in manifest.evaluators] + [each.name for each in manifest.scorers]
    is_player = bool(manifest.scorers)
    default = None if is_player else name
    if names != [name] or manifest.default != default or manifest.pruner or (is_player and manifest.nets):
        raise DataFileError(
            f"expected one evaluator, {name}, as default and nothing but its nets, or one net that plays, "
            f"{name}, and nothing else, got {', '.join(names) or 'none'}",
            field="net",
        )
    taken = {net.name for net in shipped.nets} | {scorer.name for scorer in shipped.scorers}
    files: tuple[NetEntry | ScorerEntry, ...] = (*manifest.nets, *manifest.scorers)
    for net in files:
        if net.name in taken:
            raise DataFileError(f"expected names that no shipped net has, got {net.name!r}", field="net")
        if net.file != Path(net.file).name or net.file.startswith("."):
            raise DataFileError(
                f"net {net.name}: expected a file in the manifest's folder, got {net.file[:80]!r}",
                field="net",
            )


@contextmanager
def _leave_out_faulty() -> Iterator[None]:
    """Warn of a net with a fault, in place of its error."""
    try:
        yield
    except DataFileError as error:
        _warn(f"{error.message}: it is left out ('gammond nets' lists and removes)")


@contextmanager
def _named_errors(name: str) -> Iterator[None]:
    """Say in errors which of the own nets has the fault."""
    try:
        yield
    except GammondError as error:
        raise DataFileError(f"net {name} in {find_own_folder(name)}: {error.message}", field="net") from error


@functools.cache
def _warn(message: str) -> None:
    """Warn once in a process."""
    _LOG.warning("%s", message)
