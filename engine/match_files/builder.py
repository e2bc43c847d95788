"""Builds the model of a match from what a reader finds in a file, and checks every action by the rules.

A reader calls one method for each thing it finds, with the line or the byte where it lies. What breaks the
rules, or cannot be read, becomes an issue and costs what it touches: see `engine.match_files.game_builder`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.errors import GammondError
from engine.match_files.game_builder import GameBuilder, Step, WrittenPlay, join_comments
from engine.match_files.game_result import StatedResult
from engine.match_files.model import (
    NO_NOTES,
    USUAL_RULES,
    ActionNotes,
    IssueKind,
    MatchIssue,
    MatchRules,
    RecordedCandidate,
    RecordedEvaluation,
    RecordedGame,
    RecordedMatch,
)
from engine.rules.dice import Roll
from engine.rules.game_record import ResignationAction
from engine.rules.game_replay import GameSituation
from engine.rules.match import SEATS, MatchState
from engine.rules.position import Position
from engine.rules.rules import Variant
from engine.wording import escape_unprintable

_MAX_ISSUES = 1000
"""A file with more faults than these is noise: further ones are counted by no one."""

_MAX_NAME_LENGTH = 100
_MAX_TRIALS = 50_000
"""Steps that are tried in a match to find out how games went on after what cannot be read."""


class MatchBuilder:
    """Builds a match game by game.

    Args:
        format_name: The name of the format.
        length: Points of the match, 0 for money.
        names: Of seats 0 and 1.
        rules: The rules of the match.
        is_binary: Whether places are bytes of a binary file; otherwise they are lines.

    Attributes:
        names: Of seats 0 and 1; may be set until `build`.
        headers: Headers of the match; readers add to it.
        ratings: Of seats 0 and 1.
        comment: A comment on the match.
    """

    def __init__(
        self,
        format_name: str,
        *,
        length: int = 0,
        names: tuple[str, str] = ("", ""),
        rules: MatchRules = USUAL_RULES,
        is_binary: bool = False,
    ) -> None:
        self.names = names
        self.headers: dict[str, str] = {}
        self.ratings: tuple[float | None, float | None] = (None, None)
        self.comment = ""
        self._format = format_name
        self._length = length
        self._rules = rules
        self._is_binary = is_binary
        self._games: list[RecordedGame] = []
        self._issues: list[MatchIssue] = []
        self._game: GameBuilder | None = None
        self._leaves_out_games = False
        self._is_left_out = False
        self._trials = iter(range(_MAX_TRIALS))
        self._ended: GameBuilder | None = None
        self._previous: GameBuilder | None = None

    def note_rules(self, at: int, issues: Iterable[str], *, leaves_out_games: bool = False) -> None:
        """Note what is wrong with the rules that a file states.

        Args:
            at: Where it states them.
            issues: What is wrong, and how they are read.
            leaves_out_games: Whether games cannot be read by them: all that follow are skipped.
        """
        for issue in issues:
            self.add_issue(at, IssueKind.UNSUPPORTED, issue)
        self._leaves_out_games = leaves_out_games

    @property
    def variant(self) -> Variant:
        """The game that is played."""
        return self._rules.rules.variant

    @property
    def situation(self) -> GameSituation | None:
        """Where the game at hand stands; None outside games, and where that is not known."""
        game = self._game
        return None if game is None or game.is_lost else game.situation

    @property
    def last_situation(self) -> GameSituation | None:
        """Where the game at hand stood before what could not be read; None outside games, and otherwise."""
        game = self._game
        return game.situation if game is not None and game.is_lost else None

    @property
    def expected_score(self) -> tuple[int, int] | None:
        """The score after the last game by its result; None before the first game, or if it has no result."""
        self.end_game()
        game = self._ended
        if game is not None:
            trial = game.branch()
            trial.settle(None)
            game = trial
        else:
            game = self._previous
        return None if game is None else _score_after(game)

    def begin_game(
        self,
        at: int,
        number: int,
        score: tuple[int, int],
        *,
        crawford: bool | None = None,
        cube: int = 1,
        position: Position | None = None,
        on_roll: int | None = None,
    ) -> bool:
        """Begin a game, and end the one before it.

        Args:
            at: Where it begins.
            number: Its number in the file.
            score: Points of seats 0 and 1; where they are impossible, those after the last game count.
            crawford: Whether it is the Crawford game; None for what the rules say at this score. A file may
                begin after it, or lack it: a double in the first game, or after missing ones, shows that
                this is another, whatever the program that wrote it took it for.
            cube: The centred cube, above 1 after automatic doubles.
            position: The checkers, as `on_roll` sees them, or seat 0; None for those of the variant.
            on_roll: The seat that begins; None for the seat of the first action.

        Returns:
            Whether it can begin so; if not, its actions are skipped.
        """
        self.end_game()
        is_next = self._ended is not None and self._ended.number + 1 == number
        self._settle_game(score if is_next else None)
        self._is_left_out = True
        if self._leaves_out_games:
            return False
        match_rules, before = self._rules, self._previous
        if before is not None and number > before.number + 1:
            message = f"expected game {before.number + 1}, got game {number}: the file lacks what was between"
            self._add_issue(IssueKind.MISSING_GAMES, message, at, number)
        expected = None if before is None else _score_after(before)
        if not self._length and not any(score) and expected is not None:
            score = expected  # of a session whose games are all said to begin at 0-0
        begun, fault = None, ""
        for stated in dict.fromkeys((score, expected or (0, 0))):
            try:
                begun = self._begin(stated, crawford, cube, on_roll)
                break
            except GammondError as error:
                fault = fault or error.message
        if fault:
            self._add_issue(IssueKind.IMPOSSIBLE_SCORE, fault, at, number)
        if begun is None:
            self._add_issue(IssueKind.MISSING, "the game is left out", at, number)
            return False
        self._game = GameBuilder(
            number,
            GameSituation(position or match_rules.rules.starting_position, begun),
            match_rules,
            at,
            self._trials,
            first_seat_open=on_roll is None,
            crawford_open=not is_next,
        )
        self._is_left_out = False
        return True

    def _begin(
        self, score: tuple[int, int], crawford: bool | None, cube: int, on_roll: int | None
    ) -> MatchState:
        begun = MatchState(
            length=self._length,
            score=score,
            cube=cube,
            on_roll=on_roll or 0,
            jacoby=self._rules.jacoby and not self._length,
            beavers=self._rules.beavers,
        )
        return replace(begun, crawford=self._is_crawford(begun) if crawford is None else crawford)

    def play(
        self, at: int, seat: int, roll: Roll, play: WrittenPlay | None, notes: ActionNotes = NO_NOTES
    ) -> None:
        """Add a roll and its play; the same roll may be added first without one.

        Args:
            at: Where it is.
            seat: The seat that rolled.
            roll: The dice.
            play: The play. Empty text is the only legal one, and otherwise a roll that was not played, as
                None is.
            notes: What the file says about it.
        """
        self._act(at, lambda game: game.play(seat, roll, play, notes), seat)

    def complete_roll(self, at: int, seat: int, play: WrittenPlay) -> None:
        """Add the play of the roll that was added last without one."""
        self._act(at, lambda game: game.complete_roll(seat, play), seat)

    def double_automatically(self, at: int) -> None:
        """Turn the centred cube before the first play, since the opening dice were equal."""
        self._act(at, lambda game: game.double_automatically())

    def double(self, at: int, seat: int, cube: int | None = None, notes: ActionNotes = NO_NOTES) -> None:
        """Add a double, a beaver or a raccoon, whichever is next; `cube` is its value, None if not stated."""
        self._act(at, lambda game: game.double(seat, cube, notes), seat)

    def respond(self, at: int, seat: int, *, is_take: bool, notes: ActionNotes = NO_NOTES) -> None:
        """Add a take or a pass."""
        self._act(at, lambda game: game.respond(seat, is_take, notes), seat)

    def resign(
        self, at: int, seat: int, kind: int, *, is_accepted: bool = True, notes: ActionNotes = NO_NOTES
    ) -> None:
        """Add an offer to resign and its answer."""
        self._act(at, lambda game: game.act(ResignationAction(seat, kind, is_accepted), notes), seat)

    def set_table(
        self, at: int, position: Position, match: MatchState, *, first_seat_open: bool = False
    ) -> None:
        """Set checkers, cube and turn by hand, or as they stand after what could not be read.

        Args:
            at: Where.
            position: The checkers, as the seat on roll of `match` sees them.
            match: The match state.
            first_seat_open: Whether, before the first action, that action will show who is on roll.
        """
        if self._game is not None and self._game.is_lost:
            self._game.go_on_from(at, position, match)
        else:
            self._act(at, lambda game: game.set_table(position, match, first_seat_open))

    def state_result(self, at: int, winner: int, points: int | None) -> None:
        """Add what the file says about the end of the game; a game that goes on by the rules was resigned.

        Args:
            at: Where.
            winner: The seat that won.
            points: The points; None where the file does not say how many.
        """
        game = self._game
        if game is not None and (game.stated is None or game.situation.result is None):
            game.stated = StatedResult(at, winner, points)

    def find_candidate(
        self, roll: Roll, play: WrittenPlay, evaluation: RecordedEvaluation
    ) -> RecordedCandidate | None:
        """Return a candidate for the seat to act; None if it is no legal play, or after a fault."""
        situation = self.situation
        if self._game is None or situation is None or situation.result is not None:
            return None
        try:
            return RecordedCandidate(self._game.find_play(roll, play), evaluation)
        except GammondError:
            return None

    def add_comment(self, text: str) -> None:
        """Add a comment to the last action, to the game before its first one, or to the match."""
        if not text.strip():
            return
        if self._game is None:
            self.comment = join_comments(self.comment, text)
        else:
            self._game.add_comment(text)

    def add_issue(self, at: int, kind: IssueKind, message: str) -> None:
        """Report what was skipped; the game goes on."""
        if self._game is None:
            self._add_issue(kind, message, at)
        else:
            self._game.at = at
            self._game.add_fault(kind, message)

    def fail(self, at: int, kind: IssueKind, message: str) -> None:
        """Report what cannot be read: how the game stands after it is not known."""
        if self._game is None:
            self._add_issue(kind, message, at)
        else:
            situation = self._game.situation
            seat = None if situation.result is not None else situation.match.to_act
            self._act(at, lambda game: game.fail(kind, message), seat)

    def attempt(self, at: int, step: Step, seat: int) -> bool:
        """Take a step of the game at hand if the rules allow it, and return whether they do; `seat` acts."""
        return self._game is not None and self._game.attempt(at, step, seat)

    def end_game(self) -> None:
        """Take no more of the game at hand; the score over the next one may show how it ended."""
        if self._game is not None:
            self._game.finish()
            self._ended, self._game = self._game, None

    def build(self) -> RecordedMatch:
        """Return the match with all games; the last one ends here."""
        self.end_game()
        self._settle_game(None)
        left, right = (
            escape_unprintable(name.strip()[:_MAX_NAME_LENGTH]) or f"Player {number}"
            for number, name in enumerate(self.names, 1)
        )
        return RecordedMatch(
            (left, right),
            self._length,
            self._rules,
            tuple(self._games),
            {escape_unprintable(word): escape_unprintable(said) for word, said in self.headers.items()},
            self.ratings,
            self.comment,
            tuple(self._issues),
            self._format,
        )

    def _is_crawford(self, begun: MatchState) -> bool:
        is_near = not begun.is_money and (begun.away(0) == 1) != (begun.away(1) == 1)
        before = self._previous
        was_near = before is not None and any(before.initial.match.away(seat) == 1 for seat in SEATS)
        return is_near and not was_near and self._rules.crawford

    def _settle_game(self, following: tuple[int, int] | None) -> None:
        """Determine the result of the last game, and keep it."""
        game, self._ended = self._ended, None
        if game is None:
            return
        game.settle(following)
        for fault in game.faults:
            self._add_issue(fault.kind, fault.message, fault.at, game.number, fault.move)
        self._previous = game
        if game.actions or game.result is not None:
            self._games.append(game.build())

    def _act(self, at: int, step: Step, seat: int | None = None) -> None:
        """Take a step of the game at hand; `seat` acts, None for nobody."""
        if self._game is not None:
            self._game.take(at, step, seat)
        elif not self._is_left_out:
            self._is_left_out = True
            self._add_issue(IssueKind.MISSING, "what is outside of a game is left out", at)

    def _add_issue(self, kind: IssueKind, message: str, at: int, game: int = 0, move: int = 0) -> None:
        line, offset = (None, at) if self._is_binary else (at, None)
        issue = MatchIssue(kind, escape_unprintable(message), line, offset, game, move)
        if len(self._issues) < _MAX_ISSUES:
            self._issues.append(issue)


def _score_after(game: GameBuilder) -> tuple[int, int] | None:
    result = game.result
    return None if result is None else game.initial.match.score_after(result.winner, result.points)
