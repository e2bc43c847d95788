"""Labelled positions in files of some thousand each: shards, numbered in the order of their making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.formats.array_file import Arrays, load_arrays
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import CHECKERS, OFF, Board, Phase, classify_phases
from gammond.tools.common.files import write_arrays
from gammond.tools.train.runs.shard_loop import ShardFiles

LABELS = ShardFiles("labels", "labelled positions")
"""The files of shards."""

_PACKED_BYTES = 25
_TARGET_MARGIN = 2.0
"""The most by which a target may scatter beyond 0 or 1."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Positions and what they are worth.

    Attributes:
        boards: ``int8[n, 2, 26]``.
        targets: ``float32[n, 5]``, outcomes for the player on roll before the roll; those of traces scatter,
            and may lie beyond 0 and 1.
        sources: ``uint8[n]``: where each position is from, as its place in `source_names`.
        source_names: As `gammond.tools.train.labels.sampling` calls them.
        decisions: ``int64[n]``, rising: the positions after plays of one roll have the number of their
            decision; any other position is alone with its own. Without it, all are alone.
    """

    boards: Board
    targets: Outcomes
    sources: NDArray[np.uint8]
    source_names: tuple[str, ...]
    decisions: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def __post_init__(self) -> None:
        if not len(self.decisions):
            object.__setattr__(self, "decisions", np.arange(len(self.boards)))

    def __len__(self) -> int:
        return len(self.boards)

    def select_phases(self, wanted: Sequence[Phase]) -> Labels:
        """Keep the positions of some phases."""
        return self.select(np.isin(classify_phases(self.boards), [int(phase) for phase in wanted]))

    def select(self, mask: NDArray[np.bool_]) -> Labels:
        """Keep some positions, ``bool[n]``."""
        rows = self.boards[mask], self.targets[mask], self.sources[mask]
        return Labels(*rows, self.source_names, self.decisions[mask])


@dataclass(frozen=True)
class ShardMetadata:
    """How a shard came to be.

    Attributes:
        net: Name and digest of the nets that labelled.
        plies: How deep they looked.
        seed: Of the positions; the number of the shard counts too.
        trials: Games of each label, if they are rolled out; else 0.
        truncation: Plies after which these games ended with the nets' value; 0 for games to the end.
        plays: How many plays of a roll were labelled together at most; 0 for positions by themselves.
    """

    net: str
    plies: int
    seed: int
    trials: int = 0
    truncation: int = 0
    plays: int = 0


def write_shard(file: Path, labels: Labels, metadata: ShardMetadata) -> None:
    """Write a shard, whole or not at all.

    Raises:
        DataFileError: It cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {
        "boards": pack_boards(labels.boards),
        "targets": labels.targets,
        "sources": labels.sources,
        "source_names": np.array(labels.source_names),
        "net": np.array(metadata.net),
        "plies": np.int64(metadata.plies),  # type: ignore[dict-item]
        "seed": np.int64(metadata.seed),  # type: ignore[dict-item]
        "trials": np.int64(metadata.trials),  # type: ignore[dict-item]
        "truncation": np.int64(metadata.truncation),  # type: ignore[dict-item]
    }
    if metadata.plays:
        arrays |= {"plays": np.array(metadata.plays), "decisions": labels.decisions}
    write_arrays(file, arrays)


def read_shard(file: Path) -> tuple[Labels, ShardMetadata]:
    """Read a shard.

    Raises:
        DataFileError: The file is missing, damaged, or no shard; it is named.
    """
    return load_arrays(file, _parse_shard, what="is no shard of labelled positions")


def _parse_shard(arrays: Arrays) -> tuple[Labels, ShardMetadata]:
    labels = Labels(
        unpack_boards(arrays["boards"]),
        arrays["targets"],
        arrays["sources"],
        tuple(str(name) for name in arrays["source_names"]),
        arrays.get("decisions", np.empty(0, np.int64)),
    )
    numbers = (int(arrays[name]) for name in ("plies", "seed"))
    others = (
        int(arrays.get(name, 0)) for name in ("trials", "truncation", "plays")
    )  # not all shards have these
    _check(labels)
    return labels, ShardMetadata(str(arrays["net"]), *numbers, *others)


def read_newest_labels(folder: Path, positions: int | None = None) -> Labels:
    """Read the newest shards of a folder.

    Args:
        folder: Where they are.
        positions: Stop after this many, a whole shard at a time; None for all.

    Returns:
        The positions, the oldest first.

    Raises:
        DataFileError: There is no shard, or one is damaged; it is named.
    """
    parts: list[Labels] = []
    total = 0
    for file in reversed(LABELS.list_in(folder)):
        if positions is not None and total >= positions:
            break
        parts.append(read_shard(file)[0])
        total += len(parts[-1])
    return concatenate_labels(parts[::-1])


def concatenate_labels(parts: Sequence[Labels]) -> Labels:
    """Put labels one after the other; there is at least one part."""
    names = tuple(dict.fromkeys(name for part in parts for name in part.source_names))
    places = [np.array([names.index(name) for name in part.source_names], np.uint8) for part in parts]
    return Labels(
        np.concatenate([part.boards for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([place[part.sources] for place, part in zip(places, parts, strict=True)]),
        names,
        concatenate_decisions([part.decisions for part in parts]),
    )


def concatenate_decisions(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Put rising numbers of decisions one after the other, so that those of different parts differ."""
    firsts = np.cumsum([0, *(part.max(initial=-1) + 1 for part in parts)])
    return np.concatenate([part + first for part, first in zip(parts, firsts, strict=False)])


def divide_decisions(decisions: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each decision begins, ``int64[k]``, and how many positions it has."""
    firsts = np.flatnonzero(np.diff(decisions, prepend=-1))
    return firsts, np.diff(firsts, append=len(decisions))


def pack_boards(boards: Board) -> NDArray[np.uint8]:
    """Write positions as half a byte a point; checkers borne off follow from the others.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``uint8[n, 25]``.
    """
    counts = boards[:, :, 1:].reshape(len(boards), 2 * _PACKED_BYTES).astype(np.uint8)
    content: NDArray[np.uint8] = counts[:, 0::2] | (counts[:, 1::2] << np.uint8(4))
    return content


def unpack_boards(content: NDArray[np.uint8]) -> Board:
    """Read what `packed` wrote.

    Raises:
        ValueError: The array is of another kind, or a side has more than 15 checkers.
    """
    if content.dtype != np.uint8 or content.shape[1:] != (_PACKED_BYTES,):
        raise ValueError(
            f"expected packed boards as uint8[n, {_PACKED_BYTES}], got {content.dtype}{content.shape}"
        )
    counts = np.stack([content & 15, content >> 4], axis=-1).reshape(len(content), 2, _PACKED_BYTES)
    boards = np.empty((len(content), 2, _PACKED_BYTES + 1), np.int8)
    boards[:, :, 1:] = counts
    off = CHECKERS - counts.sum(axis=2, dtype=np.int64)
    if (off < 0).any():
        raise ValueError("expected at most 15 checkers a side")
    boards[:, :, OFF] = off
    return boards


def _check(labels: Labels) -> None:
    count = len(labels.boards)
    if labels.targets.shape != (count, 5) or labels.targets.dtype != np.float32:
        raise ValueError(
            f"expected targets as float32[{count}, 5], got {labels.targets.dtype}{labels.targets.shape}"
        )
    if not ((labels.targets >= -_TARGET_MARGIN) & (labels.targets <= 1 + _TARGET_MARGIN)).all():
        raise ValueError(
            f"expected probabilities of {-_TARGET_MARGIN:g} to {1 + _TARGET_MARGIN:g} as targets"
        )
    if labels.sources.shape != (count,) or (labels.sources >= len(labels.source_names)).any():
        raise ValueError("expected sources as places in source_names, one for each position")
    steps = np.diff(labels.decisions, prepend=0)
    if labels.decisions.shape != (count,) or labels.decisions.dtype != np.int64 or (steps < 0).any():
        raise ValueError("expected rising numbers of decisions as int64, one for each position")
