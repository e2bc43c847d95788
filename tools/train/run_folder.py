"""A training run on disk, which can be killed at any time and resumed.

``run.toml`` and the checkpoints are written aside and then put in place. A line of the log that a kill cut
short is left out when the log is read, and cut off before the next one is written.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError, StateError
from tools.train.network import Trainee, load_trainee
from tools.train.self_play import SelfPlay, TdConfig


class Checkpoint(NamedTuple):
    """The state of a run.

    Attributes:
        trainee: The weights.
        games_done: Games that led to them.
        dice: ``uint64[threads]``, the states of the workers' dice.
    """

    trainee: Trainee
    games_done: int
    dice: NDArray[np.uint64]


def load_checkpoint(file: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        DataFileError: The file is missing, damaged, or no checkpoint of a run.
    """
    trainee, state = load_trainee(file)
    if missing := [name for name in ("games_done", "dice") if name not in state]:
        raise DataFileError(f"{file} is no checkpoint of a run: it has no {' and no '.join(missing)}")
    games_done, dice = state["games_done"], state["dice"]
    if games_done.shape != () or games_done.dtype.kind not in "iu" or int(games_done) < 0:
        raise DataFileError(f"{file}: games_done is one whole number of 0 or more, not {games_done!r}")
    if dice.ndim != 1 or dice.dtype != np.uint64:
        raise DataFileError(f"{file}: dice is uint64[threads], not {dice.dtype}{list(dice.shape)}")
    return Checkpoint(trainee, int(games_done), dice.astype(np.uint64))


class RunFolder:
    """A run on disk: ``run.toml``, ``checkpoint.npz``, ``best.npz`` and ``log.jsonl``.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "run.toml"
        self.checkpoint_file = path / "checkpoint.npz"
        self.best_file = path / "best.npz"
        self.log_file = path / "log.jsonl"

    def start(self, config: TdConfig) -> SelfPlay:
        """Begin a run in a folder without one.

        Raises:
            StateError: A run is there already.
            DataFileError: The folder cannot be made or written to.
        """
        if any(file.exists() for file in (self.config_file, self.checkpoint_file, self.log_file)):
            raise StateError(
                f"{self.path} holds a run already; go on with --resume, or choose another folder"
            )
        run = SelfPlay(config)
        part = self.config_file.with_suffix(".part")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            part.write_text(config.to_toml(), encoding="utf-8")
            part.replace(self.config_file)
        except OSError as error:
            raise DataFileError(f"{self.path} cannot hold a run: {error.strerror}") from error
        return run

    def resume(self) -> SelfPlay:
        """Go on from the last checkpoint.

        Raises:
            DataFileError: There is no run, its files cannot be read, or they do not belong together.
        """
        config = self.config()
        if not self.checkpoint_file.exists():
            return SelfPlay(config)
        checkpoint = load_checkpoint(self.checkpoint_file)
        trainee, dice = checkpoint.trainee, checkpoint.dice
        found = {"hidden": trainee.contact.hidden, "race_hidden": trainee.race.hidden, "threads": len(dice)}
        for name, value in found.items():
            if value != getattr(config, name):
                raise DataFileError(
                    f"{self.checkpoint_file} has {name} {value}, {self.config_file.name} beside it "
                    f"{getattr(config, name)}"
                )
        return SelfPlay(config, trainee, checkpoint.games_done, dice)

    def config(self) -> TdConfig:
        """Read the configuration of the run.

        Raises:
            DataFileError: It is missing, is no TOML, or its fields are not those of a run.
            ValueRangeError: A field is outside what it may be.
        """
        try:
            values = tomllib.loads(self.config_file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataFileError(f"{self.config_file} is no configuration of a run: {error}") from error
        kinds = {field.name: type(field.default) for field in fields(TdConfig)}
        if unknown := values.keys() - kinds.keys():
            raise DataFileError(f"{self.config_file} has unknown fields: {', '.join(sorted(unknown))}")
        if missing := [name for name in kinds if name not in values]:
            raise DataFileError(f"{self.config_file} has no {', '.join(missing)}")
        for name, kind in kinds.items():
            if type(values[name]) not in (kind, int):
                raise DataFileError(f"{self.config_file}: {name} is {kind.__name__}, not {values[name]!r}")
        return TdConfig(**values)

    def checkpoint(self, run: SelfPlay, record: dict[str, float | int | str]) -> None:
        """Save the state of a run and append to its log; keep the net with the best measured strength."""
        extra = {"games_done": np.int64(run.games_done), "dice": run.dice}
        run.trainee.save(self.checkpoint_file, **extra)  # type: ignore[arg-type]
        if "ppg" in record and float(record["ppg"]) >= self._best_so_far():
            run.trainee.save(self.best_file, **extra)  # type: ignore[arg-type]
        with self.log_file.open("ab") as log:
            log.truncate(len(self._whole_log()))
            log.write(json.dumps(record).encode() + b"\n")

    def hours(self) -> float:
        """How long the run has played, from the speeds in its log.

        Raises:
            DataFileError: The log cannot be read.
        """
        games, seconds = 0, 0.0
        for entry in self._log():
            seconds += (entry["games"] - games) / entry["games_per_s"] if "games_per_s" in entry else 0.0
            games = entry["games"]
        return seconds / 3600.0

    def _best_so_far(self) -> float:
        return max((entry["ppg"] for entry in self._log() if "ppg" in entry), default=float("-inf"))

    def _log(self) -> list[dict[str, Any]]:
        entries = []
        for number, line in enumerate(self._whole_log().splitlines(), 1):
            try:
                entry = json.loads(line)
                if not isinstance(entry, dict) or "games" not in entry:
                    raise ValueError("no record of a checkpoint")
            except ValueError as error:
                raise DataFileError(f"{self.log_file} line {number} cannot be read: {error}") from error
            entries.append(entry)
        return entries

    def _whole_log(self) -> bytes:
        """Read the log without a last line that was not written to its end."""
        content = self.log_file.read_bytes() if self.log_file.exists() else b""
        return content[: content.rfind(b"\n") + 1]
