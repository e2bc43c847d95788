"""The command ``evaluation`` of gnubg's dialect: FIBS boards in, numbers out, at 0-ply many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from engine.analysis.levels import EvalSettings
from engine.errors import CancelledWork, FormatError
from engine.formats.fibs_board import FibsDialect, decode_fibs_board, decode_fibs_boards
from engine.options import Bounds, Field, parse_fields
from engine.play.decider import Decider
from engine.rules.match import MatchState
from engine.rules.outcome import cubeless_equity
from engine.search import MAX_PLIES, SearchWatch
from engine.search.results import BoardEvaluations, PositionEvaluation

SWITCH_WORDS = ("on", "off")
_CUBE_WORDS = ("cubeful", "cubeless")
_CUBE_ON_WORDS = ("on", "cubeful")
_FIELDS = (
    Field("plies", int, Bounds(0, MAX_PLIES)),
    Field("cube", str, choices=SWITCH_WORDS + _CUBE_WORDS),
    *(Field(name, str, choices=SWITCH_WORDS) for name in ("crawfordrule", "jacobyrule", "beavers")),
)
"""The options of ``evaluation``; no value depends on ``beavers``."""

_BOARD_NUMBERS = 50
_ROW = "%.6f %.6f %.6f %.6f %.6f %.6f\n"


@dataclass(frozen=True)
class GnubgRules:
    """What gnubg's lines do not say about a money game.

    Attributes:
        jacoby: Whether gammons count only once the cube is turned; gnubg's default.
        beavers: Whether a double may be beavered. gnubg stops a game whose settings forbid the beaver it is
            sent, so the safe answer is no.
    """

    jacoby: bool = True
    beavers: bool = False

    def apply_to(self, match: MatchState) -> MatchState:
        """Return the match state of a line under these rules."""
        return _apply_rules(match, self.jacoby, self.beavers) if match.is_money else match


@lru_cache(maxsize=4096)
def _apply_rules(match: MatchState, jacoby: bool, beavers: bool) -> MatchState:
    return replace(match, jacoby=jacoby, beavers=beavers)


class EvaluationOptions(NamedTuple):
    """The options of one ``evaluation``.

    Attributes:
        plies: Depth; None for the default.
        is_cubeful: Whether the cube counts.
        jacoby: The Jacoby rule in money play; None for that of `GnubgRules`.
        is_crawford_off: Whether a match game counts as no Crawford game, whatever the board says.
    """

    plies: int | None
    is_cubeful: bool
    jacoby: bool | None
    is_crawford_off: bool

    def apply_to(self, match: MatchState) -> MatchState:
        """Return the match state that is evaluated."""
        if match.is_money:
            return match if self.jacoby is None else replace(match, jacoby=self.jacoby)
        return replace(match, crawford=False) if self.is_crawford_off else match


class EvaluationQuery(NamedTuple):
    """One ``evaluation``.

    Attributes:
        board: The board line, not parsed.
        options: Its options.
    """

    board: str
    options: EvaluationOptions


def parse_evaluation(text: str) -> EvaluationQuery:
    """Parse what follows the word ``evaluation``.

    Raises:
        GammondError: It is no board line with options; the fields of the board are not parsed.
    """
    kind, _, rest = text.partition(" ")
    rest = rest.strip()
    names_end = rest.find(":", rest.find(":", len("board:")) + 1)
    numbers, *more = rest[names_end:].split(None, 1) or [""]
    is_board = numbers.count(":") == _BOARD_NUMBERS and "::" not in numbers and not numbers.endswith(":")
    if kind.lower() != "fibsboard" or not rest.startswith("board:") or not is_board:
        raise FormatError("expected 'evaluation fibsboard board:…' with its 52 fields, then the options")
    return EvaluationQuery(rest[:names_end] + numbers, _parse_options(more[0] if more else ""))


@lru_cache(maxsize=256)
def _parse_options(text: str) -> EvaluationOptions:
    """Parse the options of ``evaluation``; of one given twice, the last counts."""
    values: dict[str, str] = {}
    words = iter(text.lower().split())
    for word in words:
        if word in _CUBE_WORDS:
            values["cube"] = word
        else:
            values[word] = next(words, "")
    options = parse_fields(values.items(), _FIELDS, "evaluation", error_field="option")
    jacoby = options.get("jacobyrule")
    return EvaluationOptions(
        options.get("plies"),
        options.get("cube") in _CUBE_ON_WORDS,
        None if jacoby is None else jacoby == "on",
        options.get("crawfordrule") == "off",
    )


@dataclass(frozen=True)
class FibsEvaluations:
    """Answers ``evaluation``; equal for connections whose queries can be answered together.

    Attributes:
        decider: Its engine evaluates, at its depth by default.
        rules: What the lines do not say.
    """

    decider: Decider
    rules: GnubgRules

    def find_plies(self, query: EvaluationQuery) -> int:
        """Return the depth of a query."""
        return self.decider.settings.plies if query.options.plies is None else query.options.plies

    def answer(self, query: EvaluationQuery, watch: SearchWatch) -> str:
        """Answer one query at any depth.

        Raises:
            GammondError: The board is none, it cannot be evaluated so, or the search was stopped.
        """
        options, plies = query.options, self.find_plies(query)
        settings = self._make_settings(plies, options.is_cubeful)
        board = decode_fibs_board(query.board, FibsDialect.GNUBG)
        match = options.apply_to(self.rules.apply_to(board.match))
        evaluation = self.decider.engine.evaluate(board.position, match, settings, watch)
        if not evaluation.effort.is_finished:
            raise CancelledWork(f"stopped before {plies}-ply was finished")
        return (_ROW % (*evaluation.outcome, _get_value_without_double(evaluation)))[:-1]

    def answer_many(self, queries: Sequence[EvaluationQuery]) -> list[str | None]:
        """Answer queries at 0-ply together.

        Returns:
            The answers, each as by `answer`; None where that raises an error.
        """
        boards, matches = decode_fibs_boards([query.board for query in queries], FibsDialect.GNUBG)
        groups = {is_cubeful: _Group() for is_cubeful in (False, True)}
        seen: dict[tuple[int, EvaluationOptions], int | None] = {}
        for place, (match, query) in enumerate(zip(matches, queries, strict=True)):
            if match is None:
                continue
            options, group = query.options, groups[query.options.is_cubeful]
            key = (
                id(match),
                options,
            )  # the hash of a match state takes longer
            if key not in seen:
                state = _find_state(match, self.rules, options)
                seen[key] = None if state is None else group.add_state(state)
            index = seen[key]
            if index is not None:
                group.places.append(place)
                group.indices.append(index)
        answers: list[str | None] = [None] * len(queries)
        for is_cubeful, group in groups.items():
            if not group.places:
                continue
            found = self.decider.engine.evaluate_matches(
                boards if len(group.places) == len(boards) else boards[group.places],
                tuple(group.states),
                np.array(group.indices),
                self._make_settings(0, is_cubeful),
                may_double_now=False,
            )
            for place, line in zip(group.places, _format_evaluations(found), strict=True):
                answers[place] = line
        return answers

    def _make_settings(self, plies: int, is_cubeful: bool) -> EvalSettings:
        return EvalSettings(plies, self.decider.settings.filter_name, is_cubeful)


@dataclass
class _Group:
    """Queries that are evaluated in one call: their places, and the index of each one's match state."""

    places: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    states: dict[MatchState, int] = field(default_factory=dict)

    def add_state(self, state: MatchState) -> int:
        """Return the index of a match state, which may be new."""
        return self.states.setdefault(state, len(self.states))


@lru_cache(maxsize=4096)
def _find_state(match: MatchState, rules: GnubgRules, options: EvaluationOptions) -> MatchState | None:
    """Return the match state that is evaluated; None for one that cannot be, with the cube."""
    state = options.apply_to(rules.apply_to(match)).before_roll()
    if not options.is_cubeful:
        return _MONEY if state.is_money else state
    has_owner = state.cube == 1 or state.cube_owner is not None
    return state if has_owner or state.is_money else None


_MONEY = MatchState()
"""Without the cube, all states of money play have the same values."""


def _get_value_without_double(evaluation: PositionEvaluation) -> float:
    """Return the value of not doubling on this roll: match-winning chance in a match, else equity."""
    if evaluation.decision is None:
        return evaluation.mwc_or_equity
    value = evaluation.decision.no_double
    return value.equity_points if value.mwc is None else value.mwc


def _format_evaluations(found: BoardEvaluations) -> list[str]:
    """Write outcomes, and the value of not doubling: match-winning chance in a match, else equity."""
    assert found.mwc is not None
    equities = cubeless_equity(found.outcomes) if found.cubeful is None else found.cubeful
    values = np.where(np.isnan(found.mwc), equities, found.mwc)
    numbers = np.empty((len(values), 6))
    numbers[:, :5], numbers[:, 5] = found.outcomes, values
    return (_ROW * len(values) % tuple(numbers.ravel().tolist())).splitlines()
