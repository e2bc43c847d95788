"""A training run on disk, which can be killed at any time and resumed."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import DataFileError, StateError
from tools.train.network import load_trainee
from tools.train.self_play import SelfPlay, TdConfig


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
        """Begin a run in an empty folder.

        Raises:
            StateError: A run is there already.
        """
        if self.config_file.exists():
            raise StateError(
                f"{self.path} holds a run already; go on with --resume, or choose another folder"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        self.config_file.write_text(config.to_toml(), encoding="utf-8")
        return SelfPlay(config)

    def resume(self) -> SelfPlay:
        """Go on from the last checkpoint.

        Raises:
            DataFileError: There is no run, or its files cannot be read.
        """
        config = self.config()
        if not self.checkpoint_file.exists():
            return SelfPlay(config)
        trainee, state = load_trainee(self.checkpoint_file)
        return SelfPlay(config, trainee, int(state["games_done"]), state["dice"].astype(np.uint64))

    def config(self) -> TdConfig:
        """Read the configuration of the run.

        Raises:
            DataFileError: It is missing or has fields that no run has.
        """
        try:
            values = tomllib.loads(self.config_file.read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise DataFileError(f"{self.config_file} is no configuration of a run: {error}") from error
        known = {field.name for field in fields(TdConfig)}
        if unknown := set(values) - known:
            raise DataFileError(f"{self.config_file} has unknown fields: {', '.join(sorted(unknown))}")
        return TdConfig(**values)

    def checkpoint(self, run: SelfPlay, record: dict[str, float | int | str]) -> None:
        """Save the state of a run and append to its log; keep the net with the best measured strength."""
        extra = {"games_done": np.int64(run.games_done), "dice": run.dice}
        run.trainee.save(self.checkpoint_file, **extra)  # type: ignore[arg-type]
        if "ppg" in record and float(record["ppg"]) >= self._best_so_far():
            run.trainee.save(self.best_file, **extra)  # type: ignore[arg-type]
        with self.log_file.open("a", encoding="utf-8") as log:
            log.write(json.dumps(record) + "\n")

    def hours(self) -> float:
        """How long the run has played, from the speeds in its log."""
        games, seconds = 0, 0.0
        for entry in self._log():
            seconds += (entry["games"] - games) / entry["games_per_s"] if "games_per_s" in entry else 0.0
            games = entry["games"]
        return seconds / 3600.0

    def _best_so_far(self) -> float:
        return max((entry["ppg"] for entry in self._log() if "ppg" in entry), default=float("-inf"))

    def _log(self) -> list[dict[str, Any]]:
        if not self.log_file.exists():
            return []
        return [json.loads(line) for line in self.log_file.read_text(encoding="utf-8").splitlines()]
