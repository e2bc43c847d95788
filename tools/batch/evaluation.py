"""What `gammond batch` says about positions: evaluations, best plays and cube decisions, at any depth."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches, find_best_plays
from gammond.engine.errors import GammondError, UnsupportedError
from gammond.engine.evaluation.results import CubeDecision, Evaluations, find_unscaled
from gammond.engine.formats.position_batch import ParsedPositions
from gammond.engine.rules.dice import encode_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import find_finished
from gammond.engine.rules.rules import BACKGAMMON, Rules, Variant
from gammond.engine.runtime.threads import Workers
from gammond.engine.search import SearchWatch
from gammond.tools.batch.lines import PositionLine
from gammond.tools.common.opponents import load_net_engine

EVAL, MOVES, CUBE = WANTS = ("eval", "moves", "cube")
"""What can be asked about each position."""

Cell = float | int | str | None
"""What stands in a row; None for nothing."""

Columns = dict[str, list[Cell]]
"""Cells by column, in the order of the columns, with one cell for each position."""

VALUE_COLUMNS = (*Outcome._fields, "equity")
CUBE_COLUMNS = ("cubeful", "mwc")
PLAY_COLUMNS = ("dice", "best", "best_equity", "best_mwc", "second", "second_equity", "second_mwc")
DECISION_COLUMNS = ("action", "no_double", "double_take", "double_pass")

_SMALLEST_SHOWN = 5e-7


class BatchAnalysis(Protocol):
    """Analyses the positions of a run.

    Attributes:
        name: Of the evaluator.
        plies: Look-ahead.
        columns: The columns of its answers.
        variant: The game that the positions are of.
    """

    @property
    def variant(self) -> Variant: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def plies(self) -> int: ...  # noqa: D102
    @property
    def columns(self) -> tuple[str, ...]: ...  # noqa: D102

    def check_match(self, match: MatchState) -> None:
        """Raise a GammondError for a match state whose positions it cannot answer for."""
        ...

    def answer(self, found: ParsedPositions) -> Columns:
        """Answer for positions, all of them good."""
        ...


LineAnswers = tuple[Columns, dict[int, GammondError], list[str]]
"""The cells of good lines by column, the errors of the others by place, and what was assumed."""


@runtime_checkable
class LineAnalysis(Protocol):
    """Analyses the lines of a run about a game other than backgammon; else as `BatchAnalysis`."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def plies(self) -> int: ...  # noqa: D102
    @property
    def columns(self) -> tuple[str, ...]: ...  # noqa: D102

    def answer_lines(self, block: list[PositionLine]) -> LineAnswers:
        """Answer for lines."""
        ...


class BatchEvaluator:
    """Evaluates many positions, each in its own match state. Not for use from several threads.

    Args:
        engine: Evaluates.
        settings: Look-ahead, move filter, and whether cube and score count.
        wants: Which of `WANTS`.
        threads: Threads that rank plays.

    Raises:
        UnsupportedError: Cube decisions are wanted without the cube.
    """

    def __init__(
        self,
        engine: Engine,
        settings: EvalSettings,
        *,
        wants: Sequence[str] = (EVAL,),
        threads: int = 1,
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._wants = check_wants(wants, settings.is_cubeful)
        self._workers = Workers(threads)
        self._stopped = threading.Event()

    @property
    def name(self) -> str:
        """The evaluator's name."""
        return self._engine.name

    @property
    def variant(self) -> Variant:
        """The game that the positions are of."""
        return self._engine.rules.variant

    @property
    def plies(self) -> int:
        """The look-ahead of the evaluations."""
        return self._engine.evaluator.plies + self._settings.plies

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its answers."""
        is_cubeful = self._settings.is_cubeful
        plays = [name for name in PLAY_COLUMNS if is_cubeful or not name.endswith("mwc")]
        return (
            "plies",
            *(VALUE_COLUMNS if EVAL in self._wants else ()),
            *(CUBE_COLUMNS if EVAL in self._wants and is_cubeful else ()),
            *(plays if MOVES in self._wants else ()),
            *(DECISION_COLUMNS if CUBE in self._wants else ()),
        )

    def check_match(self, match: MatchState) -> None:
        """Check that positions of a match state can be evaluated.

        Raises:
            PositionError: The cube of a match shows more than 1 and nobody owns it.
        """
        if self._settings.is_cubeful:
            self._engine.make_cube_game(match)

    def answer(self, found: ParsedPositions) -> Columns:
        """Answer for positions, all of them good.

        Raises:
            KeyboardInterrupt: It came meanwhile; work on other threads is on its end.
        """
        columns: Columns = {"plies": [self.plies] * len(found.boards)}
        try:
            if EVAL in self._wants or CUBE in self._wants:
                evaluations = self._evaluate(found)
                if EVAL in self._wants:
                    columns |= _list_values(evaluations)
                if CUBE in self._wants:
                    columns |= list_decisions(evaluations.decisions or [])
            if MOVES in self._wants:
                columns |= self._list_plays(found)
        except KeyboardInterrupt:
            self._stopped.set()
            raise
        return {name: columns[name] for name in self.columns}

    def _evaluate(self, found: ParsedPositions) -> Evaluations:
        watch, settings = SearchWatch(self._stopped.is_set), self._settings
        if settings.is_cubeful:
            return evaluate_matches(
                self._engine,
                found.boards,
                found.matches,
                found.match_indices,
                settings,
                watch=watch,
                decides=CUBE in self._wants,
            )
        if settings.plies:
            return self._engine.evaluate_boards(found.boards, MatchState(), settings, watch)
        return Evaluations(self._engine.evaluator.evaluate(found.boards), None, None)

    def _list_worths(self, matches: Sequence[MatchState], indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the match-winning chances that a point is worth, ``float64[n]``; nan in money play."""
        worths = np.full(len(indices), np.nan)
        for which in np.unique(indices).tolist():
            worth = self._engine.make_cube_game(matches[which]).mwc_per_point
            worths[indices == which] = np.nan if worth is None else worth
        return worths

    def _list_plays(self, found: ParsedPositions) -> Columns:
        """List the best plays of the positions that have dice and are not over."""
        settings, count = self._settings, len(found.boards)
        is_over = find_finished(found.boards)
        places = np.array([place for place in sorted(found.rolls) if not is_over[place]], np.int64)
        rolls = np.array([found.rolls[place] for place in places.tolist()], np.int8).reshape(-1, 2)
        matches: Sequence[MatchState] = found.matches if settings.is_cubeful else (MatchState(),)
        indices = found.match_indices[places] if settings.is_cubeful else np.zeros(len(places), np.int64)
        best = find_best_plays(
            self._engine,
            found.boards[places],
            rolls,
            matches,
            indices,
            settings,
            workers=self._workers,
            cancelled=self._stopped.is_set,
        )
        columns: Columns = {name: [None] * count for name in PLAY_COLUMNS}
        unscaled = find_unscaled(best.scores, self._list_worths(matches, indices)[:, None])
        scores, chances = map(list_numbers, (np.where(unscaled, np.nan, best.scores).T, best.mwc.T))
        for at, place in enumerate(places.tolist()):
            columns["dice"][place] = encode_roll(rolls[at].tolist())
            for rank, (name, text) in enumerate(zip(("best", "second"), best.texts[at], strict=False)):
                columns[name][place] = text
                columns[f"{name}_equity"][place] = scores[rank * len(places) + at]
                columns[f"{name}_mwc"][place] = chances[rank * len(places) + at]
        return columns


def check_wants(wants: Sequence[str], is_cubeful: bool) -> tuple[str, ...]:
    """Return what is wanted, in order.

    Raises:
        UnsupportedError: Cube decisions are wanted without the cube.
    """
    if CUBE in wants and not is_cubeful:
        raise UnsupportedError(
            "--cubeless leaves the cube out: remove it, or 'cube' from --want", field="want"
        )
    return tuple(want for want in WANTS if want in wants)


def load_batch_evaluator(
    net: str,
    settings: EvalSettings,
    *,
    threads: int = 1,
    wants: Sequence[str] = (EVAL,),
    variant: Variant = BACKGAMMON,
) -> BatchEvaluator:
    """Load what values positions.

    Args:
        net: The name of an evaluator.
        settings: As for `BatchEvaluator`.
        threads: How many threads look ahead, and rank plays.
        wants: As for `BatchEvaluator`.
        variant: The game that the positions are of.

    Raises:
        GammondError: As `gammond.tools.common.opponents.load_net_engine` and `BatchEvaluator`.
    """
    check_wants(wants, settings.is_cubeful)
    engine = load_net_engine(net, threads).with_rules(Rules(variant))
    return BatchEvaluator(engine, settings, wants=wants, threads=threads)


def list_decisions(decisions: Sequence[CubeDecision | None]) -> Columns:
    """List cube decisions in `DECISION_COLUMNS`, without cells where there is none."""
    columns: Columns = {name: [] for name in DECISION_COLUMNS}
    for decision in decisions:
        columns["action"].append(None if decision is None else decision.text)
        for name in DECISION_COLUMNS[1:]:
            value = None if decision is None else getattr(decision, name)
            points = None if value is None else value.points
            columns[name].append(None if points is None else clear_negative_zero(points))
    return columns


def list_numbers(values: NDArray[np.floating]) -> list[Cell]:
    """List the numbers of an array of any shape: None for nan, no negative zeros among the six decimals."""
    flat = values.ravel().astype(np.float64)
    flat[np.abs(flat) < _SMALLEST_SHOWN] = 0.0
    cells: list[Cell] = list(flat.tolist())
    for place in np.flatnonzero(np.isnan(flat)).tolist():
        cells[place] = None
    return cells


def clear_negative_zero(value: float) -> float:
    """Return a number, 0 where six decimals would show none of it."""
    return 0.0 if abs(value) < _SMALLEST_SHOWN else value


def select_positions(found: ParsedPositions, places: NDArray[np.int64]) -> ParsedPositions:
    """Return some of the good positions, numbered anew, without what was assumed of them."""
    rolls = {new: found.rolls[old] for new, old in enumerate(places.tolist()) if old in found.rolls}
    return ParsedPositions(
        np.ascontiguousarray(found.boards[places]),
        np.ones(len(places), np.bool_),
        {},
        found.matches,
        found.match_indices[places],
        rolls,
        {},
    )


def _list_values(found: Evaluations) -> Mapping[str, list[Cell]]:
    columns: Columns = {
        name: list_numbers(found.outcomes[:, place]) for place, name in enumerate(Outcome._fields)
    }
    columns["equity"] = list_numbers(found.cubeless_equities)
    if found.cubeful is not None:
        columns["cubeful"] = list_numbers(np.where(found.find_unscaled(), np.nan, found.cubeful))
        columns["mwc"] = [None] * len(found.outcomes) if found.mwc is None else list_numbers(found.mwc)
    return columns
