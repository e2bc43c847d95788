"""The states that the cube of a game can come to, and what results are worth in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.match_equity import MatchEquityTable, load_default_table
from engine.errors import PositionError
from engine.kernels.cubeful import CENTRED, DEAD, OTHER, OWN
from engine.rules.match import MAX_CUBE, SEATS, MatchState

CubefulValues = NDArray[np.float32]
"""``float32[n, states]``: points for a cube of 1 in money play, chances to win the match in a match."""


@dataclass(frozen=True)
class CubeState:
    """One state of the cube.

    Attributes:
        value: What the cube shows; in money play always 1, because values are per cube of 1.
        owner: The seat that holds it; None while it is in the middle.
    """

    value: int
    owner: int | None


@dataclass(frozen=True, eq=False)
class CubeStateSpace:
    """The states of the cube from here on, as the side on roll sees them. Made by `cube_game`.

    Attributes:
        match: The match state.
        table: What match equities come from.
        seat: The seat on roll, whose values these are; not always the one of ``match``, see `other`.
        states: The columns of cubeful values. The first is the present state; the order is the same for
            both seats.
        kernel_states: ``int8[s, 3]``: level of the cube; who can turn it, seen from ``seat``; who can turn it
            for nothing (0 ``seat``, 1 the other, -1 nobody): the opponent has lost the match with this game
            anyway, and could not use the cube.
        turns_cube: ``bool[levels, 2]``: whether ``seat``, and the other one, would turn a cube of a level
            that they have access to.
        result_values: ``float64[levels, 2, 3]``: the worth to ``seat`` of losing (0) and winning (1) a
            game singly, as a gammon and as a backgammon; levels are the present cube, twice it and so on.
            One level in money play.
        is_cube_frozen: Whether nobody turns the cube any more, whatever the rules allow.
        state_after_take: ``int64[s]``: the state after a double by ``seat`` that was taken; -1 where it
            has none here.
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
        """The same states as the other seat sees them, once the turn has passed to it."""
        game = _make_view(1 - self.seat, self.match, self.table, self.states, self.is_cube_frozen)
        object.__setattr__(game, "opponent_view", self)
        return game

    @property
    def is_money(self) -> bool:
        """Whether values are points rather than chances to win a match."""
        return self.match.is_money

    @property
    def stake_factor(self) -> float:
        """By what the value after a taken double counts more than its column says: 2 in money play."""
        return 2.0 if self.is_money else 1.0

    @cached_property
    def is_dead(self) -> NDArray[np.bool_]:
        """``bool[s]``: in which states neither seat has a use for the cube any more."""
        return ~(self.may_double | self.opponent_view.may_double)

    @property
    def has_free_double(self) -> bool:
        """Whether ``seat`` can double in the present state and lose nothing by it."""
        return bool(self.kernel_states[0, 2] == OWN)

    @cached_property
    def pass_values(self) -> NDArray[np.float32]:
        """``float32[s]``: what ``seat`` gets when it doubles and the other seat passes."""
        if self.is_money:
            return np.ones(len(self.states), np.float32)
        passed: NDArray[np.float32] = self.result_values[self.kernel_states[:, 0], 1, 0].astype(np.float32)
        return passed

    def result_value(self, points: int) -> float:
        """The worth of a result at the present cube.

        Args:
            points: 1 to 3 for a game won singly, as a gammon or a backgammon; -1 to -3 for one lost.
        """
        return float(self.result_values[0, int(points > 0), abs(points) - 1])


def build_cube_state_space(
    match: MatchState, table: MatchEquityTable | None = None, max_cube_turns: int | None = None
) -> CubeStateSpace:
    """Lay out the states that the cube can come to.

    In money play they are the cube in the middle, held by seat 0 and held by seat 1, or the last two once it
    is turned. In a match they are all values and owners up to the point where neither side can gain by
    turning it, and what a double now leads to, even one without use, so that it can be answered.

    Args:
        match: The match state; its seat on roll is the one whose values are meant. While a double waits,
            the state before the double.
        table: What match equities come from; the shipped one if None.
        max_cube_turns: How many turns of the cube to tell apart; a search of n plies needs n + 1. All if
            None. With 0 the cube of a match rests: nobody turns it any more.

    Raises:
        PositionError: The cube shows more than 1 and nobody owns it.
    """
    if match.cube > 1 and match.cube_owner is None:
        raise PositionError(f"a cube at {match.cube} has an owner, seat 0 or 1", field="cube_owner")
    before = match.before_roll()
    return _build_cached(before, table or load_default_table(), max_cube_turns)


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
    """Whether the seat on roll may turn the cube by the rules, for whatever it is worth."""
    return seat == on_roll and state.value < MAX_CUBE and state.owner in (None, seat)


def _can_gain_by_turning(match: MatchState, state: CubeState, seat: int) -> bool:
    """Whether a seat has access to the cube and could gain by turning it."""
    if match.crawford or state.value >= MAX_CUBE or state.owner == 1 - seat:
        return False
    return match.is_money or state.value < match.away(seat)


def _make_view(
    seat: int, match: MatchState, table: MatchEquityTable, states: tuple[CubeState, ...], is_cube_frozen: bool
) -> CubeStateSpace:
    """Add to the states everything that depends on the seat."""
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
    free = [side for side, each in enumerate((seat, 1 - seat)) if _is_free_double(match, state, each)]
    return (state.value // match.cube).bit_length() - 1, owner, free[0] if free else -1


def _is_free_double(match: MatchState, state: CubeState, seat: int) -> bool:
    return _can_gain_by_turning(match, state, seat) and state.value >= match.away(1 - seat)


def _compute_levels(
    match: MatchState, table: MatchEquityTable, seat: int
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Who turns the cube and what results are worth, from the present cube to the one that nobody turns."""
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
