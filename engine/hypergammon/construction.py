"""Building solutions: from the solver's state to a table and its match equity table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful.cube_game import make_cube_game
from gammond.engine.cubeful.efficiency import DEFAULT_EFFICIENCIES
from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.evaluation.evaluator import find_first_highest
from gammond.engine.hypergammon.kernels.levels import CHOICE_BYTES
from gammond.engine.hypergammon.layouts import VARIANTS, Layouts, count_layouts, number_layouts, number_rows
from gammond.engine.hypergammon.solver import WRITING, Report, Solver, SolverState
from gammond.engine.hypergammon.table import (
    OUTCOME_COLUMNS,
    TABLE_POINTS,
    HypergammonTable,
    file_bytes,
    find_state_folder,
    name_solution,
    write_table,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import Outcomes, cubeless_equity, invert_outcomes

_BLOCKS = 26
"""Blocks of layouts on roll whose values are put together at a time."""

_LAYOUT_BYTES = 8_000
"""Above what a layout takes for its plays, and for its positions of a level."""

_STATE_BYTES = 9 * 8
"""What the state has of a position: the cubeless equity, four chances and four equities."""

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
    return count_layouts(checkers) ** 2 * _STATE_BYTES + file_bytes(checkers)


def build_file(
    path: Path,
    checkers: int,
    threads: int | None = None,
    report: Report = lambda share, text: None,
) -> None:
    """Solve hypergammon and write the file; what a stopped build has computed is taken up again.

    Args:
        path: The file. Until it is whole, the solver's state is in a folder beside it.
        checkers: 1 to 3.
        threads: None for one for each core.
        report: Called as the work proceeds; what it raises stops the work.

    Raises:
        DataFileError: The state is damaged.
        OSError: The state or the file cannot be written.
    """
    layouts = number_layouts(checkers)
    state = SolverState(count_layouts(checkers) ** 2, find_state_folder(path))
    Solver(layouts, state, threads, report).solve()

    def list_arrays() -> Iterator[NDArray[Any]]:
        for values in _list_values(layouts, state):
            report(*WRITING)
            yield values
        equities = _compute_match_equities(layouts, state)
        yield from (equities.pre_crawford, equities.post_crawford)

    write_table(path, checkers, list_arrays())
    state.remove()


def build_table(checkers: int) -> HypergammonTable:
    """Solve hypergammon in memory, which takes seconds for one or two checkers."""
    layouts = number_layouts(checkers)
    state = SolverState(count_layouts(checkers) ** 2)
    Solver(layouts, state, threads=1).solve()
    values = np.concatenate(list(_list_values(layouts, state)))
    values.setflags(write=False)
    return HypergammonTable(checkers, values, _compute_match_equities(layouts, state))


def _list_values(layouts: Layouts, state: SolverState) -> Iterator[NDArray[np.float32]]:
    """List the values of all positions, a block of layouts on roll after the other."""
    numbers = np.arange(len(layouts.places))
    for on_roll in np.array_split(numbers, _BLOCKS):
        yield _read_values(layouts, state, on_roll[:, None], numbers[None, :])


def _read_values(
    layouts: Layouts, state: SolverState, on_roll: NDArray[np.int64], waiting: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return values, ``float32[..., 9]``, of the layouts with given numbers in files.

    Each array of the state is mapped anew: mapped together all along they would fill the memory.
    """
    places = layouts.places
    at = places[waiting] * len(places) + places[on_roll]
    cubeless = state.open("cubeless")[at]
    wins, gammons = np.moveaxis(state.open("advantages").reshape(-1, 2)[at], -1, 0)
    gammons_of_both, backgammons_of_both = np.moveaxis(state.open("sums").reshape(-1, 2)[at], -1, 0)
    backgammons = cubeless - wins - gammons
    is_position = gammons_of_both + np.abs(wins) + np.abs(cubeless) != 0.0
    values = [
        np.where(is_position, 0.5 + 0.5 * wins, 0.0),
        0.5 * (gammons_of_both + gammons),
        0.5 * (backgammons_of_both + backgammons),
        0.5 * (gammons_of_both - gammons),
        0.5 * (backgammons_of_both - backgammons),
    ]
    equities = [state.open(name)[at] for name in _EQUITY_ORDER]
    return np.stack([*np.clip(values, 0.0, 1.0), *equities], axis=-1).astype(np.float32)


def _compute_match_equities(layouts: Layouts, state: SolverState) -> MatchEquityTable:
    """Compute the match equity table from the mean outcome of the rolls that open a game.

    Either side throws a die, and doubles are thrown again.
    """
    rolls = np.array([(high, low) for high in range(2, 7) for low in range(1, high)], np.int8)
    start = VARIANTS[layouts.checkers].starting_position.board
    children, _, offsets = expand_rolls(np.stack([start] * len(rolls)), rolls)
    numbers = number_rows(children, layouts.checkers)
    values = _read_values(layouts, state, numbers[:, 0], numbers[:, 1])
    outcomes = invert_outcomes(values[:, :OUTCOME_COLUMNS])
    best = find_first_highest(cubeless_equity(outcomes), offsets)
    return _compute_equities_after(layouts.checkers, outcomes[best].mean(axis=0))


def _compute_equities_after(checkers: int, opening: Outcomes) -> MatchEquityTable:
    """Compute the match equity table from the outcome for the side that plays first, ``float32[5]``.

    After the Crawford game the side behind doubles at once, and nobody turns that cube again. In the Crawford
    game gammons count by the opening's rates. In all other games the value is that of Janowski's model for
    the position after the first play, where either side is as likely to play first.
    """
    gammons, backgammons = 0.5 * (opening[1] + opening[3]), 0.5 * (opening[2] + opening[4])
    shares = {1: 0.5 - gammons, 2: gammons - backgammons, 3: backgammons}
    trailer = np.ones(TABLE_POINTS + 1)
    for away in range(1, TABLE_POINTS + 1):
        stakes = 2 if away > 1 else 1
        trailer[away] = sum(share * trailer[max(0, away - stakes * won)] for won, share in shares.items())
    pre_crawford = np.full((TABLE_POINTS, TABLE_POINTS), 0.5)
    for away in range(2, TABLE_POINTS + 1):
        chance = sum(share * trailer[max(0, away - won)] for won, share in shares.items())
        pre_crawford[away - 1, 0], pre_crawford[0, away - 1] = chance, 1.0 - chance
    start = VARIANTS[checkers].starting_position.board
    efficiency = DEFAULT_EFFICIENCIES.for_boards(start[None], opening[None])
    for total in range(4, 2 * TABLE_POINTS + 1):
        for away in range(max(2, total - TABLE_POINTS), total // 2 + 1):
            other = total - away
            table = MatchEquityTable(name_solution(checkers), pre_crawford, trailer[1:])
            ahead, behind = (
                _value_first_player(table, opening, efficiency, *scores)
                for scores in ((away, other), (other, away))
            )
            pre_crawford[away - 1, other - 1] = 0.5 * (1.0 + ahead - behind)
            pre_crawford[other - 1, away - 1] = 0.5 * (1.0 + behind - ahead)
    return MatchEquityTable(name_solution(checkers), pre_crawford, trailer[1:])


def _value_first_player(
    table: MatchEquityTable, opening: Outcomes, efficiency: NDArray[np.float32], away: int, other: int
) -> float:
    """Return the match-winning chance of the side that plays first, both at least 2-away."""
    length = max(away, other)
    match = MatchState(length=length, score=(length - away, length - other))
    return float(make_cube_game(match, table).evaluate(opening[None], efficiency)[0, 0])
