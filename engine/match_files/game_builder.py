"""Builds one game of a match file action by action, each checked by the rules.

A file is evidence: what it states outranks the rules. A play against them is carried out and marked; after
what cannot be read, the game goes on where what follows shows how it stood, and otherwise at its result.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import FormatError, GammondError, PlayError, StateError, ValueRangeError
from engine.match_files.game_result import StatedResult, settle_result
from engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    IssueKind,
    MatchRules,
    RecordedGame,
    number_moves,
)
from engine.rules.dice import ROLLS, Roll, format_roll, validate_roll
from engine.rules.game_record import (
    DoubleAction,
    GameAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from engine.rules.game_replay import GameSituation
from engine.rules.match import SEATS, GameResult, MatchState
from engine.rules.moves import CheckerMove, LegalPlays, Play, generate_plays
from engine.rules.notation import carry_out_play, find_written_play, infer_play
from engine.rules.position import Board, Position
from engine.wording import escape_unprintable

_MAX_COMMENT_LENGTH = 50_000
"""What is longer is cut; a comment may come in many pieces."""

_MOST_ILLEGAL = 2
_PLAYS_FOR_EACH = 8
"""A game with more illegal plays than these, and than one in so many, did not go as its rows say: something
before the first of them is missing or wrong."""

_SHOWN_BY = 4
"""As many actions that are possible after a play show that it is the one that could not be read."""

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


@dataclass(frozen=True)
class GameFault:
    """A fault in a game: its place, and the number of the move; see `MatchIssue`."""

    kind: IssueKind
    message: str
    at: int
    move: int


@dataclass
class _Gap:
    """What could not be read.

    Attributes:
        at: Where it begins.
        move: The number of its first move.
        roll: The dice of a single play that could not be read; None where more is unknown.
        first: The number of the step that is the first after it.
    """

    at: int
    move: int
    roll: Roll | None
    first: int


@dataclass
class _Doubt:
    """The first play against the rules, which may be one that was written down wrongly.

    Attributes:
        before: The game before it.
        gap: The play taken for one that cannot be read.
    """

    before: GameBuilder
    gap: _Gap


class GameBuilder:
    """Builds one game.

    Args:
        number: Its number in the file.
        begun: How it begins.
        match_rules: The rules of the match.
        at: Where it begins.
        trials: Runs out after the steps that may be tried in the match to find out what was not readable.
        first_seat_open: Whether the first action shows who begins.
        crawford_open: Whether the Crawford game may have been before, in a game that the file does not have.
    """

    def __init__(
        self,
        number: int,
        begun: GameSituation,
        match_rules: MatchRules,
        at: int,
        trials: Iterator[int],
        *,
        first_seat_open: bool,
        crawford_open: bool,
    ) -> None:
        self.number = number
        self.initial = self.situation = begun
        self.actions: list[GameAction] = []
        self.notes: dict[int, ActionNotes] = {}
        self.comment = ""
        self.at = at
        self.stated: StatedResult | None = None
        self.result: GameResult | None = None
        self.faults: list[GameFault] = []
        self._is_strict = False
        self._steps: list[tuple[int, int | None, Step]] = []
        self._gap: _Gap | None = None
        self._doubt: _Doubt | None = None
        self._missing: list[str] = []
        self._ends_in_gap = False
        self._match_rules = match_rules
        self._trials = trials
        self._first_seat_open = first_seat_open
        self._crawford_open = crawford_open
        self._last_entry: object = None
        self._plays: tuple[Position, Roll, LegalPlays] | None = None
        self._unplayed: GameSituation | None = None

    @property
    def is_lost(self) -> bool:
        """Whether it is not known how the game stands, after something that could not be read."""
        return self._gap is not None

    def build(self) -> RecordedGame:
        """Return the game as far as it could be read."""
        return RecordedGame(
            self.number,
            self.initial.match,
            self.initial.position,
            tuple(self.actions),
            self.result,
            self._match_rules.rules,
            self.notes,
            self.comment,
            tuple(self._missing),
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
        self.faults.append(GameFault(kind, message, self.at, self.number_action(seat)))

    def take(self, at: int, step: Step, seat: int | None) -> None:
        """Take a step, or keep it where it is not known how the game stands.

        Raises:
            RuleError: The builder is strict, and the step is not possible.
        """
        self._steps.append((at, seat, step))
        if self._gap is None:
            self._take(len(self._steps) - 1)

    def _take(self, number: int) -> None:
        """Take a step of the file, by its number."""
        self.at, _, step = self._steps[number]
        before = self.branch()
        try:
            step(self)
            self._note_doubt(before, number)
        except RuleError as error:
            if self._is_strict:
                raise
            self.adopt(before)
            self._lose(number, error)

    def branch(self, *, is_strict: bool = False) -> GameBuilder:
        """Return a builder that stands where this one does, and goes on by itself.

        Args:
            is_strict: Whether it refuses what the rules forbid.
        """
        other = copy.copy(self)
        other.actions, other.notes = [*self.actions], {**self.notes}
        other.faults, other._missing = [*self.faults], [*self._missing]
        other._is_strict = is_strict
        return other

    def adopt(self, other: GameBuilder) -> None:
        """Stand where another builder does, as strict as before."""
        vars(self).update({**vars(other), "_is_strict": self._is_strict})

    def attempt(self, at: int, step: Step, seat: int) -> bool:
        """Take a step if the rules allow it, and return whether they do."""
        if self._gap is not None:
            return False
        trial = self.branch(is_strict=True)
        trial.at = at
        try:
            step(trial)
        except RuleError:
            return False
        self.adopt(trial)
        self._steps.append((at, seat, step))
        return True

    def play(self, seat: int, roll: Roll, written: WrittenPlay | None, notes: ActionNotes) -> None:
        """Add a roll and its play; None for a roll that was not played. What is there twice counts once."""
        entry = seat, roll, written.tobytes() if isinstance(written, np.ndarray) else written
        if entry == self._last_entry and seat != self.situation.match.to_act and not self._is_strict:
            self.add_fault(
                IssueKind.OUT_OF_TURN, f"the roll {format_roll(roll)} is there twice: read once", seat
            )
            return
        self._begin_with(seat)
        if self._unplayed is not None and self.actions[-1] == RollAction(seat, roll):
            if written is None:
                return
            self._take_back_roll()
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
            written = self._find_forced_play(roll)
        before = self.situation
        if written is None:
            self.act(RollAction(seat, roll), notes)
            self._unplayed = before
        else:
            play, is_legal = self._read_play(roll, written)
            self.act(PlayAction(seat, roll, play, is_legal), notes)
        self._last_entry = entry

    def complete_roll(self, seat: int, written: WrittenPlay) -> None:
        """Add the play of a roll that was added without one."""
        last = self.actions[-1] if self.actions else None
        if self._unplayed is None or not isinstance(last, RollAction):
            raise RuleError(IssueKind.OUT_OF_TURN, "expected a roll, got a play without one")
        self._take_back_roll()
        self.play(seat, last.roll, written, NO_NOTES)

    def double_automatically(self) -> None:
        """Turn the centred cube before the first play."""
        match = self.situation.match
        if self.actions or match.cube_owner is not None or not match.is_money:
            self.add_fault(IssueKind.ILLEGAL_CUBE_ACTION, "automatic doubles come before money games only")
        elif 2 * match.cube > self._match_rules.cube_limit:
            limit = self._match_rules.cube_limit
            self.add_fault(IssueKind.ILLEGAL_CUBE_ACTION, f"expected a cube of at most {limit}, got more")
        else:
            self.initial = self.situation = replace(self.situation, match=replace(match, cube=2 * match.cube))

    def double(self, seat: int, cube: int | None, notes: ActionNotes) -> None:
        """Add a double, a beaver or a raccoon, whichever is next; one against the rules counts too."""
        self._begin_with(seat)
        if self.actions[-1:] == [DoubleAction(seat, cube or 0)] and not self._is_strict:
            self.add_fault(IssueKind.OUT_OF_TURN, "the double is there twice: read once", seat)
            return
        self._check_turn(seat, "a double")
        if self.situation.match.crawford:
            self._leave_crawford_game(seat)
        match = self.situation.match
        turned, limit = (4 if match.doubled else 2) * match.cube, self._match_rules.cube_limit
        if not self.actions and self.situation.position == self._match_rules.rules.starting_position:
            self._allow_double(seat, cube or turned, "expected a roll first, got a double")
        elif turned > limit:
            self._allow_double(
                seat, cube or turned, f"expected a cube of at most {limit}, got a double to {turned}"
            )
        try:
            self.act(DoubleAction(seat, cube or turned), notes)
        except RuleError as error:
            self._allow_double(seat, cube or turned, error.message)
            self.act(DoubleAction(seat, cube or turned), notes)

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
                self._refuse_or_note(IssueKind.ILLEGAL_CUBE_ACTION, message, seat)
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
            self._unplayed = None
            self.act(SetAction(position, match), NO_NOTES)

    def go_on_from(self, at: int, position: Position, match: MatchState) -> None:
        """Go on from a position that the file has after what could not be read."""
        gap, self._gap = self._gap, None
        assert gap is not None
        self._steps.append((at, None, lambda game: game.set_table(position, match, False)))
        self._take(len(self._steps) - 1)
        self._note_missing(gap, f"{_place(gap)} could not be read: the game goes on from the next position")

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
        position, rules = self.situation.position, self._match_rules.rules
        plays = self._list_plays(roll)
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

    def finish(self) -> None:
        """Read on after what could not be read, as far as what follows shows how the game stood."""
        while self._gap is not None:
            self._fill_gap()
        doubt, self._doubt = self._doubt, None
        if doubt is None:
            return
        illegal = self._count_illegal()
        plays = sum(isinstance(action, PlayAction) for action in self.actions)
        is_doubtful = illegal > _MOST_ILLEGAL and illegal * _PLAYS_FOR_EACH > plays
        if illegal == 1 and not self._ends_in_gap:
            return
        other = doubt.before.branch()
        other._gap = doubt.gap
        other.finish()
        explains_others = not other._ends_in_gap and other._count_illegal() < illegal - 1
        if is_doubtful or explains_others or (self._ends_in_gap and not other._ends_in_gap):
            stated = self.stated
            self.adopt(other)
            self.stated = stated

    def _count_illegal(self) -> int:
        return sum(isinstance(action, PlayAction) and not action.is_legal for action in self.actions)

    def settle(self, following: tuple[int, int] | None) -> None:
        """Determine the result of a game that was finished.

        Args:
            following: The score over the next game of the file; None where there is none.
        """
        is_cut_short = bool(self._missing) and self._ends_in_gap
        settled = settle_result(self.situation, self.initial.match, self.stated, following)
        self.at = self.stated.at if self.stated is not None else self.at
        if settled.fault is not None and not (settled.result is None and is_cut_short):
            self.add_fault(settled.fault[0], settled.fault[1])
        self.result = settled.result
        if settled.result is not None and self.situation.result is None and not is_cut_short:
            self._unplayed = None
            self.act(ResignationAction(1 - settled.result.winner, settled.result.kind), NO_NOTES)

    def _lose(self, number: int, error: RuleError) -> None:
        """Note a step that is not possible, and what is unknown after it."""
        self.at, seat, _ = self._steps[number]
        move = self.number_action(seat)
        self.faults.append(GameFault(error.kind, error.message, self.at, move))
        if self.situation.result is not None:
            return  # the game is over: nothing is lost
        first = number if error.kind is IssueKind.OUT_OF_TURN else number + 1
        self._gap = _Gap(self.at, max(move, 1), error.roll, first)

    def _note_doubt(self, before: GameBuilder, number: int) -> None:
        """Remember the game before its first illegal play."""
        last = self.actions[-1] if self.actions else None
        if self._doubt is None and isinstance(last, PlayAction) and not last.is_legal:
            fault = self.faults[-1]
            before.faults.append(fault)
            self._doubt = _Doubt(before, _Gap(fault.at, fault.move, last.roll, number + 1))

    def _fill_gap(self) -> None:
        """Go on after a gap from where all that follows is possible, or leave out the rest of the game."""
        gap, self._gap = self._gap, None
        assert gap is not None
        count = len(self._steps) - gap.first
        if gap.roll is None and self._goes_on(gap):
            return
        best, most = None, 0
        for start in self._list_starts(gap):
            trial = self.branch(is_strict=True)
            done = trial._follow(gap, start)
            if done > most:
                best, most = trial, done
            if done == count:
                break
        is_shown = most >= (count if gap.roll is None else min(_SHOWN_BY, count))
        if best is None or not is_shown:
            self._ends_in_gap = True
            self._note_missing(gap, f"{_place(gap)} could not be read, and all after it is left out")
            return
        self.adopt(best)
        self._note_missing(gap, f"{_place(gap)} could not be read: the game goes on by what follows")
        for number in range(gap.first + most, len(self._steps)):
            if self._gap is None:
                self._take(number)

    def _goes_on(self, gap: _Gap) -> bool:
        """Go on as if nothing were missing, if all that follows is possible then."""
        trial = self.branch(is_strict=True)
        count = len(self._steps) - gap.first
        is_whole = count > 0 and trial._take_steps(gap) == count
        if is_whole:
            self.adopt(trial)
        return is_whole

    def _list_starts(self, gap: _Gap) -> Iterator[GameSituation]:
        """Yield where the game may stand after a gap."""
        now, match = self.situation, self.situation.match
        if gap.first == len(self._steps):
            return
        if gap.roll is not None:
            yield from self._list_following(gap.roll)
            return
        seat = next((seat for _, seat, _ in self._steps[gap.first :] if seat in SEATS), None)
        settled = match.before_roll()
        if match.doubled and not match.beavered:
            settled = now.apply(ResponseAction(match.to_act, True)).match
        if seat is None or seat == settled.on_roll:
            yield GameSituation(now.position, settled)
            return
        yield GameSituation(now.position.swap_sides(), replace(settled, on_roll=seat))
        rolls = () if match.doubled else ROLLS if match.roll is None else (match.roll,)
        for roll in rolls:  # of the one turn that is missing
            yield from self._list_following(roll)

    def _list_following(self, roll: Roll) -> Iterator[GameSituation]:
        """Yield where the game may stand after a play of a roll."""
        for play in self._list_plays(roll):
            after = self.situation.apply(PlayAction(self.situation.match.on_roll, roll, play))
            if after.result is None:
                yield after

    def _follow(self, gap: _Gap, start: GameSituation) -> int:
        """Go on after a gap; return how many steps are possible."""
        if gap.roll is not None:
            self.act(RollAction(self.situation.match.on_roll, gap.roll), NO_NOTES)
        self.set_table(start.position, start.match, False)
        return self._take_steps(gap)

    def _take_steps(self, gap: _Gap) -> int:
        """Take the steps after a gap as long as the rules allow them; return how many they are."""
        following = self._steps[gap.first :]
        for count, (at, _, step) in enumerate(following):
            before, self.at = self.branch(), at
            try:
                if next(self._trials, None) is None:
                    return count
                step(self)
            except RuleError:
                self.adopt(before)
                return count
        return len(following)

    def _note_missing(self, gap: _Gap, message: str) -> None:
        self.faults.append(GameFault(IssueKind.MISSING, message, gap.at, gap.move))
        self._missing.append(message)

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

    def _take_back_roll(self) -> None:
        """Take back a roll that was added without a play."""
        assert self._unplayed is not None
        self.situation, self._unplayed = self._unplayed, None
        self.notes.pop(len(self.actions) - 1, None)
        self.actions.pop()

    def _play_nothing(self) -> None:
        """Take a roll that was added without a play, and after which the game went on, for one not played."""
        roll, notes = self.actions[-1], self.notes.get(len(self.actions) - 1, NO_NOTES)
        assert isinstance(roll, RollAction)
        self._take_back_roll()
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

    def _find_forced_play(self, roll: Roll) -> WrittenPlay | None:
        """Return the moves of the only legal play of a roll; None if there are several."""
        plays = self._list_plays(roll)
        return plays[0].moves if len(plays) == 1 else None

    def _list_plays(self, roll: Roll) -> LegalPlays:
        position = self.situation.position
        if self._plays is None or self._plays[0] is not position or self._plays[1] != roll:
            self._plays = position, roll, generate_plays(position, roll, self._match_rules.rules)
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
        if self._unplayed is not None:
            self._play_nothing()
        if seat != self.situation.match.to_act:
            raise RuleError(
                IssueKind.OUT_OF_TURN,
                f"expected {_name(self.situation.match.to_act)} to act, got {what} of {_name(seat)}",
            )


def _name(seat: int) -> str:
    return f"player {seat + 1}"


def _place(gap: _Gap) -> str:
    return f"move {gap.move}" if gap.roll is not None else f"something at move {gap.move}"


def join_comments(before: str, text: str) -> str:
    """Return a comment with another one behind it on lines of its own, each fit to be shown."""
    if len(before) >= _MAX_COMMENT_LENGTH:
        return before
    lines = text.strip()[:_MAX_COMMENT_LENGTH].splitlines()
    text = "\n".join(escape_unprintable(line.rstrip()) for line in lines)
    return f"{before}\n{text}" if before else text
