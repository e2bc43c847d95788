"""Solving hypergammon: policy iteration for cubeless play, and for money play with the cube.

Each solution begins with guesses, then in turns chooses the best play of every roll in every position, and
computes what positions are worth if these are played. It ends when the best plays change nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.hypergammon.kernels.levels import CHOICE_BYTES, choose_plays, follow_choices, store_level
from gammond.engine.hypergammon.layouts import Layouts, list_all_plays
from gammond.engine.runtime.files import open_output
from gammond.engine.runtime.machine import choose_thread_count

TOLERANCE = 1e-8
"""The best plays may change no value by more."""

_PASS_TOLERANCE = TOLERANCE / 4
"""A pass under given plays may change no value by more."""

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

SOLUTIONS = ("cubeless", "advantages", "sums", "owned", "opponents", "centred", "centred_jacoby")
"""What is computed: the cubeless equity; in two columns the chance to win less that to lose, and that of a
gammon less that to lose one; in two more the chance of a gammon, and of a backgammon, for either player. Then
money equities before a double: who owns the cube, the player on roll or the opponent, if anybody."""

Report = Callable[[float, str], None]
"""Called many times a second with the share of the work that is done, 0 to 1, and what is computed."""

WRITING = 0.99, "writing the file"

Values = NDArray[np.float64]
"""``float64[layouts * layouts * k]``: the waiting player's layout first, then that of the player on roll."""


class SolverState:
    """The solutions that a solver has so far: arrays by name in a folder; each file appears when it is whole.

    So a stopped solver goes on where it was.

    Args:
        positions: How many positions there are: arrays have one number for each, or two.
        folder: The folder, made when something is kept; None to keep the arrays in memory.
    """

    def __init__(self, positions: int, folder: Path | None = None) -> None:
        self._positions = positions
        self.folder = folder
        self._final: dict[str, Values] = {}

    def has_all(self, names: Iterable[str]) -> bool:
        """Return whether all of these arrays are final."""
        return all(name in self._final or (self.folder and self._path(name).exists()) for name in names)

    def load(self, name: str) -> Values | None:
        """Return an array that can be changed, final or not; None if there is none.

        Raises:
            DataFileError: Its file is damaged, or of another number of checkers.
        """
        if self.folder is None:
            return self._final.get(name)
        paths = (self._path(name), self._path(name, is_final=False))
        return next((self._read(path) for path in paths if path.exists()), None)

    def open(self, name: str) -> Values:
        """Return a final array, read-only and mapped into memory.

        Raises:
            DataFileError: As `load`.
        """
        return self._final[name] if self.folder is None else self._read(self._path(name), mmap_mode="r")

    def save(self, name: str, array: Values, *, is_final: bool) -> None:
        """Keep an array.

        Raises:
            OSError: It cannot be written.
        """
        if self.folder is None:
            if is_final:
                self._final[name] = array
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        with open_output(self._path(name, is_final=is_final)) as file:
            np.save(file, array)
        if is_final:
            self._path(name, is_final=False).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the files, once none of them is needed any more, and the folder unless it holds more."""
        if self.folder is not None:
            for name in SOLUTIONS:
                for is_final in (True, False):
                    self._path(name, is_final=is_final).unlink(missing_ok=True)
            with suppress(OSError):
                self.folder.rmdir()

    def _read(self, path: Path, mmap_mode: Literal["r"] | None = None) -> Values:
        with suppress(ValueError, EOFError):
            array: Values = np.load(path, mmap_mode=mmap_mode)
            if array.dtype == np.float64 and array.size in (self._positions, 2 * self._positions):
                return array
        raise DataFileError(
            f"{path} is damaged, or of another number of checkers: remove {self.folder} to begin anew",
            field="output",
        )

    def _path(self, name: str, *, is_final: bool = True) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}{'' if is_final else '.begun'}.npy"


_PHASES = {
    "cubeless": ("equity", 0.17),
    "advantages": ("wins", 0.14),
    "sums": ("gammons", 0.20),
    "owned": ("owned cube", 0.30),
    "centred": ("centred cube", 0.10),
    "centred_jacoby": ("Jacoby rule", 0.09),
}
"""The parts of the work by their first solution: what they are called, and their share of the whole time with
three checkers."""

_PHASES_OF_PASSES = ("advantages", "sums")
"""In these no play is chosen."""


class _Progress:
    """How far a solver is: what it computes, the step and the largest change in the one before."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def enter(self, phase: str) -> None:
        """Begin a phase, by the name of its solution."""
        number, (what, self._work) = [*_PHASES].index(phase) + 1, _PHASES[phase]
        self._done = self._share = sum(work for _, work in [*_PHASES.values()][: number - 1])
        self._name, self._step = f"{number} of {len(_PHASES)} {what}", 1
        self._text = f"{self._name}, step 1"
        is_passing = phase in _PHASES_OF_PASSES
        self._goal, self._power = (_PASS_TOLERANCE, 1.0) if is_passing else (TOLERANCE, 0.5)

    def end_step(self, change: float) -> None:
        """Note the largest change of a step, after which another begins.

        The share of a phase that is done is that of the goal's digits, to a power: policy iteration gains
        digits ever faster, passes under the same plays as many in each.
        """
        goal = self._goal
        digits = math.log(change) / math.log(goal) if goal < change < 1.0 else float(change < 1.0)
        self._share = max(self._share, self._done + self._work * digits**self._power)
        self._step += 1
        self._text = f"{self._name}, step {self._step}, largest change {change:.1e}, goal {goal:.1e}"

    def report(self) -> None:
        """Say it again."""
        self._report(self._share, self._text)


@dataclass
class Unknown:
    """Values of all positions that are to be computed.

    Attributes:
        values: The values, changed in place.
        replies: Those of the next mover, from which they follow.
        sign: As `gammond.engine.hypergammon.kernels.levels.follow_choices`.
        doubled: Where the player on roll may double, the values with a cube of 1 that the opponent owns.
        choices: The plays of all rolls in all positions.
        changes: Where a pass stores what it adds to the values; empty if it need not. Their precision is
            enough in ``float32``, as that of the values would not be.
    """

    values: Values
    replies: Values
    sign: float = -1.0
    doubled: Values = field(default_factory=lambda: _NOTHING)
    choices: NDArray[np.uint8] = field(default_factory=lambda: _NO_CHOICES)
    changes: NDArray[np.float32] = field(default_factory=lambda: _NO_CHANGES)


class Solver:
    """Solves hypergammon with a number of checkers; the result does not depend on the threads.

    Args:
        layouts: The layouts.
        state: Where values are kept between the steps.
        threads: None for one for each core.
        report: Called as the work proceeds; what it raises stops the work.
    """

    def __init__(
        self,
        layouts: Layouts,
        state: SolverState,
        threads: int | None = None,
        report: Report = lambda share, text: None,
    ) -> None:
        self.layouts = layouts
        self._lists = list_all_plays(layouts)
        self._state = state
        self._threads = choose_thread_count(threads)
        self._progress = _Progress(report)
        self._most_pips = 2 * len(layouts.tables.layer_starts) - 4

    def solve(self) -> None:
        """Compute all values that the state does not have yet; what it has remains when the work is stopped.

        Raises:
            OSError: The state cannot be kept.
        """
        with ThreadPoolExecutor(self._threads) as self._pool:
            if not self._state.has_all(("cubeless", "advantages", "sums")):
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

        ``ends`` is what a player with each layout loses when the other has finished.
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
            self._compute(list(unknowns.values()), max(share * change, _PASS_TOLERANCE))
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
            unknown = Unknown(values, values, sign, choices=choices)
            self._compute([unknown], _PASS_TOLERANCE)
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
        count = len(self.layouts.counts)
        fresh = np.empty((count, self.layouts.widest_layer, len(unknowns[0].values) // count**2))
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
        largest = 0.0
        take: Any = map if self._threads == 1 else self._pool.map
        for result in take(lambda part: step(part, parts, *arguments), range(parts)):
            largest = max(largest, result or 0.0)
            self._progress.report()
        return largest
