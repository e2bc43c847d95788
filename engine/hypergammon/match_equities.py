"""A match equity table for hypergammon, from the outcomes of its opening."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.efficiency import cube_efficiencies
from engine.cubeful.match_equity import MatchEquityTable
from engine.cubeful.state_space import build_cube_state_space
from engine.cubeful.values import compute_leaf_values
from engine.rules.match import MatchState
from engine.rules.outcome import Outcomes
from engine.rules.position import Board
from engine.rules.rules import find_solved_variant

TABLE_POINTS = 25
"""The largest distance in the table, in points away."""


def name_table(
    checkers: int, pre_crawford: NDArray[np.float64], post_crawford: NDArray[np.float64]
) -> MatchEquityTable:
    """Make the match equity table of a number of checkers."""
    return MatchEquityTable(
        f"hypergammon-{checkers}",
        f"computed by gammond from the outcomes of the opening with {checkers} checkers a side",
        pre_crawford,
        post_crawford,
    )


def compute_match_equities(checkers: int, opening: Outcomes) -> MatchEquityTable:
    """Compute the match equity table.

    After the Crawford game the side behind doubles at once, and nobody turns that cube again. In the Crawford
    game gammons count by the opening's rates. In all other games the value is that of Janowski's model for
    the position after the first play, where either side is as likely to play first.

    Args:
        checkers: 1 to 3.
        opening: ``float32[5]``, the outcome for the side that plays first.
    """
    gammons, backgammons = 0.5 * (opening[1] + opening[3]), 0.5 * (opening[2] + opening[4])
    shares = {1: 0.5 - gammons, 2: gammons - backgammons, 3: backgammons}
    trailer = np.ones(TABLE_POINTS + 1)
    for away in range(1, TABLE_POINTS + 1):
        stakes = 2 if away > 1 else 1
        trailer[away] = sum(share * trailer[max(0, away - stakes * won)] for won, share in shares.items())
    pre_crawford = np.full((TABLE_POINTS, TABLE_POINTS), 0.5)
    post_crawford = np.stack([trailer[1:]] * 2)
    for away in range(2, TABLE_POINTS + 1):
        chance = sum(share * trailer[max(0, away - won)] for won, share in shares.items())
        pre_crawford[away - 1, 0], pre_crawford[0, away - 1] = chance, 1.0 - chance
    efficiency = cube_efficiencies(start_board(checkers)[None], opening[None])
    for total in range(4, 2 * TABLE_POINTS + 1):
        for away in range(max(2, total - TABLE_POINTS), total // 2 + 1):
            other = total - away
            table = name_table(checkers, pre_crawford, post_crawford)
            ahead, behind = (
                _value_first_player(table, opening, efficiency, *scores)
                for scores in ((away, other), (other, away))
            )
            pre_crawford[away - 1, other - 1] = 0.5 * (1.0 + ahead - behind)
            pre_crawford[other - 1, away - 1] = 0.5 * (1.0 + behind - ahead)
    return name_table(checkers, pre_crawford, post_crawford)


def start_board(checkers: int) -> Board:
    """Return the starting position with a number of checkers, ``int8[2, 26]``."""
    return find_solved_variant(checkers).starting_position.board


def _value_first_player(
    table: MatchEquityTable, opening: Outcomes, efficiency: NDArray[np.float32], away: int, other: int
) -> float:
    """Return the match-winning chance of the side that plays first, both at least 2-away."""
    length = max(away, other)
    match = MatchState(length=length, score=(length - away, length - other))
    return float(compute_leaf_values(opening[None], efficiency, build_cube_state_space(match, table))[0, 0])
