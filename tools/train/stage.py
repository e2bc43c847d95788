"""A stage of training on disk: begun once, resumed as often as it takes, and able to tell how it came to be.

A stage's folder has ``run.toml`` (its settings, and in the table ``[origin]`` what came before it and its own
command) and ``log.jsonl``, each of whose records has ``seconds`` and may have ``labelled`` positions, or
``games`` of self-play so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine.errors import DataFileError, StateError
from nets.loading import DEFAULT, evaluator_names
from nets.manifest import Training, read_manifest
from tools.train.checkpoints import load_checkpoint
from tools.train.classic.player import is_classic
from tools.train.files import read_arrays, read_records
from tools.train.net_set import nets_file
from tools.train.self_play import TdSettings
from tools.train.settings import ORIGIN, command_options, read_origin, read_settings, write_settings

_Settings = TypeVar("_Settings", bound=msgspec.Struct)

CONFIG = "run.toml"
LOG = "log.jsonl"


@dataclass(frozen=True)
class Step:
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


Pedigree = tuple[Step, ...]
"""How nets or labels came to be: what was run, in order, each command once."""


def joined(*pedigrees: Pedigree) -> Pedigree:
    """Put pedigrees one behind the other; a command that is in several counts once."""
    steps: dict[str, Step] = {}
    for pedigree in pedigrees:
        for step in pedigree:
            steps.setdefault(step.command, step)
    return tuple(steps.values())


def begin(folder: Path, name: str, settings: msgspec.Struct, sources: Sequence[str]) -> None:
    """Write the ``run.toml`` of a stage.

    Args:
        folder: Where; made if need be.
        name: Of the sub-command of ``gammond train``.
        settings: Of the stage.
        sources: Evaluators and folders that it builds on.

    Raises:
        StateError: A run is there already.
        DataFileError: It cannot be written, or a source cannot be read.
    """
    if (folder / CONFIG).exists():
        raise StateError(f"{folder} holds a run already; go on with --resume, or choose another folder")
    before = joined(*(pedigree_of(source) for source in sources))
    origin: dict[str, object] = {"command": f"gammond train {name} {folder}{command_options(settings)}"}
    for field in fields(Step):
        origin[f"{field.name}_before"] = [getattr(step, field.name) for step in before]
    write_settings(folder / CONFIG, settings, origin)


def pedigree_of(source: str) -> Pedigree:
    """Tell how an evaluator of the manifest, or what lies in a folder, came to be.

    Raises:
        DataFileError: The manifest or the folder of a run cannot be read.
    """
    names = evaluator_names()
    if source in (DEFAULT, *names):
        return _of_evaluator(names[0] if source == DEFAULT else source)
    path = Path(source)
    return pedigree_of_run(path if path.is_dir() else path.parent, nets_file(path))


def pedigree_of_run(folder: Path, nets: Path) -> Pedigree:
    """Tell how what lies in the folder of a run came to be.

    Args:
        folder: Of the run.
        nets: Which of its files of nets; what came after these nets does not count. Where there is no such
            file, all of the run counts.

    Raises:
        DataFileError: It cannot be read.
    """
    command, before = _told_origin(folder)
    records = _records_until(folder / LOG, nets)
    own = Step(
        command,
        games=_games(records, nets),
        positions=sum(int(record.get("labelled", 0)) for record in records),
        hours=max(hours_at(records), default=0.0),
    )
    return joined(before, (own,))


def hours_at(records: Sequence[Mapping[str, Any]]) -> list[float]:
    """Tell how many hours a run had taken at each record of its log.

    Records tell their ``seconds``; some of self-play tell games a second instead.
    """
    hours, total_s, games = [], 0.0, 0
    for record in records:
        if "seconds" in record:
            total_s += float(record["seconds"])
        elif "games_per_s" in record:
            total_s += (record["games"] - games) / record["games_per_s"]
        games = record.get("games", games)
        hours.append(total_s / 3600.0)
    return hours


def _told_origin(folder: Path) -> tuple[str, Pedigree]:
    """The command of a run, and what came before it."""
    config = folder / CONFIG
    if not config.exists() or f"[{ORIGIN}]" not in config.read_text(encoding="utf-8", errors="replace"):
        # Runs of self-play need not tell: nothing comes before them, and their settings give the command.
        settings = read_settings(config, TdSettings)
        return f"gammond train td {folder}{command_options(settings)}", ()
    origin = read_origin(config)
    try:
        columns = [origin[f"{field.name}_before"] for field in fields(Step)]
        before = msgspec.convert(list(zip(*columns, strict=True)), list[tuple[str, int, int, float]])
        return str(origin["command"]), tuple(Step(*step) for step in before)
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"{config} does not tell what came before: {error}") from error


def _records_until(log: Path, nets: Path) -> list[dict[str, Any]]:
    """The records of a log up to the epoch, generation or game of a file of nets."""
    records = read_records(log)
    arrays = read_arrays(nets) if nets.exists() else {}
    for name, key in (("epoch", "epoch"), ("generation", "generation"), ("games_done", "games")):
        if name in arrays:
            numbered = (record for record in records if isinstance(record.get(key), int))
            return [record for record in numbered if record[key] <= int(arrays[name])]
    return records


def _games(records: Sequence[Mapping[str, Any]], nets: Path) -> int:
    """Games of self-play that led to nets."""
    arrays = read_arrays(nets) if nets.exists() else {}
    if arrays and not is_classic(arrays) and "race_encoder" not in arrays:
        return load_checkpoint(nets).games_done
    return max((int(record.get("games", 0)) for record in records), default=0)


def _of_evaluator(name: str) -> Pedigree:
    manifest = read_manifest()
    entry = next(each for each in manifest.evaluators if each.name == name)
    trainings = dict.fromkeys(manifest.training_of(net) for net in entry.net_of_phase.values())
    return joined(*map(_of_training, trainings))


def _of_training(trained: Training) -> Pedigree:
    """The steps that a manifest tells; it knows the work of all together, which the first one stands for."""
    commands = [command for command in trained.commands if not command.startswith("gammond export")]
    work = (trained.games, trained.positions, trained.hours)
    return tuple(Step(command, *(work if i == 0 else ())) for i, command in enumerate(commands))
