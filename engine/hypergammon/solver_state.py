"""What a solver has computed so far, in files, so that a stopped one goes on where it was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class SolverState:
    """Arrays by name in a folder; each file appears when it is whole.

    Args:
        folder: The folder, made when something is kept; None to keep the arrays in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._final: dict[str, NDArray[Any]] = {}

    def has_all(self, names: Iterable[str]) -> bool:
        """Return whether all of these arrays are final."""
        return all(name in self._final or (self.folder and self._path(name, True).exists()) for name in names)

    def load(self, name: str) -> NDArray[Any] | None:
        """Return an array that can be changed, final or not; None if there is none."""
        if self.folder is None:
            return self._final.get(name)
        for is_final in (True, False):
            if self._path(name, is_final).exists():
                array: NDArray[Any] = np.load(self._path(name, is_final))
                return array
        return None

    def open(self, name: str) -> NDArray[Any]:
        """Return a final array, read-only and mapped into memory."""
        if self.folder is None:
            return self._final[name]
        array: NDArray[Any] = np.load(self._path(name, True), mmap_mode="r")
        return array

    def save(self, name: str, array: NDArray[Any], *, is_final: bool) -> None:
        """Keep an array.

        Raises:
            OSError: It cannot be written.
        """
        if self.folder is None:
            if is_final:
                self._final[name] = array
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(name, is_final)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with unfinished.open("wb") as file:
                np.save(file, array)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        if is_final:
            self._path(name, False).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder, once nothing of it is needed any more."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str, is_final: bool) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}{'' if is_final else '.begun'}.npy"
