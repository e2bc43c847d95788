"""The states that the cube of a game can reach, and the values of results in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.match_equity import MatchEquityTable, load_default_table
from engine.errors import PositionError
from engine.kernels import as_kernel_array
from engine.kernels.cubeful import CENTRED, DEAD, OTHER, OWN, DoubleOption
from engine.rules.match import MAX_CUBE, SEATS, MatchState

LEAST_STAKE = 1e-6
"""The least match-winning chance that a point counts for: less is lost in the rounding of ``float32``."""

CubefulValues = NDArray[np.float32]
"""``float32[n, states]``: points for a cube of 1 in money play, match-winning chances in a match."""


@dataclass(frozen=True)
class CubeState:
    """One state of the cube.

    Attributes:
        value: Value of the cube; in money play always 1, because values are per cube of 1.
        owner: The seat that owns it; None while it is centred.
    """

    value: int
    owner: int | None


@dataclass(frozen=True, eq=False)
class CubeStateSpace:
    """The states of the cube from here on as the side on roll sees them; see `build_cube_state_space`.

    Attributes:
        match: The match state.
        table: The match equity table.
        seat: The seat on roll, whose values these are; in an `opponent_view` not that of ``match``.
        states: The columns of cubeful values. The first is the present state; the order is the same for
            both seats.
        kernel_states: ``int8[s, 3]``: level of the cube; who can turn it, seen from ``seat``; who has a free
            double (0 ``seat``, 1 the other, -1 nobody), because the opponent would lose the match with this
            game anyway and could not use the cube.
        turns_cube: ``bool[levels, 2]``: whether ``seat``, and the other one, would turn a cube of a level
            that they have access to.
        result_values: ``float64[levels, 2, 3]``: the value for ``seat`` of losing (0) and winning (1) a
            single game, a gammon and a backgammon; levels are the present cube, twice it and so on. One
            level in money play.
        is_cube_frozen: Whether nobody turns the cube any more, whatever the rules allow.
        state_after_take: ``int64[s]``: the state after a take of a double by ``seat``; -1 where there is none
            here.
        may_double: ``bool[s]``: whether ``seat`` may double in a state and could gain by it.
    """

    match: MatchState
    table: MatchEquityTable
    seat: int
    states: tuple[CubeState, ...]
    kernel_states: NDArray[np.int8]
    turns_cube: NDArray[np.bool_]
    result_values: NDArray[np.float64]
    is_cube_frozen: bool
    state_after_take: NDArray[np.int64]
    may_double: NDArray[np.bool_]

    @cached_property
    def opponent_view(self) -> CubeStateSpace:
        """The same states as the other seat sees them when it is on roll."""
        game = _make_view(1 - self.seat, self.match, self.table, self.states, self.is_cube_frozen)
        object.__setattr__(game, "opponent_view", self)
        return game

    @cached_property
    def is_money(self) -> bool:
        """Whether values are points rather than match-winning chances."""
        return self.match.is_money

    @cached_property
    def cube_owners(self) -> NDArray[np.int8]:
        """Who can turn the cube in each state, seen from ``seat``, for kernels: ``int8[s]``."""
        return as_kernel_array(self.kernel_states[:, 1], np.int8)

    @cached_property
    def stake_factor(self) -> float:
        """Factor from the column of the state after a take to its value: 2 in money play."""
        return 2.0 if self.is_money else 1.0

    @cached_property
    def is_dead(self) -> NDArray[np.bool_]:
        """Where the cube is dead for both seats, ``bool[s]``."""
        return ~(self.may_double | self.opponent_view.may_double)

    @cached_property
    def has_free_double(self) -> bool:
        """Whether ``seat`` has a free double in the present state."""
        return bool(self.kernel_states[0, 2] == OWN)

    @cached_property
    def pass_values(self) -> NDArray[np.float32]:
        """The value for ``seat`` of a double that is passed, ``float32[s]``."""
        if self.is_money:
            return np.ones(len(self.states), np.float32)
        passed: NDArray[np.float32] = self.result_values[self.kernel_states[:, 0], 1, 0].astype(np.float32)
        return passed

    @cached_property
    def double_option(self) -> DoubleOption:
        """What a double by ``seat`` leads to, for kernels."""
        return DoubleOption(
            as_kernel_array(self.may_double, np.bool_),
            as_kernel_array(self.state_after_take, np.int64),
            as_kernel_array(self.pass_values, np.float32),
            self.stake_factor,
            self.is_money and self.match.beavers,
        )

    @cached_property
    def equity_scale(self) -> tuple[float, float]:
        """The value at which equity is 0, and the stake, by which it grows to 1: a game won singly.

        The stake is `LEAST_STAKE` or more, so that equities are finite where a game no longer matters.
        """
        lost, won = self.result_value(-1), self.result_value(1)
        return 0.5 * (won + lost), max(0.5 * (won - lost), LEAST_STAKE)

    def result_value(self, points: int) -> float:
        """Return the value of a result at the present cube.

        Args:
            points: 1 to 3 for a single game, gammon or backgammon won; -1 to -3 for one lost.
        """
        return float(self.result_values[0, int(points > 0), abs(points) - 1])


def build_cube_state_space(
    match: MatchState, table: MatchEquityTable | None = None, max_cube_turns: int | None = None
) -> CubeStateSpace:
    """Return the states that the cube can reach.

    In money play they are the cube centred, owned by seat 0 and owned by seat 1, or the last two once it is
    turned. In a match they are all values and owners until neither side can gain by turning the cube, and the
    state after a take now, even of a useless double, so that there can be a response.

    Args:
        match: The match state; values are for its seat on roll. While a double is pending, the state before
            the double.
        table: The match equity table; the shipped one if None.
        max_cube_turns: The number of turns of the cube to distinguish; an n-ply search needs n + 1. All if
            None. With 0 the cube of a match is frozen: nobody turns it any more.

    Raises:
        PositionError: The cube is above 1 and nobody owns it.
    """
    if match.cube > 1 and match.cube_owner is None:
        raise PositionError(f"a cube at {match.cube} has an owner, seat 0 or 1", field="cube_owner")
    before = match.before_roll()
    return _build_cached(before, table or load_default_table(), max_cube_turns)


def make_dead_cube_game(match: MatchState, table: MatchEquityTable | None = None) -> CubeStateSpace:
    """Make the cube states of a game whose cube is dead, whoever owns it.

    Args:
        match: The match state.
        table: The match equity table; the shipped one if None.
    """
    owner = None if match.cube == 1 else match.on_roll
    return build_cube_state_space(replace(match, cube_owner=owner), table, max_cube_turns=0)


@lru_cache(maxsize=2048)
def _build_cached(match: MatchState, table: MatchEquityTable, max_cube_turns: int | None) -> CubeStateSpace:
    states = _list_money_states(match) if match.is_money else _list_match_states(match, max_cube_turns)
    return _make_view(
        match.on_roll, match, table, tuple(states), is_cube_frozen=not match.is_money and max_cube_turns == 0
    )


def _list_money_states(match: MatchState) -> list[CubeState]:
    if not any(match.has_cube_access(seat) for seat in SEATS):
        return [CubeState(1, match.cube_owner)]
    if match.cube_owner is None:
        return [CubeState(1, None), CubeState(1, 0), CubeState(1, 1)]
    return [CubeState(1, match.cube_owner), CubeState(1, 1 - match.cube_owner)]


def _list_match_states(match: MatchState, max_cube_turns: int | None) -> list[CubeState]:
    states = [CubeState(match.cube, match.cube_owner)]
    if match.crawford:
        return states
    reached, turned = states, 0
    while reached and (max_cube_turns is None or turned < max_cube_turns):
        reached = [
            CubeState(2 * state.value, 1 - seat)
            for state in reached
            for seat in SEATS
            if _can_gain_by_turning(match, state, seat)
            or (state == states[0] and _has_access(state, match.on_roll, seat))
        ]
        states = states + reached
        turned += 1
    return states


def _has_access(state: CubeState, on_roll: int, seat: int) -> bool:
    """Return whether a seat is on roll and the rules let it turn the cube."""
    return seat == on_roll and state.value < MAX_CUBE and state.owner in (None, seat)


def _can_gain_by_turning(match: MatchState, state: CubeState, seat: int) -> bool:
    """Return whether a seat has access to the cube and could gain by turning it."""
    if match.crawford or state.value >= MAX_CUBE or state.owner == 1 - seat:
        return False
    return match.is_money or state.value < match.away(seat)


def _make_view(
    seat: int, match: MatchState, table: MatchEquityTable, states: tuple[CubeState, ...], is_cube_frozen: bool
) -> CubeStateSpace:
    """Return the states with everything that depends on the seat."""
    columns = {state: column for column, state in enumerate(states)}
    taken = np.full(len(states), -1, np.int64)
    may_double = np.zeros(len(states), np.bool_)
    for column, state in enumerate(states):
        value = 1 if match.is_money else 2 * state.value
        after = CubeState(value, 1 - seat)
        if state.owner != 1 - seat and after in columns:
            taken[column] = columns[after]
            may_double[column] = _can_gain_by_turning(match, state, seat)
    turns, worths = _compute_levels(match, table, seat)
    kernel_states = np.array([_encode_state(match, state, seat) for state in states], np.int8)
    if is_cube_frozen:
        turns[:] = False
        kernel_states[:, 2] = -1
    return CubeStateSpace(
        match, table, seat, states, kernel_states, turns, worths, is_cube_frozen, taken, may_double
    )


def _encode_state(match: MatchState, state: CubeState, seat: int) -> tuple[int, int, int]:
    owner = CENTRED if state.owner is None else OWN if state.owner == seat else OTHER
    if match.is_money:
        dead = not any(match.has_cube_access(each) for each in SEATS)
        return 0, DEAD if dead else owner, -1
    free = [
        side
        for side, each in enumerate((seat, 1 - seat))
        if _can_gain_by_turning(match, state, each) and state.value >= match.away(1 - each)
    ]
    return (state.value // match.cube).bit_length() - 1, owner, free[0] if free else -1


def _compute_levels(
    match: MatchState, table: MatchEquityTable, seat: int
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return who turns the cube and the values of results, from the present cube up to a dead one."""
    if match.is_money:
        points = np.arange(1.0, 4.0)
        return np.zeros((1, 2), np.bool_), np.stack([-points, points])[None]
    turns: list[tuple[bool, bool]] = []
    worths: list[list[list[float]]] = []
    value = match.cube
    while not turns or any(turns[-1]) or len(turns) < 2:
        state = CubeState(value, None)
        turns.append((_can_gain_by_turning(match, state, seat), _can_gain_by_turning(match, state, 1 - seat)))
        worths.append(
            [
                [table.mwc_after(match, seat, sign * value * points) for points in (1, 2, 3)]
                for sign in (-1, 1)
            ]
        )
        value *= 2
    return np.array(turns), np.array(worths)
