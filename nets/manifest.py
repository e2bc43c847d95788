"""The manifest: which nets exist, what their files must be, and which evaluators are made of them."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from engine.errors import DataFileError, ValueRangeError
from nets.encoders import get_encoder
from nets.net_evaluator import NetEvaluator
from nets.onnx_model import OnnxModel

MANIFEST_FILE = Path(__file__).resolve().parent / "manifest.toml"

OUTPUT_SIZES = {"cumulative5": 5}
"""Kinds of outputs and how many numbers each has: ``cumulative5`` is an outcome as it stands."""

_MAX_NAME_LENGTH = 40
_Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9.-]*\Z", max_length=_MAX_NAME_LENGTH)]


class TrainingRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How nets came to be.

    Attributes:
        name: What the entries of these nets call it.
        commands: What was run, in order.
        games: Self-play games.
        hours: How long it took on the machine that `docs/lab/nets.md` names.
        positions: Positions that were labelled with look-ahead, and learned.
    """

    name: _Name
    commands: tuple[str, ...]
    games: int
    hours: float
    positions: int = 0


class StrengthRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How strong an evaluator measured.

    Attributes:
        opponent: The player it was measured against.
        points_per_game: Cubeless money points won per game.
        standard_error: Of `points_per_game`.
        games: Paired games played.
    """

    opponent: str
    points_per_game: float
    standard_error: float
    games: int


class NetEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A net file.

    Attributes:
        name: What evaluators and replies call it.
        file: Path from the folder of the manifest; absolute for a net that lies elsewhere.
        phase: What it was trained on.
        encoder: Id of its encoder.
        hidden: Sizes of its hidden layers.
        outputs: Kind of its outputs, a key of `OUTPUT_SIZES`.
        sha256: Hash of the file.
        trained: How it came to be, the name of a `TrainingRecord`.
    """

    name: _Name
    file: str
    phase: Literal["contact", "loose", "holding", "containing", "mutual", "crashed", "race"]
    encoder: str
    hidden: tuple[int, ...]
    outputs: str
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
    trained: str


class ContactClasses(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A net for each of `nets.contact_classes.CONTACT_CLASSES`."""

    loose: str
    holding: str
    containing: str
    mutual: str


class EvaluatorEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A named set of nets, one for each phase, or for contact one for each plan.

    Attributes:
        name: What settings and replies call it.
        contact: The net for contact, and for each phase without a net of its own.
        plans: Instead of it a net for each of `CONTACT_CLASSES`; then races have a net of their own.
        crashed: The net for crashed positions.
        race: The net for races that no bearoff database covers.
        strength: How strong the whole measured.
    """

    name: _Name
    contact: str | None = None
    plans: ContactClasses | None = None
    crashed: str | None = None
    race: str | None = None
    strength: tuple[StrengthRecord, ...] = ()

    @property
    def nets_by_phase(self) -> dict[str, str]:
        """The names of the nets by what they were trained on."""
        plans = {} if self.plans is None else msgspec.structs.asdict(self.plans)
        found = {"contact": self.contact, **plans, "crashed": self.crashed, "race": self.race}
        return {phase: net for phase, net in found.items() if net is not None}


class ScorerEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The file of a net with one output, which rates plays for a kind of player.

    Attributes:
        name: What the player and errors call it.
        file: As that of a `NetEntry`.
        activation: What its hidden units do, one of those that its kind of player knows.
        sha256: Hash of the file.
        trained: How it came to be, the name of a `TrainingRecord`.
    """

    name: _Name
    file: str
    activation: Literal["linear", "softsign", "relu"]
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]
    trained: str

    @property
    def net_hashes(self) -> dict[str, str]:
        """sha256 by name, as `PlayerKind.net_hashes` tells which nets a player plays with."""
        return {self.name: self.sha256}


_Entry = TypeVar("_Entry", NetEntry, ScorerEntry)


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """All nets and evaluators.

    Attributes:
        default: The evaluator taken when none is named; missing only when there is none.
        finder: The evaluator whose nets find promising replies; the default's own when it is missing.
        trainings: How nets came to be.
        nets: Net files.
        evaluators: Sets of nets.
        scorers: Nets with one output.
    """

    default: str | None = None
    finder: str | None = None
    trainings: tuple[TrainingRecord, ...] = msgspec.field(name="training", default=())
    nets: tuple[NetEntry, ...] = msgspec.field(name="net", default=())
    evaluators: tuple[EvaluatorEntry, ...] = msgspec.field(name="evaluator", default=())
    scorers: tuple[ScorerEntry, ...] = msgspec.field(name="scorer", default=())

    @property
    def evaluator_nets(self) -> tuple[NetEntry, ...]:
        """The nets that evaluators are made of; others belong to kinds of players."""
        used = {net for evaluator in self.evaluators for net in evaluator.nets_by_phase.values()}
        return tuple(net for net in self.nets if net.name in used)

    def find_net(self, name: str) -> NetEntry:
        """The net of a name; it exists for every name an evaluator gives.

        Raises:
            DataFileError: There is none.
        """
        return _find_entry("net", name, self.nets)

    def find_training(self, net: str) -> TrainingRecord:
        """How the net of a name came to be."""
        trained = self.find_net(net).trained
        return next(training for training in self.trainings if training.name == trained)

    def find_scorer(self, name: str) -> ScorerEntry:
        """The net with one output of a name.

        Raises:
            DataFileError: There is none.
        """
        return _find_entry("scorer", name, self.scorers)


def read_manifest(file: Path = MANIFEST_FILE) -> Manifest:
    """Read a manifest and check that it is whole; net files are looked at by `load_net`.

    Args:
        file: A TOML file.

    Returns:
        The manifest.

    Raises:
        DataFileError: The file is missing or no TOML, a field is missing, unknown or of the wrong kind, a
            name is used twice or not defined, an encoder or a kind of outputs does not exist, or an
            evaluator uses a net for another phase than it was trained for.
    """
    try:
        content = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise DataFileError(
            f"manifest {file.name} cannot be read: {error.strerror}", field="manifest"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"manifest {file.name} is no TOML: {error}", field="manifest") from error
    try:
        manifest = msgspec.convert(content, Manifest)
    except msgspec.ValidationError as error:
        raise DataFileError(f"manifest {file.name}: {error}", field="manifest") from error
    _check_nets(manifest)
    _check_evaluators(manifest)
    return manifest


def load_net(entry: NetEntry, folder: Path = MANIFEST_FILE.parent) -> NetEvaluator:
    """Load a net and compare its file with the manifest.

    Args:
        entry: What the manifest says.
        folder: The folder of the manifest.

    Returns:
        The net, ready to run.

    Raises:
        DataFileError: The file is missing, its hash is another, it is no net, or its inputs or outputs
            differ.
    """
    content = _read_checked_bytes(entry, folder)
    encoder = get_encoder(entry.encoder)
    model = OnnxModel(entry.name, content, encoder.inputs, OUTPUT_SIZES[entry.outputs])
    model.check()
    return NetEvaluator(entry.name, encoder, model)


def read_scorer_bytes(entry: ScorerEntry, folder: Path = MANIFEST_FILE.parent) -> bytes:
    """Read the file of a net with one output, and compare it with the manifest.

    Raises:
        DataFileError: The file is missing, or its hash is another.
    """
    return _read_checked_bytes(entry, folder)


def _find_entry(kind: str, name: str, entries: Sequence[_Entry]) -> _Entry:
    for entry in entries:
        if entry.name == name:
            return entry
    raise DataFileError(f"the manifest has no entry [[{kind}]] called {name!r}", field="net")


def _read_checked_bytes(entry: NetEntry | ScorerEntry, folder: Path) -> bytes:
    try:
        content = (folder / entry.file).read_bytes()
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
    """Check that a manifest can call a net or an evaluator so.

    Raises:
        ValueRangeError: It cannot.
    """
    try:
        msgspec.convert(name, _Name)
    except msgspec.ValidationError:
        raise ValueRangeError(
            f"a name has at most {_MAX_NAME_LENGTH} of the characters a-z 0-9 . - and "
            f"begins with a letter or "
            f"digit, not {name[: 2 * _MAX_NAME_LENGTH]!r}",
            field="name",
        ) from None


def _check_nets(manifest: Manifest) -> None:
    trainings = [training.name for training in manifest.trainings]
    _check_distinct("training", trainings)
    _check_distinct("net", [net.name for net in manifest.nets])
    _check_distinct("scorer", [scorer.name for scorer in manifest.scorers])
    for scorer in manifest.scorers:
        _check_training(scorer, trainings)
    for net in manifest.nets:
        get_encoder(net.encoder)
        if net.outputs not in OUTPUT_SIZES:
            raise DataFileError(
                f"net {net.name}: unknown outputs {net.outputs!r}, expected one of {', '.join(OUTPUT_SIZES)}",
                field="outputs",
            )
        _check_training(net, trainings)


def _check_training(net: NetEntry | ScorerEntry, trainings: list[str]) -> None:
    if net.trained not in trainings:
        known = ", ".join(trainings) or "(none)"
        raise DataFileError(
            f"net {net.name}: trained is {net.trained!r}, expected one of the trainings: {known}",
            field="trained",
        )


def _check_evaluators(manifest: Manifest) -> None:
    names = [evaluator.name for evaluator in manifest.evaluators]
    _check_distinct("evaluator", names)
    if manifest.default not in names and (names or manifest.default is not None):
        known = ", ".join(names) or "(none)"
        raise DataFileError(
            f"the default is {manifest.default!r}, expected one of the evaluators: {known}", field="default"
        )
    if manifest.finder is not None and manifest.finder not in names:
        raise DataFileError(
            f"the finder is {manifest.finder!r}, expected one of the evaluators: {', '.join(names)}",
            field="finder",
        )
    phase_of = {net.name: net.phase for net in manifest.nets}
    for evaluator in manifest.evaluators:
        if (evaluator.contact is None) == (evaluator.plans is None) or not (
            evaluator.contact or evaluator.race
        ):
            raise DataFileError(
                f"evaluator {evaluator.name}: expected one net for contact, or one a plan and one for race",
                field="net",
            )
        for phase, net in evaluator.nets_by_phase.items():
            if phase_of.get(net) != phase:
                what = f"a net for {phase_of[net]}" if net in phase_of else "no net of this manifest"
                raise DataFileError(
                    f"evaluator {evaluator.name}: {net!r} is {what}, expected one for {phase}", field="net"
                )


def _check_distinct(kind: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise DataFileError(f"two entries [[{kind}]] are called {name!r}", field=kind)
