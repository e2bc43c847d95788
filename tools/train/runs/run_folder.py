"""A stage of training on disk: begun once, resumed as often as it takes, with its provenance.

A stage's folder has ``run.toml`` (its settings, and in the table ``[origin]`` what came before it and its own
command) and ``log.jsonl``, each of whose records has ``seconds`` and may have ``labelled`` positions, or
``games`` of self-play so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gammond.engine.errors import DataFileError, StateError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.runtime.files import check_output_folder
from gammond.nets.catalogue import SHIPPED, FoundEvaluator
from gammond.tools.common.interrupts import RESUMES, advise_on_interrupt
from gammond.tools.common.journal import read_records
from gammond.tools.common.net_records import TrainingRecord
from gammond.tools.common.net_records import read_provenance as read_net_provenance
from gammond.tools.train.runs.settings import (
    SettingOptions,
    format_command_options,
    format_options,
    read_origin,
    read_settings,
    write_settings,
)
from gammond.tools.train.weights.net_set import find_nets_file

_Settings = TypeVar("_Settings", bound=msgspec.Struct)

CONFIG_FILE = "run.toml"
LOG_FILE = "log.jsonl"

KIND_ARRAY = "kind"
"""In ``.npz`` files, and in the table ``[origin]`` of ``run.toml``: the trainer that wrote them."""


def name_kept_nets(folder: Path, steps: int) -> Path:
    """Name the file for the nets that a run keeps after a number of steps."""
    return folder / f"nets-{steps:09}.npz"


def list_kept_nets(folder: Path) -> dict[int, Path]:
    """List the files of nets that a run kept, by its steps."""
    found = ((file.stem.removeprefix("nets-"), file) for file in sorted(folder.glob("nets-*.npz")))
    return {int(steps): file for steps, file in found if steps.isdecimal()}


@dataclass(frozen=True)
class ProvenanceStep:
    """A command that nets or labels came from.

    Attributes:
        command: What was run.
        games: Games of self-play by temporal differences.
        positions: Positions that were labelled.
        hours: How long it took.
    """

    command: str
    games: int = 0
    positions: int = 0
    hours: float = 0.0


Provenance = tuple[ProvenanceStep, ...]
"""How nets or labels were made: the commands in order, each once."""


def merge_provenances(*provenances: Provenance) -> Provenance:
    """Join provenances; a command that is in several counts once."""
    steps: dict[str, ProvenanceStep] = {}
    for provenance in provenances:
        for step in provenance:
            steps.setdefault(step.command, step)
    return tuple(steps.values())


def load_run_settings(
    folder: Path, options: SettingOptions[_Settings], lengths: Sequence[str] = (), *, resume: bool
) -> _Settings:
    """Read the settings of a run: its own with ``--resume``, of which options may raise the length alone.

    Args:
        folder: Of the run.
        options: What the command says of settings.
        lengths: The settings that say how long the run is.
        resume: Whether it goes on with the run.

    Raises:
        DataFileError: There is no run to go on with; or a file is missing, no TOML, or has unknown fields.
        ValueRangeError: A value is of another kind or outside its limits.
        StateError: With ``--resume`` an option differs from what the run has, and makes it no longer.
    """
    begun = read_settings(folder / CONFIG_FILE, options.given.kind) if resume else None
    return options.make(begun, lengths)


def check_no_run(folder: Path) -> None:
    """Check that a folder is free for a new run.

    Raises:
        StateError: It holds a run already, or other files.
        DataFileError: It is no folder.
    """
    if (folder / CONFIG_FILE).exists():
        raise StateError(f"{folder} already holds a run: resume it with --resume, or choose another folder")
    check_output_folder(folder, force=None, field="run")


def advise_to_resume(folder: Path) -> AbstractContextManager[None]:
    """Say with an interrupt of the block that ``--resume`` goes on, once the stage has begun."""
    return advise_on_interrupt(lambda: RESUMES if (folder / CONFIG_FILE).exists() else "")


def begin_run(folder: Path, command: str, settings: msgspec.Struct, sources: Sequence[str]) -> None:
    """Write the ``run.toml`` of a stage.

    Args:
        folder: Where; created if need be.
        command: The command that begins it, such as ``train td``; its last word is the kind of the run.
        settings: Of the stage.
        sources: Evaluators and folders that it builds on.

    Raises:
        StateError: A run is there already.
        DataFileError: It cannot be written, or a source cannot be read.
    """
    check_no_run(folder)
    before = merge_provenances(*(read_provenance(source) for source in sources))
    _write_run(
        folder, command, settings, f"{_name_run(command, folder)}{format_command_options(settings)}", before
    )


def lengthen_run(folder: Path, command: str, settings: msgspec.Struct) -> None:
    """Write the settings of a run that becomes longer; its ``[origin]`` tells both commands.

    Args:
        folder: Of the run.
        command: As of `begin_run`.
        settings: Those of the run, with more of what says how long it is; nothing is written for the same.

    Raises:
        DataFileError: They cannot be read or written.
    """
    found = msgspec.structs.asdict(read_settings(folder / CONFIG_FILE, type(settings)))
    if grown := {
        key: value for key, value in msgspec.structs.asdict(settings).items() if value != found[key]
    }:
        made_by, before, _ = _read_run_origin(folder)
        made_by += f" && {_name_run(command, folder)} --resume{format_options(grown, {})}"
        _write_run(folder, command, settings, made_by, before)


def _name_run(command: str, folder: Path) -> str:
    return f"gammond {command} {folder}"


def _write_run(
    folder: Path, command: str, settings: msgspec.Struct, made_by: str, before: Provenance
) -> None:
    origin: dict[str, object] = {"command": made_by}
    for field in fields(ProvenanceStep):
        origin[f"{field.name}_before"] = [getattr(step, field.name) for step in before]
    origin[KIND_ARRAY] = command.split()[-1]
    write_settings(folder / CONFIG_FILE, settings, origin)


def read_provenance(source: str) -> Provenance:
    """Read how an evaluator of the manifest, or what lies in a folder, was made.

    Raises:
        DataFileError: The manifest or the folder of a run cannot be read.
    """
    if isinstance(found := SHIPPED.find(source), FoundEvaluator):
        return _read_evaluator_provenance(found)
    path = Path(source)
    return read_run_provenance(path if path.is_dir() else path.parent, find_nets_file(path))


def read_run_provenance(folder: Path, nets: Path) -> Provenance:
    """Read how the nets of a run were made.

    Args:
        folder: Of the run.
        nets: Which of its files of nets; what came after these nets does not count. Where there is no such
            file, all of the run counts.

    Raises:
        DataFileError: It cannot be read.
    """
    command, before, kind = _read_run_origin(folder)
    records = _read_records_until(folder / LOG_FILE, nets)
    own = ProvenanceStep(
        command,
        games=_count_games(records, nets, kind),
        positions=sum(int(record.get("labelled", 0)) for record in records),
        hours=max(compute_hours(records), default=0.0),
    )
    return merge_provenances(before, (own,))


def compute_hours(records: Sequence[Mapping[str, Any]]) -> list[float]:
    """Compute the hours that a run had taken at each record of its log."""
    return [
        seconds / 3600.0 for seconds in accumulate(float(record.get("seconds", 0.0)) for record in records)
    ]


def _read_run_origin(folder: Path) -> tuple[str, Provenance, str]:
    """Return the command of a run, what came before it, and its kind."""
    config = folder / CONFIG_FILE
    origin = read_origin(config)
    try:
        columns = [origin[f"{field.name}_before"] for field in fields(ProvenanceStep)]
        before = msgspec.convert(list(zip(*columns, strict=True)), list[tuple[str, int, int, float]])
        steps = tuple(ProvenanceStep(*step) for step in before)
        return str(origin["command"]), steps, str(origin[KIND_ARRAY])
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"{config} does not list the stages before the run: {error}") from error


def _read_records_until(log: Path, nets: Path) -> list[dict[str, Any]]:
    """The records of a log up to the epoch, generation or game of a file of nets."""
    records = read_records(log)
    arrays = read_array_file(nets) if nets.exists() else {}
    for name, key in (("epoch", "epoch"), ("generation", "generation"), ("games_done", "games")):
        if name in arrays:
            numbered = (record for record in records if isinstance(record.get(key), int))
            return [record for record in numbered if record[key] <= int(arrays[name])]
    return records


def _count_games(records: Sequence[Mapping[str, Any]], nets: Path, kind: str) -> int:
    """Count the games of self-play that led to nets."""
    arrays = read_array_file(nets) if nets.exists() else {}
    if "games_done" in arrays:
        return int(arrays["games_done"])
    if arrays and kind == "td":
        raise DataFileError(f"{nets} has no games_done: expected a file of a run of gammond train td")
    return max((int(record.get("games", 0)) for record in records), default=0)


def _read_evaluator_provenance(found: FoundEvaluator) -> Provenance:
    provenance = read_net_provenance(found.file)
    trainings = dict.fromkeys(provenance.find_training(net) for net in found.net_hashes)
    return merge_provenances(*map(_provenance_from_training, trainings))


def _provenance_from_training(training: TrainingRecord) -> Provenance:
    """Make steps of a training entry; it has the work of all together, which the first one gets."""
    commands = [command for command in training.commands if not command.startswith("gammond export")]
    work = (training.games, training.positions, training.hours)
    return tuple(ProvenanceStep(command, *(work if i == 0 else ())) for i, command in enumerate(commands))
