"""The manifest: the nets there are, the content their files must have, and the evaluators made of them.

How the nets were made and how strong they are is in `nets.provenance`.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from engine.errors import DataFileError, ValueRangeError
from engine.options import convert
from engine.runtime.regular_files import read_regular
from nets.compiled_net import CompiledNet, make_net_evaluator
from nets.encoders import get_encoder
from nets.net_evaluator import NetEvaluator
from nets.onnx_model import MAX_NET_BYTES, OnnxModel

MANIFEST_NAME = "manifest.toml"
MANIFEST_FILE = Path(__file__).resolve().parent / MANIFEST_NAME

OUTPUT_SIZES = {"cumulative5": 5}
"""How many numbers each kind of outputs has; ``cumulative5`` is an outcome (`engine.rules.outcome`)."""

MAX_TEXT_BYTES = 1_000_000
"""The largest manifest that is read, and the largest account of how nets were made."""

_MAX_MANIFESTS = 256
"""Manifests that are kept as they were read."""

_MAX_NAME_LENGTH = 40
_Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9.-]*\Z", max_length=_MAX_NAME_LENGTH)]


class NetEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A net file.

    Attributes:
        name: Its name in evaluators and replies.
        file: Path from the folder of the manifest; absolute for a net elsewhere.
        phase: The phase or contact class that it was trained on.
        encoder: Id of its encoder.
        hidden: Sizes of its hidden layers.
        outputs: Kind of its outputs, a key of `OUTPUT_SIZES`.
        sha256: Hash of the file.
        trained: In older manifests, the name of its training (`nets.provenance`).
    """

    name: _Name
    file: str
    phase: Literal["contact", "loose", "holding", "containing", "mutual", "crashed", "race"]
    encoder: str
    hidden: tuple[int, ...]
    outputs: str
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
    trained: str | None = None


class ContactClassEntries(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A net for each of `nets.contact_classes.CONTACT_CLASSES`."""

    loose: str
    holding: str
    containing: str
    mutual: str


class EvaluatorEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A named set of nets: one for each phase, and for contact one or one for each contact class.

    Attributes:
        name: Its name in settings and replies.
        contact: The net for contact, and for each phase without a net of its own.
        contact_classes: Or a net for each of `CONTACT_CLASSES`; races then have a net of their own. The
            file calls it ``plans``.
        crashed: The net for crashed positions.
        race: The net for races that no bearoff database covers.
        strength: In older manifests, its measured strength (`nets.provenance`).
    """

    name: _Name
    contact: str | None = None
    contact_classes: ContactClassEntries | None = msgspec.field(name="plans", default=None)
    crashed: str | None = None
    race: str | None = None
    strength: tuple[dict[str, Any], ...] = ()

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
        trained: As in `NetEntry`.
        player: The player kind that plays it, for a net of one's own.
    """

    name: _Name
    file: str
    activation: Literal["linear", "softsign", "relu"]
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
    trained: str | None = None
    player: str | None = None

    @property
    def net_hashes(self) -> dict[str, str]:
        """sha256 by name, as in `nets.player_kinds.PlayerKind.net_hashes`."""
        return {self.name: self.sha256}


_Entry = TypeVar("_Entry", NetEntry, ScorerEntry)


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """All nets and evaluators.

    Attributes:
        default: The evaluator used when none is named; None only where there are no evaluators.
        pruner: The evaluator whose nets prune replies, ``finder`` in the file; None for the default's own.
        nets: Net files.
        evaluators: Sets of nets.
        scorers: Nets with one output.
        trainings: In older manifests, how the nets were made (`nets.provenance`).
    """

    default: str | None = None
    pruner: str | None = msgspec.field(name="finder", default=None)
    nets: tuple[NetEntry, ...] = msgspec.field(name="net", default=())
    evaluators: tuple[EvaluatorEntry, ...] = msgspec.field(name="evaluator", default=())
    scorers: tuple[ScorerEntry, ...] = msgspec.field(name="scorer", default=())
    trainings: tuple[dict[str, Any], ...] = msgspec.field(name="training", default=())

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

    def find_scorer(self, name: str) -> ScorerEntry:
        """Return the net with one output of a name.

        Raises:
            DataFileError: There is none.
        """
        return _find_entry("scorer", name, self.scorers)


def read_manifest(file: Path = MANIFEST_FILE) -> Manifest:
    """Read and check a manifest, once for each version of the file; `load_net` reads the net files.

    Args:
        file: A TOML file.

    Raises:
        DataFileError: The file is missing or not TOML, a field is missing, unknown or of the wrong type, a
            name is duplicate or not defined, an encoder or a kind of outputs does not exist, or an
            evaluator uses a net for another phase than it was trained on.
    """
    try:
        found = file.stat()
        return _read_version(file, found.st_ino, found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise DataFileError(
            f"manifest {file.name} cannot be read: {error.strerror}", field="manifest"
        ) from error


@functools.lru_cache(_MAX_MANIFESTS)
def _read_version(file: Path, *_: int) -> Manifest:
    """Read and check a version of a manifest, told from others by the further arguments."""
    content = parse_toml(read_regular(file, MAX_TEXT_BYTES), f"manifest {file.name}", "manifest")
    try:
        manifest = convert(content, Manifest)
    except msgspec.ValidationError as error:
        raise DataFileError(f"manifest {file.name}: {error}", field="manifest") from error
    _check_nets(manifest)
    _check_evaluators(manifest)
    return manifest


def parse_toml(content: bytes, what: str, field: str) -> dict[str, Any]:
    """Return the tables of a TOML file.

    Args:
        content: Its bytes.
        what: What messages call it.
        field: The field of the error.

    Raises:
        DataFileError: It is no TOML, or is nested too deep.
    """
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"{what} is not TOML: {error}", field=field) from error
    except RecursionError as error:
        raise DataFileError(f"{what} is nested too deep", field=field) from error


def load_net(entry: NetEntry, folder: Path = MANIFEST_FILE.parent) -> CompiledNet | NetEvaluator:
    """Load a net after checking its file against the manifest: compiled if its shape is known, else as it is.

    Args:
        entry: Its entry.
        folder: The folder of the manifest.

    Raises:
        DataFileError: The file is missing, is not a net, or differs from its entry in its hash, inputs,
            outputs or, if its shape is known, hidden layers.
    """
    content = _read_checked_bytes(entry, folder)
    encoder = get_encoder(entry.encoder)
    model = OnnxModel(entry.name, content, encoder.inputs, OUTPUT_SIZES[entry.outputs])
    net = make_net_evaluator(entry.name, encoder, model, entry.sha256)
    if net.layers is not None:
        hidden = tuple(len(layer.biases) for layer in net.layers[:-1])
        if hidden != entry.hidden:
            raise DataFileError(
                f"net {entry.name}: {entry.file} has hidden layers of {_format_sizes(hidden)} units, the "
                f"manifest expects {_format_sizes(entry.hidden)}",
                field="net",
            )
    return net


def read_scorer_bytes(entry: ScorerEntry, folder: Path = MANIFEST_FILE.parent) -> bytes:
    """Read the file of a net with one output after checking its hash.

    Raises:
        DataFileError: The file is missing or has another hash.
    """
    return _read_checked_bytes(entry, folder)


def _find_entry(kind: str, name: str, entries: Sequence[_Entry]) -> _Entry:
    for entry in entries:
        if entry.name == name:
            return entry
    raise DataFileError(f"the manifest has no entry [[{kind}]] called {name!r}", field="net")


def _format_sizes(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes)) or "no"


def _read_checked_bytes(entry: NetEntry | ScorerEntry, folder: Path) -> bytes:
    try:
        content = read_regular(folder / entry.file, MAX_NET_BYTES)
    except OSError as error:
        raise DataFileError(
            f"net {entry.name}: {entry.file} cannot be read: {error.strerror}", field="net"
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != entry.sha256:
        raise DataFileError(
            f"net {entry.name}: {entry.file} has sha256 {found}, the manifest expects {entry.sha256}",
            field="net",
        )
    return content


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


def _check_nets(manifest: Manifest) -> None:
    check_distinct("net", [net.name for net in manifest.nets])
    check_distinct("scorer", [scorer.name for scorer in manifest.scorers])
    for net in manifest.nets:
        get_encoder(net.encoder)
        if net.outputs not in OUTPUT_SIZES:
            raise DataFileError(
                f"net {net.name}: expected outputs {'|'.join(OUTPUT_SIZES)}, got {net.outputs!r}",
                field="outputs",
            )


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
        for phase, net in evaluator.nets_by_phase.items():
            if phase_of.get(net) != phase:
                known = f"one for {phase_of[net]}" if net in phase_of else "no net of this manifest"
                raise DataFileError(
                    f"evaluator {evaluator.name}: expected a net for {phase}, {net!r} is {known}", field="net"
                )


def check_distinct(kind: str, names: Sequence[str]) -> None:
    """Check that no two entries have one name.

    Raises:
        DataFileError: Two have.
    """
    for name in names:
        if names.count(name) > 1:
            raise DataFileError(f"two entries [[{kind}]] are called {name!r}", field=kind)
