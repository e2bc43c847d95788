"""The state file and the progress bar of `gammond rollout`."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from engine.errors import DataFileError
from engine.rollout import RolloutState, load_state, save_state
from tools.common.progress import Progress

SAVE_INTERVAL_S = 60.0
"""Seconds between saves during a rollout."""


class RolloutStateFile:
    """Saves the state of a rollout in a file, or nowhere.

    Args:
        path: The file; None for none.
        identity: Hashes by name of the nets; a state by other nets is refused.
    """

    def __init__(self, path: Path | None, identity: Mapping[str, str]) -> None:
        self._path = path
        self._identity = identity
        self._saved_s = time.monotonic()

    def load(self) -> RolloutState | None:
        """Read the state, if there is one, and check that another can be written.

        Raises:
            DataFileError: The file is damaged, or its folder cannot be written.
            StateError: It is by other nets.
        """
        if self._path is None:
            return None
        folder = self._path.parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            raise DataFileError(
                f"no state can be saved in {folder}: expected a folder that can be written", field="state"
            )
        return load_state(self._path, self._identity) if self._path.exists() else None

    def save(self, state: RolloutState) -> DataFileError | None:
        """Write the state; return the error if that fails."""
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
        """Write the state unless that was done recently; only the last save reports a failure."""
        if self._path is not None and time.monotonic() - self._saved_s >= SAVE_INTERVAL_S:
            self.save(state)


class RolloutProgress(Progress):
    """The progress bar of a rollout, which also saves its state now and then.

    Args:
        trials: Of each start.
        resume: The state to resume from.
        state_file: Saves the state.
    """

    def __init__(self, trials: int, resume: RolloutState | None, state_file: RolloutStateFile) -> None:
        start = 0 if resume is None else max(map(len, resume.scores))
        super().__init__(trials, "rollout", start=start)
        self._state_file = state_file

    def __enter__(self) -> RolloutProgress:
        return self

    def __call__(self, state: RolloutState) -> None:
        """Report a finished block of trials."""
        self.update(max(map(len, state.scores)))
        if min(map(len, state.scores)):
            self._state_file.save_if_due(state)
