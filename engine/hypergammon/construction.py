"""Building the files of solutions: from the solver's state to a table."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.match_equity import MatchEquityTable
from engine.evaluation.evaluator import find_first_highest
from engine.hypergammon.kernels.levels import CHOICE_BYTES
from engine.hypergammon.layouts import Layouts, number_layouts
from engine.hypergammon.match_equities import compute_match_equities, start_board
from engine.hypergammon.numbering import count_layouts, number_sides
from engine.hypergammon.solver import CUBEFUL_SOLUTIONS, CUBELESS_SOLUTIONS, Solver
from engine.hypergammon.solver_progress import WRITING, Report
from engine.hypergammon.solver_state import SolverState
from engine.hypergammon.table import OUTCOME_COLUMNS, HypergammonTable
from engine.hypergammon.table_file import file_bytes, find_state_folder, write_table
from engine.rules.moves import expand_rolls
from engine.rules.outcome import cubeless_equity, invert_outcomes

_BLOCKS = 26
"""Blocks of layouts on roll whose values are put together at a time."""

OPENING_ROLLS = np.array([(high, low) for high in range(2, 7) for low in range(1, high)], np.int8)
"""The rolls that open a game: either side throws a die, and doubles are thrown again."""

_LAYOUT_BYTES = 8_000
"""Above what a layout takes for its plays, and for its positions of a level."""

_EQUITY_ORDER = ("centred", "owned", "opponents", "centred_jacoby")


def estimate_memory(checkers: int) -> int:
    """Return the bytes of memory that building takes at most, beside the program.

    That is while it computes two equities that depend on each other: the values, their changes in a pass, and
    the plays.
    """
    layouts = count_layouts(checkers)
    return layouts**2 * 2 * (8 + 4 + CHOICE_BYTES) + layouts * _LAYOUT_BYTES


def estimate_disk(checkers: int) -> int:
    """Return the bytes of disk space that building takes, the file included."""
    return count_layouts(checkers) ** 2 * (5 + len(CUBEFUL_SOLUTIONS)) * 8 + file_bytes(checkers)


def build_file(
    path: Path,
    checkers: int,
    threads: int | None = None,
    report: Report = lambda headway: None,
    cancel: threading.Event | None = None,
) -> None:
    """Solve hypergammon and write the file; what a stopped build has computed is taken up again.

    Args:
        path: The file. Until it is whole, the solver's state is in a folder beside it.
        checkers: 1 to 3.
        threads: None for one for each core.
        report: Called as the work proceeds.
        cancel: Set by another thread to stop the work.

    Raises:
        CancelledWork: It was cancelled.
        DataFileError: The state is damaged.
        OSError: The state or the file cannot be written.
    """
    layouts = number_layouts(checkers)
    state = SolverState(count_layouts(checkers) ** 2, find_state_folder(path))
    Solver(layouts, state, threads, report, cancel).solve()
    solution = _Solution(layouts, state)
    made = (solution.list_rows(), solution.compute_match_equities)
    write_table(path, checkers, *made, lambda: report(WRITING))
    state.remove(CUBELESS_SOLUTIONS + CUBEFUL_SOLUTIONS)


def build_table(checkers: int) -> HypergammonTable:
    """Solve hypergammon in memory, which takes seconds for one or two checkers."""
    layouts = number_layouts(checkers)
    state = SolverState(count_layouts(checkers) ** 2)
    Solver(layouts, state, threads=1).solve()
    solution = _Solution(layouts, state)
    values = np.concatenate(list(solution.list_rows()))
    values.setflags(write=False)
    return HypergammonTable(checkers, values, solution.compute_match_equities())


class _Solution:
    """What a solver has computed, in the form of a table.

    Args:
        layouts: The layouts.
        state: The solver's, finished.
    """

    def __init__(self, layouts: Layouts, state: SolverState) -> None:
        self._layouts = layouts
        self._places = np.argsort(layouts.file_numbers)
        self._state = state  # each look maps a file anew: mapped together they would fill the memory

    def list_rows(self) -> Iterator[NDArray[np.float32]]:
        """List the values of all positions, a block of layouts on roll after the other."""
        for on_roll in np.array_split(np.arange(len(self._places)), _BLOCKS):
            yield self._read(on_roll[:, None], np.arange(len(self._places))[None, :])

    def compute_match_equities(self) -> MatchEquityTable:
        """Compute the match equity table."""
        checkers = self._layouts.checkers
        boards = np.stack([start_board(checkers)] * len(OPENING_ROLLS))
        children, _, offsets = expand_rolls(boards, OPENING_ROLLS)
        numbers = number_sides(children, checkers)
        outcomes = invert_outcomes(self._read(numbers[:, 0], numbers[:, 1])[:, :OUTCOME_COLUMNS])
        best = find_first_highest(cubeless_equity(outcomes), offsets)
        return compute_match_equities(checkers, outcomes[best].mean(axis=0))

    def _read(self, on_roll: NDArray[np.int64], waiting: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return values, ``float32[..., 9]``, of the layouts with given numbers in files."""
        at = self._places[waiting] * len(self._places) + self._places[on_roll]
        cubeless = self._state.open("cubeless")[at]
        wins, gammons = np.moveaxis(self._state.open("advantages").reshape(-1, 2)[at], -1, 0)
        gammons_of_both, backgammons_of_both = np.moveaxis(self._state.open("sums").reshape(-1, 2)[at], -1, 0)
        backgammons = cubeless - wins - gammons
        is_position = gammons_of_both + np.abs(wins) + np.abs(cubeless) != 0.0
        values = [
            np.where(is_position, 0.5 + 0.5 * wins, 0.0),
            0.5 * (gammons_of_both + gammons),
            0.5 * (backgammons_of_both + backgammons),
            0.5 * (gammons_of_both - gammons),
            0.5 * (backgammons_of_both - backgammons),
        ]
        equities = [self._state.open(name)[at] for name in _EQUITY_ORDER]
        return np.stack([*np.clip(values, 0.0, 1.0), *equities], axis=-1).astype(np.float32)
