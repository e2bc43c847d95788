"""Solving hypergammon: policy iteration for cubeless play, and for money play with the cube.

Each solution begins with guesses, then in turns chooses the best play of every roll in every position, and
computes what positions are worth if these are played. It ends when the best plays change nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import CancelledWork
from engine.hypergammon.kernels.levels import CHOICE_BYTES, choose_plays, follow_choices, store_level
from engine.hypergammon.layouts import Layouts, list_all_plays
from engine.hypergammon.solver_progress import PASS_TOLERANCE, TOLERANCE, PhaseTracker, Report
from engine.hypergammon.solver_state import SolverState
from engine.runtime.cores import count_usable_cores

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
_NO_CHANGES: NDArray[np.float32] = np.empty(0, np.float32)

Values = NDArray[np.float64]
"""``float64[layouts * layouts * k]``: the waiting player's layout first, then that of the player on roll."""


@dataclass
class Unknown:
    """Values of all positions that are to be computed.

    Attributes:
        values: The values, changed in place.
        replies: Those of the next mover, from which they follow.
        sign: As `engine.hypergammon.kernels.levels.follow_choices`.
        columns: How many values a position has.
        doubled: Where the player on roll may double, the values with a cube of 1 that the opponent owns.
        choices: The plays of all rolls in all positions.
        changes: Where a pass stores what it adds to the values; empty if it need not. Their precision is
            enough in ``float32``, as that of the values would not be.
    """

    values: Values
    replies: Values
    sign: float = -1.0
    columns: int = 1
    doubled: Values = field(default_factory=lambda: _NOTHING)
    choices: NDArray[np.uint8] = field(default_factory=lambda: _NO_CHOICES)
    changes: NDArray[np.float32] = field(default_factory=lambda: _NO_CHANGES)


CUBELESS_SOLUTIONS = ("cubeless", "advantages", "sums")
"""The cubeless equity; in two columns the chance to win less that to lose, and that of a gammon less that to
lose one; in two more the chance of a gammon, and of a backgammon, for either player."""

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
        self._progress = PhaseTracker(report)
        self._cancel = cancel
        self._most_pips = 2 * len(layouts.tables.layer_starts) - 4

    def solve(self) -> None:
        """Compute all values that the state does not have yet.

        Raises:
            CancelledWork: It was cancelled; what the state has remains.
            OSError: The state cannot be kept.
        """
        with ThreadPoolExecutor(self._threads) as self._pool:
            if not self._state.has_all(CUBELESS_SOLUTIONS):
                choices = self._solve_cubeless()
                self._follow_chances(choices)
                del choices
            points = self.layouts.losses.astype(np.float64)
            if not self._state.has_all(("owned", "opponents")):
                self._solve_owned(points)
            for name, ends in (("centred", points), ("centred_jacoby", np.ones(len(points)))):
                if not self._state.has_all((name,)):
                    self._solve_centred(name, ends)

    def _solve_cubeless(self) -> NDArray[np.uint8]:
        """Compute the cubeless equity, and return the plays that have the best one."""
        self._progress.enter("cubeless")
        points = self.layouts.losses.astype(np.float64)
        values = self._begin("cubeless", points, self._guess_by_pips)
        plays = Unknown(values, values)
        self._improve({"cubeless": plays})
        return plays.choices

    def _solve_owned(self, points: NDArray[np.float64]) -> None:
        """Compute the equities of a cube that the player on roll owns, and of the opponent's, together."""
        self._progress.enter("owned")
        owned = self._begin("owned", points, lambda: self._copy("cubeless"))
        opponents = self._begin("opponents", points, lambda: self._copy("cubeless"))
        pair = {
            "opponents": Unknown(opponents, owned),
            "owned": Unknown(owned, opponents, doubled=opponents),
        }
        self._improve(pair)

    def _solve_centred(self, name: str, ends: NDArray[np.float64]) -> None:
        """Compute the equities of a centred cube."""
        self._progress.enter(name)
        opponents = self._copy("opponents")
        centred = self._begin(name, ends, opponents.copy)
        self._improve({name: Unknown(centred, centred, doubled=opponents)})

    def _copy(self, name: str) -> Values:
        """Return a copy of values that are final."""
        return np.array(self._state.open(name))

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
        count = len(self.layouts.counts)
        for unknown in unknowns.values():
            unknown.choices = np.empty(count * CHOICE_BYTES * count, np.uint8)
        while (change := self._choose(unknowns.values())) > TOLERANCE:
            for name, unknown in unknowns.items():
                self._state.save(name, unknown.values, is_final=False)
            share = _SHARES_OF_CHANGE[int(change < _SETTLING_CHANGE)]
            self._compute(list(unknowns.values()), max(share * change, PASS_TOLERANCE))
        final = {name: self._without_double(unknown) for name, unknown in unknowns.items()}
        for name, values in final.items():
            self._state.save(name, values, is_final=True)

    def _without_double(self, unknown: Unknown) -> Values:
        """Return the values if the player on roll does not double on this roll."""
        if not len(unknown.doubled):
            return unknown.values
        values = unknown.values.copy()
        self._pass([Unknown(values, unknown.replies, choices=unknown.choices)], with_races=True)
        return values

    def _choose(self, unknowns: Iterable[Unknown]) -> float:
        """Choose the best plays, and return the largest change that they make."""
        parts = min(_PARTS_OF_CHOICE, len(self.layouts.counts))
        largest = 0.0
        for unknown in unknowns:
            arrays = (unknown.replies, unknown.doubled, unknown.values, unknown.choices)
            change = self._map(choose_plays, parts, (self.layouts.tables, self._lists, *arrays))
            largest = max(largest, change)
        self._progress.end_step(largest)
        return largest

    def _follow_chances(self, choices: NDArray[np.uint8]) -> None:
        """Compute the chances of all results under given plays, two at a time."""
        losses = self.layouts.losses
        won, gammon, backgammon = losses > 0, losses > 1, losses > 2
        for name, ends, sign in (
            ("advantages", (won, gammon), -1.0),
            ("sums", (gammon, backgammon), 1.0),
        ):
            if self._state.has_all((name,)):
                continue
            self._progress.enter(name)
            by_layouts = np.zeros((len(losses), len(losses), 2))
            by_layouts[:, 0] = np.stack(ends, axis=1)
            by_layouts[0] = sign * by_layouts[:, 0]
            by_layouts[0, 0] = 0.0
            values = by_layouts.ravel()
            unknown = Unknown(values, values, sign, 2, choices=choices)
            self._compute([unknown], PASS_TOLERANCE)
            self._state.save(name, values, is_final=True)

    def _compute(self, unknowns: Sequence[Unknown], tolerance: float) -> None:
        """Compute values under given plays, until a pass over all positions changes none by more.

        Once the changes shrink by the same factor from pass to pass, the values take what all further passes
        would add (Aitken's extrapolation), and then some passes to lose its error.
        """
        change, factor, since = self._pass(unknowns, with_races=True), 1.0, 0
        while change > tolerance:
            is_wanted = since >= _PASSES_BETWEEN
            for unknown in unknowns:
                unknown.changes = np.zeros(len(unknown.values), np.float32) if is_wanted else _NO_CHANGES
            last, change = change, self._pass(unknowns, with_races=False)
            last_factor, factor, since = factor, change / last, since + 1
            if is_wanted and 0.0 < factor < 0.95 and abs(factor - last_factor) < _STEADY:
                for unknown in unknowns:
                    unknown.changes *= factor / (1.0 - factor)
                    unknown.values += unknown.changes
                since = 0
        for unknown in unknowns:
            unknown.changes = _NO_CHANGES

    def _pass(self, unknowns: Sequence[Unknown], *, with_races: bool) -> float:
        """Compute values once for all positions under given plays, and return the largest change."""
        tables = self.layouts.tables
        parts = 1 if self._threads == 1 else _PARTS_OF_LEVEL * self._threads
        columns = unknowns[0].columns
        fresh = np.empty((len(self.layouts.counts), self.layouts.widest_layer, columns))
        largest = 0.0
        for total in range(2, self._most_pips + 1):
            for unknown in unknowns:
                plays = (tables, self._lists, unknown.choices, unknown.replies, fresh)
                self._map(follow_choices, parts, (total, with_races, unknown.sign, *plays))
                level = (tables, fresh, unknown.doubled, unknown.values, unknown.changes)
                changed = self._map(store_level, parts, (total, with_races, *level))
                largest = max(largest, changed)
        self._progress.end_step(largest)
        return largest

    def _map(self, step: Callable[..., float | None], parts: int, arguments: tuple[Any, ...]) -> float:
        """Take a step for all parts in the threads, and return the largest result."""
        if self._cancel is not None and self._cancel.is_set():
            raise CancelledWork("solving hypergammon was cancelled")
        largest = 0.0
        take: Any = map if self._threads == 1 else self._pool.map
        for result in take(lambda part: step(part, parts, *arguments), range(parts)):
            largest = max(largest, result or 0.0)
            self._progress.report()
        return largest
