"""Positions to compare nets on: drawn with dice that training never throws, or from matches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.formats.array_file import load_arrays
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.position import Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.search.cache import deduplicate_boards
from gammond.tools.common.files import write_arrays
from gammond.tools.common.match_inputs import list_match_inputs
from gammond.tools.common.progress import Progress
from gammond.tools.train.labels.sampling import Sampler
from gammond.tools.train.labels.shards import LABELS, pack_boards, read_shard, unpack_boards
from gammond.tools.train.validation.position_classes import POSITION_CLASSES
from gammond.tools.train.weights.net_set import PHASES

_POSITIONS_FILE = "positions.npz"

_DICE_SEED_TAG = 0x706F736974696F6E
"""Stands first in the seeds of all draws here; those of training begin with the seed of their run."""

_SAMPLING_FACTOR = 8
"""One position is taken out of this many: the fewer of a game, the more independent they are."""


@dataclass(frozen=True, eq=False)
class ValidationPositions:
    """Positions of some classes.

    Attributes:
        boards: ``int8[n, 2, 26]``, none of them over.
        classes: ``uint8[n]``: the class of each, as its place in `class_names`.
        class_names: Keys of `POSITION_CLASSES`.
    """

    boards: Board
    classes: NDArray[np.uint8]
    class_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, rows: slice | NDArray[Any]) -> ValidationPositions:
        """Some of them."""
        return ValidationPositions(self.boards[rows], self.classes[rows], self.class_names)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Describe them for a file."""
        return {
            "boards": pack_boards(self.boards),
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
        boards, classes = unpack_boards(arrays["boards"]), arrays["classes"]
        if classes.shape != (len(boards),) or (classes >= len(names)).any():
            raise ValueError("expected classes as places in class_names, one for each position")
        return cls(boards, classes, names)


DrawClass = Callable[[str, int, Sequence[int]], Board]
"""Draws distinct positions of a class, given its name, about how many, and the seed of dice and draws."""


def draw_from_games(sampler: Sampler) -> DrawClass:
    """Draw positions of games that nets play; the phases that the sampler wants do not matter."""
    return partial(_draw_from_games, sampler)


def draw_from_boards(boards: Board, counts: Mapping[str, int]) -> DrawClass:
    """Draw among positions that are there, the oftener the more often they are.

    Args:
        boards: ``int8[n, 2, 26]``.
        counts: Classes and how many positions of each will be wanted.

    Raises:
        ValueRangeError: There are fewer of a class.
    """
    members = {}
    for name, count in counts.items():
        found = boards[POSITION_CLASSES[name].find_members(boards)]
        distinct = len(deduplicate_boards(found).boards)
        if distinct < count:
            raise ValueRangeError(
                f"expected {count} different positions of class {name}, got {distinct} among the "
                f"{len(boards)} positions of the matches",
                field="classes",
            )
        members[name] = found
    return partial(_draw_from_boards, members)


def read_match_positions(names: Sequence[str]) -> Board:
    """Read the positions before the rolls of all plays, as the player on roll sees them.

    Games of other variants are left out, and files that cannot be read, which stderr names.

    Args:
        names: Match files, and folders of them.

    Returns:
        ``int8[n, 2, 26]``, as often as they came up.

    Raises:
        DataFileError: There is no position.
    """

    def write_message(text: str) -> None:
        sys.stderr.write(f"gammond train: {text}\n")

    boards, inputs = [], list_match_inputs(names)
    with Progress(len(inputs), "match files") as bar:
        for number, each in enumerate(inputs, 1):
            for match in each.read(write_message, strict=False):
                for game in match.games:
                    if game.rules.variant != STANDARD_RULES.variant:
                        continue
                    boards += [
                        situation.position.board
                        for situation, action, _ in game.replayed
                        if isinstance(action, PlayAction)
                    ]
            bar.update(number)
    if not boards:
        raise DataFileError(f"found no game in {', '.join(names)}", field="matches")
    return np.array(boards, np.int8)


def draw_positions(
    counts: Mapping[str, int], draw_class: DrawClass, seed: int, label_folders: Sequence[Path] = ()
) -> ValidationPositions:
    """Draw distinct positions.

    Args:
        counts: Classes and how many positions of each.
        draw_class: Where they come from.
        seed: Decides dice and draws.
        label_folders: Folders of labels whose positions are not taken.

    Returns:
        The positions in random order, so that the first of them are of all classes.

    Raises:
        DataFileError: A folder holds no labels that can be read.
        ValueRangeError: There are not so many positions of a class.
    """
    found = np.empty((0, 2, 26), np.int8)
    classes = []
    for number, (name, count) in enumerate(counts.items()):
        wanted = len(found) + count
        turn = 0
        while len(found) < wanted:
            drawn = draw_class(name, 2 * count, (_DICE_SEED_TAG, seed, number, turn))
            drawn = drawn[~is_among(drawn, found)]
            drawn = drawn[~is_learned(drawn, label_folders)]
            found = np.concatenate([found, drawn[: wanted - len(found)]])
            turn += 1
        classes.append(np.full(count, number, np.uint8))
    order = np.random.Generator(np.random.PCG64([_DICE_SEED_TAG, seed])).permutation(len(found))
    return ValidationPositions(found[order], np.concatenate(classes)[order], tuple(counts))


def _draw_from_games(sampler: Sampler, name: str, count: int, seed: Sequence[int]) -> Board:
    """Draw a few positions of each game."""
    kind = POSITION_CLASSES[name]
    sampler = replace(sampler, wanted_phases=PHASES[kind.phase])
    boards = sampler.sample([(kind.source, _SAMPLING_FACTOR * count)], seed).boards
    if kind.is_member is not None:
        boards = boards[kind.is_member(boards)]
    return boards[:count]


def _draw_from_boards(members: Mapping[str, Board], name: str, count: int, seed: Sequence[int]) -> Board:
    """Draw all positions of a class at once, in random order."""
    *_, turn = seed
    if turn:
        raise ValueRangeError(f"the matches have too few positions of class {name}", field="classes")
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(members[name]))
    return deduplicate_boards(members[name][order]).boards


def is_among(boards: Board, others: Board) -> NDArray[np.bool_]:
    """Find which positions are among others: ``bool[n]`` for ``int8[n, 2, 26]`` and ``int8[m, 2, 26]``."""
    keys, other_keys = (pack_boards(each).view("V25").ravel() for each in (boards, others))
    among: NDArray[np.bool_] = np.isin(keys, other_keys)
    return among


def is_learned(boards: Board, folders: Sequence[Path]) -> NDArray[np.bool_]:
    """Find for which positions there are labels: ``bool[n]`` for ``int8[n, 2, 26]``.

    Args:
        boards: The positions.
        folders: Where the labels are.

    Raises:
        DataFileError: A folder holds no labels, or damaged ones; it is named.
    """
    learned = np.zeros(len(boards), np.bool_)
    for file in [file for folder in folders for file in LABELS.list_in(folder)]:
        learned |= is_among(boards, read_shard(file)[0].boards)
    return learned


def write_positions(folder: Path, positions: ValidationPositions, nets_digest: str) -> None:
    """Write the positions of a set, whole or not at all.

    Args:
        folder: Of the set.
        positions: All of them.
        nets_digest: Of the nets that drew them or will roll them out.

    Raises:
        DataFileError: They cannot be written.
    """
    write_arrays(folder / _POSITIONS_FILE, {**positions.to_arrays(), "judges": np.array(nets_digest)})


def read_positions(folder: Path) -> tuple[ValidationPositions, str] | None:
    """Read what `write_positions` wrote; None where nothing is.

    Raises:
        DataFileError: The file is damaged; it is named.
    """
    file = folder / _POSITIONS_FILE
    if not file.exists():
        return None
    return load_arrays(
        file,
        lambda arrays: (ValidationPositions.from_arrays(arrays), str(arrays["judges"])),
        what="holds no positions of a validation set",
    )
