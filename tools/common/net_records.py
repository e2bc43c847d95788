"""How nets were made and how strong they are: ``provenance.toml``, beside a manifest; entries of both."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from gammond.engine.errors import DataFileError
from gammond.engine.statistics import ValueWithError
from gammond.nets.manifest import MANIFEST_FILE, Manifest, check_distinct, read_manifest, read_toml

PROVENANCE_FILE = "provenance.toml"
"""Its name in the folder of the manifest."""

_MAX_LINE = 100


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

    @property
    def points(self) -> ValueWithError:
        """The points won per game, with their error."""
        return ValueWithError(self.points_per_game, self.standard_error)


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
    """Read how the nets of a manifest were made, from the file beside it; empty where there is none.

    Raises:
        DataFileError: A file cannot be read, a field is missing, unknown or of the wrong type, a name is
            duplicate, or a net or an evaluator is not in the manifest.
    """
    manifest = read_manifest(manifest_file)
    file = manifest_file.with_name(PROVENANCE_FILE)
    if not file.exists():
        return Provenance()
    provenance = read_toml(file, Provenance, file.name, "provenance")
    _check_names(provenance, manifest)
    return provenance


def format_entry(kind: str, entry: msgspec.Struct) -> str:
    """Format an entry of a manifest or of a provenance file, as it is read; fields at their defaults go.

    Args:
        kind: The name of its table.
        entry: What is read from it.
    """
    lines = [f"[[{kind}]]"]
    for field in msgspec.structs.fields(entry):
        value = getattr(entry, field.name)
        if field.required or value != field.default:
            lines.append(f"{field.encode_name} = {_to_toml(msgspec.to_builtins(value))}")
    return "\n".join([*lines, "", ""])


def _to_toml(value: object) -> str:
    """Write a value; JSON's forms of numbers, texts and lists are TOML's too."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {_to_toml(each)}' for key, each in value.items())}}}"
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple) and len(text) > _MAX_LINE:
        return "\n".join(["[", *(f"    {_to_toml(each)}," for each in value), "]"])
    return text


def _check_names(provenance: Provenance, manifest: Manifest) -> None:
    check_distinct("training", [training.name for training in provenance.trainings])
    nets = {entry.name for entry in manifest.files}
    evaluators = {entry.name for entry in manifest.evaluators}
    named = [("net", net, nets) for training in provenance.trainings for net in training.nets]
    named += [("evaluator", strength.evaluator, evaluators) for strength in provenance.strengths]
    for kind, name, known in named:
        if name not in known:
            raise DataFileError(f"{PROVENANCE_FILE}: the manifest has no {kind} {name!r}", field=kind)
