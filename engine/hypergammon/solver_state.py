"""What a solver has computed so far, in files, so that a stopped one goes on where it was."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.runtime.output_files import open_output


class SolverState:
    """Arrays by name in a folder; each file appears when it is whole.

    Args:
        positions: How many positions there are: arrays have one number for each, or two.
        folder: The folder, made when something is kept; None to keep the arrays in memory.
    """

    def __init__(self, positions: int, folder: Path | None = None) -> None:
        self._positions = positions
        self.folder = folder
        self._final: dict[str, NDArray[Any]] = {}

    def has_all(self, names: Iterable[str]) -> bool:
        """Return whether all of these arrays are final."""
        return all(name in self._final or (self.folder and self._path(name, True).exists()) for name in names)

    def load(self, name: str) -> NDArray[Any] | None:
        """Return an array that can be changed, final or not; None if there is none.

        Raises:
            DataFileError: Its file is damaged, or of another number of checkers.
        """
        if self.folder is None:
            return self._final.get(name)
        for is_final in (True, False):
            if self._path(name, is_final).exists():
                return self._read(self._path(name, is_final))
        return None

    def open(self, name: str) -> NDArray[Any]:
        """Return a final array, read-only and mapped into memory.

        Raises:
            DataFileError: As `load`.
        """
        if self.folder is None:
            return self._final[name]
        return self._read(self._path(name, True), mmap_mode="r")

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
        with open_output(self._path(name, is_final)) as file:
            np.save(file, array)
        if is_final:
            self._path(name, False).unlink(missing_ok=True)

    def remove(self, names: Iterable[str]) -> None:
        """Remove arrays, once none of them is needed any more, and the folder unless it holds more."""
        if self.folder is not None:
            for name in names:
                for is_final in (True, False):
                    self._path(name, is_final).unlink(missing_ok=True)
            with suppress(OSError):
                self.folder.rmdir()

    def _read(self, path: Path, mmap_mode: Literal["r"] | None = None) -> NDArray[Any]:
        try:
            array: NDArray[Any] = np.load(path, mmap_mode=mmap_mode)
            if array.dtype == np.float64 and array.size in (self._positions, 2 * self._positions):
                return array
        except (ValueError, EOFError):
            pass
        raise DataFileError(
            f"{path} is damaged, or of another number of checkers: remove {self.folder} to begin anew",
            field="output",
        )

    def _path(self, name: str, is_final: bool) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}{'' if is_final else '.begun'}.npy"
