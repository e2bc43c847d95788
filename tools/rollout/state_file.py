"""The state file of `gammond rollout`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.engine.rollout import RolloutState, load_state, save_state
from gammond.engine.runtime.files import check_folder

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
        check_folder(self._path, "state")
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
