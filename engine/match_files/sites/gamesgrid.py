"""Read ``.sgg`` files, the matches of GamesGrid.

*Source:* GNU Backgammon 1.07, which imports them; it takes the second player for the first.
"""

from __future__ import annotations

import re

from gammond.engine.errors import FormatError
from gammond.engine.match_files.builder import MatchBuilder
from gammond.engine.match_files.conventions import iterate_lines, read_length, read_rules
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.rules.rules import BACKGAMMON

SGG_SIGN = re.compile(r"^Game [0-9]+\.[0-9]+\*?-[0-9]+", re.MULTILINE)

_MAX_LINE_LENGTH = 400
_PLAYERS = re.compile(r"(\S.*?)\s+vs\.\s+(.*\S)\s*")
_HEADER = re.compile(r"([A-Z][A-Za-z ]{1,30}):\s*(.*)")
_RATINGS = re.compile(
    r"ELO:\s*([0-9]{1,5}(?:\.[0-9]{1,4})?)\s+[0-9]+\s+([0-9]{1,5}(?:\.[0-9]{1,4})?)\s+[0-9]+.*"
)
_GAME = re.compile(r"Game ([0-9]{1,6})\.([0-9]{1,6})(\*?)-([0-9]{1,6})(\*?)(?:/([0-9]{1,5}))?.*")
_ACTION = re.compile(r"\s*[0-9]{1,6}\t(\t?)\s*(.*)")
_ROLL = re.compile(r"([1-6])([1-6]):\s*(.*)")
_AUTOMATIC_DOUBLE = re.compile(r"[1-6]{2}:\s*automatic double", re.IGNORECASE)
_WIN = re.compile(r"(\S.*) wins ([0-9]{1,6}) points?.*")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"\s*[A-Za-z]+day,?\s+([A-Za-z]{3})[a-z]*\s+([0-9]{1,2}),?\s+([0-9]{4}).*")
_NO_MOVE = ("o-o", "-")
_RULES = {
    "crawford": ("Crawford",),
    "jacoby": ("Jacoby",),
    "beavers": ("Beavers",),
    "raccoons": ("Raccoons",),
    "automatic_doubles": ("Automatic Doubles",),
    "cube_limit": ("Doubling Cube",),
}
_READ_HEADERS = {"Match Length", "Variant"}.union(*_RULES.values())


def parse_sgg(text: str) -> tuple[RecordedMatch, ...]:
    """Parse matches of GamesGrid.

    Raises:
        FormatError: There is no game.
    """
    matches: list[_GridMatch] = []
    for at, line in iterate_lines(text, _MAX_LINE_LENGTH):
        players = _PLAYERS.fullmatch(line)
        if players and not (matches and matches[-1].builder is None):
            matches.append(_GridMatch((players[1], players[2])))
        elif matches:
            matches[-1].read(at, line)
    built = tuple(match.builder.build() for match in matches if match.builder is not None)
    if not built:
        raise FormatError(
            "expected 'NAME vs. NAME', headers and 'Game 1.0-0', got something else", field="sgg"
        )
    return built


class _GridMatch:
    """Reads one match; its builder is None before the first game."""

    def __init__(self, names: tuple[str, str]) -> None:
        self.builder: MatchBuilder | None = None
        self._names = names
        self._headers: dict[str, str] = {}
        self._ratings: tuple[float | None, float | None] = (None, None)
        self._last: tuple[str, str] = ("", "")

    def read(self, at: int, line: str) -> None:
        """Read a line."""
        if self.builder is not None:
            self.builder.at = at
        game = _GAME.fullmatch(line)
        if game is not None:
            self._begin_game(at, game)
        elif self.builder is None:
            self._read_header(line)
        elif action := _ACTION.fullmatch(line):
            entry = action[1], action[2].strip()
            if entry != self._last:  # entries may be there twice
                self._read_action(self.builder, int(bool(action[1])), entry[1])
            self._last = entry
        elif (won := _WIN.fullmatch(line)) and won[1] in self._names:
            self.builder.state_result(self._names.index(won[1]), int(won[2]))
        else:
            self.builder.add_comment(line.strip())

    def _read_header(self, line: str) -> None:
        if ratings := _RATINGS.fullmatch(line):
            self._ratings = float(ratings[1]), float(ratings[2])
        elif header := _HEADER.fullmatch(line):
            self._headers[header[1]] = header[2].strip()
        elif date := _read_date(line):
            self._headers["EventDate"] = date
        else:
            self._headers.setdefault("Site", line.strip())

    def _begin_game(self, at: int, game: re.Match[str]) -> None:
        headers = self._headers
        if self.builder is None:
            issues: list[str] = []
            length = int(game[6]) if game[6] else read_length(headers, "Match Length", issues)
            rules = read_rules(headers, _RULES, issues, length=length)
            self.builder = MatchBuilder("sgg", length=length, names=self._names, rules=rules)
            self.builder.headers = {word: headers[word] for word in headers if word not in _READ_HEADERS}
            self.builder.ratings = self._ratings
            self.builder.at = at
            self.builder.note_rules(issues, headers.get("Variant", BACKGAMMON.name))
        self._last = "", ""
        score = int(game[2]), int(game[4])
        is_crawford = bool(game[3] or game[5])
        self.builder.begin_game(int(game[1]), score, crawford=is_crawford if game[6] else None)

    def _read_action(self, builder: MatchBuilder, seat: int, words: str) -> None:
        if _AUTOMATIC_DOUBLE.fullmatch(words):
            builder.double_automatically()
            return
        if rolled := _ROLL.fullmatch(words):
            roll, play = (int(rolled[1]), int(rolled[2])), rolled[3].strip()
            builder.play(seat, roll, () if play.lower() in _NO_MOVE else play or None)
            return
        builder.act_in_words(seat, words)


def _read_date(line: str) -> str:
    """Return the date of a line such as ``Saturday November 8, 2025`` as ``2025.11.08``; empty for others."""
    found = _DATE.fullmatch(line)
    if found is None or found[1].lower() not in _MONTHS:
        return ""
    return f"{found[3]}.{_MONTHS.index(found[1].lower()) + 1:02}.{int(found[2]):02}"
