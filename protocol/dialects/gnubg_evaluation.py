"""The command ``evaluation`` of gnubg's dialect: FIBS boards in, numbers out, at 0-ply many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches
from gammond.engine.errors import CancelledWork, FormatError, GammondError
from gammond.engine.evaluation.results import Evaluations
from gammond.engine.formats.fibs_board import FibsDialect, decode_fibs_board, decode_fibs_boards
from gammond.engine.options import Bounds, Field, parse_fields
from gammond.engine.play.decider import Decider
from gammond.engine.rules.match import MatchState
from gammond.engine.search import MAX_PLIES, SearchWatch
from gammond.protocol.core.requests import Reply

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
_ROW = "%.6f %.6f %.6f %.6f %.6f %.6f"


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
        return replace(match, jacoby=self.jacoby, beavers=self.beavers) if match.is_money else match


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


def parse_evaluation(text: str) -> tuple[str, EvaluationOptions]:
    """Parse what follows the word ``evaluation``.

    Returns:
        The board line, not parsed, and the options.

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
    return rest[:names_end] + numbers, _parse_options(more[0] if more else "")


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


class FibsEvaluations(msgspec.Struct, frozen=True, cache_hash=True):
    """Answers ``evaluation`` with the same options for many boards: a `RequestBatch`.

    Attributes:
        decider: Its engine evaluates, at its depth by default.
        rules: What the lines do not say.
        options: The options.
    """

    decider: Decider
    rules: GnubgRules
    options: EvaluationOptions

    @property
    def plies(self) -> int:
        """The depth."""
        return self.decider.settings.plies if self.options.plies is None else self.options.plies

    @property
    def settings(self) -> EvalSettings:
        """How the boards are evaluated."""
        return EvalSettings(self.plies, self.decider.settings.filter_name, self.options.is_cubeful)

    def evaluate(self, line: str, watch: SearchWatch) -> Reply:
        """Answer for one board at any depth.

        Raises:
            GammondError: The board is none, it cannot be evaluated so, or the search was stopped.
        """
        board, settings = decode_fibs_board(line, FibsDialect.GNUBG), self.settings
        state = _apply_options(board.match, self.rules, self.options)
        evaluation = self.decider.engine.evaluate(board.position, state, settings, watch)
        assert evaluation.outcome is not None
        assert evaluation.effort is not None
        if not evaluation.effort.is_finished:
            raise CancelledWork(f"stopped before {settings.plies}-ply was finished")
        value = evaluation.mwc_or_equity
        if evaluation.decision is not None:
            value = evaluation.decision.no_double.mwc_or_equity
        return Reply(_ROW % (*evaluation.outcome, value))

    def answer(self, items: Sequence[str]) -> list[Reply | Exception]:
        """Answer for boards at 0-ply, each as by `evaluate`."""
        boards, matches = decode_fibs_boards(items, FibsDialect.GNUBG)
        states: dict[MatchState, int] = {}
        index_of: dict[int, int] = {}
        for match in matches:  # by identity, for the hash of a match state takes longer
            if id(match) not in index_of:
                state = None if match is None else _find_state(match, self.rules, self.options)
                index_of[id(match)] = -1 if state is None else states.setdefault(state, len(states))
        indices = np.array([index_of[id(match)] for match in matches])
        places = (indices >= 0).nonzero()[0]
        if len(places) < len(items):
            boards, indices = boards[places], indices[places]
        found = evaluate_matches(
            self.decider.engine, boards, tuple(states), indices, self.settings, may_double_now=False
        )
        replies = dict(zip(places.tolist(), _format_evaluations(found), strict=True))
        return [replies.get(place) or self._answer_alone(line) for place, line in enumerate(items)]

    def _answer_alone(self, line: str) -> Reply | Exception:
        try:
            return self.evaluate(line, SearchWatch())
        except GammondError as error:
            return error


def _apply_options(match: MatchState, rules: GnubgRules, options: EvaluationOptions) -> MatchState:
    """Return the match state of a line under rules and options."""
    if not match.is_money:
        return replace(match, crawford=False) if options.is_crawford_off else match
    jacoby = rules.jacoby if options.jacoby is None else options.jacoby
    return replace(match, jacoby=jacoby, beavers=rules.beavers)


@lru_cache(maxsize=4096)
def _find_state(match: MatchState, rules: GnubgRules, options: EvaluationOptions) -> MatchState | None:
    """Return the match state that is evaluated; None for one that cannot be, with the cube.

    Without the cube, all states of money play have the same values.
    """
    state = _apply_options(match, rules, options).before_roll()
    if not options.is_cubeful:
        return MatchState() if state.is_money else state
    has_owner = state.cube == 1 or state.cube_owner is not None
    return state if has_owner or state.is_money else None


def _format_evaluations(found: Evaluations) -> list[Reply]:
    """Write outcomes, and the value of not doubling: match-winning chance in a match, else equity."""
    equities = found.cubeless_equities if found.cubeful is None else found.cubeful
    numbers = np.empty((len(equities), 6))
    chances = equities if found.mwc is None else np.where(np.isnan(found.mwc), equities, found.mwc)
    numbers[:, :5], numbers[:, 5] = found.outcomes, chances
    text = f"{_ROW}\n" * len(numbers) % tuple(numbers.ravel().tolist())
    return [Reply(line) for line in text.splitlines()]
