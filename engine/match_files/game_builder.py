"""Builds one game of a match file action by action, each checked by the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.errors import FormatError, GammondError, StateError, ValueRangeError
from engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    IssueKind,
    MatchRules,
    RecordedGame,
    number_moves,
)
from engine.rules.dice import Roll, format_roll, validate_roll
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
from engine.rules.match import RESULT_NAMES, SEATS, GameResult, MatchState
from engine.rules.moves import CheckerMove, LegalPlays, Play, generate_plays
from engine.rules.notation import find_written_play
from engine.rules.position import Board, Position
from engine.wording import escape_unprintable

_MAX_COMMENT_LENGTH = 50_000
"""What is longer is cut; a comment may come in many pieces."""

WrittenPlay = str | Sequence[CheckerMove] | Board
"""A play as a file has it: text, checker moves in the mover's numbering (25 the bar, 0 off), or the board
that it leads to, ``int8[2, 26]`` as the next mover sees it."""


class RuleError(Exception):
    """What a file says contradicts the rules; `at` is 0 for the present place."""

    def __init__(self, kind: IssueKind, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.at = at


class GameBuilder:
    """Builds one game.

    Args:
        number: Its number in the file.
        begun: How it begins.
        match_rules: The rules of the match.
        at: Where it begins.
        first_seat_open: Whether the first action shows who begins.
        crawford_open: Whether a double shows that this is not the Crawford game.
    """

    def __init__(
        self,
        number: int,
        begun: GameSituation,
        match_rules: MatchRules,
        at: int,
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
        self.stated: tuple[int, int, int] | None = None
        self.is_broken = False
        self._match_rules = match_rules
        self._first_seat_open = first_seat_open
        self._crawford_open = crawford_open
        self._plays: tuple[Position, Roll, LegalPlays] | None = None
        self._unplayed: tuple[int, GameSituation] | None = None

    @property
    def result(self) -> GameResult | None:
        """How the game ended; None while it lasts, and after a fault."""
        return None if self.is_broken else self.situation.result

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
        )

    def number_action(self, seat: int | None = None) -> int:
        """Return the number of the move that another action of a seat would belong to, by `number_moves`.

        Args:
            seat: None for the number of the last action, 0 where there is none.
        """
        if seat is None:
            return max(number_moves(self.actions), default=0)
        return number_moves([*self.actions, DoubleAction(seat, 0)])[-1]

    def play(self, seat: int, roll: Roll, written: WrittenPlay | None, notes: ActionNotes) -> None:
        """Add a roll and its play; None for a roll that was not played."""
        self._begin_with(seat)
        if self._unplayed is not None and self.actions[-1] == RollAction(seat, roll):
            if written is None:
                return
            self._take_back_roll()
        if self.situation.match.beavered and seat == self.situation.match.to_act:
            self.act(ResponseAction(seat, True), NO_NOTES)
        rolled = f"the roll {format_roll(roll)}"
        self._check_turn(seat, rolled)
        if self.situation.match.doubled:
            raise RuleError(IssueKind.OUT_OF_TURN, f"expected a response to the double, got {rolled}")
        try:
            validate_roll(*roll)
            action: GameAction = RollAction(seat, roll)
            if isinstance(written, str) and not written:
                written = self._find_forced_play(roll)
            if written is not None:
                action = PlayAction(seat, roll, self.find_play(roll, written))
        except (FormatError, ValueRangeError) as error:
            raise RuleError(IssueKind.UNREADABLE, error.message) from None
        except GammondError as error:
            shown = f" {written[:80]!r}" if isinstance(written, str) else ""
            raise RuleError(IssueKind.ILLEGAL_PLAY, f"{format_roll(roll)}{shown}: {error.message}") from None
        before = self.situation
        self.act(action, notes)
        if written is None:
            self._unplayed = self.at, before

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
            raise RuleError(IssueKind.ILLEGAL_CUBE_ACTION, "automatic doubles come before money games only")
        if 2 * match.cube > self._match_rules.cube_limit:
            limit = self._match_rules.cube_limit
            raise RuleError(IssueKind.ILLEGAL_CUBE_ACTION, f"expected a cube of at most {limit}, got more")
        self.initial = self.situation = replace(self.situation, match=replace(match, cube=2 * match.cube))

    def _take_back_roll(self) -> None:
        """Take back a roll that was added without a play."""
        assert self._unplayed is not None
        self.situation, self._unplayed = self._unplayed[1], None
        self.notes.pop(len(self.actions) - 1, None)
        self.actions.pop()

    def double(self, seat: int, cube: int | None, notes: ActionNotes) -> None:
        """Add a double, a beaver or a raccoon, whichever is next."""
        self._begin_with(seat)
        if self._crawford_open:
            self._leave_crawford_game()
        match = self.situation.match
        if not self.actions and self.situation.position == self._match_rules.rules.starting_position:
            raise RuleError(IssueKind.ILLEGAL_CUBE_ACTION, "expected a roll first, got a double")
        self._check_turn(seat, "a double")
        turned, limit = (4 if match.doubled else 2) * match.cube, self._match_rules.cube_limit
        if turned > limit:
            raise RuleError(
                IssueKind.ILLEGAL_CUBE_ACTION, f"expected a cube of at most {limit}, got a double to {turned}"
            )
        self.act(DoubleAction(seat, cube or turned), notes)

    def respond(self, seat: int, is_take: bool, notes: ActionNotes) -> None:
        """Add a take or a pass."""
        match self.actions[-1:]:
            case [DoubleAction(seat=doubler)] if (
                is_take and seat != doubler and not self.situation.match.doubled
            ):
                return  # a raccoon is taken at once, whether a file says so or not
        self._begin_with(seat)
        self._check_turn(seat, "a take" if is_take else "a pass")
        self.act(ResponseAction(seat, is_take), notes)

    def set_table(self, position: Position, match: MatchState, first_seat_open: bool) -> None:
        """Set checkers, cube and turn; before the first action this is how the game begins."""
        if not self.actions:
            self.initial = self.situation = GameSituation(position, match)
            self._first_seat_open = first_seat_open
        else:
            self._unplayed = None
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
        position, rules = self.situation.position, self._match_rules.rules
        plays = self._list_plays(roll)
        if isinstance(written, np.ndarray):
            found = plays.find(written.astype(np.int8))
            if found is None:
                raise StateError(f"no play of {format_roll(roll)} leads to the position that follows")
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
        """Determine the result, and compare it with the one that the file states.

        Raises:
            RuleError: There is none, it is impossible, or they differ.
        """
        if self.is_broken:
            return
        if self.situation.result is None:
            self._resign_as_stated()
        result = self.situation.result
        assert result is not None
        if self.stated is not None and not self._is_worth(result, self.stated[2], self.stated[1]):
            at, winner, points = self.stated
            raise RuleError(
                IssueKind.WRONG_RESULT,
                f"expected {result.points} for {_name(result.winner)} by the rules, "
                f"got {points} for {_name(winner)}",
                at,
            )

    def _resign_as_stated(self) -> None:
        if self.stated is None:
            self.is_broken = True
            raise RuleError(
                IssueKind.NO_RESULT, "expected more actions or a result, got the end of the game", self.at
            )
        at, winner, points = self.stated
        for kind in range(1, len(RESULT_NAMES) + 1):
            if self._is_worth(self.situation.match.game_result(winner, kind), points, winner):
                self._unplayed = None
                self.act(ResignationAction(1 - winner, kind), NO_NOTES)
                return
        self.is_broken = True
        cube = self.situation.match.cube
        raise RuleError(
            IssueKind.WRONG_RESULT,
            f"expected one to three times {cube} points for a game resigned at that cube, got {points}",
            at,
        )

    def _is_worth(self, result: GameResult, points: int, winner: int) -> bool:
        """Return whether a result fits stated points; sites cap them at the points needed or the length."""
        begun = self.initial.match
        caps = () if begun.is_money else (begun.away(result.winner), begun.length)
        return winner == result.winner and points in (
            result.points, *(min(result.points, cap) for cap in caps)
        )  # fmt: skip

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

    def _leave_crawford_game(self) -> None:
        """Take the game for one after the Crawford game."""
        begun, now = self.initial, self.situation
        self.initial = replace(begun, match=replace(begun.match, crawford=False))
        self.situation = replace(now, match=replace(now.match, crawford=False))

    def _check_turn(self, seat: int, what: str) -> None:
        if self.situation.result is not None:
            raise RuleError(IssueKind.OUT_OF_TURN, f"expected the next game, got {what}")
        if self._unplayed is not None:
            roll = self.situation.match.roll or (0, 0)
            raise RuleError(
                IssueKind.ROLL_NOT_PLAYED,
                f"expected a play of {format_roll(roll)}, got none",
                self._unplayed[0],
            )
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
