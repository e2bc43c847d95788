"""Positions to compare nets on, in classes, and how they are drawn: from dice that training never throws."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError, ValueRangeError
from engine.position import Board
from nets.loading import load_finder
from tools.train.files import read_arrays, write_arrays
from tools.train.net_set import PHASES, NetSet, bearoff_judges
from tools.train.sampling import Sampler
from tools.train.shards import packed, read_shard, shard_file, shard_numbers, unpacked

_POSITIONS = "positions.npz"
_COUNT = re.compile("[0-9]{1,7}")

_DICE = 0x706F736974696F6E
"""Stands first in the seeds of all draws here; those of training begin with the seed of their run."""

_SPREAD = 8
"""Of so many positions one is taken: the fewer of a game, the more each of them tells."""

_HOME_OF_THE_OTHER = slice(19, 25)


@dataclass(frozen=True)
class PositionClass:
    """A class of positions.

    Attributes:
        source: Where they come from, one of `tools.train.sampling.SOURCES`.
        phase: A key of `tools.train.net_set.PHASES`.
        belongs: Says which of ``int8[n, 2, 26]`` are of the class; None for all of them.
    """

    source: str
    phase: str = "contact"
    belongs: Callable[[Board], NDArray[np.bool_]] | None = None


def has_two_anchors(boards: Board) -> NDArray[np.bool_]:
    """Say where a side holds two points or more in the other's home board: ``bool[n]``."""
    points = (boards[:, :, _HOME_OF_THE_OTHER] >= 2).sum(axis=2)
    held: NDArray[np.bool_] = (points >= 2).any(axis=1)
    return held


CLASSES: dict[str, PositionClass] = {
    "contact": PositionClass("selfplay"),
    "backgame": PositionClass("backgame", belongs=has_two_anchors),
    "containment": PositionClass("containment"),
    "priming": PositionClass("priming"),
    "crashed": PositionClass("crashed", phase="crashed"),
    "late-hit": PositionClass("late-hit"),
    "race": PositionClass("selfplay", phase="race"),
}
"""Classes by name."""


@dataclass(frozen=True, eq=False)
class ValidationPositions:
    """Positions of some classes.

    Attributes:
        boards: ``int8[n, 2, 26]``, none of them over.
        classes: ``uint8[n]``: the class of each, as its place in `class_names`.
        class_names: Keys of `CLASSES`.
    """

    boards: Board
    classes: NDArray[np.uint8]
    class_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, rows: slice | NDArray[Any]) -> ValidationPositions:
        """Some of them."""
        return ValidationPositions(self.boards[rows], self.classes[rows], self.class_names)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Describe them for a file."""
        return {
            "boards": packed(self.boards),
            "classes": self.classes,
            "class_names": np.array(self.class_names),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> ValidationPositions:
        """Read what `arrays` described.

        Raises:
            KeyError: An array is missing.
            ValueError: An array is of another kind or length.
        """
        names = tuple(str(name) for name in arrays["class_names"])
        boards, classes = unpacked(arrays["boards"]), arrays["classes"]
        if classes.shape != (len(boards),) or (classes >= len(names)).any():
            raise ValueError("classes are a place in class_names for each position")
        return cls(boards, classes, names)


def read_classes(texts: Sequence[str]) -> dict[str, int]:
    """Read classes and their numbers of positions: ``contact=2000``.

    Raises:
        ValueRangeError: There is none, one is unknown or given twice, or a number is no whole one above 0.
    """
    counts: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        count = int(number) if _COUNT.fullmatch(number) else 0
        if name not in CLASSES or name in counts or not count:
            raise ValueRangeError(
                f"a class is one of {', '.join(CLASSES)}, once, with = and a number of positions behind it, "
                f"not {text!r}",
                field="classes",
            )
        counts[name] = count
    if not counts:
        raise ValueRangeError("there is no class of positions", field="classes")
    return counts


def sampler_of(nets: NetSet) -> Sampler:
    """Let nets play the games that positions are drawn from."""
    finder, evaluator = load_finder(), nets.evaluator()
    policy = nets.policy(evaluator, finder)
    return Sampler(evaluator, policy, finder, bearoff_judges(), PHASES["contact"])


def draw_positions(
    counts: Mapping[str, int], sampler: Sampler, seed: int, learned: Sequence[Path] = ()
) -> ValidationPositions:
    """Draw distinct positions.

    Args:
        counts: Classes and how many positions of each.
        sampler: Who plays; the phases that it wants do not matter.
        seed: With the nets of the sampler it decides dice and draws.
        learned: Folders of labels whose positions are not taken.

    Returns:
        The positions in random order, so that the first of them are of all classes.

    Raises:
        DataFileError: A folder holds no labels that can be read.
    """
    found = np.empty((0, 2, 26), np.int8)
    classes = []
    for number, (name, count) in enumerate(counts.items()):
        wanted = len(found) + count
        turn = 0
        while len(found) < wanted:
            drawn = _drawn(CLASSES[name], 2 * count, sampler, (_DICE, seed, number, turn))
            drawn = drawn[~is_among(drawn, found)]
            drawn = drawn[~is_learned(drawn, learned)]
            found = np.concatenate([found, drawn[: wanted - len(found)]])
            turn += 1
        classes.append(np.full(count, number, np.uint8))
    order = np.random.Generator(np.random.PCG64([_DICE, seed])).permutation(len(found))
    return ValidationPositions(found[order], np.concatenate(classes)[order], tuple(counts))


def _drawn(kind: PositionClass, count: int, sampler: Sampler, seed: Sequence[int]) -> Board:
    """Draw distinct positions of a class, at most so many, a few of each game."""
    sampler = replace(sampler, wanted=PHASES[kind.phase])
    boards = sampler.sample([(kind.source, _SPREAD * count)], seed).boards
    if kind.belongs is not None:
        boards = boards[kind.belongs(boards)]
    return boards[:count]


def is_among(boards: Board, others: Board) -> NDArray[np.bool_]:
    """Say which positions are among others: ``bool[n]`` for ``int8[n, 2, 26]`` and ``int8[m, 2, 26]``."""
    keys, other_keys = (packed(each).view("V25").ravel() for each in (boards, others))
    among: NDArray[np.bool_] = np.isin(keys, other_keys)
    return among


def is_learned(boards: Board, folders: Sequence[Path]) -> NDArray[np.bool_]:
    """Say for which positions there are labels: ``bool[n]`` for ``int8[n, 2, 26]``.

    Args:
        boards: The positions.
        folders: Where the labels are.

    Raises:
        DataFileError: A folder holds no labels, or damaged ones; it is named.
    """
    learned = np.zeros(len(boards), np.bool_)
    check_labels(folders)
    for folder in folders:
        for number in shard_numbers(folder):
            learned |= is_among(boards, read_shard(shard_file(folder, number))[0].boards)
    return learned


def check_labels(folders: Sequence[Path]) -> None:
    """Make sure that there are labels in folders.

    Raises:
        DataFileError: One holds none; it is named.
    """
    for folder in folders:
        if not shard_numbers(folder):
            raise DataFileError(f"{folder} holds no labelled positions (labels-000000.npz and so on)")


def write_positions(folder: Path, positions: ValidationPositions, judges: str) -> None:
    """Write the positions of a set, whole or not at all.

    Args:
        folder: Of the set.
        positions: All of them.
        judges: Who drew them and will roll them out.

    Raises:
        DataFileError: They cannot be written.
    """
    write_arrays(folder / _POSITIONS, {**positions.arrays(), "judges": np.array(judges)})


def read_positions(folder: Path) -> tuple[ValidationPositions, str] | None:
    """Read what `write_positions` wrote; None where nothing is.

    Raises:
        DataFileError: The file is damaged; it is named.
    """
    file = folder / _POSITIONS
    if not file.exists():
        return None
    arrays = read_arrays(file)
    try:
        return ValidationPositions.from_arrays(arrays), str(arrays["judges"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataFileError(f"{file} holds no positions of a validation set: {error}") from error
