"""What `gammond batch` says about positions: evaluations, best plays and cube decisions, at any depth."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches, find_best_plays
from gammond.engine.errors import GammondError
from gammond.engine.evaluation.results import CubeDecision, Evaluations, find_unscaled
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_batch import ParsedPositions
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import FORMATS
from gammond.engine.rules.dice import Roll, encode_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position, find_finished
from gammond.engine.rules.rules import Variant
from gammond.engine.runtime.threads import Workers
from gammond.engine.search import SearchWatch
from gammond.tools.batch.lines import PositionLine, decode_lines
from gammond.tools.batch.rows import Cell, Columns

EVAL, MOVES, CUBE = WANTS = ("eval", "moves", "cube")
"""What can be asked about each position."""

VALUE_COLUMNS = (*Outcome._fields, "equity")
CUBE_COLUMNS = ("cubeful", "mwc")
PLAY_COLUMNS = ("dice", "best", "best_equity", "best_mwc", "second", "second_equity", "second_mwc")
DECISION_COLUMNS = ("action", "no_double", "double_take", "double_pass")

_ENCODERS: dict[str, Callable[[Position, MatchState], str]] = {
    **{name: form.encode for name, form in FORMATS.items()},
    "gnubgid": lambda position, match: encode_position_id(position),
    "matchid": lambda position, match: encode_match_id(match),
}

ID_FORMS = tuple(_ENCODERS)
"""The forms, each the name of its column."""

_SMALLEST_SHOWN = 5e-7

LineAnswers = tuple[Columns, dict[int, GammondError], list[str]]
"""The cells of good lines by column, the errors of the others by place, and what was assumed."""


class LineAnalysis(Protocol):
    """Analyses the lines of a run.

    Attributes:
        name: Of the evaluator.
        plies: Its look-ahead.
        columns: The columns of its answers.
    """

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def plies(self) -> int: ...  # noqa: D102
    @property
    def columns(self) -> tuple[str, ...]: ...  # noqa: D102

    def answer_lines(self, block: list[PositionLine]) -> LineAnswers:
        """Answer for lines."""
        ...


class PositionAnalysis(ABC):
    """Analyses positions of backgammon, each in its own match state. Not for use from several threads.

    Args:
        engine: Evaluates.
        plies: Look-ahead beyond the evaluator's own.
        wants: Which of `WANTS`, in order.
        is_cubeful: Whether cube and score count.
        id_forms: Forms in which answers have the positions too.

    Attributes:
        variant: The game that the positions are of.
        name: Of the evaluator.
        plies: The look-ahead in all.
        columns: The columns of the answers.
    """

    first_columns: ClassVar[tuple[str, ...]] = ("plies",)
    """The columns of every answer."""

    columns_of: ClassVar[Mapping[str, tuple[str, ...]]]
    """Those of each of `WANTS`; cubeless ones have none of cubeful equities and match-winning chances."""

    def __init__(
        self, engine: Engine, plies: int, wants: Sequence[str], is_cubeful: bool, id_forms: Sequence[str]
    ) -> None:
        self._engine = engine
        self._wants = wants
        self._is_cubeful = is_cubeful
        self._id_forms = id_forms
        self._needs_dice = MOVES in wants or bool(id_forms)
        self._stopped = threading.Event()
        self.variant: Variant = engine.rules.variant
        self.name = engine.name
        self.plies = engine.evaluator.plies + plies
        asked = [name for want in wants for name in self.columns_of[want]]
        shown = [name for name in asked if is_cubeful or not ("cubeful" in name or "mwc" in name)]
        self.columns: tuple[str, ...] = (*id_forms, *self.first_columns, *shown)

    def answer_lines(self, block: list[PositionLine]) -> LineAnswers:
        """Answer for lines, as `LineAnalysis`."""
        found = decode_lines(block, self._check_match, needs_dice=self._needs_dice, variant=self.variant)
        good = np.flatnonzero(found.is_good)
        cells: Columns = {}
        if good.size:
            cells = self.answer(found if len(good) == len(block) else select_positions(found, good))
        return cells, found.errors, list(found.assumed.values())

    def _check_match(self, match: MatchState) -> None:
        """Check that positions of a match state can be evaluated.

        Raises:
            PositionError: The cube of a match shows more than 1 and nobody owns it.
        """
        if self._is_cubeful:
            self._engine.make_cube_game(match)

    def answer(self, found: ParsedPositions) -> Columns:
        """Answer for positions, all of them good.

        Raises:
            KeyboardInterrupt: It came meanwhile; work on other threads is on its end.
        """
        try:
            columns = list_ids(found, self._id_forms) | self._answer(found)
        except KeyboardInterrupt:
            self._stopped.set()
            raise
        return {name: columns[name] for name in self.columns}

    @abstractmethod
    def _answer(self, found: ParsedPositions) -> Columns:
        """Return the columns of answers for positions, all of them good, and maybe others."""


class BatchEvaluator(PositionAnalysis):
    """Evaluates many positions.

    Args:
        engine: Evaluates.
        settings: Look-ahead, move filter, and whether cube and score count.
        wants: Which of `WANTS`, in order.
        id_forms: Forms in which answers have the positions too.
        threads: Threads that rank plays.
    """

    columns_of: ClassVar[Mapping[str, tuple[str, ...]]] = {
        EVAL: (*VALUE_COLUMNS, *CUBE_COLUMNS),
        MOVES: PLAY_COLUMNS,
        CUBE: DECISION_COLUMNS,
    }

    def __init__(
        self,
        engine: Engine,
        settings: EvalSettings,
        *,
        wants: Sequence[str] = (EVAL,),
        id_forms: Sequence[str] = (),
        threads: int = 1,
    ) -> None:
        super().__init__(engine, settings.plies, wants, settings.is_cubeful, id_forms)
        self._settings = settings
        self._workers = Workers(threads)

    def _answer(self, found: ParsedPositions) -> Columns:
        columns: Columns = {"plies": [self.plies] * len(found.boards)}
        if EVAL in self._wants or CUBE in self._wants:
            evaluations = self._evaluate(found)
            if EVAL in self._wants:
                columns |= _list_values(evaluations)
            if CUBE in self._wants:
                columns |= list_decisions(evaluations.decisions or [])
        if MOVES in self._wants:
            columns |= self._list_plays(found)
        return columns

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


def list_ids(found: ParsedPositions, forms: Sequence[str]) -> Columns:
    """List positions, with score, cube and dice, in some forms.

    Args:
        found: The positions, all of them good.
        forms: Some of `ID_FORMS`.
    """
    if not forms:
        return {}
    columns: Columns = {form: [] for form in forms}
    for place, (board, which) in enumerate(zip(found.boards, found.match_indices.tolist(), strict=True)):
        position = Position.from_valid_board(board)
        match = _add_roll(found.matches[which], found.rolls.get(place))
        for form in forms:
            columns[form].append(_ENCODERS[form](position, match))
    return columns


@lru_cache(maxsize=4096)
def _add_roll(match: MatchState, roll: Roll | None) -> MatchState:
    return replace(match, roll=roll)


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


def _list_values(found: Evaluations) -> Columns:
    columns: Columns = {
        name: list_numbers(found.outcomes[:, place]) for place, name in enumerate(Outcome._fields)
    }
    columns["equity"] = list_numbers(found.cubeless_equities)
    if found.cubeful is not None:
        columns["cubeful"] = list_numbers(np.where(found.find_unscaled(), np.nan, found.cubeful))
        columns["mwc"] = [None] * len(found.outcomes) if found.mwc is None else list_numbers(found.mwc)
    return columns
