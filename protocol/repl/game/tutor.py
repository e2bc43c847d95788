"""The tutor: what the decision at hand loses, and what is said against it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cubeful import compute_resignation_loss
from engine.errors import GammondError, StateError
from engine.match_analysis.statistics import XG_ERROR_POINTS, classify_loss
from engine.rules.cube_actions import name_cube_action
from engine.rules.match import RESULT_NAMES, MatchState
from engine.rules.notation import format_play, parse_play
from engine.rules.position import Position
from protocol.core.requests import WorkControl
from protocol.repl.answers.analysis import ROLL_ACTION
from protocol.repl.answers.replies import Mark, PreformattedLine, send_command
from protocol.repl.answers.tables import describe_source
from protocol.repl.records.losses import SHOWN_POINTS, rate_loss
from protocol.state.game_state import GameState
from protocol.state.session import Session

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
        loss: What it lost against the best one, in points.
        source: Depth and net.
    """

    done: str
    best: str
    loss: float
    source: str


class DecisionJudge:
    """Measures decisions by the engine of the session, at its depth; each of them once.

    Args:
        session: The table.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._losses: dict[tuple[bytes, MatchState, str, int, str], ActionLoss | None] = {}

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


def _measure_play(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> ActionLoss | None:
    table, roll = scratch.game, scratch.game.match.roll
    assert roll is not None
    try:
        done = format_play(parse_play(action, position, roll, table.rules))
    except GammondError:  # the game says what is wrong with it
        return None
    values = send_command(scratch, f"rank {done}", control)[-1].values
    if values["count"] == 1:
        return None
    return ActionLoss(done, str(values["best"]), float(values["loss"]), describe_source(values))


def _measure_cube_action(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> ActionLoss | None:
    table = scratch.game
    if table.match.doubled:
        values = send_command(scratch, "take", control)[-1].values
        best = str(values["response"])
        if action not in ("take", "drop", "beaver") or (best == "beaver" and action == "take"):
            return None
        key = "drop" if action == "drop" else "take"
        loss = float(values["drop" if best == "drop" else "take"]) - float(values[key])
    elif action in (ROLL_ACTION, "double") and table.may_double:
        values = send_command(scratch, "cube", control)[-1].values
        doubled = min(float(values["take"]), float(values["drop"]))
        best = "double" if values["double"] else ROLL_ACTION
        loss = float(values["best"]) - (doubled if action == "double" else float(values["no_double"]))
    else:
        return None
    done, best = (_ACTION_NAMES.get(word, word) for word in (action, best))
    return ActionLoss(done, best, max(loss, 0.0), describe_source(values))


def _measure_resignation(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> ActionLoss | None:
    match = scratch.game.match
    if match.doubled or match.on_roll != match.to_act:
        return None
    if match.roll is None:
        values = send_command(scratch, action, control)[-1].values
    else:
        best, last = send_command(scratch, "moves 1", control)[-2:]
        values = {**last.values, **best.values}
    kind = RESULT_NAMES.index(action.partition(" ")[2]) + 1
    engine = scratch.make_engine_loader()()
    value = float(next(values[key] for key in ("mwc", "cubeful", "equity") if key in values))
    loss = compute_resignation_loss(value, kind, engine.make_cube_game(match.before_roll()))
    if loss < SHOWN_POINTS:
        return None
    return ActionLoss(action, "play on", loss, describe_source(values))


class Tutor:
    """Objects to decisions that lose too much, before they are carried out.

    Args:
        judge: What measures them.

    Attributes:
        limit: The loss in points from which it objects; None while it is off.
        is_followed: Whether the last decision came in place of one that it had objected to.
    """

    def __init__(self, judge: DecisionJudge) -> None:
        self.limit: float | None = None
        self.is_followed = False
        self._judge = judge
        self._objected: tuple[GameState, str] | None = None

    @property
    def has_objected(self) -> bool:
        """Whether it waits for another decision, or the same again."""
        return self._objected is not None

    def set_limit(self, limit: float | None) -> None:
        """Set the loss from which it objects; 0 switches it off, None on where it is off."""
        self.limit = (self.limit or XG_ERROR_POINTS) if limit is None else limit or None

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
        verdict = self._judge.measure(table, action, control)
        was_objected = objected is not None and objected[0] is table
        self.is_followed = was_objected and (verdict is None or objected != (table, verdict.done))
        if verdict is None or verdict.loss < self.limit or verdict.done == verdict.best:
            return []
        if objected == (table, verdict.done):
            return []
        self._objected = table, verdict.done
        rating = f", {rate_loss(verdict.loss)}" if rate_loss(verdict.loss) else ""
        done = name_cube_action(_PHRASES.get(verdict.done, verdict.done), table.match)
        start = f"Tutor: {done} loses {verdict.loss:.3f}{rating}"
        mark = Mark(len("Tutor: "), len(start), classify_loss(verdict.loss))
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
