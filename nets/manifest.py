"""Manifests: the nets there are, the content their files must have, and the evaluators made of them.

The shipped nets have one. Each net of one's own has another in the data folder, in ``nets/NAME``: with either
one evaluator, called NAME, and its nets, or one net with one output, called NAME, which is a player. `gammond
export` writes it. It is read as strictly as the shipped one; one with a fault is of no use, and disturbs no
other.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import os
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np

from gammond.engine.cubeful.efficiency import DEFAULT_EFFICIENCIES, CubeEfficiencies
from gammond.engine.errors import DataFileError, GammondError, ValueRangeError
from gammond.engine.options import convert
from gammond.engine.runtime.files import data_folder, read_data_file
from gammond.engine.wording import escape_unprintable
from gammond.nets.onnx_model import MAX_NET_BYTES

MANIFEST_NAME = "manifest.toml"
MANIFEST_FILE = Path(__file__).resolve().parent / MANIFEST_NAME

RESERVED_NAMES = ("default", "net", "human", "run", "function", "gnubg", "wildbg")
"""Names of players and evaluators that are neither in a manifest nor player kinds."""

KindLoader = Callable[[], Any]
"""Imports and returns a player kind, a subclass of `gammond.nets.player_specs.KindSpec`."""

_MAX_TEXT_BYTES = 1_000_000
"""The largest manifest that is read, and the largest account of how nets were made."""

_OWN_FOLDER = "nets"
"""The folder of the nets of one's own, in the data folder."""

_MAX_MANIFESTS = 256
"""Manifests that are kept as they were read."""

_MAX_NAME_LENGTH = 40
_Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9.-]*\Z", max_length=_MAX_NAME_LENGTH)]
_Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]

_LOG = logging.getLogger(__name__)


class NetEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A net file.

    Attributes:
        name: Its name in evaluators and replies.
        file: Path from the folder of the manifest; absolute for a net elsewhere.
        phase: The phase or contact class that it was trained on.
        encoder: Id of its encoder.
        hidden: Sizes of its hidden layers.
        outputs: Kind of its outputs: an outcome (`gammond.engine.rules.outcome`).
        sha256: Hash of the file.
    """

    name: _Name
    file: str
    phase: Literal["contact", "loose", "holding", "containing", "mutual", "crashed", "race"]
    encoder: str
    hidden: tuple[int, ...]
    outputs: Literal["cumulative5"]
    sha256: _Sha256


class ContactClassEntries(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A net for each contact class.

    A checker is back if it is in the opponent's home board or on the bar. The sides with two or more checkers
    back show the kind of game: neither, the player on roll alone, the opponent alone, or both. A net for one
    of the four classes evaluates better than a net of the same size for all of them.
    """

    loose: str
    holding: str
    containing: str
    mutual: str


CONTACT_CLASSES = ContactClassEntries.__struct_fields__
"""The contact classes by name, in the order of their numbers."""


class EvaluatorEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A named set of nets: one for each phase, and for contact one or one for each contact class.

    Attributes:
        name: Its name in settings and replies.
        contact: The net for contact, and for each phase without a net of its own.
        contact_classes: Or a net for each of `CONTACT_CLASSES`; races then have a net of their own. The
            file calls it ``plans``.
        crashed: The net for crashed positions.
        race: The net for races that no bearoff database covers.
        efficiencies: Cube efficiencies of its values, ``cube`` in the file; what a formula leaves out is as
            published.
    """

    name: _Name
    contact: str | None = None
    contact_classes: ContactClassEntries | None = msgspec.field(name="plans", default=None)
    crashed: str | None = None
    race: str | None = None
    efficiencies: CubeEfficiencies = msgspec.field(name="cube", default=DEFAULT_EFFICIENCIES)

    @property
    def nets_by_phase(self) -> dict[str, str]:
        """The names of the nets by the phase or contact class that each was trained on."""
        classes = {} if self.contact_classes is None else msgspec.structs.asdict(self.contact_classes)
        names = {"contact": self.contact, **classes, "crashed": self.crashed, "race": self.race}
        return {phase: net for phase, net in names.items() if net is not None}


class ScorerEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The file of a net with one output, which scores plays for a player kind.

    Attributes:
        name: Its name in results and errors.
        file: As in `NetEntry`.
        activation: Activation of the hidden units.
        sha256: Hash of the file.
        player: The player kind that plays it, for a net of one's own.
    """

    name: _Name
    file: str
    activation: Literal["linear", "softsign", "relu"]
    sha256: _Sha256
    player: str | None = None

    @property
    def net_hashes(self) -> dict[str, str]:
        """sha256 by name."""
        return {self.name: self.sha256}


_Entry = TypeVar("_Entry", NetEntry, ScorerEntry)
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """All nets and evaluators.

    Attributes:
        default: The evaluator used when none is named; None only where there are no evaluators.
        pruner: The evaluator whose nets prune replies, ``finder`` in the file; None for the default's own.
        nets: Net files.
        evaluators: Sets of nets.
        scorers: Nets with one output.
    """

    default: str | None = None
    pruner: str | None = msgspec.field(name="finder", default=None)
    nets: tuple[NetEntry, ...] = msgspec.field(name="net", default=())
    evaluators: tuple[EvaluatorEntry, ...] = msgspec.field(name="evaluator", default=())
    scorers: tuple[ScorerEntry, ...] = msgspec.field(name="scorer", default=())

    @property
    def files(self) -> tuple[NetEntry | ScorerEntry, ...]:
        """The files of all nets."""
        return (*self.nets, *self.scorers)

    @property
    def evaluator_names(self) -> list[str]:
        """The names of the evaluators, the default's first."""
        return sorted((each.name for each in self.evaluators), key=lambda name: name != self.default)

    @property
    def evaluator_nets(self) -> tuple[NetEntry, ...]:
        """The nets that evaluators use; the others belong to player kinds."""
        used = {net for evaluator in self.evaluators for net in evaluator.nets_by_phase.values()}
        return tuple(net for net in self.nets if net.name in used)

    def find_net(self, name: str) -> NetEntry:
        """Return the net of a name; it exists for every name in an evaluator.

        Raises:
            DataFileError: There is none.
        """
        return _find_entry("net", name, self.nets)

    def find_nets(self, evaluator: EvaluatorEntry) -> dict[str, NetEntry]:
        """Return the nets of an evaluator by the phase or contact class that each was trained on."""
        return {phase: self.find_net(net) for phase, net in evaluator.nets_by_phase.items()}

    def find_scorer(self, name: str) -> ScorerEntry:
        """Return the net with one output of a name.

        Raises:
            DataFileError: There is none.
        """
        return _find_entry("scorer", name, self.scorers)


def read_manifest(file: Path = MANIFEST_FILE) -> Manifest:
    """Read and check a manifest, once for each version of the file.

    Args:
        file: A TOML file.

    Raises:
        DataFileError: The file is missing or not TOML, a field is missing, unknown or of the wrong type, a
            name is duplicate or not defined, an encoder or a kind of outputs does not exist, or an
            evaluator uses a net for another phase than it was trained on.
    """
    try:
        found = file.stat()
    except OSError as error:
        raise DataFileError(
            f"manifest {file.name} cannot be read: {error.strerror}", field="manifest"
        ) from error
    return _read_version(file, found.st_ino, found.st_mtime_ns, found.st_size)


@functools.lru_cache(_MAX_MANIFESTS)
def _read_version(file: Path, *_: int) -> Manifest:
    """Read and check a version of a manifest, told from others by the further arguments."""
    manifest = read_toml(file, Manifest, f"manifest {file.name}", "manifest")
    _check_nets(manifest)
    _check_evaluators(manifest)
    return manifest


def read_toml(file: Path, struct: type[_Struct], what: str, field: str) -> _Struct:
    """Read a TOML file into a struct.

    Args:
        file: The file.
        struct: Its form.
        what: What messages call it.
        field: The field of the error.

    Raises:
        DataFileError: It cannot be read, is no TOML, is nested too deep, or has another form.
    """
    content = read_data_file(file, _MAX_TEXT_BYTES, what, field)
    try:
        return convert(tomllib.loads(content.decode()), struct)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"{what} is not TOML: {error}", field=field) from error
    except RecursionError as error:
        raise DataFileError(f"{what} is nested too deep", field=field) from error
    except msgspec.ValidationError as error:
        raise DataFileError(f"{what}: {error}", field=field) from error


def read_net_file(entry: NetEntry | ScorerEntry, folder: Path = MANIFEST_FILE.parent) -> bytes:
    """Read the file of a net after checking its hash.

    Args:
        entry: Its entry.
        folder: The folder of the manifest.

    Raises:
        DataFileError: The file is missing or has another hash.
    """
    what = f"net {entry.name}: {entry.file}"
    content = read_data_file(folder / entry.file, MAX_NET_BYTES, what, "net")
    found = hashlib.sha256(content).hexdigest()
    if found != entry.sha256:
        raise DataFileError(f"{what} has sha256 {found}, the manifest expects {entry.sha256}", field="net")
    return content


def find_own_folder(name: str) -> Path:
    """Return the folder of a net of one's own, which need not exist."""
    return data_folder() / _OWN_FOLDER / name


def list_own_folders() -> list[str]:
    """List the names of the folders of nets of one's own, faulty ones included, in alphabetical order."""
    try:
        with os.scandir(data_folder() / _OWN_FOLDER) as entries:
            return sorted(each.name for each in entries if _may_be_net(each))
    except FileNotFoundError:
        return []
    except OSError as error:
        warn_once(f"the nets of one's own are left out: {error.filename}: {error.strerror}")
        return []


def _may_be_net(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder, and one whose name can be shown."""
    try:
        is_folder = entry.is_dir() and not entry.name.startswith(".")
    except OSError:  # a link that leads back to itself
        return False
    if is_folder and not entry.name.isprintable():
        warn_once(
            f"the folder of nets has {escape_unprintable(entry.name)}, which is no name: it is left out"
        )
        return False
    return is_folder


def read_own_manifest(name: str, shipped: Manifest) -> Manifest:
    """Read the manifest of a net of one's own; its net files are checked when they are loaded.

    Args:
        name: Its name.
        shipped: Has the names that it and its files cannot have.

    Raises:
        DataFileError: The manifest is missing or faulty, has more or other than the net of this name, a
            name of it is taken, or a file of it is not in its folder.
    """
    folder = find_own_folder(name)
    try:
        check_free_name(name, shipped)
        manifest = read_manifest(folder / MANIFEST_NAME)
        _check_own_manifest(name, manifest, shipped)
    except GammondError as error:
        raise DataFileError(f"net {name} in {folder}: {error.message}", field="net") from error
    return manifest


@functools.cache
def warn_once(message: str) -> None:
    """Warn once in a process."""
    _LOG.warning("%s", message)


@functools.cache
def find_kind_loaders() -> dict[str, KindLoader]:
    """Return what loads the player kind of each name: the ``KINDS`` of each folder's ``entry.py``."""
    home = MANIFEST_FILE.parent
    files = sorted([*home.glob("*/entry.py"), *home.glob("*/*/entry.py")])
    names = [".".join(("gammond.nets", *file.relative_to(home).with_suffix("").parts)) for file in files]
    return {kind: load for name in names for kind, load in importlib.import_module(name).KINDS.items()}


def check_name(name: str) -> None:
    """Check that a manifest allows a name for a net or an evaluator.

    Raises:
        ValueRangeError: It does not.
    """
    try:
        msgspec.convert(name, _Name)
    except msgspec.ValidationError:
        raise ValueRangeError(
            f"expected a name of at most {_MAX_NAME_LENGTH} characters a-z 0-9 . - that begins with a letter "
            f"or a digit, got {name[: 2 * _MAX_NAME_LENGTH]!r}",
            field="name",
        ) from None


def check_free_name(name: str, shipped: Manifest) -> None:
    """Check that a net of one's own can have a name.

    Args:
        name: The name.
        shipped: Has the names that are taken.

    Raises:
        ValueRangeError: No manifest allows it, or gammond has an evaluator or a player of this name.
    """
    check_name(name)
    if name in (*RESERVED_NAMES, *shipped.evaluator_names, *find_kind_loaders()):
        raise ValueRangeError(
            f"expected a name that gammond has no player or evaluator for, got {name!r}: choose another name",
            field="name",
        )


def check_distinct(kind: str, names: Sequence[str]) -> None:
    """Check that no two entries have one name.

    Raises:
        DataFileError: Two have.
    """
    for name in names:
        if names.count(name) > 1:
            raise DataFileError(f"two entries [[{kind}]] are called {name!r}", field=kind)


def _find_entry(kind: str, name: str, entries: Sequence[_Entry]) -> _Entry:
    for entry in entries:
        if entry.name == name:
            return entry
    raise DataFileError(f"the manifest has no entry [[{kind}]] called {name!r}", field="net")


def _check_nets(manifest: Manifest) -> None:
    from gammond.nets.encoders import get_encoder  # its kernels: not for the start of a program

    check_distinct("net", [net.name for net in manifest.nets])
    check_distinct("scorer", [scorer.name for scorer in manifest.scorers])
    for net in manifest.nets:
        get_encoder(net.encoder)


def _check_evaluators(manifest: Manifest) -> None:
    names = [evaluator.name for evaluator in manifest.evaluators]
    check_distinct("evaluator", names)
    if manifest.default not in names and (names or manifest.default is not None):
        known = ", ".join(names) or "(none)"
        raise DataFileError(
            f"expected default to be one of the evaluators {known}, got {manifest.default!r}", field="default"
        )
    if manifest.pruner is not None and manifest.pruner not in names:
        raise DataFileError(
            f"expected finder to be one of the evaluators {', '.join(names)}, got {manifest.pruner!r}",
            field="finder",
        )
    phase_of = {net.name: net.phase for net in manifest.nets}
    for evaluator in manifest.evaluators:
        has_both_or_none = (evaluator.contact is None) == (evaluator.contact_classes is None)
        if has_both_or_none or not (evaluator.contact or evaluator.race):
            raise DataFileError(
                f"evaluator {evaluator.name}: expected 'contact', or 'plans' and 'race'",
                field="net",
            )
        if not all(np.isfinite(numbers).all() for numbers in evaluator.efficiencies.tables):
            raise DataFileError(f"evaluator {evaluator.name}: expected finite numbers for cube", field="cube")
        for phase, net in evaluator.nets_by_phase.items():
            if phase_of.get(net) != phase:
                known = f"one for {phase_of[net]}" if net in phase_of else "no net of this manifest"
                raise DataFileError(
                    f"evaluator {evaluator.name}: expected a net for {phase}, {net!r} is {known}", field="net"
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
    taken = {each.name for each in shipped.files}
    for net in manifest.files:
        if net.name in taken:
            raise DataFileError(f"expected names that no shipped net has, got {net.name!r}", field="net")
        if net.file != Path(net.file).name or net.file.startswith("."):
            raise DataFileError(
                f"net {net.name}: expected a file in the manifest's folder, got {net.file[:80]!r}",
                field="net",
            )
