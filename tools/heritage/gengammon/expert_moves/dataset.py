"""Moves of experts: position, roll, and the position that they chose.

*Source:* the tests, and the filters of tests, of the GenGammon project (`docs/lab/history/1-gengammon.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.formats.array_file import Arrays, load_arrays
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board, Phase, classify_phases, swap_sides
from gammond.tools.common.files import write_arrays
from gammond.tools.train.labels.shards import pack_boards, unpack_boards

MoveMask = NDArray[np.bool_]

_COLUMNS = ("boards", "dice", "chosen", "matches", "games", "players")
"""What there is of each move."""

_POSITIONS = ("boards", "chosen")
"""Columns that files have packed."""


@dataclass(frozen=True, eq=False)
class ExpertMoves:
    """Moves of experts, in the order of matches, games and turns.

    Attributes:
        boards: ``int8[n, 2, 26]``, before the play, the mover on roll.
        dice: ``int8[n, 2]``, in the order in which they were recorded.
        chosen: ``int8[n, 2, 26]``, after the play, as the *next* mover sees it.
        matches: ``int32[n]``, the match of each move, as an index of `match_names`.
        games: ``int16[n]``, the number of the game in its match, from 1.
        players: ``int32[n]``, the player, as an index of `player_names`.
        match_names: Files, or names in an archive.
        player_names: As the files have them.
        command: The command that made them; empty if unknown.
    """

    boards: Board
    dice: NDArray[np.int8]
    chosen: Board
    matches: NDArray[np.int32]
    games: NDArray[np.int16]
    players: NDArray[np.int32]
    match_names: tuple[str, ...]
    player_names: tuple[str, ...]
    command: str = ""

    def __len__(self) -> int:
        return len(self.boards)

    def select(self, rows: MoveMask | NDArray[np.int64]) -> ExpertMoves:
        """Return some moves, by ``bool[n]`` or by indices."""
        return replace(self, **{name: getattr(self, name)[rows] for name in _COLUMNS})


@dataclass(frozen=True, eq=False)
class CandidatePlays:
    """All plays of expert moves.

    Attributes:
        boards: ``int8[m, 2, 26]``, after each play, as the next mover sees it.
        offsets: ``int64[n + 1]``: those of move i are ``offsets[i]:offsets[i + 1]``.
        chosen: ``int64[n]``, indices of the experts' plays in ``m``.
    """

    boards: Board
    offsets: NDArray[np.int64]
    chosen: NDArray[np.int64]


def list_candidates(moves: ExpertMoves) -> CandidatePlays:
    """List all plays of expert moves.

    Raises:
        DataFileError: A chosen position is not a result of its roll; the message has the first such move.
    """
    boards, _, offsets = expand_rolls(moves.boards, moves.dice)
    owners = np.repeat(np.arange(len(moves)), np.diff(offsets))
    found = np.flatnonzero((boards == moves.chosen[owners]).all(axis=(1, 2)))
    missing = np.setdiff1d(np.arange(len(moves)), owners[found])
    if missing.size:
        row = int(missing[0])
        die, other = moves.dice[row].tolist()
        raise DataFileError(
            f"expected a play of {die}-{other} as expert move {row}, got a position that no play leads to "
            f"({moves.match_names[moves.matches[row]]}, game {moves.games[row]})",
            field="chosen",
        )
    return CandidatePlays(boards, offsets, found)


def filter_moves(moves: ExpertMoves, filters: Sequence[str]) -> tuple[ExpertMoves, dict[str, int]]:
    """Remove moves that there is nothing to learn from.

    Args:
        moves: Any number.
        filters: Keys of `FILTERS`, applied in this order.

    Returns:
        The remaining moves, and the number that each filter removed.

    Raises:
        ValueRangeError: A filter is unknown.
    """
    counts: dict[str, int] = {}
    for name in filters:
        if name not in FILTERS:
            raise ValueRangeError(f"expected filters of {', '.join(FILTERS)}, got {name!r}", field="filters")
        kept = FILTERS[name](moves)
        counts[name] = int(len(moves) - kept.sum())
        moves = moves.select(kept)
    return moves, counts


def select_before_home_bound(moves: ExpertMoves) -> MoveMask:
    """Keep moves made before the sides have passed each other: ``bool[n]``."""
    kept: MoveMask = classify_phases(moves.boards) < Phase.RACE
    return kept


def select_uncontradicted(moves: ExpertMoves) -> MoveMask:
    """Keep the first of the moves with the same position and roll that contradict each other: ``bool[n]``.

    The player and the order of the dice do not matter. Moves that all agree stay.
    """
    asked = _number_rows(moves.boards, np.sort(moves.dice, axis=1))
    played = _number_rows(moves.boards, np.sort(moves.dice, axis=1), moves.chosen)
    pairs = np.unique(np.stack([asked, played]), axis=1)
    contested = np.bincount(pairs[0], minlength=len(moves)) > 1
    is_first = np.zeros(len(moves), np.bool_)
    is_first[np.unique(asked, return_index=True)[1]] = True
    return is_first | ~contested[asked]


def select_movable(moves: ExpertMoves) -> MoveMask:
    """Keep moves that changed the position: ``bool[n]``."""
    kept: MoveMask = (moves.boards != swap_sides(moves.chosen)).any(axis=(1, 2))
    return kept


FILTERS: dict[str, Callable[[ExpertMoves], MoveMask]] = {
    "homebound": select_before_home_bound,
    "contradicting": select_uncontradicted,
    "unmovable": select_movable,
}
"""Filters by name; each returns which moves stay."""


def split_by_match(moves: ExpertMoves, unseen_share: float, seed: int) -> tuple[ExpertMoves, ExpertMoves]:
    """Split moves by match: those to learn from, and those of unseen matches.

    Matches are drawn into the unseen part until it has its share of the moves; a seed always draws the same.

    Args:
        moves: Of two matches or more.
        unseen_share: Share of the moves, above 0 and below 1.
        seed: Of the draw.

    Returns:
        Both parts, each with a match or more, in the original order.

    Raises:
        ValueRangeError: The share is out of range.
        DataFileError: The moves are of fewer than two matches.
    """
    if not 0.0 < unseen_share < 1.0:
        raise ValueRangeError(
            f"expected an unseen share above 0 and below 1, got {unseen_share}", field="unseen_share"
        )
    found, counts = np.unique(moves.matches, return_counts=True)
    if len(found) < 2:
        raise DataFileError(f"expected moves of 2 matches or more, got {len(found)}", field="moves")
    order = np.random.default_rng(seed).permutation(len(found))
    before = np.cumsum(counts[order]) - counts[order]
    drawn = max(int((before < unseen_share * len(moves)).sum()), 1)
    is_unseen = np.isin(moves.matches, found[order[: min(drawn, len(found) - 1)]])
    return moves.select(~is_unseen), moves.select(is_unseen)


def write_expert_moves(file: Path, moves: ExpertMoves) -> None:
    """Write expert moves to an ``.npz`` file of some 60 bytes a move, whole or not at all.

    Raises:
        DataFileError: It cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {name: getattr(moves, name) for name in _COLUMNS}
    arrays |= {name: pack_boards(arrays[name]) for name in _POSITIONS}
    arrays |= {
        "match_names": np.array(moves.match_names, np.str_),
        "player_names": np.array(moves.player_names, np.str_),
        "made": np.array(moves.command),
    }
    write_arrays(file, arrays)


def read_expert_moves(file: Path) -> ExpertMoves:
    """Read what `write_expert_moves` wrote.

    Raises:
        DataFileError: The file is missing, damaged, or holds no expert moves; the message names it.
    """
    return load_arrays(file, _parse_moves, what="is no file of expert moves")


def _parse_moves(arrays: Arrays) -> ExpertMoves:
    columns = {name: arrays[name] for name in _COLUMNS}
    moves = ExpertMoves(
        **columns | {name: unpack_boards(columns[name]) for name in _POSITIONS},
        match_names=tuple(str(name) for name in arrays["match_names"]),
        player_names=tuple(str(name) for name in arrays["player_names"]),
        command=str(arrays["made"]),
    )
    _check_moves(moves)
    return moves


def _number_rows(*columns: NDArray[np.int8]) -> NDArray[np.int64]:
    """Number rows by their content, equal rows alike: ``int64[n]``."""
    flat = np.concatenate([each.reshape(len(each), math.prod(each.shape[1:])) for each in columns], axis=1)
    keys = flat.view(np.dtype((np.void, flat.shape[1])))[:, 0]
    return np.unique(keys, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _check_moves(moves: ExpertMoves) -> None:
    count = len(moves.boards)
    if moves.dice.shape != (count, 2) or moves.dice.dtype != np.int8:
        raise ValueError(f"expected dice as int8[{count}, 2], got {moves.dice.dtype}{moves.dice.shape}")
    if ((moves.dice < 1) | (moves.dice > 6)).any():
        raise ValueError("expected dice 1 to 6")
    if len(moves.chosen) != count:
        raise ValueError(f"expected {count} positions after the play, got {len(moves.chosen)}")
    limits = {"matches": len(moves.match_names), "games": None, "players": len(moves.player_names)}
    for name, limit in limits.items():
        column = getattr(moves, name)
        if column.shape != (count,) or column.dtype.kind != "i":
            raise ValueError(f"expected {name} as whole numbers, one for each move")
        if (column < 0).any() or (limit is not None and (column >= limit).any()):
            raise ValueError(f"expected {name} as indices of their names")
