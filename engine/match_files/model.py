"""The model of a match file: who played what by which rules, and what the file says about each action.

Every reader fills it through `engine.match_files.builder.MatchBuilder`, so that the same match in two formats
gives the same games.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from engine.rules.game_record import GameAction, GameRecord, ResignationAction, SetAction
from engine.rules.game_replay import GameSituation, replay
from engine.rules.match import MAX_CUBE, GameResult, MatchState
from engine.rules.moves import Play
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES, Rules

ONE_POSITION_ADVICE = "give it to gammond eval, hint or cube"
"""What to do with a file of one position where a match was expected."""

MATCH_ADVICE = "gammond analyse judges its decisions, 'open' in the terminal shows its positions"
"""What to do with a match file where a position was expected."""


ANNOTATOR = "Annotator"
"""The header of a match that names who, or which program, judged it."""


class IssueKind(enum.StrEnum):
    """Kinds of faults in a match file; `MISSING` is what was lost by one."""

    MISSING = "missing"
    MISSING_GAMES = "games missing"
    UNREADABLE = "unreadable"
    UNSUPPORTED = "unsupported"
    IMPOSSIBLE_SCORE = "impossible score"
    IMPOSSIBLE_POSITION = "impossible position"
    OUT_OF_TURN = "out of turn"
    ROLL_NOT_PLAYED = "roll not played"
    ILLEGAL_PLAY = "illegal play"
    ILLEGAL_CUBE_ACTION = "illegal cube action"
    WRONG_RESULT = "wrong result"
    NO_RESULT = "no result"


@dataclass(frozen=True)
class MatchIssue:
    """A part of a file that could not be read, or that contradicts the rules.

    Attributes:
        kind: The kind of fault.
        message: What was expected, and what came.
        line: The line of a text file, from 1; None in binary files.
        offset: The byte of a binary file; None in text files.
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
        places = {
            "line": self.line,
            "byte": self.offset,
            "game": self.game or None,
            "move": self.move or None,
        }
        where = ", ".join(f"{word} {number}" for word, number in places.items() if number is not None)
        return f"{where}: {self.kind}: {self.message}" if where else f"{self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class RecordedEvaluation:
    """What a file says about a position, for the player on roll or who made the play.

    Attributes:
        equity: Cubeful equity as the file has it: in a match, on the scale of a money game at the present
            cube (EMG); in money play in units of the present cube.
        outcome: The five probabilities of `docs/reference/glossary.md`, "outcome"; None where the file has
            none.
        depth: How the file's program found it, in its words: ``2-ply``, ``XG Roller+``, ``rollout``.
        error: Standard error of the equity; None for other evaluations than rollouts.
        trials: Games of a rollout, 0 for other evaluations.
    """

    equity: float
    outcome: tuple[float, float, float, float, float] | None = None
    depth: str = ""
    error: float | None = None
    trials: int = 0


@dataclass(frozen=True, slots=True)
class RecordedCandidate:
    """A play that the file's program considered.

    Attributes:
        play: The play.
        evaluation: Its evaluation, for the player who makes it.
    """

    play: Play
    evaluation: RecordedEvaluation


def find_candidate(candidates: Iterable[RecordedCandidate], play: Play) -> RecordedCandidate | None:
    """Return the candidate that leads to the same position as a play; None if none does."""
    return next((each for each in candidates if each.play.result == play.result), None)


def split_by_depth(
    candidates: Sequence[RecordedCandidate],
) -> tuple[list[RecordedCandidate], list[RecordedCandidate], str]:
    """Return the candidates that were judged as the best was, the others, and what to call these.

    Equities of different depths do not compare.
    """
    best = candidates[0].evaluation
    compared = [each for each in candidates if each.evaluation.depth == best.depth]
    others = [each for each in candidates if each.evaluation.depth != best.depth]
    return compared, others, "not rolled out" if best.trials else f"not searched at {best.depth}"


@dataclass(frozen=True)
class RecordedCubeDecision:
    """What the file's program thinks of doubling and of taking, for the player on roll.

    Attributes:
        no_double: The equity of not doubling.
        double_take: Of a double that is taken, in units of the cube before it.
        double_pass: Of a double that is passed, 1 in money play.
        evaluation: The position without a double: its outcome and how it was found; None where the file has
            only the equities.
        taken_evaluation: The same after a take; None where the file has none.
    """

    no_double: float
    double_take: float
    double_pass: float = 1.0
    evaluation: RecordedEvaluation | None = None
    taken_evaluation: RecordedEvaluation | None = None

    @property
    def double(self) -> float:
        """The equity of a double with the right response."""
        return min(self.double_take, self.double_pass)


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
    candidates: tuple[RecordedCandidate, ...] = ()
    cube: RecordedCubeDecision | None = None
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


@dataclass(frozen=True)
class RecordedGame:
    """A game as far as a file has it; plays that break the rules are marked, and so are gaps.

    Attributes:
        number: Its number in the file.
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
        *_, (before, last) = self.replay()
        ruled = before.apply(last).result
        stated = self.result.winner, self.result.points
        return None if ruled is None or (ruled.winner, ruled.points) == stated else ruled

    @property
    def record(self) -> GameRecord | None:
        """The record of a game that went from its starting position to its end; None for others."""
        if self.result is None or self.is_cut or self.position != self.rules.starting_position:
            return None
        return GameRecord(self.initial_state, self.actions, self.result, self.rules)

    def replay(self) -> Iterator[tuple[GameSituation, GameAction]]:
        """Yield each action with the position and the match state before it."""
        return replay(GameSituation(self.position, self.initial_state), self.actions)


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

    names: tuple[str, str]
    length: int
    rules: MatchRules
    games: tuple[RecordedGame, ...]
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


def number_games(games: Sequence[GameRecord | RecordedGame]) -> list[int]:
    """Return the numbers of games for a file: their own where these rise from 1 on, else 1, 2, 3."""
    own = [game.number if isinstance(game, RecordedGame) else 0 for game in games]
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
    """

    position: Position
    match: MatchState
    names: tuple[str, str] = ("", "")
    notes: ActionNotes = NO_NOTES
    format: str = ""
