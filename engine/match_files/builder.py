"""Builds the model of a match from what a reader finds in a file, and checks every action by the rules.

A reader says where it is, and calls one method for each thing that it finds there. What breaks the rules, or
cannot be read, becomes an issue and costs what it touches: see `gammond.engine.match_files.game_builder`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import product

from gammond.engine.errors import GammondError
from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.match_files.conventions import KEYWORDS, find_number, find_variant, quote_text
from gammond.engine.match_files.game_builder import GameBuilder, Step, WrittenPlay, join_comments
from gammond.engine.match_files.game_result import StatedResult
from gammond.engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    IssueKind,
    MatchIssue,
    RecordedGame,
    RecordedMatch,
)
from gammond.engine.match_files.reconstruction import GameReconstruction
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.game_record import GameSituation, ResignationAction
from gammond.engine.rules.match import SEATS, MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON, STANDARD_RULES, Variant
from gammond.engine.wording import escape_unprintable

_MAX_ISSUES = 1000
"""A file with more faults than these is noise: further ones are counted by no one."""

_MAX_NAME_LENGTH = 100
_MAX_TRIALS = 50_000
"""Steps that are tried in a match to find out how games went on after what cannot be read."""

_WORDS = KEYWORDS | {"pass": "drops", "resign": "resigns"}

Score = tuple[int, int]
"""Points of seats 0 and 1."""


class MatchBuilder:
    """Builds a match game by game.

    Args:
        begun: What the file says about the match beside its games.
        is_binary: Whether places are bytes of a binary file; otherwise they are lines.

    Attributes:
        at: Where in the file the reader is; readers set it before they tell what is there.
        names: Of seats 0 and 1; may be set until `build`, and so may ratings and the comment.
        ratings: Of seats 0 and 1.
        comment: A comment on the match.
        last_winner: The seat that wins if the game ends here: who acted last, or doubled before a pass.
        leaves_out_games: Whether games cannot be read by the rules of the variant.
    """

    def __init__(self, begun: RecordedMatch, *, is_binary: bool = False) -> None:
        self.at = 0
        self.names, self.ratings, self.comment = begun.names, begun.ratings, begun.comment
        self._begun = begun
        self._length = begun.length
        self._rules = begun.rules
        self._is_binary = is_binary
        self._games: list[RecordedGame] = []
        self._issues: list[MatchIssue] = []
        self._game: GameReconstruction | None = None
        self.last_winner = 0
        self._has_failed = False
        self.leaves_out_games = False
        self._is_left_out = False
        self._trials = iter(range(_MAX_TRIALS))
        self._ended: GameReconstruction | None = None
        self._previous: GameReconstruction | None = None

    def note_rules(self, issues: Iterable[str] = (), variant: str = BACKGAMMON.name) -> None:
        """Take the game that a file names, and note what is wrong with the rules that it states.

        Args:
            issues: What is wrong, and how they are read.
            variant: The name of the game. Where games cannot be read by its rules, all that follow are
                skipped.
        """
        rules, issue = find_variant(variant)
        self._rules = replace(self._rules, rules=rules or STANDARD_RULES)
        for each in filter(None, (issue, *issues)):
            self.add_issue(IssueKind.UNSUPPORTED, each)
        self.leaves_out_games = rules is None

    @property
    def variant(self) -> Variant:
        """The game that is played."""
        return self._rules.rules.variant

    @property
    def situation(self) -> GameSituation | None:
        """Where the game at hand stands; None outside games, and where that is not known."""
        game = self._game
        return None if game is None or game.is_lost else game.builder.situation

    @property
    def last_situation(self) -> GameSituation | None:
        """Where the game at hand stands, or stood before what could not be read; None outside games."""
        return None if self._game is None else self._game.builder.situation

    def expect_score(self) -> Score | None:
        """End the game at hand, and return the score after it by its result.

        None before the first game, or if the last one has no result.
        """
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
        number: int,
        score: Score | None = None,
        *,
        crawford: bool | None = None,
        cube: int = 1,
        position: Position | None = None,
        on_roll: int | None = None,
    ) -> bool:
        """Begin a game, and end the one before it.

        Args:
            number: Its number in the file.
            score: Points of seats 0 and 1; where they are impossible, or None, those after the last game
                count.
            crawford: Whether it is the Crawford game; None for what the rules say at this score. A file may
                begin after it, or lack it: a double in the first game, or after missing ones, shows that
                this is another, whatever the program that wrote it took it for.
            cube: The centred cube, above 1 after automatic doubles.
            position: The checkers, as `on_roll` sees them, or seat 0; None for those of the variant.
            on_roll: The seat that begins; None for the seat of the first action.

        Returns:
            Whether it can begin so; if not, its actions are skipped.
        """
        score = score or self.expect_score() or (0, 0)
        is_next = self._settle_before(number, score)
        self._is_left_out = True
        if self.leaves_out_games:
            return False
        begun = self._begin_at_score(number, score, crawford, cube, on_roll)
        if begun is None:
            return False
        situation = GameSituation(position or self._rules.rules.starting_position, begun)
        builder = GameBuilder(
            number,
            situation,
            self._rules,
            self.at,
            first_seat_open=on_roll is None,
            crawford_open=not is_next,
        )
        self._game = GameReconstruction(builder, self._trials)
        self._is_left_out = False
        return True

    def _settle_before(self, number: int, score: Score) -> bool:
        """Settle the game before another one; return whether none is missing between them."""
        self.end_game()
        is_next = self._ended is not None and self._ended.builder.number + 1 == number
        self._settle_game(score if is_next else None)
        last = number - 1 if self._previous is None else self._previous.builder.number
        if number > last + 1 and not self.leaves_out_games:
            message = f"expected game {last + 1}, got game {number}: the file lacks what was between"
            self._add_issue(IssueKind.MISSING_GAMES, message, number)
        return is_next

    def _begin_at_score(
        self,
        number: int,
        score: Score,
        crawford: bool | None,
        cube: int,
        on_roll: int | None,
    ) -> MatchState | None:
        """Return how a game begins, at the stated score or a likely one; None if all are impossible."""
        before, fault = self._previous, ""
        expected = None if before is None else _score_after(before)
        if not self._length and not any(score) and expected is not None:
            score = expected  # of a session whose games are all said to begin at 0-0
        begun = None
        scores = dict.fromkeys((score, expected or (0, 0), *_list_likely_scores(before)))
        for stated, is_crawford in product(scores, dict.fromkeys((crawford, None))):
            try:
                fresh = MatchState(
                    length=self._length,
                    score=stated,
                    cube=cube,
                    on_roll=on_roll or 0,
                    jacoby=self._rules.jacoby and not self._length,
                    beavers=self._rules.beavers,
                )
                is_crawford = self._is_crawford(fresh) if is_crawford is None else is_crawford
                begun = replace(fresh, crawford=is_crawford)
                break
            except GammondError as error:
                fault = fault or error.message
        if fault:
            self._add_issue(IssueKind.IMPOSSIBLE_SCORE, fault, number)
        if begun is None:
            self._add_issue(IssueKind.MISSING, "the game is left out", number)
        return begun

    def play(self, seat: int, roll: Roll, play: WrittenPlay | None, notes: ActionNotes = NO_NOTES) -> None:
        """Add a roll and its play; the same roll may be added first without one.

        Args:
            seat: The seat that rolled.
            roll: The dice.
            play: The play. Empty text is the only legal one, and otherwise a roll that was not played, as
                None is.
            notes: What the file says about it.
        """
        if self._game is not None and self._game.begins_another(self.at, seat, roll, play):
            number = self._game.builder.number + 1
            message = f"expected the beginning of game {number}, got a roll after the end of the one before"
            self.end_game()
            self._add_issue(IssueKind.UNREADABLE, message, number)
            self.begin_game(number)
        self.last_winner = seat
        self._act(lambda game: game.play(seat, roll, play, notes), seat)

    def complete_roll(self, seat: int, play: WrittenPlay) -> None:
        """Add the play of the roll that was added last without one."""
        self._act(lambda game: game.complete_roll(seat, play), seat)

    def double_automatically(self) -> None:
        """Turn the centred cube before the first play, since the opening dice were equal."""
        self._act(lambda game: game.double_automatically())

    def double(self, seat: int, cube: int | None = None, notes: ActionNotes = NO_NOTES) -> None:
        """Add a double, a beaver or a raccoon, whichever is next; `cube` is its value, None if not stated."""
        self.last_winner = seat
        self._act(lambda game: game.double(seat, cube, notes), seat)

    def respond(self, seat: int, *, is_take: bool, notes: ActionNotes = NO_NOTES) -> None:
        """Add a take or a pass."""
        self.last_winner = seat if is_take else 1 - seat
        self._act(lambda game: game.respond(seat, is_take, notes), seat)

    def act_in_words(self, seat: int, words: str, got: str = "") -> None:
        """Add what is done beside the plays by its first word: ``beavers``, ``Drop``, ``resigns``.

        Args:
            seat: The seat that acts.
            words: The word, and perhaps the value of the cube.
            got: What messages quote, where that is more than the words.
        """
        match _WORDS.get(words.lower().split(" ", 1)[0]):
            case "doubles":
                self.double(seat, find_number(words))
            case "takes" | "drops" as word:
                self.respond(seat, is_take=word == "takes")
            case "resigns":
                self.note_resignation()
            case _:
                shown = quote_text(got or words)
                self.fail(IssueKind.UNREADABLE, f"expected a roll or a cube action, got {shown}")

    def resign(self, seat: int, kind: int, *, is_accepted: bool = True) -> None:
        """Add an offer to resign and its answer."""
        self._act(lambda game: game.act(ResignationAction(seat, kind, is_accepted), NO_NOTES), seat)

    def note_resignation(self) -> None:
        """Note that the file says of the game that it was resigned; the result says how much."""
        if self._game is not None:
            self._game.is_resigned = True

    def set_table(self, position: Position, match: MatchState, *, first_seat_open: bool = False) -> None:
        """Set checkers, cube and turn by hand, or as they stand after what could not be read.

        Args:
            position: The checkers, as the seat on roll of `match` sees them.
            match: The match state.
            first_seat_open: Whether, before the first action, that action will show who is on roll.
        """
        if self._game is not None and self._game.is_lost:
            self._game.go_on_from(self.at, position, match)
        else:
            self._act(lambda game: game.set_table(position, match, first_seat_open))

    def state_result(self, winner: int | None, points: int | None) -> None:
        """Add what the file says about the end of the game; a game that goes on by the rules was resigned.

        Args:
            winner: The seat that won; None where that does not show.
            points: The points; None where the file does not say how many.
        """
        game = self._game
        if game is not None and (game.stated is None or game.builder.situation.result is None):
            game.stated = StatedResult(self.at, winner, points)

    def list_candidates(
        self, roll: Roll, found: Iterable[tuple[WrittenPlay, Evaluation]]
    ) -> tuple[RankedPlay, ...]:
        """Return plays with their evaluations, for the seat to act; those that are not legal are left out."""
        situation = self.situation
        if self._game is None or situation is None or situation.result is not None:
            return ()
        candidates = []
        for written, evaluation in found:
            with suppress(GammondError):
                candidates.append(RankedPlay(self._game.builder.find_play(roll, written), evaluation))
        return tuple(candidates)

    def add_comment(self, text: str) -> None:
        """Add a comment to the last action, to the game before its first one, or to the match."""
        if not text.strip():
            return
        if self._game is None:
            self.comment = join_comments(self.comment, text)
        else:
            self._game.builder.add_comment(text)

    def add_issue(self, kind: IssueKind, message: str) -> None:
        """Report what was skipped; the game goes on."""
        if self._game is None:
            self._add_issue(kind, message)
        else:
            self._game.builder.at = self.at
            self._game.builder.add_fault(kind, message)

    @contextmanager
    def reporting(self, kind: IssueKind, before: str = "", *, fails: bool = False) -> Iterator[None]:
        """Report an error of what is done within, and go on behind it.

        Args:
            kind: The kind of fault.
            before: What the message begins with.
            fails: Whether it is not known how the game stands after it.
        """
        try:
            yield
        except GammondError as error:
            report = self.fail if fails else self.add_issue
            report(kind, f"{before}{error.message}")

    def fail(self, kind: IssueKind, message: str) -> None:
        """Report what cannot be read: how the game stands after it is not known."""
        if self._game is None or (self._game.is_lost and self._has_failed):  # one thing after the other
            self.add_issue(kind, message)
        else:
            situation = self._game.builder.situation
            seat = None if situation.result is not None else situation.match.to_act
            self._act(lambda game: game.fail(kind, message), seat)
            self._has_failed = True

    def attempt(self, step: Step, seat: int) -> bool:
        """Take a step of the game at hand if the rules allow it, and return whether they do; `seat` acts."""
        return self._game is not None and self._game.attempt(self.at, step, seat)

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
        headers = self._begun.headers.items()
        return replace(
            self._begun,
            names=(left, right),
            rules=self._rules,
            games=tuple(self._games),
            headers={escape_unprintable(word): escape_unprintable(said) for word, said in headers},
            ratings=self.ratings,
            comment=self.comment,
            issues=tuple(self._issues),
        )

    def _is_crawford(self, begun: MatchState) -> bool:
        is_near = not begun.is_money and (begun.away(0) == 1) != (begun.away(1) == 1)
        before = self._previous
        was_near = before is not None and any(before.builder.initial.match.away(seat) == 1 for seat in SEATS)
        return is_near and not was_near and self._rules.crawford

    def _settle_game(self, following: Score | None) -> None:
        """Determine the result of the last game, and keep it."""
        game, self._ended = self._ended, None
        if game is None:
            return
        game.settle(following)
        for fault in game.builder.faults:
            self._keep_issue(fault)
        self._previous = game
        if game.builder.actions or game.result is not None:
            self._games.append(game.build())

    def _act(self, step: Step, seat: int | None = None) -> None:
        """Take a step of the game at hand; `seat` acts, None for nobody."""
        self._has_failed = False
        if self._game is not None:
            self._game.take(self.at, step, seat)
        elif not self._is_left_out:
            self._is_left_out = True
            self._add_issue(IssueKind.MISSING, "what is outside of a game is left out")

    def _add_issue(self, kind: IssueKind, message: str, game: int = 0) -> None:
        self._keep_issue(MatchIssue(kind, message, self.at, game=game))

    def _keep_issue(self, issue: MatchIssue) -> None:
        """Keep an issue, fit to be shown; its line is a byte in a binary file."""
        line, offset = (None, issue.line) if self._is_binary else (issue.line, None)
        if len(self._issues) < _MAX_ISSUES:
            shown = escape_unprintable(issue.message)
            self._issues.append(replace(issue, message=shown, line=line, offset=offset))


def _list_likely_scores(game: GameReconstruction | None) -> Iterator[Score]:
    """Yield the score after a game whose stated result is wrong: by the rules, or else of a single game."""
    if game is None or game.result is None:
        return
    begun, end = game.builder.initial.match, game.builder.situation
    if any(fault.kind is IssueKind.WRONG_RESULT for fault in game.builder.faults):
        for likely in (end.result, end.match.game_result(game.result.winner, 1)):
            if likely is not None:
                yield begun.score_after(likely.winner, likely.points)


def _score_after(game: GameReconstruction) -> Score | None:
    result = game.result
    return None if result is None else game.builder.initial.match.score_after(result.winner, result.points)
