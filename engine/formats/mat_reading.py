"""Reading ``.mat`` text: matches and money games as backgammon programs and sites write them.

Every action is checked by the rules. What breaks them, or cannot be read, is told with its line and ends its
game there, since nobody knows how the checkers stood afterwards; what came before it stays.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace

from engine import cube_actions
from engine.dice import Roll
from engine.endings import PLAYED_OUT
from engine.errors import FormatError, GammondError, StateError, ValueRangeError
from engine.formats.mat_lines import Cell, GameLines, MatchLines, read_cells, read_names, shown, split_matches
from engine.game_record import Action, Answered, Doubled, RecordedGame, Rolled
from engine.match import RESULTS, SEATS, GameResult, MatchState
from engine.notation import parse_play
from engine.position import Position

_NUMBER = re.compile(r"[0-9]{1,9}")
_TRUE = frozenset(("on", "yes", "true", "1"))
_COLUMNS = "left", "right"


class Fault(enum.StrEnum):
    """What can be wrong with a record of games."""

    UNREADABLE = "unreadable"
    IMPOSSIBLE_SCORE = "impossible score"
    OUT_OF_TURN = "out of turn"
    NOT_PLAYED = "roll not played"
    ILLEGAL_PLAY = "illegal play"
    ILLEGAL_CUBE_ACTION = "illegal cube action"
    WRONG_RESULT = "wrong result"
    NO_RESULT = "no result"


@dataclass(frozen=True)
class MatFault:
    """Something in a file that was left out, or that contradicts the rules.

    Attributes:
        line: Where, from 1.
        game: The number that the file gives the game; 0 before the first one.
        kind: What is wrong.
        message: What was expected, and what came.
    """

    line: int
    game: int
    kind: Fault
    message: str


@dataclass(frozen=True)
class ReadGame:
    """A game as far as it could be read.

    Attributes:
        number: As the file has it.
        begun: The match state before its first roll; the seat on roll began.
        actions: What the seats did by the rules, in order; a beaver is a double on top of a double.
        result: How it ended, resigned games included; None where the file does not say, or says what cannot
            be.
    """

    number: int
    begun: MatchState
    actions: tuple[Action, ...]
    result: GameResult | None

    @property
    def recorded(self) -> RecordedGame | None:
        """The record of a game that was finished; None for others."""
        return None if self.result is None else RecordedGame(self.begun, self.actions, self.result)


@dataclass(frozen=True)
class ReadMatch:
    """A match, or a session of money games.

    Attributes:
        names: Of seats 0 and 1; empty where no game could be begun.
        length: Points of the match, 0 for money.
        headers: Words and values of the comment lines before it.
        games: In order; a game without any action that the rules allow is not there.
        faults: What was left out, by line.
    """

    names: tuple[str, str]
    length: int
    headers: dict[str, str]
    games: tuple[ReadGame, ...]
    faults: tuple[MatFault, ...]


def read_mat(text: str) -> tuple[ReadMatch, ...]:
    """Read all matches of a text.

    Headers that count, where they are: ``Crawford``, ``Jacoby`` and ``Beavers``, each ``On`` or ``Off``. A
    text that does not tell its length is money play. One that is cut in the middle gives what came before.

    Args:
        text: Of a file; line ends of any system, tabs and blanks as they come.

    Returns:
        At least one match.

    Raises:
        FormatError: There is no game in it.
    """
    matches = tuple(_MatchReader(lines).read() for lines in split_matches(text))
    if not matches:
        raise FormatError(
            f"a .mat file has a line 'Game 1' and rows of moves, this text begins with {shown(text)}",
            field="mat",
        )
    return matches


class _BrokenRecord(Exception):  # noqa: N818  (becomes a `MatFault`)
    """What a row says cannot be."""

    def __init__(self, kind: Fault, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class _MatchReader:
    """Reads the games of a match one after the other."""

    def __init__(self, lines: MatchLines) -> None:
        self._lines = lines
        self._before: MatchState | None = None
        self._names = "", ""
        self._faults = [
            MatFault(line, 0, Fault.UNREADABLE, f"expected a header or 'Game 1', got {shown(text)}")
            for line, text in lines.strays
        ]

    def read(self) -> ReadMatch:
        games = [self._game(lines) for lines in self._lines.games]
        begun = tuple(game for game in games if game is not None and game.actions)
        lines = self._lines
        return ReadMatch(self._names, lines.length, lines.headers, begun, tuple(self._faults))

    def _game(self, game: GameLines) -> ReadGame | None:
        last, head = game.lines[0] if game.lines else (game.line, "")
        try:
            begun = self._begun(head)
        except FormatError as error:
            self._faults.append(MatFault(last, game.number, Fault.UNREADABLE, error.message))
            return None
        except GammondError as error:
            self._faults.append(MatFault(last, game.number, Fault.IMPOSSIBLE_SCORE, error.message))
            return None
        self._before = begun
        reader = _GameReader(begun)
        for last, text in game.lines[1:]:
            try:
                reader.row(text)
            except _BrokenRecord as broken:
                self._faults.append(MatFault(last, game.number, broken.kind, broken.message))
        result = None
        try:
            result = reader.result()
            reader.check_said(result)
        except _BrokenRecord as broken:
            self._faults.append(MatFault(last, game.number, broken.kind, broken.message))
        return ReadGame(game.number, reader.begun, tuple(reader.actions), result)

    def _begun(self, head: str) -> MatchState:
        """The match state of a game from the line with names and scores; who is on roll comes out later."""
        self._names, score = read_names(head)
        is_match = self._lines.length > 0
        begun = MatchState(
            length=self._lines.length,
            score=score,
            jacoby=not is_match and self._says("Jacoby", default=False),
            beavers=self._says("Beavers", default=True),
        )
        before = self._before
        was_near = before is not None and any(before.away(seat) == 1 for seat in SEATS)
        is_near = is_match and (begun.away(0) == 1) != (begun.away(1) == 1)
        crawford = is_near and not was_near and self._says("Crawford", default=True)
        return replace(begun, crawford=crawford)

    def _says(self, word: str, *, default: bool) -> bool:
        value = self._lines.headers.get(word)
        return default if value is None else value.strip().lower() in _TRUE


class _GameReader:
    """A game as far as it has been read.

    Args:
        begun: The match state before it; the first action tells who is on roll.
    """

    def __init__(self, begun: MatchState) -> None:
        self.begun = begun
        self.actions: list[Action] = []
        self._match = begun
        self._position = Position.start()
        self._ended: GameResult | None = None
        self._said: tuple[int, int] | None = None
        self._is_broken = False

    def row(self, text: str) -> None:
        """Read a row; after one that is broken all others are passed over.

        Raises:
            _BrokenRecord: It cannot be read, or breaks a rule.
        """
        if self._is_broken:
            return
        try:
            for cell in read_cells(text):
                self._act(cell)
        except FormatError as error:
            self._is_broken = True
            raise _BrokenRecord(Fault.UNREADABLE, error.message) from None
        except _BrokenRecord:
            self._is_broken = True
            raise

    def result(self) -> GameResult | None:
        """How the game ended: by the rules, or resigned as the record says; None after something broken.

        Raises:
            _BrokenRecord: The record does not say, or says what cannot be.
        """
        if self._ended is not None or self._is_broken:
            return self._ended
        if self._said is None:
            raise _BrokenRecord(Fault.NO_RESULT, "expected further rows or who wins, the game ends here")
        winner, points = self._said
        for kind in range(1, len(RESULTS) + 1):
            result = self._match.result(winner, kind)
            if self._counts(result, points):
                return result
        cube = self._match.cube
        raise _BrokenRecord(
            Fault.WRONG_RESULT,
            f"expected one to three times {cube} points for a game given up at that cube, got {points}",
        )

    def check_said(self, result: GameResult | None) -> None:
        """Compare how the game ended with what the record says.

        Raises:
            _BrokenRecord: They differ.
        """
        if result is None or self._said is None:
            return
        winner, points = self._said
        if winner != result.winner or not self._counts(result, points):
            raise _BrokenRecord(
                Fault.WRONG_RESULT,
                f"expected {result.points} for the {_COLUMNS[result.winner]} column by the rules, "
                f"got {points} for the {_COLUMNS[winner]} one",
            )

    def _counts(self, result: GameResult, points: int) -> bool:
        """Whether a game counts so many points; sites cut them to what wins the match, or to its length."""
        caps = (self.begun.away(result.winner), self.begun.length) if not self.begun.is_money else ()
        return points in (result.points, *(min(result.points, cap) for cap in caps))

    def _act(self, cell: Cell) -> None:
        if cell.word in ("wins", "losses"):
            self._said = cell.seat ^ (cell.word == "losses"), _number(cell)
            return
        if not self.actions:
            self.begun = self._match = replace(self.begun, on_roll=cell.seat)
        if self._ended is not None:
            raise _BrokenRecord(Fault.OUT_OF_TURN, f"expected the next game, got {cell.text!r}")
        if cell.seat != self._match.to_act:
            expected, got = _COLUMNS[self._match.to_act], _COLUMNS[cell.seat]
            raise _BrokenRecord(
                Fault.OUT_OF_TURN,
                f"expected an action on the {expected}, got {shown(cell.text)} on the {got}",
            )
        if cell.dice:
            self._roll(cell)
            return
        try:
            self._turn_cube(cell)
        except (StateError, ValueRangeError) as error:
            raise _BrokenRecord(Fault.ILLEGAL_CUBE_ACTION, f"{shown(cell.text)}: {error.message}") from None

    def _turn_cube(self, cell: Cell) -> None:
        match cell.word:
            case "takes":
                self._match = cube_actions.take(self._match)
                self.actions.append(Answered(cell.seat, True))
            case "drops":
                self._ended = cube_actions.drop(self._match)
                self.actions.append(Answered(cell.seat, False))
            case "doubles":
                self._offer(cell, cube_actions.double(self._match), 2 * self._match.cube)
            case _:
                self._offer(cell, cube_actions.beaver(self._match), 4 * self._match.cube)

    def _offer(self, cell: Cell, offered: MatchState, cube: int) -> None:
        if not self.actions:
            raise StateError("a game begins with a roll")
        if cell.rest and _number(cell) != cube:
            raise ValueRangeError(f"the cube goes to {cube}", field="cube")
        self._match = offered
        self.actions.append(Doubled(cell.seat, cube))

    def _roll(self, cell: Cell) -> None:
        roll: Roll = int(cell.dice[0]), int(cell.dice[1])
        if self._match.doubled:
            raise _BrokenRecord(
                Fault.OUT_OF_TURN, f"expected an answer to the double, got {shown(cell.text)}"
            )
        if cell.rest.startswith("?"):
            raise _BrokenRecord(Fault.NOT_PLAYED, f"expected a play of {cell.dice}, got {shown(cell.rest)}")
        try:
            play = parse_play(cell.rest, self._position, roll)
        except FormatError:
            raise
        except GammondError as error:
            raise _BrokenRecord(Fault.ILLEGAL_PLAY, f"{shown(cell.text)}: {error.message}") from None
        self.actions.append(Rolled(cell.seat, roll, play))
        self._position = play.result
        if self._position.is_over:
            kind = int(PLAYED_OUT.counted(self._position.board[None])[0])
            self._ended = self._match.result(cell.seat, kind)
        self._match = replace(self._match, on_roll=1 - cell.seat)


def _number(cell: Cell) -> int:
    found = _NUMBER.search(cell.rest)
    if found is None:
        raise FormatError(f"expected a number behind {cell.word}, got {shown(cell.rest)}", field="mat")
    return int(found[0])
