"""The tutor: what the decision at hand loses, and what is said against it."""

from __future__ import annotations

from dataclasses import dataclass

from gammond.engine.cubeful import compute_resignation_loss
from gammond.engine.errors import GammondError, StateError
from gammond.engine.evaluation.results import is_on_scale
from gammond.engine.match_analysis.decision_errors import XG_ERROR_POINTS, classify_loss
from gammond.engine.rules.cube_actions import name_cube_action
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.notation import format_play, parse_play
from gammond.engine.rules.position import Position
from gammond.protocol.commands.cube import read_cube, read_resignation, read_take
from gammond.protocol.commands.decisions import ROLL_ACTION
from gammond.protocol.commands.evaluation import ask, find_mwc_loss, read_comparison, read_ranking
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import Mark, PreformattedLine
from gammond.protocol.repl.answers.tables import (
    describe_source,
    find_difference,
    find_loss_size,
    format_loss,
    list_answers,
)
from gammond.protocol.repl.records.losses import SHOWN_POINTS, rate_loss
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.offers import RESPONSE_WORDS
from gammond.protocol.state.session import Session

_PHRASES = {
    "double": "a double",
    "no double": "a roll without a double",
    "take": "a take",
    "pass": "a pass",
    **{f"resign {name}": f"resigning a {name}{' game' * (name == 'single')}" for name in RESULT_NAMES},
}
"""Decisions as the subject of a sentence."""

_ACTION_NAMES = {ROLL_ACTION: "no double", "drop": "pass"}
_ACTIONS = {name: action for action, name in _ACTION_NAMES.items()}


@dataclass(frozen=True)
class ActionLoss:
    """What a decision loses.

    Attributes:
        done: The decision, in the words of a player: a play, ``no double``, ``pass``.
        best: The best one.
        loss: What it lost against the best one.
        is_points: Whether that is in points; else, where these have no scale, in match-winning chance.
        source: Depth and net.
    """

    done: str
    best: str
    loss: float
    is_points: bool
    source: str

    @property
    def size(self) -> float:
        """The size of the loss in points, at double match point where points have no scale."""
        return find_loss_size(self.loss, is_points=self.is_points)


class Tutor:
    """Measures decisions, and objects to those that lose too much before they are carried out.

    It asks the engine of the session, at its depth; about each decision once.

    Args:
        session: The table.

    Attributes:
        limit: The loss in points from which it objects; None while it is off.
        is_followed: Whether the last decision came in place of one that it had objected to.
    """

    def __init__(self, session: Session) -> None:
        self.limit: float | None = None
        self.is_followed = False
        self._session = session
        self._losses: dict[tuple[bytes, MatchState, str, int, str], ActionLoss | None] = {}
        self._objected: tuple[GameState, str] | None = None

    def measure(self, table: GameState, action: str, control: WorkControl) -> ActionLoss | None:
        """Measure a decision.

        Args:
            table: The table before it.
            action: `ROLL_ACTION`, or what ``play`` takes.
            control: Stops and watches the search.

        Returns:
            The loss; None for what is no decision (a forced play, a resignation that loses nothing), or
            is not measured (an answer to a resignation), or is no legal play.

        Raises:
            GammondError: The evaluation failed.
        """
        if table.position is None or table.is_over or table.match.resigned:
            return None
        engine = self._session.engine_settings
        key = (table.position.board.tobytes(), table.match, action, engine.plies, engine.net)
        if key in self._losses:
            return self._losses[key]
        scratch = Session(self._session.service, self._session.initial_seed)
        scratch.engine_settings, scratch.game = engine, table
        measure = _measure_play if table.match.roll else _measure_cube_action
        if action.startswith("resign "):
            measure = _measure_resignation
        loss = measure(scratch, table.position, action, control)
        if not control.is_stopped:  # what was stopped early is measured again
            self._losses[key] = loss
        return loss

    @property
    def has_objected(self) -> bool:
        """Whether it waits for another decision, or the same again."""
        return self._objected is not None

    def set_limit(self, limit: float | None) -> None:
        """Set the loss from which it objects; 0 switches it off, None on where it is off."""
        self.limit = (self.limit or XG_ERROR_POINTS) if limit is None else limit or None

    def describe(self) -> list[str]:
        """Say whether it is on."""
        if self.limit is None:
            return ["The tutor is off."]
        return [f"The tutor objects to decisions that lose {self.limit:.3f} points or more."]

    def object_to(self, table: GameState, action: str, control: WorkControl) -> list[str]:
        """Return what it says against a decision; nothing where it lets it pass.

        Args:
            table: The table before it.
            action: `ROLL_ACTION`, or what ``play`` takes.
            control: Stops and watches the search.

        Raises:
            GammondError: The evaluation failed.
        """
        objected, self._objected = self._objected, None
        self.is_followed = False
        if self.limit is None:
            return []
        verdict = self.measure(table, action, control)
        was_objected = objected is not None and objected[0] is table
        self.is_followed = was_objected and (verdict is None or objected != (table, verdict.done))
        if verdict is None or verdict.size < self.limit or verdict.done == verdict.best:
            return []
        if objected == (table, verdict.done):
            return []
        self._objected = table, verdict.done
        done = name_cube_action(_PHRASES.get(verdict.done, verdict.done), table.match)
        start = f"Tutor: {done} loses {format_loss(verdict.loss, is_points=verdict.is_points)}"
        start += rate_loss(verdict.size)
        mark = Mark(len("Tutor: "), len(start), classify_loss(verdict.size))
        return [
            PreformattedLine(f"{start}.", [mark]),
            f"Better: {name_cube_action(verdict.best, table.match)} ({verdict.source}).",
            "It is taken back: decide again, or 'keep' it.",
        ]

    def take_objected(self, table: GameState) -> str:
        """Return the decision that it objected to at this table.

        Raises:
            StateError: There is none.
        """
        if self._objected is None or self._objected[0] is not table:
            raise StateError("nothing to keep: the tutor has objected to nothing", field="keep")
        return _ACTIONS.get(self._objected[1], self._objected[1])


def _measure_play(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> ActionLoss | None:
    table, roll = scratch.game, scratch.game.match.roll
    assert roll is not None
    try:
        parse_play(action, position, roll, table.rules)
    except GammondError:  # the game says what is wrong with it
        return None
    settings = scratch.make_eval_settings()
    found, engine = ask(scratch, read_comparison(scratch, settings, action), control)
    if len(found.ranked) == 1:
        return None
    done, best = format_play(found.play), format_play(found.best.play)
    mwc_loss, source = find_mwc_loss(found), describe_source(found.ranked.effort, engine.name)
    if found.is_loss_scaled or mwc_loss is None:
        return ActionLoss(done, best, found.loss, True, source)
    return ActionLoss(done, best, mwc_loss, False, source)


def _measure_cube_action(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> ActionLoss | None:
    table = scratch.game
    if table.match.doubled:
        answer, engine = ask(scratch, read_take(scratch), control)
        effort, best = answer.evaluation.effort, RESPONSE_WORDS[answer.response]
        values = list_answers(answer)
        if action not in ("take", "drop", "beaver") or (best == "beaver" and action == "take"):
            return None
        right, done = ("drop" if word == "drop" else "take" for word in (best, action))
        loss, is_points = find_difference(values[right], values[done])
    elif action in (ROLL_ACTION, "double") and table.may_double:
        evaluation, engine = ask(scratch, read_cube(scratch), control)
        effort, decision = evaluation.effort, evaluation.decision
        assert decision is not None  # it is cubeful and the game is not over
        best = "double" if decision.should_double else ROLL_ACTION
        answers = (decision.double_take, decision.double_pass)
        choices = answers if action == "double" else (decision.no_double,)
        known = [each for each in choices if each is not None]
        loss, is_points = max(find_difference(decision.best, each) for each in known)
    else:
        return None
    done, best = (_ACTION_NAMES.get(word, word) for word in (action, best))
    source = describe_source(effort, engine.name)
    return ActionLoss(done, best, max(loss, 0.0), is_points, source)


def _measure_resignation(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> ActionLoss | None:
    match, kind = scratch.game.match, RESULT_NAMES.index(action.partition(" ")[2]) + 1
    if match.doubled or match.on_roll != match.to_act:
        return None
    if match.roll is None:
        found, engine = ask(scratch, read_resignation(scratch, kind), control)
        value, effort = found.evaluation.mwc_or_equity, found.evaluation.effort
    else:
        settings = scratch.make_eval_settings()
        ranked, engine = ask(scratch, read_ranking(scratch, settings, 1), control)
        value, effort = ranked.best.evaluation.mwc_or_equity, ranked.effort
    space = engine.make_cube_game(match.before_roll())
    loss, is_points = compute_resignation_loss(value, kind, space), True
    if not is_on_scale(loss, space.mwc_per_point):
        loss, is_points = loss * space.equity_scale[1], False
    source = describe_source(effort, engine.name)
    resigned = ActionLoss(action, "play on", loss, is_points, source)
    return resigned if resigned.size >= SHOWN_POINTS else None
