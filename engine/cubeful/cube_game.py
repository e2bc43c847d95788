"""A game with its cube: a match state and a match equity table as one value.

It lists the states that the cube can reach, gives outcomes their values in all of them at once, and is laid
out as arrays for kernels. A search goes leaf (`CubeGame.evaluate`), doubling option (`CubeGame.with_double`),
swap sides and average over the rolls, doubling option, … up to the root, whose values stay without the
option, for `CubeGame.decide` to compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful.efficiency import DEFAULT_EFFICIENCIES, CubeEfficiencies
from gammond.engine.cubeful.match_equity import MatchEquityTable, load_default_table
from gammond.engine.errors import PositionError, ValueRangeError
from gammond.engine.evaluation.results import (
    TIE_POINTS,
    CubeDecision,
    CubeResponse,
    DoublingAction,
    Evaluation,
)
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import cubeful as kernel_cubeful
from gammond.engine.kernels.cubeful import (
    CENTRED,
    CUBELESS,
    DEAD,
    DEAD_CUBE,
    MATCH,
    MONEY,
    OTHER,
    OWN,
    GameArrays,
)
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.match import MAX_CUBE, SEATS, MatchState
from gammond.engine.rules.outcome import Outcome, Outcomes, cubeless_equity

LEAST_STAKE = 1e-6
"""The least match-winning chance that a point counts for: less is lost in the rounding of ``float32``."""

JACOBY_COLUMN = 3
"""The column of equities with the cube centred and the Jacoby rule, of evaluators with gammons."""

CubefulValues = NDArray[np.float32]
"""``float32[n, states]``: points for a cube of 1 in money play, match-winning chances in a match."""

_DEAD = np.zeros((1, 3), np.float32)


class CubeState(NamedTuple):
    """One state of the cube.

    Attributes:
        value: Value of the cube; in money play always 1, because values are per cube of 1.
        owner: The seat that owns it; None while it is centred.
    """

    value: int
    owner: int | None


@dataclass(frozen=True, eq=False)
class CubeGame:
    """A game with its cube from here on, as the side on roll sees it; see `make_cube_game`.

    Values of positions are rows of the outcome and, where it has states, a column for each; or those columns
    alone (`CubefulValues`).

    Attributes:
        match: The match state.
        table: The match equity table.
        seat: The seat on roll, whose values these are; in an `other` view not that of ``match``.
        states: The columns of cubeful values. The first is the present state; the order is the same for
            both seats. There are none in money play without a cube.
        arrays: All that kernels know of it.
        efficiencies: Cube efficiencies.
        may_double_first: Whether the side on roll may double before its first roll in rollouts: in an `other`
            view, after a play; the first decision of the game itself is compared elsewhere.
    """

    match: MatchState
    table: MatchEquityTable
    seat: int
    states: tuple[CubeState, ...]
    arrays: GameArrays
    efficiencies: CubeEfficiencies = DEFAULT_EFFICIENCIES
    may_double_first: bool = False

    @cached_property
    def other(self) -> CubeGame:
        """The same game as the other seat sees it when it is on roll."""
        if not self.states:
            return self
        other = replace(
            self,
            seat=1 - self.seat,
            arrays=_lay_out(self.match, self.table, 1 - self.seat, self.states, self.arrays.kind)._replace(
                efficiencies=self.arrays.efficiencies
            ),
            may_double_first=not self.may_double_first,
        )
        object.__setattr__(other, "other", self)
        return other

    @cached_property
    def is_money(self) -> bool:
        """Whether values are points rather than match-winning chances."""
        return self.match.is_money

    @cached_property
    def is_cubeful(self) -> bool:
        """Whether the cube counts in `equities`."""
        return self.arrays.kind in (MONEY, MATCH)

    @cached_property
    def columns(self) -> int:
        """Columns of values: five for the outcome, and one for each state of the cube."""
        return OUTCOME_COLUMNS + len(self.states)

    @cached_property
    def state_after_take(self) -> int:
        """The state after a take of a double in the present one; -1 where there is none."""
        return int(self.arrays.state_after_take[0])

    @cached_property
    def may_double(self) -> bool:
        """Whether the side on roll may double in the present state, and could gain by it."""
        return bool(self.arrays.may_double[0])

    @cached_property
    def has_free_double(self) -> bool:
        """Whether the side on roll has a free double in the present state."""
        return bool(self.arrays.states[0, 2] == OWN)

    @property
    def name(self) -> str:
        """What is at stake, and which side may double first, in words: saved rollouts have it."""
        if not self.states:
            return "cubeless"
        first = "doubling" if self.may_double_first else "rolling"
        states = " ".join(f"{state.value}:{state.owner}" for state in self.states)
        name = f"cubeful, seat {self.seat} {first}, {self.match}, {self.table.name}, {states}"
        return name if self.efficiencies == DEFAULT_EFFICIENCIES else f"{name}, {self.efficiencies}"

    @cached_property
    def equity_scale(self) -> tuple[float, float]:
        """The value at which equity is 0, and the stake, by which it grows to 1: a game won singly.

        The stake is `LEAST_STAKE` or more, so that equities are finite where a game no longer matters.
        """
        even, stake = self.table.equity_scale(self.match, self.seat)
        return even, max(stake, LEAST_STAKE)

    @cached_property
    def mwc_per_point(self) -> float | None:
        """The match-winning chance that a point at the present cube is worth; None in money play."""
        return None if self.is_money else self.equity_scale[1]

    def evaluate(self, outcomes: Outcomes, efficiencies: NDArray[np.float32] = _DEAD) -> CubefulValues:
        """Return values of outcomes by Janowski's model, before the roll, without a double now.

        *Source:* Rick Janowski, "Take-Points in Money Games" (1993), the general model: dead value +
        efficiency · (live value - dead value); in a match the same on match-winning chances, as published in
        GNU Backgammon's manual. Difference: a side with a free double uses it at its next turn, which costs
        the side on roll (1 - efficiency)² · (value of a double now - dead value).

        Args:
            outcomes: ``float32[n, 5]``, for the side on roll.
            efficiencies: ``float32[n, 3]``, with the cube centred, owned by that side, and owned by the
                other; or ``float32[n]``, the same in all states; 0 if not given. See
                `gammond.engine.cubeful.efficiency`.

        Returns:
            ``float32[n, states]``.
        """
        outcomes = as_kernel_array(outcomes, np.float32)
        if efficiencies.shape != (len(outcomes), 3):
            by_state = efficiencies if efficiencies.ndim == 2 else efficiencies[:, None]
            efficiencies = np.broadcast_to(by_state, (len(outcomes), 3))
        efficiencies = as_kernel_array(efficiencies, np.float32)
        values = np.empty((len(outcomes), len(self.states)), np.float32)
        kernel_cubeful.compute_cube_values(self.arrays, outcomes, efficiencies, values)
        return values

    def with_double(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return values with the option to double now and the proper response, in every state that allows it.

        Where the match state has beavers, a double that should be beavered is.

        Args:
            values: ``float32[n, columns]`` or ``float32[n, states]``, before the roll, without doubling: from
                `evaluate`, or averaged over the rolls.

        Returns:
            An array of the same shape, the same one where nobody doubles.
        """
        if not self.is_cubeful:
            return values
        result = np.array(values, np.float32, order="C")
        kernel_cubeful.add_double_option(self.arrays, result, result.shape[1] - len(self.states))
        return result

    def to_equities(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Convert cubeful values of any shape to equities in points for a cube of 1, ``float64[...]``.

        1 is a single game won at the present cube, -1 one lost.
        """
        even, stake = self.equity_scale
        return (np.asarray(values, np.float64) - even) / stake

    def equities(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return equities in points, which rank candidates: in the present state, or without a cube.

        The values are ``[..., 5 + k]``, outcomes and the values in the states of the cube.
        """
        if self.states:
            return self.to_equities(values[..., OUTCOME_COLUMNS])
        return cubeless_equity(np.asarray(values, np.float64))

    def match_winning_chances(self, values: NDArray[np.float32]) -> NDArray[np.float64] | None:
        """Return the match-winning chances of ``float32[n, columns]``, ``float64[n]``; None in money play."""
        return None if self.is_money else values[:, OUTCOME_COLUMNS].astype(np.float64)

    def decide(self, values: CubefulValues) -> CubeDecision:
        """Compare not doubling, a double taken and a double passed.

        Args:
            values: ``float32[states]``, before the roll, without the option to double now: from `evaluate`,
                or averaged over the rolls by a search.

        Returns:
            The decision. No double has the value of the present state's column, double/take that of the state
            after it, beavered where that is right.

        Raises:
            ValueRangeError: The values have another shape.
        """
        if values.shape != (len(self.states),):
            raise ValueRangeError(
                f"expected {len(self.states)} cubeful values, got {values.shape}", field="values"
            )
        even, stake = self.equity_scale
        held, taken = ((float(values[state]) - even) / stake for state in (0, self.state_after_take))
        return self._decide(held, taken)

    def decide_each(self, values: CubefulValues) -> Iterator[CubeDecision]:
        """Yield the decisions of many positions, ``float32[n, states]``, each as `decide`."""
        held, taken = (self.to_equities(values[:, state]).tolist() for state in (0, self.state_after_take))
        return map(self._decide, held, taken)

    def decide_outcome(self, outcome: Outcome, efficiency: float | NDArray[np.float32]) -> CubeDecision:
        """Decide by a cubeless outcome of the side on roll alone, at 0-ply.

        The cube efficiency is 0 to 1, or three by state of the cube.
        """
        efficiencies = np.array([efficiency], np.float32)
        return self.decide(self.evaluate(np.array([outcome], np.float32), efficiencies)[0])

    def _decide(self, held: float, taken: float) -> CubeDecision:
        """Make a decision.

        Args:
            held: Equity of no double, in points.
            taken: Equity in the state after a take, in points of the present cube; unused where no double is
                possible.
        """
        is_redouble = self.states[0].owner == self.seat
        if self.state_after_take < 0:
            value = self._evaluate_choice(held)
            return CubeDecision(DoublingAction.UNAVAILABLE, None, is_redouble, value, None, None)
        taken *= self.arrays.stake_factor
        if self.arrays.beavers and taken < -TIE_POINTS:
            response = CubeResponse.BEAVER
            taken *= 2.0
        else:
            response = CubeResponse.TAKE if taken <= 1.0 + TIE_POINTS else CubeResponse.PASS
        doubling = self._choose_doubling(held, taken)
        return CubeDecision(
            doubling,
            response,
            is_redouble,
            self._evaluate_choice(held),
            self._evaluate_choice(taken),
            self._evaluate_choice(1.0),
        )

    def _choose_doubling(self, held: float, taken: float) -> DoublingAction:
        """Choose; between equals, double where a wrong response would gain or a double costs nothing."""
        if not self.may_double:
            return DoublingAction.UNAVAILABLE
        doubled = min(taken, 1.0)
        gains_by_mistakes = taken > held + TIE_POINTS or (self.has_free_double and taken > -1.0 + TIE_POINTS)
        if doubled > held + TIE_POINTS or (doubled > held - TIE_POINTS and gains_by_mistakes):
            return DoublingAction.DOUBLE
        return DoublingAction.TOO_GOOD if held > 1.0 + TIE_POINTS else DoublingAction.NO_DOUBLE

    def _evaluate_choice(self, equity: float) -> Evaluation:
        if self.is_money:
            return Evaluation(equity)
        even, stake = self.equity_scale
        return Evaluation(equity, mwc=min(max(even + equity * stake, 0.0), 1.0), mwc_per_point=stake)


def make_cube_game(
    match: MatchState,
    table: MatchEquityTable | None = None,
    max_cube_turns: int | None = None,
    efficiencies: CubeEfficiencies = DEFAULT_EFFICIENCIES,
) -> CubeGame:
    """Make the game of a match state, with the states that the cube can reach.

    In money play they are the cube centred, owned by seat 0 and owned by seat 1, or the last two once it is
    turned. In a match they are all values and owners until neither side can gain by turning the cube, and the
    state after a take now, even of a useless double, so that there can be a response.

    Args:
        match: The match state; values are for its seat on roll. While a double is pending, the state before
            the double.
        table: The match equity table; the shipped one if None.
        max_cube_turns: The number of turns of the cube to distinguish; an n-ply search needs n + 1. All if
            None.
        efficiencies: Cube efficiencies.

    Raises:
        PositionError: The cube is above 1 and nobody owns it.
    """
    if match.cube > 1 and match.cube_owner is None:
        raise PositionError(f"a cube at {match.cube} has an owner, seat 0 or 1", field="cube_owner")
    kind = MONEY if match.is_money else MATCH
    return _make_game(match.before_roll(), table or load_default_table(), kind, max_cube_turns, efficiencies)


def make_dead_cube_game(match: MatchState, table: MatchEquityTable | None = None) -> CubeGame:
    """Make the game of a match whose cube is dead, whoever owns it; of money play, as `make_cube_game`."""
    owner = None if match.cube == 1 else match.on_roll
    match = replace(match.before_roll(), cube_owner=owner)
    if match.is_money:
        return make_cube_game(match, table)
    return _make_game(match, table or load_default_table(), DEAD_CUBE, 0, DEFAULT_EFFICIENCIES)


def select_exact_values(equities: NDArray[np.float32], game: GameArrays) -> CubefulValues:
    """Return the values of money positions whose equities in the three states of the cube are known.

    Args:
        equities: ``float32[n, 3]`` or ``float32[n, 4]``, see
            `gammond.engine.evaluation.evaluator.CubefulEvaluator.cubeful_equities`.
        game: The game, seen by the side on roll.

    Returns:
        ``float32[n, states]``, as `CubeGame.evaluate`; those of a centred cube by the Jacoby rule if it is
        played.
    """
    columns = game.exact_columns
    if game.jacoby and equities.shape[1] > JACOBY_COLUMN:
        columns = np.where(columns == 0, JACOBY_COLUMN, columns)
    return equities[:, columns]


@lru_cache(maxsize=2048)
def _make_game(
    match: MatchState,
    table: MatchEquityTable,
    kind: int,
    max_cube_turns: int | None,
    efficiencies: CubeEfficiencies,
) -> CubeGame:
    states = _list_states(match, max_cube_turns)
    arrays = _lay_out(match, table, match.on_roll, states, kind)._replace(efficiencies=efficiencies.tables)
    return CubeGame(match, table, match.on_roll, states, arrays, efficiencies)


def _list_states(match: MatchState, max_cube_turns: int | None) -> tuple[CubeState, ...]:
    """List the states that the cube can reach, the present one first; arguments as `make_cube_game`."""
    if match.is_money:
        if not any(match.has_cube_access(seat) for seat in SEATS):
            return (CubeState(1, match.cube_owner),)
        first = match.cube_owner
        return tuple(
            CubeState(1, owner) for owner in ((None, *SEATS) if first is None else (first, 1 - first))
        )
    states = reached = [CubeState(match.cube, match.cube_owner)]
    turned = 0
    while reached and not match.crawford and (max_cube_turns is None or turned < max_cube_turns):
        reached = [
            CubeState(2 * state.value, 1 - seat)
            for state in reached
            for seat in SEATS
            if _can_gain_by_turning(match, state, seat)
            or (state == states[0] and seat == match.on_roll and match.has_cube_access(seat))
        ]
        states = states + reached
        turned += 1
    return tuple(states)


def _lay_out(
    match: MatchState, table: MatchEquityTable, seat: int, states: tuple[CubeState, ...], kind: int
) -> GameArrays:
    """Lay a game out as arrays, with the default efficiencies, for the seat on roll."""
    columns = {state: column for column, state in enumerate(states)}
    taken, may_double = np.full(len(states), -1, np.int64), np.zeros(len(states), np.bool_)
    for column, state in enumerate(states):
        after = CubeState(1 if match.is_money else 2 * state.value, 1 - seat)
        if state.owner != 1 - seat and after in columns:
            taken[column] = columns[after]
            may_double[column] = _can_gain_by_turning(match, state, seat)
    turns, results = _compute_levels(match, table, seat)
    by_level = np.array([_encode_state(match, state, seat) for state in states], np.int8).reshape(-1, 3)
    if kind == DEAD_CUBE:
        turns[:] = False
        by_level[:, 2] = -1
    return GameArrays(
        kind,
        DEFAULT_EFFICIENCIES.tables,
        match.is_money and match.jacoby,
        match.may_beaver,
        2.0 if match.is_money else 1.0,
        by_level,
        np.array([0 if each.owner is None else 1 if each.owner == seat else 2 for each in states], np.int64),
        results,
        turns,
        may_double,
        taken,
        results[by_level[:, 0], 1, 0].astype(np.float32),
    )


def _encode_state(match: MatchState, state: CubeState, seat: int) -> tuple[int, int, int]:
    owner = CENTRED if state.owner is None else OWN if state.owner == seat else OTHER
    if match.is_money:
        return 0, owner if any(match.has_cube_access(each) for each in SEATS) else DEAD, -1
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
    results: list[list[list[float]]] = []
    value = match.cube
    while not turns or any(turns[-1]) or len(turns) < 2:
        state = CubeState(value, None)
        turns.append((_can_gain_by_turning(match, state, seat), _can_gain_by_turning(match, state, 1 - seat)))
        results.append(
            [
                [table.mwc_after(match, seat, sign * value * points) for points in (1, 2, 3)]
                for sign in (-1, 1)
            ]
        )
        value *= 2
    return np.array(turns), np.array(results)


def _can_gain_by_turning(match: MatchState, state: CubeState, seat: int) -> bool:
    """Return whether a seat has access to the cube and could gain by turning it."""
    if match.crawford or state.value >= MAX_CUBE or state.owner == 1 - seat:
        return False
    return match.is_money or state.value < match.away(seat)


_NO_TABLE = MatchEquityTable("none", np.empty((0, 0)), np.empty(0))
CUBELESS_GAME = CubeGame(MatchState(), _NO_TABLE, 0, (), _lay_out(MatchState(), _NO_TABLE, 0, (), CUBELESS))
"""Money play without a cube: values are outcomes alone."""
