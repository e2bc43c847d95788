"""The model of a match file: who played what by which rules, and what the file says about each action.

Every reader fills it through `gammond.engine.match_files.builder.MatchBuilder`, so that the same match in two
formats gives the same games.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from gammond.engine.evaluation.results import CubeDecision, RankedPlay
from gammond.engine.formats.xgid import USUAL_MAX_CUBE_LOG, encode_xgid
from gammond.engine.rules.game_record import (
    GameAction,
    GameSituation,
    ResignationAction,
    SetAction,
    replay,
)
from gammond.engine.rules.match import MAX_CUBE, GameResult, MatchState
from gammond.engine.rules.moves import Play
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, Rules

ONE_POSITION_ADVICE = "give it to gammond eval, hint or cube, or many to gammond batch"
"""What to do with a file of positions where a match was expected."""

MATCH_ADVICE = "gammond analyse rates its decisions, 'open' in the terminal shows its positions"
"""What to do with a match file where a position was expected."""


ANNOTATOR = "Annotator"
"""The header of a match that names who, or which program, analysed it."""


class IssueKind(enum.StrEnum):
    """Kinds of faults in a match file; `MISSING` is what was lost by one."""

    MISSING = "missing"
    MISSING_GAMES = "games missing"
    PLAYERS_SWAPPED = "players swapped"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"
    IMPOSSIBLE_SCORE = "impossible score"
    IMPOSSIBLE_POSITION = "impossible position"
    OUT_OF_TURN = "out of turn"
    ROLL_NOT_PLAYED = "roll not played"
    ILLEGAL_PLAY = "illegal play"
    ILLEGAL_CUBE_ACTION = "illegal cube action"
    WRONG_RESULT = "wrong result"
    DOUBTFUL_RESULT = "doubtful result"
    NO_RESULT = "no result"


@dataclass(frozen=True)
class MatchIssue:
    """A part of a file that could not be read, or that contradicts the rules.

    Attributes:
        kind: The kind of fault.
        message: What was expected, and what came.
        line: The line of a text file, from 1; None in binary files.
        offset: The byte of a binary file, 0 where that is not known; None in text files.
        game: The number of the game in the file; 0 before the first one.
        move: The number of the move in its game, by `number_moves`; 0 before the first one.
    """

    kind: IssueKind
    message: str
    line: int | None = None
    offset: int | None = None
    game: int = 0
    move: int = 0

    def __str__(self) -> str:
        return _describe([self])


def describe_issues(issues: Iterable[MatchIssue]) -> list[str]:
    """Return issues in words, those at one place in one line: what came, and what was lost by it."""
    return [_describe(list(found)) for _, found in groupby(issues, attrgetter("game", "line", "offset"))]


def _describe(issues: Sequence[MatchIssue]) -> str:
    first = issues[0]
    places = {"line": first.line, "byte": first.offset, "game": first.game, "move": first.move}
    where = ", ".join(f"{word} {number}" for word, number in places.items() if number)
    said, told = [], None
    for issue in issues:
        is_told = told is not None and issue.kind in (told, IssueKind.MISSING)
        said.append(issue.message if is_told else f"{issue.kind}: {issue.message}")
        told = issue.kind
    return f"{where}: {'; '.join(said)}" if where else "; ".join(said)


def find_candidate(candidates: Iterable[RankedPlay], play: Play) -> RankedPlay | None:
    """Return the candidate that leads to the same position as a play; None if none does."""
    return next((each for each in candidates if each.play.result == play.result), None)


def split_by_depth(
    candidates: Sequence[RankedPlay],
) -> tuple[list[RankedPlay], list[RankedPlay], str]:
    """Return the candidates that are as deep as the best, the others, and what to call these.

    Equities of different depths do not compare.
    """
    best = candidates[0].evaluation
    compared = [each for each in candidates if each.evaluation.depth == best.depth]
    others = [each for each in candidates if each.evaluation.depth != best.depth]
    return compared, others, "not rolled out" if best.trials else f"not searched at {best.depth}"


@dataclass(frozen=True)
class ActionNotes:
    """What a file says about an action.

    Attributes:
        comment: A person's comment.
        candidates: Plays that were considered, best first; for a play.
        cube: The cube decision: of the double or the response, or of not doubling before a play.
        luck: The luck of the roll, in units of the present cube.
        play_mark: The program's mark of the play, in its words: ``doubtful``, ``bad``, ``very bad``.
        cube_mark: Its mark of the cube action, or of not doubling.
        luck_mark: Its mark of the roll: ``lucky``, ``very unlucky``.
    """

    comment: str = ""
    candidates: tuple[RankedPlay, ...] = ()
    cube: CubeDecision | None = None
    luck: float | None = None
    play_mark: str = ""
    cube_mark: str = ""
    luck_mark: str = ""


NO_NOTES = ActionNotes()


@dataclass(frozen=True)
class MatchRules:
    """The rules of a match beside the game itself.

    Attributes:
        rules: The variant and how doubles are played.
        crawford: Whether a match has a Crawford game.
        jacoby: Whether gammons of money play count only once the cube is turned.
        beavers: Whether doubles may be beavered in money play.
        raccoons: Whether beavers may be turned again.
        automatic_doubles: Whether equal opening dice turn the cube in money play.
        cube_limit: The highest value of the cube; 1 for play without one.
    """

    rules: Rules = STANDARD_RULES
    crawford: bool = True
    jacoby: bool = False
    beavers: bool = True
    raccoons: bool = False
    automatic_doubles: bool = False
    cube_limit: int = MAX_CUBE


USUAL_RULES = MatchRules()


class ReplayedAction(NamedTuple):
    """An action of a game, with what was before it.

    Attributes:
        situation: The position and the match state before it.
        action: What was done.
        move: The number of its move, by `number_moves`.
    """

    situation: GameSituation
    action: GameAction
    move: int


@dataclass(frozen=True)
class RecordedGame:
    """A game as it was played, or as far as a file has it; illegal plays are marked, and so are gaps.

    Attributes:
        number: Its number in the file; 0 of a game that is in none.
        initial_state: The match state before its first action; the seat on roll began.
        position: The checkers before its first action, as that seat sees them.
        actions: All that was done, in order. A beaver is a double right after a double; a game that was given
            up ends with an accepted resignation. After a gap, checkers are set by what follows it.
        result: How it ended, as the file states it where that differs from the rules; None where neither the
            game, its result nor the score after it shows that.
        rules: The rules by which it was played.
        notes: What the file says about actions, by their place in `actions`.
        comment: A person's comment on the game.
        missing: What could not be read, in words, in the order of the game.
    """

    number: int
    initial_state: MatchState
    position: Position
    actions: tuple[GameAction, ...]
    result: GameResult | None
    rules: Rules = STANDARD_RULES
    notes: Mapping[int, ActionNotes] = field(default_factory=dict)
    comment: str = ""
    missing: tuple[str, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether actions of the game are missing, since they could not be read."""
        return bool(self.missing)

    @property
    def ruled_result(self) -> GameResult | None:
        """The result by the rules, where the file states another one; None where it does not."""
        if not self.actions or self.result is None:
            return None
        before, last, _ = self.replayed[-1]
        ruled = before.apply(last).result
        stated = self.result.winner, self.result.points
        return None if ruled is None or (ruled.winner, ruled.points) == stated else ruled

    @cached_property
    def replayed(self) -> tuple[ReplayedAction, ...]:
        """Its actions, each with what was before it."""
        steps = replay(GameSituation(self.position, self.initial_state), self.actions)
        moves = number_moves(self.actions)
        return tuple(ReplayedAction(*step, move) for step, move in zip(steps, moves, strict=True))

    def with_notes(self, notes: Mapping[int, ActionNotes]) -> RecordedGame:
        """Return the game with other notes on its actions; it is not replayed again."""
        changed = replace(self, notes=notes)
        vars(changed)["replayed"] = self.replayed
        return changed


@dataclass(frozen=True)
class RecordedMatch:
    """A match, or a session of money games, as a file has it.

    Attributes:
        names: Of seats 0 and 1; seat 0 is the first player, or the left column.
        length: Points of the match, 0 for money.
        rules: The rules that the file states, and the usual ones for what it does not say.
        games: In order, without those of which neither an action nor the result is known.
        headers: What else the file says about the match, by the names that ``.mat`` files use: ``Event``,
            ``Round``, ``Site``, ``EventDate`` (as ``2024.06.20``), ``EventTime``, ``Transcriber``,
            ``Annotator``, and any others that the file has.
        ratings: Of seats 0 and 1; None where the file has none.
        comment: A person's comment on the match.
        issues: Faults, in the order of the file.
        format: The name of the format: ``mat``, ``sgf``, ``xg``.
    """

    names: tuple[str, str] = ("", "")
    length: int = 0
    rules: MatchRules = USUAL_RULES
    games: tuple[RecordedGame, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    ratings: tuple[float | None, float | None] = (None, None)
    comment: str = ""
    issues: tuple[MatchIssue, ...] = ()
    format: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether no decision of the file was lost."""
        return not any(issue.kind is IssueKind.MISSING for issue in self.issues)

    @property
    def has_analysis(self) -> bool:
        """Whether the file says what plays or cube decisions are worth."""
        return any(notes.candidates or notes.cube for game in self.games for notes in game.notes.values())


def number_games(games: Sequence[RecordedGame]) -> list[int]:
    """Return the numbers of games for a file: their own where these rise from 1 on, else 1, 2, 3."""
    own = [game.number for game in games]
    rises = all(before < number for before, number in pairwise([0, *own]))
    return own if rises else list(range(1, len(games) + 1))


def number_moves(actions: Sequence[GameAction]) -> list[int]:
    """Return the number of the move of each action, from 1, as ``.mat`` files and players count them.

    Both seats have a move of each number, seat 0 first; doubles, takes and passes are moves too. A
    resignation has the number that the next move of its seat would have, a position that is set that of the
    move before.
    """
    numbers, last, seat = [], 0, 1
    for action in actions:
        if isinstance(action, SetAction):
            numbers.append(max(last, 1))
            continue
        number = last + (action.seat == 0 or seat == 1)
        numbers.append(number)
        if not isinstance(action, ResignationAction):
            last, seat = number, action.seat
    return numbers


@dataclass(frozen=True)
class RecordedPosition:
    """A position with what a file says about it.

    Attributes:
        position: The checkers, as the seat on roll sees them.
        match: The match state, with the roll if it is to be played.
        names: Of seats 0 and 1; empty where the file has none.
        notes: The plays that were considered for the roll, or the cube decision, and the comment.
        format: The name of the format.
        rules: The rules that the file states, and the usual ones for what it does not say.
        headers: What else the file says, as those of `RecordedMatch`.
        written_xgid: Its XGID as the file has it; empty where it has none.
    """

    position: Position
    match: MatchState
    names: tuple[str, str] = ("", "")
    notes: ActionNotes = NO_NOTES
    format: str = ""
    rules: MatchRules = USUAL_RULES
    headers: Mapping[str, str] = field(default_factory=dict)
    written_xgid: str = ""

    @property
    def xgid(self) -> str:
        """Its XGID, as the file has it if it has one."""
        return self.written_xgid or encode_xgid(self.position, self.match)

    @property
    def unkept(self) -> list[str]:
        """What the file says, and no form of a position has a place for, in words."""
        rules, notes = self.rules, self.notes
        said = {
            "highest cube": rules.cube_limit not in (MAX_CUBE, max(self.match.cube, 1 << USUAL_MAX_CUBE_LOG)),
            "Crawford rule": not rules.crawford and not self.match.is_money,
            "automatic doubles": rules.automatic_doubles,
            "raccoons": rules.raccoons,
            "names": any(self.names),
            "analysis": bool(notes.candidates or notes.cube),
            "comment": bool(notes.comment),
        }
        found = [what for what, is_said in said.items() if is_said]
        return found + [f"header {header}" for header in self.headers]
