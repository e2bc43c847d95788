"""Parse ``.mat`` text: matches and money games as backgammon programs and sites write them.

Every action is checked by the rules. An action that breaks them, or cannot be parsed, is reported with its
line and ends its game there, since the position after it is unknown; the actions before it stay.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace

from engine.errors import FormatError, GammondError, StateError, ValueRangeError
from engine.formats.mat_lines import (
    GameLines,
    MatCell,
    MatchLines,
    parse_cells,
    parse_score_line,
    quote_text,
    split_matches,
)
from engine.rules import cube_actions
from engine.rules.dice import Roll
from engine.rules.game_record import DoubleAction, GameAction, GameRecord, PlayAction, ResponseAction
from engine.rules.match import RESULT_NAMES, SEATS, GameResult, MatchState
from engine.rules.notation import parse_play
from engine.rules.outcome import classify_results
from engine.rules.rules import STANDARD_RULES, VARIANTS, Rules

_NUMBER = re.compile(r"[0-9]{1,9}")
_TRUE = frozenset(("on", "yes", "true", "1"))
_COLUMNS = "left", "right"


class MatIssueKind(enum.StrEnum):
    """Kinds of faults in a record of games."""

    UNREADABLE = "unreadable"
    IMPOSSIBLE_SCORE = "impossible score"
    OUT_OF_TURN = "out of turn"
    ROLL_NOT_PLAYED = "roll not played"
    ILLEGAL_PLAY = "illegal play"
    ILLEGAL_CUBE_ACTION = "illegal cube action"
    WRONG_RESULT = "wrong result"
    NO_RESULT = "no result"


@dataclass(frozen=True)
class MatIssue:
    """A part of a file that was skipped, or that contradicts the rules.

    Attributes:
        line: The line, from 1.
        game: The number of the game in the file; 0 before the first one.
        kind: The kind of fault.
        message: What was expected, and what came.
    """

    line: int
    game: int
    kind: MatIssueKind
    message: str


@dataclass(frozen=True)
class ParsedGame:
    """A game as far as it could be parsed.

    Attributes:
        number: Its number in the file.
        initial_state: The match state before its first roll; the seat on roll began.
        actions: The legal actions in order; a beaver is a double right after a double.
        result: How it ended, resigned games included; None where the file has none or an impossible one.
        rules: The rules by which it was played.
    """

    number: int
    initial_state: MatchState
    actions: tuple[GameAction, ...]
    result: GameResult | None
    rules: Rules = STANDARD_RULES

    @property
    def record(self) -> GameRecord | None:
        """The record of a finished game; None for others."""
        if self.result is None:
            return None
        return GameRecord(self.initial_state, self.actions, self.result, self.rules)


@dataclass(frozen=True)
class ParsedMatch:
    """A match, or a session of money games.

    Attributes:
        names: Of seats 0 and 1; empty if no game could be parsed.
        length: Points of the match, 0 for money.
        headers: Names and values of the comment lines before it.
        games: In order, without games that have no legal action.
        issues: Faults, by line.
    """

    names: tuple[str, str]
    length: int
    headers: dict[str, str]
    games: tuple[ParsedGame, ...]
    issues: tuple[MatIssue, ...]


def parse_mat(text: str) -> tuple[ParsedMatch, ...]:
    """Parse all matches of a text.

    The header ``Variation`` names the variant; one that is not known is an issue, and is read as backgammon.
    The headers ``Crawford``, ``Jacoby`` and ``Beavers``, each ``On`` or ``Off``, set the rules. A text
    without a match length is money play. A truncated text gives the games before its end.

    Args:
        text: The text of a file, with any line ends, tabs and blanks.

    Returns:
        At least one match.

    Raises:
        FormatError: There is no game.
    """
    matches = tuple(_MatchParser(lines).parse() for lines in split_matches(text))
    if not matches:
        raise FormatError(
            f"expected a .mat file with 'Game 1' and rows of moves, got {quote_text(text)}",
            field="mat",
        )
    return matches


class _RecordError(Exception):
    """A row contradicts the rules."""

    def __init__(self, kind: MatIssueKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class _MatchParser:
    """Parses the games of a match in order."""

    def __init__(self, lines: MatchLines) -> None:
        self._lines = lines
        self._previous_state: MatchState | None = None
        self._names = "", ""
        self._issues = [
            MatIssue(
                line, 0, MatIssueKind.UNREADABLE, f"expected a header or 'Game 1', got {quote_text(text)}"
            )
            for line, text in lines.unrecognised_lines
        ]
        self._rules = self._read_rules()

    def parse(self) -> ParsedMatch:
        games = [self._parse_game(lines) for lines in self._lines.games]
        begun = tuple(game for game in games if game is not None and game.actions)
        lines = self._lines
        return ParsedMatch(self._names, lines.length, lines.headers, begun, tuple(self._issues))

    def _parse_game(self, game: GameLines) -> ParsedGame | None:
        last, head = game.lines[0] if game.lines else (game.line_number, "")
        try:
            begun = self._parse_initial_state(head)
        except FormatError as error:
            self._issues.append(MatIssue(last, game.number, MatIssueKind.UNREADABLE, error.message))
            return None
        except GammondError as error:
            self._issues.append(MatIssue(last, game.number, MatIssueKind.IMPOSSIBLE_SCORE, error.message))
            return None
        self._previous_state = begun
        reader = _GameParser(begun, self._rules)
        for last, text in game.lines[1:]:
            try:
                reader.parse_row(text)
            except _RecordError as broken:
                self._issues.append(MatIssue(last, game.number, broken.kind, broken.message))
        result = None
        try:
            result = reader.determine_result()
            reader.check_stated_result(result)
        except _RecordError as broken:
            self._issues.append(MatIssue(last, game.number, broken.kind, broken.message))
        return ParsedGame(game.number, reader.initial_state, tuple(reader.actions), result, self._rules)

    def _parse_initial_state(self, head: str) -> MatchState:
        """Return the match state from a line of names and scores; the first action shows the seat on roll."""
        self._names, score = parse_score_line(head)
        is_match = self._lines.length > 0
        begun = MatchState(
            length=self._lines.length,
            score=score,
            jacoby=not is_match and self._read_flag("Jacoby", default=False),
            beavers=self._read_flag("Beavers", default=True),
        )
        before = self._previous_state
        was_near = before is not None and any(before.away(seat) == 1 for seat in SEATS)
        is_near = is_match and (begun.away(0) == 1) != (begun.away(1) == 1)
        crawford = is_near and not was_near and self._read_flag("Crawford", default=True)
        return replace(begun, crawford=crawford)

    def _read_rules(self) -> Rules:
        """Read the variant; an unknown one is an issue."""
        name = self._lines.headers.get("Variation", STANDARD_RULES.variant.name)
        variant = VARIANTS.get(name.strip().lower())
        if variant is not None:
            return Rules(variant)
        message = f"expected a Variation of {', '.join(VARIANTS)}, got {quote_text(name)}: read as backgammon"
        line = self._lines.games[0].line_number
        self._issues.append(MatIssue(line, 0, MatIssueKind.UNREADABLE, message))
        return STANDARD_RULES

    def _read_flag(self, word: str, *, default: bool) -> bool:
        value = self._lines.headers.get(word)
        return default if value is None else value.strip().lower() in _TRUE


class _GameParser:
    """Parses a game row by row.

    Args:
        initial_state: The match state before it; the first action shows the seat on roll.
        rules: The rules of the game.
    """

    def __init__(self, initial_state: MatchState, rules: Rules) -> None:
        self.initial_state = initial_state
        self.actions: list[GameAction] = []
        self._match = initial_state
        self._rules = rules
        self._position = rules.starting_position
        self._result: GameResult | None = None
        self._stated_result: tuple[int, int] | None = None
        self._is_broken = False

    def parse_row(self, text: str) -> None:
        """Parse a row; rows after a faulty one are skipped.

        Raises:
            _RecordError: It cannot be parsed, or breaks a rule.
        """
        if self._is_broken:
            return
        try:
            for cell in parse_cells(text):
                self._apply_cell(cell)
        except FormatError as error:
            self._is_broken = True
            raise _RecordError(MatIssueKind.UNREADABLE, error.message) from None
        except _RecordError:
            self._is_broken = True
            raise

    def determine_result(self) -> GameResult | None:
        """Return the result by the rules, or as the record states for a resignation; None after a fault.

        Raises:
            _RecordError: The record states none, or an impossible one.
        """
        if self._result is not None or self._is_broken:
            return self._result
        if self._stated_result is None:
            raise _RecordError(
                MatIssueKind.NO_RESULT, "expected more rows or a result, got the end of the game"
            )
        winner, points = self._stated_result
        for kind in range(1, len(RESULT_NAMES) + 1):
            result = self._match.game_result(winner, kind)
            if self._is_worth(result, points):
                return result
        cube = self._match.cube
        raise _RecordError(
            MatIssueKind.WRONG_RESULT,
            f"expected one to three times {cube} points for a game resigned at that cube, got {points}",
        )

    def check_stated_result(self, result: GameResult | None) -> None:
        """Compare the result with the one that the record states.

        Raises:
            _RecordError: They differ.
        """
        if result is None or self._stated_result is None:
            return
        winner, points = self._stated_result
        if winner != result.winner or not self._is_worth(result, points):
            raise _RecordError(
                MatIssueKind.WRONG_RESULT,
                f"expected {result.points} for the {_COLUMNS[result.winner]} column by the rules, "
                f"got {points} for the {_COLUMNS[winner]} one",
            )

    def _is_worth(self, result: GameResult, points: int) -> bool:
        """Return whether a result fits stated points; sites cap them at the points needed or the length."""
        caps = (
            (self.initial_state.away(result.winner), self.initial_state.length)
            if not self.initial_state.is_money
            else ()
        )
        return points in (result.points, *(min(result.points, cap) for cap in caps))

    def _apply_cell(self, cell: MatCell) -> None:
        if cell.keyword in ("wins", "losses"):
            self._stated_result = cell.seat ^ (cell.keyword == "losses"), _parse_number(cell)
            return
        if not self.actions:
            self.initial_state = self._match = replace(self.initial_state, on_roll=cell.seat)
        if self._result is not None:
            raise _RecordError(MatIssueKind.OUT_OF_TURN, f"expected the next game, got {cell.text!r}")
        if cell.seat != self._match.to_act:
            expected, got = _COLUMNS[self._match.to_act], _COLUMNS[cell.seat]
            raise _RecordError(
                MatIssueKind.OUT_OF_TURN,
                f"expected an action on the {expected}, got {quote_text(cell.text)} on the {got}",
            )
        if cell.dice:
            self._apply_roll(cell)
            return
        try:
            self._apply_cube_action(cell)
        except (StateError, ValueRangeError) as error:
            raise _RecordError(
                MatIssueKind.ILLEGAL_CUBE_ACTION, f"{quote_text(cell.text)}: {error.message}"
            ) from None

    def _apply_cube_action(self, cell: MatCell) -> None:
        match cell.keyword:
            case "takes":
                self._match = cube_actions.take(self._match)
                self.actions.append(ResponseAction(cell.seat, True))
            case "drops":
                self._result = cube_actions.pass_double(self._match)
                self.actions.append(ResponseAction(cell.seat, False))
            case "doubles":
                self._apply_double(cell, cube_actions.double(self._match), 2 * self._match.cube)
            case _:
                self._apply_double(cell, cube_actions.beaver(self._match), 4 * self._match.cube)

    def _apply_double(self, cell: MatCell, offered: MatchState, cube: int) -> None:
        if not self.actions:
            raise StateError("expected a roll first")
        if cell.argument and _parse_number(cell) != cube:
            raise ValueRangeError(f"expected the cube at {cube}", field="cube")
        self._match = offered
        self.actions.append(DoubleAction(cell.seat, cube))

    def _apply_roll(self, cell: MatCell) -> None:
        roll: Roll = int(cell.dice[0]), int(cell.dice[1])
        if self._match.doubled:
            raise _RecordError(
                MatIssueKind.OUT_OF_TURN, f"expected a response to the double, got {quote_text(cell.text)}"
            )
        if cell.argument.startswith("?"):
            raise _RecordError(
                MatIssueKind.ROLL_NOT_PLAYED,
                f"expected a play of {cell.dice}, got {quote_text(cell.argument)}",
            )
        try:
            play = parse_play(cell.argument, self._position, roll, self._rules)
        except FormatError:
            raise
        except GammondError as error:
            raise _RecordError(
                MatIssueKind.ILLEGAL_PLAY, f"{quote_text(cell.text)}: {error.message}"
            ) from None
        self.actions.append(PlayAction(cell.seat, roll, play))
        self._position = play.result
        if self._position.is_over:
            kind = int(classify_results(self._position.board[None])[0])
            self._result = self._match.game_result(cell.seat, kind)
        self._match = replace(self._match, on_roll=1 - cell.seat)


def _parse_number(cell: MatCell) -> int:
    found = _NUMBER.search(cell.argument)
    if found is None:
        raise FormatError(
            f"expected a number after {cell.keyword}, got {quote_text(cell.argument)}", field="mat"
        )
    return int(found[0])
