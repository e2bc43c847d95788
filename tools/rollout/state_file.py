"""Keeping the state of `gammond rollout` in a file, and showing how far it is."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from engine.errors import DataFileError
from engine.rollout import RolloutState, load_state, save_state
from tools.progress import Progress

SAVE_INTERVAL_S = 60.0
"""How often a state is saved while the rollout goes on."""


class RolloutStateFile:
    """Keeps the state of a rollout in a file, or nowhere.

    Args:
        path: The file.
        identity: Which nets judge, a hash by name; a state by others is not gone on from.
    """

    def __init__(self, path: Path | None, identity: Mapping[str, str]) -> None:
        self._path = path
        self._identity = identity
        self._saved_s = time.monotonic()

    def load(self) -> RolloutState | None:
        """Read the state, if there is one, and make sure that another can be written.

        Raises:
            DataFileError: The file is unusable, or its folder cannot be written.
            StateError: It was judged by other nets.
        """
        if self._path is None:
            return None
        folder = self._path.parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise DataFileError(f"no state can be saved in {folder}: no folder to write in", field="state")
        return load_state(self._path, self._identity) if self._path.exists() else None

    def save(self, state: RolloutState) -> DataFileError | None:
        """Write the state; returns why not."""
        self._saved_s = time.monotonic()
        if self._path is None:
            return None
        try:
            save_state(state, self._path, self._identity)
        except OSError as error:
            return DataFileError(
                f"the state was not saved in {self._path}: {error.strerror or error}", field="state"
            )
        return None

    def save_if_due(self, state: RolloutState) -> None:
        """Write the state if that was not done lately; a failure is left to the last time."""
        if self._path is not None and time.monotonic() - self._saved_s >= SAVE_INTERVAL_S:
            self.save(state)


class RolloutProgress(Progress):
    """The progress bar of a rollout, which also has its state saved now and then.

    Args:
        trials: How many each start is to have.
        resume: The state that is gone on from.
        state_file: Keeps the state.
    """

    def __init__(self, trials: int, resume: RolloutState | None, state_file: RolloutStateFile) -> None:
        start = 0 if resume is None else max(map(len, resume.scores))
        super().__init__(trials, "rollout", start=start)
        self._state_file = state_file

    def __enter__(self) -> RolloutProgress:
        return self

    def __call__(self, state: RolloutState) -> None:
        """Take note of a block of trials."""
        self.update(max(map(len, state.scores)))
        if min(map(len, state.scores)):
            self._state_file.save_if_due(state)
