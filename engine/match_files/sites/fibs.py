"""Read what FIBS answers to ``oldmoves``: the moves of a match, one player's numbering upside down.

*Source:* the answers of the server; GNU Backgammon 1.07 imports them as "FIBS oldmoves".
"""

from __future__ import annotations

import re

from gammond.engine.errors import FormatError
from gammond.engine.match_files.builder import MatchBuilder
from gammond.engine.match_files.conventions import iterate_lines
from gammond.engine.match_files.model import IssueKind, RecordedMatch
from gammond.engine.rules.moves import CheckerMove
from gammond.engine.rules.position import BAR, OFF

FIBS_SIGN = re.compile(r"^[ \t]*\S[^\n]{0,200} is X - [^\n]{0,200} is O", re.MULTILINE)

_MAX_LINE_LENGTH = 300
_SCORE = re.compile(
    r"\s*Score is ([0-9]{1,6})-([0-9]{1,6})(?: in an? ([0-9]{1,5})[ -]point match)?.*", re.IGNORECASE
)
_NAMES = re.compile(r"\s*(\S.*) is X - (.*\S) is O\.?")
_ACTION = re.compile(r"\s*([XO]):\s*(.*)")
_ROLL = re.compile(r"\(([1-6])[ ,]+([1-6])\)\s*(.*)")
_MOVE = re.compile(r"(bar|[0-9]{1,2})-(off|[0-9]{1,2})\*?", re.IGNORECASE)
_WIN = re.compile(r"wins ([0-9]{1,6}) points?.*", re.IGNORECASE)
_HOME = 6


def parse_oldmoves(text: str) -> tuple[RecordedMatch, ...]:
    """Parse matches of FIBS; the player X of the first game is seat 0.

    Raises:
        FormatError: There is no game.
    """
    matches: list[_FibsMatch] = []
    score, length, at_score = (0, 0), 0, 0
    for at, line in iterate_lines(text, _MAX_LINE_LENGTH):
        if found := _SCORE.fullmatch(line):
            score, length, at_score = (int(found[1]), int(found[2])), int(found[3] or 0), at
            if matches:
                matches[-1].end_game(at, score)
        elif found := _NAMES.fullmatch(line):
            if not matches or matches[-1].length != length:
                matches.append(_FibsMatch(length))
            matches[-1].begin_game(at_score or at, (found[1], found[2]), score)
            at_score = 0
        elif matches:
            matches[-1].read(at, line)
    if not matches:
        raise FormatError("expected 'NAME is X - NAME is O' and moves, got neither", field="oldmoves")
    return tuple(match.builder.build() for match in matches)


class _FibsMatch:
    """Reads one match."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.builder = MatchBuilder(RecordedMatch(length=length, format="oldmoves"))
        self._seats = {"X": 0, "O": 1}
        self._number = 0
        self._resigning: int | None = None
        self._loser: int | None = None
        self._following: tuple[int, tuple[int, int]] | None = None

    def begin_game(self, at: int, names: tuple[str, str], score: tuple[int, int]) -> None:
        builder, expected = self.builder, self.builder.expect_score()
        self._number, self._following = self._number + 1, None
        if self._number == 1:
            builder.names = names
        is_swapped = names == builder.names[::-1] and names != builder.names
        self._seats = {"X": int(is_swapped), "O": int(not is_swapped)}
        ordered = score[::-1] if is_swapped else score
        if expected not in (None, ordered) and expected == ordered[::-1]:
            ordered = ordered[::-1]  # the server may swap the points
        self._resigning = self._loser = None
        builder.at = at
        builder.begin_game(self._number, ordered)

    def end_game(self, at: int, score: tuple[int, int]) -> None:
        """End a game where the score of the next one is said; names follow, or are missing."""
        self.builder.end_game()
        self._following = at, score

    def read(self, at: int, line: str) -> None:
        """Read a line of a game; what the server says beside the actions is a comment."""
        self.builder.at = at
        found = _ACTION.fullmatch(line)
        if found is None:
            self.builder.add_comment(line.strip())
            return
        if self._following is not None:
            self.builder.add_issue(IssueKind.UNREADABLE, "expected the names of the players, got none")
            at_score, score = self._following
            self.begin_game(at_score, self.builder.names, score)
            self.builder.at = at
        seat, words = self._seats[found[1]], found[2].strip()
        if rolled := _ROLL.fullmatch(words):
            self._read_roll(seat, rolled)
        elif won := _WIN.fullmatch(words):
            if seat == self._loser:
                message = "expected a win of who accepted the resignation, got one of who resigned"
                self.builder.add_issue(IssueKind.WRONG_RESULT, message)
                seat = 1 - seat
            self.builder.state_result(seat, int(won[1]))
        else:
            self._read_offer(seat, words.lower().rstrip("."))

    def _read_roll(self, seat: int, rolled: re.Match[str]) -> None:
        words, roll = rolled[3].rstrip(". "), (int(rolled[1]), int(rolled[2]))
        moves = [_MOVE.fullmatch(word) for word in words.split()]
        written = [_turn_upright(move[1].lower(), move[2].lower()) for move in moves if move is not None]
        self.builder.play(seat, roll, written if len(written) == len(moves) else words)

    def _read_offer(self, seat: int, words: str) -> None:
        """Read a double, a resignation, or the answer to either; an accepted one shows in the result."""
        builder, word = self.builder, words.split(" ", 1)[0]
        if word in ("wants", "resigns"):
            self._resigning = seat
        elif word in ("accepts", "rejects") and self._resigning is not None:
            self._loser = self._resigning if word == "accepts" else None
            self._resigning = None
            builder.add_comment(f"resignation: {words}")
            if word == "accepts":
                builder.note_resignation()
        else:
            builder.act_in_words(seat, word, words)


def _turn_upright(source: str, target: str) -> CheckerMove:
    """Return a move in its player's own numbering: moves that rise are in the other player's."""
    if source == "bar":
        place = int(target) if target != "off" else BAR
        return BAR, BAR - place if place <= _HOME else place
    if target == "off":
        return (BAR - int(source) if int(source) > BAR - 1 - _HOME else int(source)), OFF
    first, last = int(source), int(target)
    return (BAR - first, BAR - last) if first < last else (first, last)
