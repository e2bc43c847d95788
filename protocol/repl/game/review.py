"""What decisions cost: of the one at hand for the tutor, and of a whole game for ``review``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from engine.errors import GammondError, StateError
from engine.rules.dice import format_roll
from engine.rules.match import RESULT_NAMES, MatchState
from engine.rules.notation import format_play, parse_play
from engine.rules.position import Position
from protocol.core.requests import WorkControl
from protocol.repl.answers.analysis import ROLL_ACTION
from protocol.repl.answers.replies import Mark, PreformattedLine, send_command
from protocol.repl.answers.tables import describe_source, format_count
from protocol.repl.answers.themes import DOUBTFUL_POINTS, classify_loss
from protocol.state.game_log import LoggedAction
from protocol.state.game_state import GameState
from protocol.state.session import Session

WORST_COUNT = 5
"""The number of decisions that a review shows."""

_PHRASES = {
    "double": "a double",
    "no double": "a roll without a double",
    "take": "a take",
    "pass": "a pass",
    **{f"resign {name}": f"resigning a {name}{' game' * (name == 'single')}" for name in RESULT_NAMES},
}
"""Decisions as the subject of a sentence."""

_SHOWN_POINTS = 0.0005
"""A smaller loss is none, to three decimals."""

_ACTION_NAMES = {ROLL_ACTION: "no double", "drop": "pass"}
_ACTIONS = {name: action for action, name in _ACTION_NAMES.items()}
_MARK_NAMES = {"doubtful": "doubtful", "wrong": "an error", "blunder": "a blunder"}


@dataclass(frozen=True)
class DecisionLoss:
    """What a decision cost.

    Attributes:
        table: The table before it.
        done: The decision, in the words of a player: a play, ``no double``, ``pass``.
        best: The best one.
        loss: What it lost against the best one, in points.
        source: Depth and net.
        place: Where in a file it is; empty in the game at hand.
        turn: Which turn of its seat it is, from 1; None outside a game.
    """

    table: GameState
    done: str
    best: str
    loss: float
    source: str
    place: str = ""
    turn: int | None = None

    @property
    def rating(self) -> str:
        """How bad it was, in words; empty for a small loss."""
        return _MARK_NAMES.get(classify_loss(self.loss), "")


class Decision(NamedTuple):
    """A decision to be measured.

    Attributes:
        table: The table before it.
        action: `ROLL_ACTION`, or what ``play`` called it.
        turn: Which turn of its seat it is, from 1.
        place: Where in a file it is; empty in the game at hand.
    """

    table: GameState
    action: str
    turn: int
    place: str = ""


class Reviewer:
    """Measures decisions by the engine of the session, at its depth; each of them once.

    Args:
        session: The table.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._losses: dict[tuple[bytes, MatchState, str, int, str], DecisionLoss | None] = {}

    def measure(self, table: GameState, action: str, control: WorkControl) -> DecisionLoss | None:
        """Measure a decision.

        Args:
            table: The table before it.
            action: `ROLL_ACTION`, or what ``play`` takes.
            control: Stops and watches the search.

        Returns:
            The verdict; None for what is no decision (a forced play, a resignation that loses nothing), or
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

    def measure_all(self, decisions: Sequence[Decision], control: WorkControl) -> list[DecisionLoss]:
        """Measure decisions one after the other, until the work is stopped.

        Args:
            decisions: What a seat decided; those that are no decisions are left out.
            control: Stops and watches the work.

        Raises:
            GammondError: An evaluation failed.
        """
        losses = []
        for decision in decisions:
            if control.is_stopped:
                break
            if (loss := self.measure(decision.table, decision.action, control)) is not None:
                losses.append(replace(loss, place=decision.place, turn=decision.turn))
        return losses


def list_decisions(actions: Sequence[LoggedAction], seat: int) -> list[Decision]:
    """List the decisions of a seat: what it did, and before a roll that it did not double.

    Args:
        actions: What was done in a game, in order; the opening roll comes without a chance to double.
        seat: The seat.

    Returns:
        Its decisions, in order.
    """
    found: list[Decision] = []
    turn, has_begun = 1, False
    for number, action in enumerate(actions):
        table = action.before
        is_own_turn = table.match.on_roll == seat
        if is_own_turn and has_begun and actions[number - 1].before.match.on_roll != seat:
            turn += 1
        has_begun = has_begun or is_own_turn
        if table.match.to_act != seat:
            continue
        if table.match.roll is not None:
            before = replace(table, match=table.match.before_roll())
            has_doubled = number > 0 and actions[number - 1].text in ("take", "beaver")
            if number > 0 and before.may_double and not has_doubled:
                found.append(Decision(before, ROLL_ACTION, turn))
        found.append(Decision(table, action.text, turn))
    return found


def format_review(
    losses: Sequence[DecisionLoss], name: str, first_number: int = 1
) -> tuple[list[str], list[DecisionLoss]]:
    """Return how a seat played: what it lost in all, and a table of its worst decisions, the worst first.

    Args:
        losses: Of its decisions.
        name: What it is called.
        first_number: Of the first row of the table.

    Returns:
        The lines, and the decisions of the table.
    """
    name = name[:1].upper() + name[1:]
    if not losses:
        return [f"{name}: no decision to review."], []
    marks = [classify_loss(each.loss) for each in losses]
    blunders, errors, doubtful = (marks.count(mark) for mark in ("blunder", "wrong", "doubtful"))
    lost = sum(each.loss for each in losses)
    summary = [
        f"{name}: {format_count(len(losses), 'decision')}, {lost:.3f} points lost, "
        f"{1000 * lost / len(losses):.1f} thousandths a decision.",
        f"{format_count(blunders, 'blunder')}, {format_count(errors, 'error')}, {doubtful} doubtful "
        f"({losses[0].source}).",
    ]
    losing = (each for each in losses if each.loss >= _SHOWN_POINTS)
    worst = sorted(losing, key=lambda each: -each.loss)[:WORST_COUNT]
    return [*summary, *_format_worst(worst, first_number)], worst


def _format_worst(worst: Sequence[DecisionLoss], first_number: int) -> list[str]:
    if not worst:
        return []
    width = max(len("decision"), *(len(each.done) for each in worst)) + 2
    place_width = max(len(each.place) for each in worst)
    place_width += 2 * bool(place_width)
    lines = [
        PreformattedLine(
            f" {'':>2}    {'loss':>6}  {'':<{place_width}}{'turn':<6}{'roll':<6}{'decision':<{width}}better"
        )
    ]
    for number, each in enumerate(worst, first_number):
        roll = format_roll(each.table.match.roll) if each.table.match.roll else ""
        start = f" {number:>2}    "
        loss = f"{each.loss:>6.3f}"
        turn = "" if each.turn is None else str(each.turn)
        text = f"{start}{loss}  {each.place:<{place_width}}{turn:<6}{roll:<6}{each.done:<{width}}{each.best}"
        lines.append(PreformattedLine(text, [Mark(len(start), len(start + loss), classify_loss(each.loss))]))
    return list(lines)


def _measure_play(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> DecisionLoss | None:
    table, roll = scratch.game, scratch.game.match.roll
    assert roll is not None
    try:
        done = format_play(parse_play(action, position, roll, table.rules))
    except GammondError:  # the game says what is wrong with it
        return None
    values = send_command(scratch, f"rank {done}", control)[-1].values
    if values["count"] == 1:
        return None
    return DecisionLoss(table, done, str(values["best"]), float(values["loss"]), describe_source(values))


def _measure_cube_action(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> DecisionLoss | None:
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
    return DecisionLoss(table, done, best, max(loss, 0.0), describe_source(values))


def _measure_resignation(
    scratch: Session, position: Position, action: str, control: WorkControl
) -> DecisionLoss | None:
    table, match = scratch.game, scratch.game.match
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
    loss = engine.compute_resignation_loss(value, match.before_roll(), kind)
    if loss < _SHOWN_POINTS:
        return None
    return DecisionLoss(table, action, "play on", loss, describe_source(values))


class Tutor:
    """Objects to decisions that lose too much, before they are carried out.

    Args:
        reviewer: What measures them.

    Attributes:
        limit: The loss in points from which it objects; None while it is off.
    """

    def __init__(self, reviewer: Reviewer) -> None:
        self.limit: float | None = None
        self._reviewer = reviewer
        self._objected: tuple[GameState, str] | None = None

    @property
    def has_objected(self) -> bool:
        """Whether it waits for another decision, or the same again."""
        return self._objected is not None

    def set_limit(self, limit: float | None) -> None:
        """Set the loss from which it objects; 0 switches it off, None on where it is off."""
        self.limit = (self.limit or DOUBTFUL_POINTS) if limit is None else limit or None

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
        if self.limit is None:
            return []
        verdict = self._reviewer.measure(table, action, control)
        if verdict is None or verdict.loss < self.limit or verdict.done == verdict.best:
            return []
        if objected == (table, verdict.done):
            return []
        self._objected = table, verdict.done
        rating = f", {verdict.rating}" if verdict.rating else ""
        done = _PHRASES.get(verdict.done, verdict.done)
        start = f"Tutor: {done} loses {verdict.loss:.3f}{rating}"
        mark = Mark(len("Tutor: "), len(start), classify_loss(verdict.loss))
        return [
            PreformattedLine(f"{start}.", [mark]),
            f"Better: {verdict.best} ({verdict.source}).",
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
