"""A game with its cube as arrays, and the cubeful values of many outcomes in every state of the cube.

They are Janowski's.

A live cube ends the game at a take point or a cash point; between those and the sure results, values run in
straight lines. In a match nobody ends a game that is worth more played on with a dead cube: such points are
left out. For money there are none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.board_counts import POINTS_OF_SIDE, weigh_counts
from gammond.engine.kernels.phases import CONTACT, OVER, RACE, classify_phases
from gammond.engine.kernels.values import value_take

CUBELESS, DEAD_CUBE, MONEY, MATCH = range(4)
"""Kinds of games by what values there are beside the outcome: none; the match-winning chance with a dead
cube; points for a cube of 1, or match-winning chances, in each state of the cube."""

CENTRED = -1
OWN = 0
OTHER = 1
DEAD = 2
"""Who can turn the cube: both, the side on roll, the other side, nobody (money play only)."""

_BEAROFF = 3
_PIPS, _OUTSIDE = 0, 1
_COUNTS = np.stack([np.arange(POINTS_OF_SIDE), np.arange(POINTS_OF_SIDE) > 6]).astype(np.int16)
"""Weights of the checkers on each point, for pips and for checkers outside the home board."""


class EfficiencyTables(NamedTuple):
    """Formulas of cube efficiencies: with the cube centred, owned by the side on roll, owned by the other.

    Attributes:
        by_pips: ``float32[3, 4, pips]``, for contact (and positions that are over), crashed positions, races,
            and races with all checkers home, by pips of the side on roll.
        slopes: ``float32[3, 5]``, what is added for winning chances less 1/2, the share of gammons in wins
            and in losses, and the hundreds of pips of the side on roll and of the other.
    """

    by_pips: NDArray[np.float32]
    slopes: NDArray[np.float32]


class GameArrays(NamedTuple):
    """A game with its cube, seen by the side on roll; from `gammond.engine.cubeful.cube_game.CubeGame`.

    Attributes:
        kind: `CUBELESS`, `DEAD_CUBE`, `MONEY` or `MATCH`.
        efficiencies: Cube efficiencies.
        jacoby: Whether gammons do not count while the cube is centred.
        beavers: Whether a take that would be worth less than nothing to the doubler is a beaver.
        stake_factor: Factor from the value of the state after a take to the value of a take.
        states: ``int8[s, 3]``: level of the cube, the present cube's 0; CENTRED, OWN, OTHER or DEAD; who has
            a free double, OWN, OTHER or -1, because the opponent would lose the match with this game anyway
            and could not use the cube. That side doubles at its next turn, and nobody turns the cube after
            it. If it is on roll and does not double now, it may lose its market meanwhile: its value falls
            from that of a double now towards that of a dead cube, by the share (1 - efficiency)².
        exact_columns: ``int64[s]``, the column of each state in the equities of positions that are known.
        results: ``float64[levels, 2, 3]``: the value of losing (0) and winning (1) a single game, a gammon
            and a backgammon; levels are the present cube, twice it and so on. One level in money play.
        turns: ``bool[levels, 2]``, whether the side on roll and the other side turn a cube of this level that
            they have access to; nobody does at the last.
        may_double: ``bool[s]``: whether the side on roll may double, and could gain by it.
        state_after_take: ``int64[s]``, the state after a take of that double; -1 where there is none here.
        pass_values: ``float32[s]``, the value of a double that is passed.
    """

    kind: int
    efficiencies: EfficiencyTables
    jacoby: bool
    beavers: bool
    stake_factor: float
    states: NDArray[np.int8]
    exact_columns: NDArray[np.int64]
    results: NDArray[np.float64]
    turns: NDArray[np.bool_]
    may_double: NDArray[np.bool_]
    state_after_take: NDArray[np.int64]
    pass_values: NDArray[np.float32]


@kernel
def compute_efficiencies(
    boards: NDArray[np.int8],
    outcomes: NDArray[np.float32],
    tables: EfficiencyTables,
    result: NDArray[np.float32],
) -> None:
    """Write the cube efficiencies of positions.

    Args:
        boards: ``int8[n, 2, 26]``.
        outcomes: ``float32[n, 5]``, theirs.
        tables: The formulas.
        result: out, ``float32[n, 3]``: centred, own, other; 0 dead to 1 live.
    """
    phases = np.empty(boards.shape[0], np.int8)
    classify_phases(boards, phases)
    slopes = tables.slopes
    for i in range(boards.shape[0]):
        own_pips = weigh_counts(boards, i, 0, _COUNTS, _PIPS)
        other_pips = weigh_counts(boards, i, 1, _COUNTS, _PIPS)
        row = CONTACT if phases[i] == OVER else int(phases[i])
        if row == RACE:
            outside = weigh_counts(boards, i, 0, _COUNTS, _OUTSIDE)
            outside += weigh_counts(boards, i, 1, _COUNTS, _OUTSIDE)
            row = RACE if outside else _BEAROFF
        win = _clip_probability(outcomes[i, 0])
        won, lost = _compute_share(outcomes[i, 1], win), _compute_share(outcomes[i, 3], 1.0 - win)
        for s in range(slopes.shape[0]):
            value = tables.by_pips[s, row, own_pips] + slopes[s, 0] * (win - 0.5)
            value += slopes[s, 1] * won + slopes[s, 2] * lost
            value += 0.01 * (slopes[s, 3] * own_pips + slopes[s, 4] * other_pips)
            result[i, s] = _clip_probability(value)


@kernel
def add_double_option(game: GameArrays, values: NDArray[np.float32], first: int) -> None:
    """Add the option to double, with the proper response, to values in the states of the cube.

    Args:
        game: The game, seen by the side on roll.
        values: in and out, ``float32[n, first + s]``, for that side.
        first: The column of the first state.
    """
    zero = np.float32(0.0)
    for s in range(game.may_double.shape[0]):
        if not game.may_double[s]:
            continue
        after = first + game.state_after_take[s]
        for i in range(values.shape[0]):
            taken = value_take(values[i, after], game.stake_factor, game.beavers, zero)
            values[i, first + s] = max(values[i, first + s], min(taken, game.pass_values[s]))


@kernel
def compute_cube_values(
    game: GameArrays,
    outcomes: NDArray[np.float32],
    efficiencies: NDArray[np.float32],
    result: NDArray[np.float32],
) -> None:
    """Write the values of outcomes in the states of the cube, before the roll and without a double.

    Args:
        game: The game, seen by the side on roll.
        outcomes: ``float32[n, 5]``, for that side.
        efficiencies: ``float32[n, 3]``, from `compute_efficiencies`.
        result: out, ``float32[n, s]``.
    """
    if game.kind == DEAD_CUBE:
        _compute_dead_cube_values(outcomes, game.results, result)
    elif game.kind == MONEY:
        _compute_money_values(outcomes, efficiencies, game.states, game.jacoby, result)
    elif game.kind == MATCH:
        _compute_match_values(outcomes, efficiencies, game, result)


@kernel
def _compute_dead_cube_values(
    outcomes: NDArray[np.float32], worths: NDArray[np.float64], result: NDArray[np.float32]
) -> None:
    """Write the values of outcomes at the first level of the cube if nobody turns it any more."""
    for i in range(outcomes.shape[0]):
        win, lose = outcomes[i, 0], np.float32(1.0) - outcomes[i, 0]
        value = win * worths[0, 1, 0] + lose * worths[0, 0, 0]
        value = value + outcomes[i, 1] * (worths[0, 1, 1] - worths[0, 1, 0])
        value = value + outcomes[i, 2] * (worths[0, 1, 2] - worths[0, 1, 1])
        value = value + outcomes[i, 3] * (worths[0, 0, 1] - worths[0, 0, 0])
        result[i, 0] = value + outcomes[i, 4] * (worths[0, 0, 2] - worths[0, 0, 1])


@kernel
def _compute_money_values(
    outcomes: NDArray[np.float32],
    efficiencies: NDArray[np.float32],
    states: NDArray[np.int8],
    jacoby: bool,
    result: NDArray[np.float32],
) -> None:
    """Write money values of outcomes, in points for a cube of 1.

    An owned cube is never worth less than a centred one to its owner, nor more to the other side.
    """
    for i in range(outcomes.shape[0]):
        win = _clip_probability(outcomes[i, 0])
        won = 1.0 + _compute_share(outcomes[i, 1], win) + _compute_share(outcomes[i, 2], win)
        lost = 1.0 + _compute_share(outcomes[i, 3], 1.0 - win) + _compute_share(outcomes[i, 4], 1.0 - win)
        take = (lost - 0.5) / (won + lost + 0.5)
        cash = (lost + 1.0) / (won + lost + 0.5)
        dead = win * (won + lost) - lost
        live = _compute_live_value(win, -lost, take, -1.0, cash, 1.0, won)
        centred = dead + efficiencies[i, CENTRED + 1] * (live - dead)
        live = _compute_live_value(win, -lost, 0.0, -lost, cash, 1.0, won)
        own = max(centred, dead + efficiencies[i, OWN + 1] * (live - dead))
        live = _compute_live_value(win, -lost, take, -1.0, 1.0, won, won)
        other = min(centred, dead + efficiencies[i, OTHER + 1] * (live - dead))
        if jacoby:
            single = 2.0 * win - 1.0
            live = _compute_live_value(win, -1.0, take, -1.0, cash, 1.0, 1.0)
            centred = single + efficiencies[i, CENTRED + 1] * (live - single)
        for s in range(states.shape[0]):
            owner = states[s, 1]
            value = dead
            if owner == CENTRED:
                value = centred
            elif owner == OWN:
                value = own
            elif owner == OTHER:
                value = other
            result[i, s] = value


@kernel
def _compute_match_values(
    outcomes: NDArray[np.float32],
    efficiencies: NDArray[np.float32],
    game: GameArrays,
    result: NDArray[np.float32],
) -> None:
    """Write match-winning chances of outcomes."""
    worths, turns, states = game.results, game.turns, game.states
    levels = worths.shape[0]
    ends = np.empty((levels, 2))
    takes = np.zeros((levels, 2))
    for i in range(outcomes.shape[0]):
        win = _clip_probability(outcomes[i, 0])
        win_g, win_bg = _compute_share(outcomes[i, 1], win), _compute_share(outcomes[i, 2], win)
        lose_g, lose_bg = _compute_share(outcomes[i, 3], 1.0 - win), _compute_share(outcomes[i, 4], 1.0 - win)
        for k in range(levels):
            ends[k, 0] = _average_results(worths, k, 0, lose_g, lose_bg)
            ends[k, 1] = _average_results(worths, k, 1, win_g, win_bg)
        for k in range(levels - 2, -1, -1):
            takes[k, 0] = 0.0
            takes[k, 1] = 0.0
            if turns[k, 1]:
                takes[k, 0] = _compute_take_point(worths, turns, ends, takes, k, 0)
            if turns[k, 0]:
                takes[k, 1] = _compute_take_point(worths, turns, ends, takes, k, 1)
        for s in range(states.shape[0]):
            k, owner = states[s, 0], states[s, 1]
            bottom, top = ends[k, 0], ends[k, 1]
            low, dropped, high, cashed = 0.0, bottom, 1.0, top
            slope = top - bottom
            if owner != OWN and takes[k, 0] > 0.0 and worths[k, 0, 0] < bottom + takes[k, 0] * slope:
                low, dropped = takes[k, 0], worths[k, 0, 0]
            if owner != OTHER and takes[k, 1] > 0.0 and worths[k, 1, 0] > top - takes[k, 1] * slope:
                high, cashed = 1.0 - takes[k, 1], worths[k, 1, 0]
            dead = bottom + win * slope
            live = _compute_live_value(win, bottom, low, dropped, high, cashed, top)
            value = dead + efficiencies[i, owner + 1] * (live - dead)
            if states[s, 2] >= 0:
                taken = ends[k + 1, 0] + win * (ends[k + 1, 1] - ends[k + 1, 0])
                if states[s, 2] == OWN:
                    doubled = min(taken, worths[k, 1, 0])
                    lateness = (1.0 - efficiencies[i, owner + 1]) ** 2
                    value = max(value, doubled - lateness * max(doubled - dead, 0.0))
                else:
                    value = min(value, max(taken, worths[k, 0, 0]))
            result[i, s] = value


@kernel
def _compute_take_point(
    worths: NDArray[np.float64],
    turns: NDArray[np.bool_],
    ends: NDArray[np.float64],
    takes: NDArray[np.float64],
    level: int,
    side: int,
) -> float:
    """Return the winning chances at which a side takes a live cube turned from a level.

    Side 0 is the one on roll, side 1 the other, whose chances to win the match are those of side 0 turned
    round: its values go in with the sign reversed.
    """
    sign = 1.0 if side == 0 else -1.0
    dropped = sign * worths[level, side, 0]
    lost = sign * ends[level + 1, side]
    end, best = 1.0, sign * ends[level + 1, 1 - side]
    if turns[level + 1, side]:
        cash, cashed = 1.0 - takes[level + 1, 1 - side], sign * worths[level + 1, 1 - side, 0]
        if cashed > lost + cash * (best - lost):
            end, best = cash, cashed
    if dropped <= lost:
        return 0.0
    if best <= dropped:
        return end
    return end * (dropped - lost) / (best - lost)


@kernel
def _compute_live_value(
    win: float, bottom: float, low: float, dropped: float, high: float, cashed: float, top: float
) -> float:
    """Return the value on the line from losing through take point (low) and cash point (high) to winning."""
    if low >= high:
        return bottom + win * (top - bottom)
    if win < low:
        return bottom + win / low * (dropped - bottom)
    if win > high:
        return cashed + (win - high) / (1.0 - high) * (top - cashed)
    return dropped + (win - low) / (high - low) * (cashed - dropped)


@kernel
def _average_results(
    worths: NDArray[np.float64], level: int, result: int, gammon: float, backgammon: float
) -> float:
    """Return the mean value of games lost (result 0) or won (1) at given gammon and backgammon rates."""
    single = worths[level, result, 0]
    more = gammon * (worths[level, result, 1] - single)
    return single + more + backgammon * (worths[level, result, 2] - worths[level, result, 1])


@kernel
def _compute_share(part: float, whole: float) -> float:
    """Return a share of a whole, 0 to 1; 0 if the whole is 0."""
    if whole <= 0.0 or part <= 0.0:
        return 0.0
    return min(part / whole, 1.0)


@kernel
def _clip_probability(value: float) -> float:
    return min(max(value, 0.0), 1.0)
