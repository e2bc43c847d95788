"""Matches as files have them, in any format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from engine.rules.dice import format_roll
from gammond.errors import FormatError
from gammond.match import Dice, MatchState
from gammond.position import Play, Position
from gammond.results import Outcome

if TYPE_CHECKING:
    from engine.match_files.model import ActionNotes, RecordedGame, RecordedMatch
    from engine.rules.game_record import GameAction
    from engine.rules.game_replay import GameSituation

ActionKind = Literal["play", "roll", "double", "take", "pass", "resign", "set"]
"""What was done: ``roll`` is a roll that was not played, ``set`` a position or a cube set by hand."""


@dataclass(frozen=True)
class AnalysedPlay:
    """A play that the program behind a file considered.

    Attributes:
        play: The play.
        equity: Its equity with the cube, in points at the present cube.
        outcome: Its outcome; None where the file has none.
        depth: How it was found, in the program's words.
    """

    play: Play
    equity: float
    outcome: Outcome | None
    depth: str


@dataclass(frozen=True)
class Action:
    """Something that a player did.

    Attributes:
        kind: What it was.
        seat: Who did it, 0 or 1.
        text: In words: ``8/5 6/5``, ``double``, ``beaver``, ``take``, ``resign gammon``.
        position: The checkers before it, as the player on roll sees them.
        match: The match state before it, with the dice of a play.
        play: The play, if it is one.
        is_accepted: Of a resignation: whether it ended the game.
        comment: A person's comment.
        analysed_plays: Plays that the file's program considered, best first.
        cube_equities: Equities of no double, double and take, double and pass by the file's program: of the
            double or the answer, or before a play without a double. None where the file has none.
        luck: The luck of the roll by the file's program, in points at the present cube.
    """

    kind: ActionKind
    seat: int
    text: str
    position: Position
    match: MatchState
    play: Play | None = None
    is_accepted: bool = False
    comment: str = ""
    analysed_plays: tuple[AnalysedPlay, ...] = ()
    cube_equities: tuple[float, float, float] | None = None
    luck: float | None = None

    @property
    def dice(self) -> Dice | None:
        """The roll, of a play or of a roll that was not played."""
        return self.match.dice

    def __str__(self) -> str:
        if self.dice is None or self.kind not in ("play", "roll"):
            return self.text
        return f"{format_roll(self.dice)}: {self.text}"


@dataclass(frozen=True)
class Game:
    """A game as far as its file has it, legal throughout.

    Attributes:
        number: Its number in the file.
        position: The checkers before the first action, as the player who began sees them.
        match: The match state before the first action.
        actions: In order.
        winner: The seat that won; None where the file has no result.
        points: Points won, cube included.
        comment: A person's comment.
    """

    number: int
    position: Position
    match: MatchState
    actions: tuple[Action, ...]
    winner: int | None
    points: int
    comment: str


@dataclass(frozen=True)
class Match:
    """A match, or a session of money games, as a file has it.

    Attributes:
        names: Of seats 0 and 1.
        length: Points of the match, 0 for money.
        games: In order.
        headers: What else the file says, by the words of ``.mat`` files: ``Event``, ``Round``, ``Site``,
            ``EventDate``.
        ratings: Of seats 0 and 1; None where the file has none.
        comment: A person's comment.
        issues: What could not be read, or breaks the rules, each with line, game and move. A fault ends its
            game there; the next game is read.
        format: The name of the format.
    """

    names: tuple[str, str]
    length: int
    games: tuple[Game, ...]
    headers: Mapping[str, str]
    ratings: tuple[float | None, float | None]
    comment: str
    issues: tuple[str, ...]
    format: str
    _record: RecordedMatch = field(repr=False, compare=False)
    _method: str = field(default="", repr=False, compare=False)

    def to_mat(self) -> str:
        """Write the match as ``.mat`` text.

        Raises:
            FormatError: It has no game.
            UnsupportedError: The format has no place for something in it.
        """
        from engine.match_files.mat.writer import format_match

        return format_match(self._record)

    def to_sgf(self) -> str:
        """Write the match as ``.sgf`` text with its comments and analysis, as GNU Backgammon reads it."""
        from engine.match_files.sgf.writer import format_sgf

        return format_sgf(self._record)

    def to_dict(self) -> dict[str, Any]:
        """Return what both players lost by the analysis in the match, with the keys of `gammond analyse`.

        ``players`` has their statistics, ``decisions`` each play and cube action with its error; they are
        empty in a match without an analysis (`Engine.analyse`).
        """
        from engine.match_analysis.analysed_match import AnalysedMatch, find_table
        from engine.match_analysis.documents import describe_match

        table = find_table(self._record.rules.rules)
        return describe_match(AnalysedMatch("", self._record, self._method, table))

    def __str__(self) -> str:
        kind = f"{self.length}-point match" if self.length else "money play"
        games = f"{len(self.games)} game{'' if len(self.games) == 1 else 's'}"
        return f"{self.names[0]} and {self.names[1]}: {kind}, {games}"


def read_match(
    source: bytes | str | os.PathLike[str], *, name: str | None = None, strict: bool = False
) -> Match:
    """Read the match of a file in any format; `docs/reference/formats.md` lists them.

    Args:
        source: The path of the file, or its content as bytes.
        name: What error messages call it; None for the path.
        strict: Whether the first fault is an error; otherwise faults are in `Match.issues`.

    Raises:
        DataFileError: The file cannot be opened.
        LimitError: It is too large.
        FormatError: It is no match file, or holds several matches (see `read_matches`); or, if strict, it has
            a fault.
    """
    matches = read_matches(source, name=name, strict=strict)
    if len(matches) > 1:
        raise FormatError(
            f"expected one match, got {len(matches)}: read them with read_matches", field="match"
        )
    return matches[0]


def read_matches(
    source: bytes | str | os.PathLike[str], *, name: str | None = None, strict: bool = False
) -> list[Match]:
    """Read all matches of a file, as `read_match` does one.

    Returns:
        At least one match.
    """
    from engine.match_files.reading import read_matches as read_records

    return [wrap_match(record) for record in read_records(source, name=name, strict=strict)]


def wrap_match(record: RecordedMatch, method: str = "") -> Match:
    """Return a match as users of the API see it.

    Args:
        record: The match.
        method: What judged it, in words; empty for the program behind its file.
    """
    return Match(
        record.names,
        record.length,
        tuple(_wrap_game(game) for game in record.games),
        record.headers,
        record.ratings,
        record.comment,
        tuple(str(issue) for issue in record.issues),
        record.format,
        record,
        method,
    )


def _wrap_game(game: RecordedGame) -> Game:
    from engine.match_files.model import NO_NOTES

    result = game.result
    return Game(
        game.number,
        Position._wrap(game.position),
        MatchState._from_engine(game.initial_state),
        tuple(
            _wrap_action(before, action, game.notes.get(place, NO_NOTES))
            for place, (before, action) in enumerate(game.replay())
        ),
        None if result is None else result.winner,
        0 if result is None else result.points,
        game.comment,
    )


def _wrap_action(before: GameSituation, action: GameAction, notes: ActionNotes) -> Action:
    from engine.rules.game_record import (
        DoubleAction,
        PlayAction,
        ResignationAction,
        ResponseAction,
        RollAction,
        SetAction,
    )
    from engine.rules.match import RESULT_NAMES

    kind: ActionKind
    match, play, is_accepted = before.match, None, False
    match action:
        case PlayAction(seat, roll):
            play = Play._wrap(action.play)
            kind, text, match = "play", play.text, match.with_roll(roll)
        case RollAction(seat, roll):
            kind, text, match = "roll", "not played", match.with_roll(roll)
        case DoubleAction(seat):
            words = ("double", "beaver", "raccoon")
            kind, text = "double", words[before.match.doubled + before.match.beavered]
        case ResponseAction(seat, is_take):
            kind = text = "take" if is_take else "pass"
        case ResignationAction(seat, size, is_accepted):
            kind, text = "resign", f"resign {RESULT_NAMES[size - 1]}"
        case SetAction():
            kind, text, seat = "set", "set the position", match.on_roll
    cube = notes.cube
    return Action(
        kind,
        seat,
        text,
        Position._wrap(before.position),
        MatchState._from_engine(match),
        play,
        is_accepted,
        notes.comment,
        tuple(
            AnalysedPlay(
                Play._wrap(each.play),
                each.evaluation.equity,
                None if each.evaluation.outcome is None else Outcome(*each.evaluation.outcome),
                each.evaluation.depth,
            )
            for each in notes.candidates
        ),
        None if cube is None else (cube.no_double, cube.double_take, cube.double_pass),
        notes.luck,
    )
