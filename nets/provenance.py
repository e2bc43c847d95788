"""How nets were made and how strong they are: ``provenance.toml``, beside the manifest.

Older manifests hold these tables themselves, ``trained`` in their nets, and ``strength`` in their
evaluators; they count too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from engine.errors import DataFileError
from engine.runtime.regular_files import read_regular
from nets.manifest import (
    MANIFEST_FILE,
    MAX_TEXT_BYTES,
    Manifest,
    NetEntry,
    ScorerEntry,
    check_distinct,
    parse_toml,
    read_manifest,
)

PROVENANCE_FILE = "provenance.toml"
"""Its name in the folder of the manifest."""


class TrainingRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How nets were made.

    Attributes:
        name: A name for it.
        commands: The commands, in order.
        games: Self-play games.
        hours: Duration on the machine that `docs/lab/nets.md` names.
        positions: Training positions labelled by look-ahead.
        nets: The nets, by name.
    """

    name: str
    commands: tuple[str, ...]
    games: int
    hours: float
    positions: int = 0
    nets: tuple[str, ...] = ()


class StrengthRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A measured strength.

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


class EvaluatorStrength(StrengthRecord, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A measured strength of an evaluator.

    Attributes:
        evaluator: Its name.
    """

    evaluator: str


class Provenance(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How the nets of a manifest were made, and how strong its evaluators are."""

    trainings: tuple[TrainingRecord, ...] = msgspec.field(name="training", default=())
    strengths: tuple[EvaluatorStrength, ...] = msgspec.field(name="strength", default=())

    def find_training(self, net: str) -> TrainingRecord:
        """Return how a net was made.

        Raises:
            DataFileError: It is not recorded.
        """
        for training in self.trainings:
            if net in training.nets:
                return training
        raise DataFileError(f"no [[training]] in {PROVENANCE_FILE} lists the net {net!r}", field="net")


def read_provenance(manifest_file: Path = MANIFEST_FILE) -> Provenance:
    """Read how the nets of a manifest were made, from the file beside it and from the manifest itself.

    Raises:
        DataFileError: A file cannot be read, a field is missing, unknown or of the wrong type, a name is
            duplicate, or a net or an evaluator is not in the manifest.
    """
    manifest = read_manifest(manifest_file)
    file = manifest_file.with_name(PROVENANCE_FILE)
    content = _read_toml(file) if file.exists() else {}
    older = _collect_from_manifest(manifest)
    try:
        provenance = msgspec.convert(
            {**content, **{kind: [*content.get(kind, ()), *rows] for kind, rows in older.items()}}, Provenance
        )
    except (msgspec.ValidationError, TypeError, RecursionError) as error:
        raise DataFileError(f"{file.name}: {error}", field="provenance") from error
    _check_names(provenance, manifest)
    return provenance


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        content = read_regular(file, MAX_TEXT_BYTES)
    except OSError as error:
        raise DataFileError(f"{file.name} cannot be read: {error.strerror}", field="provenance") from error
    return parse_toml(content, file.name, "provenance")


def _collect_from_manifest(manifest: Manifest) -> dict[str, list[dict[str, Any]]]:
    """Return the tables of an older manifest, in the form of `Provenance`."""
    entries: tuple[NetEntry | ScorerEntry, ...] = (*manifest.nets, *manifest.scorers)
    names = [training.get("name") for training in manifest.trainings]
    for entry in entries:
        if entry.trained is not None and entry.trained not in names:
            known = ", ".join(map(str, names)) or "(none)"
            raise DataFileError(
                f"net {entry.name}: expected one of the trainings {known}, got {entry.trained!r}",
                field="trained",
            )
    trainings = []
    for training in manifest.trainings:
        trained = [entry.name for entry in entries if entry.trained == training.get("name")]
        trainings.append({**training, "nets": [*training.get("nets", ()), *trained]})
    strengths = [
        {"evaluator": evaluator.name, **strength}
        for evaluator in manifest.evaluators
        for strength in evaluator.strength
    ]
    return {"training": trainings, "strength": strengths}


def _check_names(provenance: Provenance, manifest: Manifest) -> None:
    check_distinct("training", [training.name for training in provenance.trainings])
    nets = {entry.name for entry in manifest.nets} | {entry.name for entry in manifest.scorers}
    evaluators = {entry.name for entry in manifest.evaluators}
    named = [("net", net, nets) for training in provenance.trainings for net in training.nets]
    named += [("evaluator", strength.evaluator, evaluators) for strength in provenance.strengths]
    for kind, name, known in named:
        if name not in known:
            raise DataFileError(f"{PROVENANCE_FILE}: the manifest has no {kind} {name!r}", field=kind)
