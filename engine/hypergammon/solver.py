"""Solving hypergammon: policy iteration for cubeless play, and for money play with the cube.

Each solution begins with guesses, then in turns chooses the best play of every roll in every position, and
computes what positions are worth if these are played. It ends when the best plays change nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import CancelledWork
from engine.hypergammon.kernels.levels import CHOICE_BYTES, choose_plays, follow_choices, store_level
from engine.hypergammon.layouts import Layouts, list_all_plays
from engine.hypergammon.solver_state import SolverState
from engine.runtime.cores import count_usable_cores

Report = Callable[[str, float], None]
"""Called many times a second with what is computed, and the largest change so far, infinite at first."""

TOLERANCE = 1e-8
"""The best plays may change no value by more."""

_SETTLING_CHANGE = 1e-3
_SHARES_OF_CHANGE = 0.1, 0.01
"""Values under given plays are computed up to a share of what the last choice of plays changed: that of large
changes, and that of smaller ones, when hardly any other plays will be chosen."""

_PASSES_BETWEEN = 3
_STEADY = 0.05
"""Passes between two extrapolations, and how little the factor of changes may differ from the one before."""

_PARTS_OF_CHOICE = 64
_PARTS_OF_LEVEL = 4
"""Parts of the work for each thread, so that none waits long for another."""

_NOTHING: NDArray[np.float64] = np.empty(0)
_NO_CHOICES: NDArray[np.uint8] = np.empty(0, np.uint8)

Values = NDArray[np.float64]
"""``float64[layouts * layouts * k]``: the waiting player's layout first, then that of the player on roll."""

_EQUITY_SIGNS = np.array([-1.0])
_CHANCE_SIGNS = np.array([-1.0, -1.0, 1.0, 1.0])


@dataclass
class Unknown:
    """Values of all positions that are to be computed.

    Attributes:
        values: The values, changed in place.
        replies: Those of the next mover, from which they follow.
        signs: As `engine.hypergammon.kernels.levels.follow_choices`.
        doubled: Where the player on roll may double, the values with a cube of 1 that the opponent owns.
        choices: The plays of all rolls in all positions.
    """

    values: Values
    replies: Values
    signs: NDArray[np.float64] = field(default_factory=lambda: _EQUITY_SIGNS)
    doubled: Values = field(default_factory=lambda: _NOTHING)
    choices: NDArray[np.uint8] = field(default_factory=lambda: _NO_CHOICES)


CUBELESS_SOLUTIONS = ("cubeless", "chances")
"""The cubeless equity; and in four columns the chances to win, and to win a gammon, less those to lose it,
then those of a gammon and of a backgammon for either player."""

CUBEFUL_SOLUTIONS = ("owned", "opponents", "centred", "centred_jacoby")
"""Money equities before a double: who owns the cube, the player on roll or the opponent, if anybody."""


class Solver:
    """Solves hypergammon with a number of checkers; the result does not depend on the threads.

    Args:
        layouts: The layouts.
        state: Where values are kept between the steps.
        threads: None for one for each core.
        report: Called as the work proceeds.
        cancel: Set by another thread to stop the work.
    """

    def __init__(
        self,
        layouts: Layouts,
        state: SolverState,
        threads: int | None = None,
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        self.layouts = layouts
        self._lists = list_all_plays(layouts)
        self._state = state
        self._threads = max(1, count_usable_cores() if threads is None else threads)
        self._report = report
        self._cancel = cancel
        self._most_pips = 2 * len(layouts.tables.layer_starts) - 4

    def solve(self) -> None:
        """Compute all values that the state does not have yet.

        Raises:
            CancelledWork: It was cancelled; what the state has remains.
            OSError: The state cannot be kept.
        """
        losses = self.layouts.losses
        points = losses.astype(np.float64)
        with ThreadPoolExecutor(self._threads) as self._pool:
            cubeless = self._begin("cubeless", points, self._guess_by_pips)
            plays = Unknown(cubeless, cubeless)
            if not self._state.has_all(CUBELESS_SOLUTIONS):
                self._improve({"cubeless": plays})
                self._follow_chances(plays)
            plays.choices = _NO_CHOICES
            if self._state.has_all(CUBEFUL_SOLUTIONS):
                return
            owned = self._begin("owned", points, cubeless.copy)
            opponents = self._begin("opponents", points, cubeless.copy)
            del cubeless, plays
            pair = {
                "opponents": Unknown(opponents, owned),
                "owned": Unknown(owned, opponents, doubled=opponents),
            }
            self._improve(pair)
            for name, ends in (("centred", points), ("centred_jacoby", np.ones(len(losses)))):
                centred = self._begin(name, ends, opponents.copy)
                self._improve({name: Unknown(centred, centred, doubled=opponents)})

    def _guess_by_pips(self) -> Values:
        """Return the value that a lead in pips is usually worth, to begin with."""
        pips = self.layouts.counts.astype(np.float64) @ np.arange(26.0)
        lead = pips[:, None] - pips[None, :] + 4.0
        return np.tanh(lead / (8.0 * self.layouts.checkers)).ravel()

    def _begin(self, name: str, ends: NDArray[np.float64], guess: Callable[[], Values]) -> Values:
        """Return the values to begin with: those of the state, or a guess with the points at the end.

        Args:
            name: Of the values.
            ends: ``float64[layouts]``, what a player with each layout loses when the other has finished.
            guess: Makes values for all other positions.
        """
        kept = self._state.load(name)
        if kept is not None:
            return kept
        values = guess()
        by_layouts = values.reshape(len(ends), len(ends))
        tables = self.layouts.tables
        by_layouts[(tables.opposing_points[:, None] & tables.points[None, :]) != 0] = 0.0
        by_layouts[0, :], by_layouts[:, 0], by_layouts[0, 0] = -ends, ends, 0.0
        return values

    def _improve(self, unknowns: dict[str, Unknown]) -> None:
        """Compute values under the best plays, several that depend on each other together."""
        if self._state.has_all(unknowns):
            return
        label = " and ".join(unknowns).replace("_", " ")
        count = len(self.layouts.counts)
        change = np.inf
        for unknown in unknowns.values():
            unknown.choices = np.empty(count * CHOICE_BYTES * count, np.uint8)
        while True:
            before, change = change, 0.0
            for unknown in unknowns.values():
                change = max(change, self._choose(unknown, label, before))
            if change <= TOLERANCE:
                break
            for name, unknown in unknowns.items():
                self._state.save(name, unknown.values, is_final=False)
            share = _SHARES_OF_CHANGE[int(change < _SETTLING_CHANGE)]
            self._compute(list(unknowns.values()), label, max(share * change, TOLERANCE / 4))
        for name, unknown in unknowns.items():
            self._state.save(name, self._without_double(unknown, label), is_final=True)

    def _without_double(self, unknown: Unknown, label: str) -> Values:
        """Return the values if the player on roll does not double on this roll."""
        if not len(unknown.doubled):
            return unknown.values
        values = unknown.values.copy()
        single = Unknown(values, unknown.replies, choices=unknown.choices)
        self._pass([single], label, 0.0, with_races=True)
        return values

    def _choose(self, unknown: Unknown, label: str, change: float) -> float:
        parts = min(_PARTS_OF_CHOICE, len(self.layouts.counts))
        arrays = (unknown.replies, unknown.doubled, unknown.values, unknown.choices)
        return self._map(choose_plays, parts, (self.layouts.tables, self._lists, *arrays), label, change)

    def _follow_chances(self, plays: Unknown) -> None:
        """Compute the chances of all results under the plays with the best cubeless equity."""
        losses = self.layouts.losses
        count = len(losses)
        values = np.zeros((count, count, len(_CHANCE_SIGNS)))
        ends = np.stack([losses > 0, losses > 1, losses > 1, losses > 2], axis=1)
        values[0], values[:, 0], values[0, 0] = _CHANCE_SIGNS * ends, ends, 0.0
        chances = values.ravel()
        self._compute(
            [Unknown(chances, chances, _CHANCE_SIGNS, choices=plays.choices)], "chances", TOLERANCE / 4
        )
        self._state.save("chances", chances, is_final=True)

    def _compute(self, unknowns: Sequence[Unknown], label: str, tolerance: float) -> None:
        """Compute values under given plays, until a pass over all positions changes none by more.

        Once the changes shrink by the same factor from pass to pass, the values take what all further passes
        would add (Aitken's extrapolation), and then some passes to lose its error.
        """
        change, factor, since = self._pass(unknowns, label, np.inf, with_races=True), 1.0, 0
        while change > tolerance:
            before = [each.values.copy() for each in unknowns] if since >= _PASSES_BETWEEN else []
            last, change = change, self._pass(unknowns, label, change, with_races=False)
            last_factor, factor, since = factor, change / last, since + 1
            if before and 0.0 < factor < 0.95 and abs(factor - last_factor) < _STEADY:
                for unknown, old in zip(unknowns, before, strict=True):
                    old -= unknown.values
                    old *= factor / (factor - 1.0)
                    unknown.values += old
                since = 0

    def _pass(self, unknowns: Sequence[Unknown], label: str, change: float, *, with_races: bool) -> float:
        """Compute values once for all positions under given plays, and return the largest change."""
        tables = self.layouts.tables
        parts = 1 if self._threads == 1 else _PARTS_OF_LEVEL * self._threads
        columns = len(unknowns[0].signs)
        fresh = np.empty((len(self.layouts.counts), self.layouts.widest_layer, columns))
        largest = 0.0
        for total in range(2, self._most_pips + 1):
            for unknown in unknowns:
                plays = (tables, self._lists, unknown.choices, unknown.replies, fresh)
                self._map(follow_choices, parts, (total, with_races, unknown.signs, *plays), label, change)
                level = (tables, fresh, unknown.doubled, unknown.values)
                changed = self._map(store_level, parts, (total, with_races, *level), label, change)
                largest = max(largest, changed)
        return largest

    def _map(
        self,
        step: Callable[..., float | None],
        parts: int,
        arguments: tuple[Any, ...],
        label: str,
        change: float,
    ) -> float:
        """Take a step for all parts in the threads, and return the largest result."""
        if self._cancel is not None and self._cancel.is_set():
            raise CancelledWork("solving hypergammon was cancelled")
        largest = 0.0
        take: Any = map if self._threads == 1 else self._pool.map
        for result in take(lambda part: step(part, parts, *arguments), range(parts)):
            largest = max(largest, result or 0.0)
            if self._report is not None:
                self._report(label, change)
        return largest
