"""Builds one game of a match file action by action, each checked by the rules.

A file is evidence: what it states outranks the rules. A play against them is carried out and marked.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gammond.engine.errors import FormatError, GammondError, PlayError, StateError, ValueRangeError
from gammond.engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    IssueKind,
    MatchIssue,
    MatchRules,
    RecordedGame,
    number_moves,
)
from gammond.engine.rules.dice import ROLLS, Roll, format_roll, validate_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import SEATS, GameResult, MatchState
from gammond.engine.rules.moves import CheckerMove, LegalPlays, Play, generate_plays
from gammond.engine.rules.notation import carry_out_play, find_written_play, infer_play
from gammond.engine.rules.position import Board, Position
from gammond.engine.wording import escape_unprintable

_MAX_COMMENT_LENGTH = 50_000
"""What is longer is cut; a comment may come in many pieces."""

WrittenPlay = str | Sequence[CheckerMove] | Board
"""A play as a file has it: text, checker moves in the mover's numbering (25 the bar, 0 off), or the board
that it leads to, ``int8[2, 26]`` as the next mover sees it."""

Step = Callable[["GameBuilder"], None]
"""What a file has next: a call of one of the methods of a builder."""


class RuleError(Exception):
    """What a file says cannot be done.

    Attributes:
        roll: The dice of a play that cannot be read.
    """

    def __init__(self, kind: IssueKind, message: str, roll: Roll | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.roll = roll


class GameBuilder:
    """Builds one game.

    Args:
        number: Its number in the file.
        begun: How it begins.
        match_rules: The rules of the match.
        at: Where it begins.
        first_seat_open: Whether the first action shows who begins.
        crawford_open: Whether the Crawford game may have been before, in a game that the file does not have.

    Attributes:
        faults: In order; their lines are places, in a binary file too.
        unplayed: Where the game stood before its last action, if that is a roll without a play.
    """

    def __init__(
        self,
        number: int,
        begun: GameSituation,
        match_rules: MatchRules,
        at: int = 0,
        *,
        first_seat_open: bool = False,
        crawford_open: bool = False,
    ) -> None:
        self.number = number
        self.initial = self.situation = begun
        self.actions: list[GameAction] = []
        self.notes: dict[int, ActionNotes] = {}
        self.comment = ""
        self.at = at
        self.faults: list[MatchIssue] = []
        self._is_strict = False
        self.match_rules = match_rules
        self._first_seat_open = first_seat_open
        self._crawford_open = crawford_open
        self._last_entry: object = None
        self._plays: tuple[Position, Roll, LegalPlays] | None = None
        self.unplayed: GameSituation | None = None

    def build(self, result: GameResult | None = None, missing: tuple[str, ...] = ()) -> RecordedGame:
        """Return the game with what was added, its result, and what could not be read."""
        return RecordedGame(
            self.number,
            self.initial.match,
            self.initial.position,
            tuple(self.actions),
            result,
            self.match_rules.rules,
            self.notes,
            self.comment,
            missing,
        )

    def number_action(self, seat: int | None = None) -> int:
        """Return the number of the move that another action of a seat would belong to, by `number_moves`.

        Args:
            seat: None for the number of the last action, 0 where there is none.
        """
        if seat is None:
            return max(number_moves(self.actions), default=0)
        return number_moves([*self.actions, DoubleAction(seat, 0)])[-1]

    def add_fault(self, kind: IssueKind, message: str, seat: int | None = None) -> None:
        """Note a fault at the present place; `seat` acts, None for nobody."""
        self.note_fault(kind, message, self.at, self.number_action(seat))

    def note_fault(self, kind: IssueKind, message: str, at: int, move: int) -> None:
        """Note a fault at a place and a move."""
        self.faults.append(MatchIssue(kind, message, at, game=self.number, move=move))

    def branch(self, *, is_strict: bool = False) -> GameBuilder:
        """Return a builder that stands where this one does, and goes on by itself.

        Args:
            is_strict: Whether it refuses what the rules forbid.
        """
        other = copy.copy(self)
        other.actions, other.notes = [*self.actions], {**self.notes}
        other.faults, other._is_strict = [*self.faults], is_strict
        return other

    def adopt(self, other: GameBuilder) -> None:
        """Stand where another builder does, as strict as before."""
        vars(self).update({**vars(other), "_is_strict": self._is_strict})

    def play(self, seat: int, roll: Roll, written: WrittenPlay | None, notes: ActionNotes) -> None:
        """Add a roll and its play; None for a roll that was not played. What is there twice counts once."""
        entry = seat, roll, written.tobytes() if isinstance(written, np.ndarray) else written
        if entry == self._last_entry and seat != self.situation.match.to_act and not self._is_strict:
            self.add_fault(
                IssueKind.OUT_OF_TURN, f"the roll {format_roll(roll)} is there twice: read once", seat
            )
            return
        self._begin_with(seat)
        if self.unplayed is not None and self.actions[-1] == RollAction(seat, roll):
            if written is None:
                return
            self.take_back_roll()
        elif written is not None and not self._is_strict:
            roll = self._choose_roll(seat, roll, written)
        if self.situation.match.beavered and seat == self.situation.match.to_act:
            self.act(ResponseAction(seat, True), NO_NOTES)
        rolled = f"the roll {format_roll(roll)}"
        if self.situation.match.doubled and seat == self.situation.match.on_roll and not self._is_strict:
            self.add_fault(
                IssueKind.OUT_OF_TURN, f"expected a response to the double, got {rolled}: it was taken"
            )
            self.act(ResponseAction(1 - seat, True), NO_NOTES)
        self._check_turn(seat, rolled)
        if self.situation.match.doubled:
            raise RuleError(IssueKind.OUT_OF_TURN, f"expected a response to the double, got {rolled}")
        try:
            validate_roll(*roll)
        except (FormatError, ValueRangeError) as error:
            raise RuleError(IssueKind.UNREADABLE, error.message) from None
        if isinstance(written, str) and not written:
            plays = self.list_plays(roll)
            written = plays[0].moves if len(plays) == 1 else None
        before = self.situation
        if written is None:
            self.act(RollAction(seat, roll), notes)
            self.unplayed = before
        else:
            play, is_legal = self._read_play(roll, written)
            self.act(PlayAction(seat, roll, play, is_legal), notes)
        self._last_entry = entry

    def complete_roll(self, seat: int, written: WrittenPlay) -> None:
        """Add the play of a roll that was added without one."""
        last = self.actions[-1] if self.actions else None
        if isinstance(last, PlayAction) and self._last_entry == (seat, last.roll, written):
            self._refuse_or_note(IssueKind.OUT_OF_TURN, "the play is there twice: read once", seat)
            return
        if self.unplayed is None or not isinstance(last, RollAction):
            message = "expected a roll, got a play without one"
            roll = self._find_roll(seat, written)
            if roll is None:
                raise RuleError(IssueKind.UNREADABLE, message)
            self._refuse_or_note(
                IssueKind.UNREADABLE, f"{message}: it can be of {format_roll(roll)} only", seat
            )
        else:
            roll = last.roll
            self.take_back_roll()
        self.play(seat, roll, written, NO_NOTES)

    def _find_roll(self, seat: int, written: WrittenPlay) -> Roll | None:
        """Return the roll of a seat's play; None if it can be of none, or of several."""
        match = self.situation.match
        if self.situation.result is not None or match.doubled or match.to_act != seat:
            return None
        found = [roll for roll in ROLLS if self._is_legal(roll, written)]
        return found[0] if len(found) == 1 else None

    def _choose_roll(self, seat: int, roll: Roll, written: WrittenPlay) -> Roll:
        """Return the roll of a play before which the same seat has another roll, which was not played."""
        last = self.actions[-1] if self.actions else None
        if self.unplayed is None or not isinstance(last, RollAction) or last.seat != seat:
            return roll
        trial = self.branch()
        trial.take_back_roll()
        chosen = next((each for each in (roll, last.roll) if trial._is_legal(each, written)), None)
        if chosen is None:
            return roll
        self.take_back_roll()
        message = f"expected one roll, got {format_roll(last.roll)} and {format_roll(roll)}"
        self.add_fault(IssueKind.OUT_OF_TURN, f"{message}: the play is of {format_roll(chosen)}", seat)
        return chosen

    def _is_legal(self, roll: Roll, written: WrittenPlay) -> bool:
        try:
            self.find_play(roll, written)
        except GammondError:
            return False
        return True

    def double_automatically(self) -> None:
        """Turn the centred cube before the first play."""
        match = self.situation.match
        if self.actions or match.cube_owner is not None or not match.is_money:
            self.add_fault(IssueKind.ILLEGAL_CUBE_ACTION, "automatic doubles come before money games only")
        elif 2 * match.cube > self.match_rules.cube_limit:
            limit = self.match_rules.cube_limit
            self.add_fault(IssueKind.ILLEGAL_CUBE_ACTION, f"expected a cube of at most {limit}, got more")
        else:
            self.initial = self.situation = replace(self.situation, match=replace(match, cube=2 * match.cube))

    def double(self, seat: int, cube: int | None, notes: ActionNotes) -> None:
        """Add a double, a beaver or a raccoon, whichever is next; one against the rules counts too."""
        self._begin_with(seat)
        match self.actions[-1:]:
            case [DoubleAction(seat=doubler, cube=said)] if doubler == seat and cube in (None, said):
                if not self._is_strict:
                    self.add_fault(IssueKind.OUT_OF_TURN, "the double is there twice: read once", seat)
                    return
        self._check_turn(seat, "a double")
        if self.situation.match.crawford:
            self._leave_crawford_game(seat)
        match, limit = self.situation.match, self.match_rules.cube_limit
        turned = (4 if match.doubled else 2) * match.cube
        cube = cube or turned
        if not self.actions and self.situation.position == self.match_rules.rules.starting_position:
            self._allow_double(seat, cube, "expected a roll first, got a double")
        elif turned > limit:
            self._allow_double(seat, cube, f"expected a cube of at most {limit}, got a double to {turned}")
        try:
            self.act(DoubleAction(seat, cube), notes)
        except RuleError as error:
            self._allow_double(seat, cube, error.message)
            self.act(DoubleAction(seat, cube), notes)

    def respond(self, seat: int, is_take: bool, notes: ActionNotes) -> None:
        """Add a take or a pass; a pass of no double is a resignation."""
        match self.actions[-1:]:
            case [DoubleAction(seat=doubler)] if (
                is_take and seat != doubler and not self.situation.match.doubled
            ):
                return  # a raccoon is taken at once, whether a file says so or not
        self._begin_with(seat)
        name = "a take" if is_take else "a pass"
        match_now = self.situation.match
        if not match_now.doubled and self.situation.result is None:
            if match_now.to_act == 1 - seat and match_now.may_double(1 - seat) and self.actions:
                message = f"expected a double before {name}, got none: it was doubled"
                self.add_fault(IssueKind.ILLEGAL_CUBE_ACTION, message, seat)
                self.double(1 - seat, None, NO_NOTES)
                self.act(ResponseAction(seat, is_take), notes)
                return
            self._refuse_or_note(
                IssueKind.ILLEGAL_CUBE_ACTION, f"expected a double before {name}, got none", seat
            )
            if not is_take:
                self.act(ResignationAction(seat, 1), NO_NOTES)
            return
        self._check_turn(seat, name)
        self.act(ResponseAction(seat, is_take), notes)

    def set_table(self, position: Position, match: MatchState, first_seat_open: bool) -> None:
        """Set checkers, cube and turn; before the first action this is how the game begins."""
        if not self.actions:
            self.initial = self.situation = GameSituation(position, match)
            self._first_seat_open = first_seat_open
        else:
            self.unplayed = None
            self.act(SetAction(position, match), NO_NOTES)

    def act(self, action: GameAction, notes: ActionNotes) -> None:
        """Add an action, and what the file says about it."""
        if self.situation.result is not None:
            raise RuleError(IssueKind.OUT_OF_TURN, "expected the next game, got another action")
        try:
            self.situation = self.situation.apply(action)
        except (StateError, ValueRangeError) as error:
            raise RuleError(IssueKind.ILLEGAL_CUBE_ACTION, error.message) from None
        if notes is not NO_NOTES and notes != NO_NOTES:
            self.notes[len(self.actions)] = notes
        self.actions.append(action)

    def find_play(self, roll: Roll, written: WrittenPlay) -> Play:
        """Return the legal play of the situation that a file means.

        Raises:
            GammondError: It is none.
        """
        position, rules = self.situation.position, self.match_rules.rules
        plays = self.list_plays(roll)
        if isinstance(written, np.ndarray):
            found = plays.find(written.astype(np.int8))
            if found is None:
                raise PlayError(
                    f"no play of {format_roll(roll)} leads to the position that follows", field="move"
                )
            return found
        return find_written_play(written, position, roll, rules, plays)

    def add_comment(self, text: str) -> None:
        """Add a comment to the last action, or to the game before its first one."""
        if not self.actions:
            self.comment = join_comments(self.comment, text)
            return
        last = len(self.actions) - 1
        notes = self.notes.get(last, NO_NOTES)
        self.notes[last] = replace(notes, comment=join_comments(notes.comment, text))

    def fail(self, kind: IssueKind, message: str) -> None:
        """Report a fault.

        Raises:
            RuleError: Always.
        """
        raise RuleError(kind, message)

    def _read_play(self, roll: Roll, written: WrittenPlay) -> tuple[Play, bool]:
        """Return the play that a file means, and whether it is legal; others are carried out as written.

        Raises:
            RuleError: It cannot be carried out, or it is not legal and the builder is strict.
        """
        shown = f" {written[:80]!r}" if isinstance(written, str) else ""
        try:
            return self.find_play(roll, written), True
        except FormatError as error:
            raise RuleError(
                IssueKind.UNREADABLE, f"{format_roll(roll)}{shown}: {error.message}", roll
            ) from None
        except GammondError as error:
            message = f"{format_roll(roll)}{shown}: {error.message}"
            try:
                if self._is_strict:
                    raise RuleError(IssueKind.ILLEGAL_PLAY, message, roll) from None
                play = (
                    infer_play(self.situation.position, written)
                    if isinstance(written, np.ndarray)
                    else carry_out_play(written, self.situation.position)
                )
            except GammondError:
                raise RuleError(IssueKind.ILLEGAL_PLAY, message, roll) from None
            self.add_fault(IssueKind.ILLEGAL_PLAY, message, self.situation.match.on_roll)
            return play, False

    def take_back_roll(self) -> None:
        """Take back a roll that was added without a play."""
        assert self.unplayed is not None
        self.situation, self.unplayed = self.unplayed, None
        self.notes.pop(len(self.actions) - 1, None)
        self.actions.pop()

    def _play_nothing(self) -> None:
        """Take a roll that was added without a play, and after which the game went on, for one not played."""
        roll, notes = self.actions[-1], self.notes.get(len(self.actions) - 1, NO_NOTES)
        assert isinstance(roll, RollAction)
        self.take_back_roll()
        play, is_legal = self._read_play(roll.roll, ())
        self.act(PlayAction(roll.seat, roll.roll, play, is_legal), notes)

    def _allow_double(self, seat: int, cube: int, message: str) -> None:
        """Set the cube so that a seat may double to a value, since the file says that it did."""
        self._refuse_or_note(IssueKind.ILLEGAL_CUBE_ACTION, message, seat)
        match = self.situation.match.before_roll()
        if match.doubled or cube < 2:
            raise RuleError(IssueKind.ILLEGAL_CUBE_ACTION, message)
        try:
            allowed = replace(match, cube=cube // 2, cube_owner=seat if cube > 2 else None, crawford=False)
        except GammondError:
            raise RuleError(IssueKind.ILLEGAL_CUBE_ACTION, message) from None
        if allowed != match:
            self.set_table(self.situation.position, allowed, False)

    def _refuse_or_note(self, kind: IssueKind, message: str, seat: int) -> None:
        if self._is_strict:
            raise RuleError(kind, message)
        self.add_fault(kind, message, seat)

    def list_plays(self, roll: Roll) -> LegalPlays:
        """Return the legal plays of a roll in the present position."""
        position = self.situation.position
        if self._plays is None or self._plays[0] is not position or self._plays[1] != roll:
            self._plays = position, roll, generate_plays(position, roll, self.match_rules.rules)
        return self._plays[2]

    def _begin_with(self, seat: int) -> None:
        if not self.actions and self._first_seat_open and seat in SEATS:
            position, match = self.initial.position, self.initial.match
            if seat != match.on_roll:
                self.initial = GameSituation(position.swap_sides(), replace(match, on_roll=seat))
                self.situation = self.initial

    def _leave_crawford_game(self, seat: int) -> None:
        """Take the game for another than the Crawford game, since somebody doubles in it."""
        if not self._crawford_open:
            message = "expected no double in the Crawford game: read as a game after it"
            self._refuse_or_note(IssueKind.ILLEGAL_CUBE_ACTION, message, seat)
        begun, now = self.initial, self.situation
        self.initial = replace(begun, match=replace(begun.match, crawford=False))
        self.situation = replace(now, match=replace(now.match, crawford=False))

    def _check_turn(self, seat: int, what: str) -> None:
        if self.situation.result is not None:
            raise RuleError(IssueKind.OUT_OF_TURN, f"expected the next game, got {what}")
        if self.unplayed is not None:
            self._play_nothing()
        if seat != self.situation.match.to_act:
            raise RuleError(
                IssueKind.OUT_OF_TURN,
                f"expected {_name(self.situation.match.to_act)} to act, got {what} of {_name(seat)}",
            )


def _name(seat: int) -> str:
    return f"player {seat + 1}"


def join_comments(before: str, text: str) -> str:
    """Return a comment with another one behind it on lines of its own, each fit to be shown."""
    if len(before) >= _MAX_COMMENT_LENGTH:
        return before
    lines = text.strip()[:_MAX_COMMENT_LENGTH].splitlines()
    text = "\n".join(escape_unprintable(line.rstrip()) for line in lines)
    return f"{before}\n{text}" if before else text
