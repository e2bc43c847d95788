"""Rolled-out positions in files of a few each, which nothing reads as labels to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.formats.array_file import Arrays, load_arrays
from gammond.engine.rules.outcome import cubeless_equity
from gammond.tools.common.files import write_arrays
from gammond.tools.train.runs.shard_loop import ShardFiles
from gammond.tools.train.validation.positions import ValidationPositions

ROLLOUTS = ShardFiles("rollouts", "rolled-out positions")
"""The files of shards."""


@dataclass(frozen=True, eq=False)
class RolloutLabels:
    """Positions and what their rollouts found.

    Attributes:
        positions: What was rolled out.
        outcomes: ``float32[n, 5]``, the mean of the trials, for the player on roll before the roll. With
            variance reduction a probability near 0 or 1 may stray outside by about its error; nothing is cut
            off, which would bias the mean.
        errors: ``float32[n, 5]``, their standard errors.
        equity_errors: ``float32[n]``, standard errors of the cubeless equities, in points.
        trials: ``int32[n]``.
    """

    positions: ValidationPositions
    outcomes: NDArray[np.float32]
    errors: NDArray[np.float32]
    equity_errors: NDArray[np.float32]
    trials: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, rows: NDArray[np.bool_]) -> RolloutLabels:
        """Some of them."""
        return RolloutLabels(
            self.positions[rows],
            self.outcomes[rows],
            self.errors[rows],
            self.equity_errors[rows],
            self.trials[rows],
        )

    @classmethod
    def from_rows(cls, positions: ValidationPositions, rows: Iterable[Sequence[Any]]) -> RolloutLabels:
        """Make them of a row for each position: its outcome, the other attributes in their order."""
        columns = zip(*rows, strict=True)
        kinds = [kind for _, kind in _COLUMNS.values()]
        return cls(positions, *(np.array(each, kind) for each, kind in zip(columns, kinds, strict=True)))

    @property
    def equities(self) -> NDArray[np.float32]:
        """Cubeless equities in points, ``float32[n]``."""
        return cubeless_equity(self.outcomes)


def write_rollouts(file: Path, labels: RolloutLabels) -> None:
    """Write a shard, whole or not at all.

    Raises:
        DataFileError: It cannot be written.
    """
    arrays = labels.positions.to_arrays()
    for name in _COLUMNS:
        arrays[name] = getattr(labels, name)
    write_arrays(file, arrays)


def read_rollouts(file: Path) -> RolloutLabels:
    """Read a shard.

    Raises:
        DataFileError: The file is missing, damaged, or no shard; it is named.
    """
    return load_arrays(file, _parse_rollouts, what="is no shard of rolled-out positions")


def _parse_rollouts(arrays: Arrays) -> RolloutLabels:
    positions = ValidationPositions.from_arrays(arrays)
    for name, (width, kind) in _COLUMNS.items():
        expected = (len(positions), *width)
        if arrays[name].shape != expected or arrays[name].dtype != kind:
            raise ValueError(f"expected {name} as {np.dtype(kind).name}{list(expected)}")
    return RolloutLabels(positions, *(arrays[name] for name in _COLUMNS))


def read_all_rollouts(folder: Path) -> RolloutLabels:
    """Read all shards of a set, those of one that is still being made too.

    Raises:
        DataFileError: There is no shard, or one is damaged; it is named.
    """
    return _concatenate([read_rollouts(file) for file in ROLLOUTS.list_in(folder)])


def _concatenate(parts: Sequence[RolloutLabels]) -> RolloutLabels:
    """Put shards of one set, whose names of classes are the same, one after the other."""
    positions = ValidationPositions(
        np.concatenate([part.positions.boards for part in parts]),
        np.concatenate([part.positions.classes for part in parts]),
        parts[0].positions.class_names,
    )
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS)
    return RolloutLabels(positions, *columns)


_COLUMNS: dict[str, tuple[tuple[int, ...], type[np.generic]]] = {
    "outcomes": ((5,), np.float32),
    "errors": ((5,), np.float32),
    "equity_errors": ((), np.float32),
    "trials": ((), np.int32),
}
"""What a shard has of each position, in the order of the fields: further axes and type."""
