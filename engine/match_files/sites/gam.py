"""Read the two formats of ``.gam`` files: those of PartyGammon and of GammonEmpire.

PartyGammon has one line of keys and values for each game. GammonEmpire has names, rows of moves, and what was
won: it states neither the length nor the score of a match, so that games count as money play, one after the
other.

*Source:* GNU Backgammon 1.07, which imports them.
"""

from __future__ import annotations

import re

from gammond.engine.errors import FormatError
from gammond.engine.match_files.builder import MatchBuilder, Score
from gammond.engine.match_files.conventions import iterate_lines, parse_number, quote_text, read_headers
from gammond.engine.match_files.mat.lines import MAX_LINE_LENGTH, parse_row
from gammond.engine.match_files.mat.reader import read_cells
from gammond.engine.match_files.model import IssueKind, RecordedMatch

PARTY_SIGN = re.compile(r"^GAME_[0-9]+_(?:GAMEPLAY|PLAYER_[12]|SCORE[12])=", re.MULTILINE)
EMPIRE_SIGN = re.compile(r"^[ \t]*win[ \t]+[0-9]", re.MULTILINE | re.IGNORECASE)

_MAX_PARTY_LINE_LENGTH = 100_000
_KEY = re.compile(r"(?:GAME_([0-9]{1,6})_)?([A-Za-z0-9_]{1,40})=(.*)")
_ENTRY = re.compile(r"\s*([12])\s+(?:[0-9]{1,9}\s+)?([A-Za-z]+)\s*(.*)")
_ROLL = re.compile(r"([1-6])([1-6])\s*(.*)")
_MOVES = re.compile(r"#\s*[12]\s+[0-9A-Za-z]")

_ROW = re.compile(r"\s*[0-9]{1,6}\).*")
_WIN = re.compile(r"\s*wins?\s+([0-9]{1,6}).*", re.IGNORECASE)
_NAMES = re.compile(r"\s*(\S+(?: \S+)*?)\s+(\S+(?: \S+)*)\s*")


def parse_party(text: str) -> tuple[RecordedMatch, ...]:
    """Parse the games of a file of PartyGammon.

    Raises:
        FormatError: There is none.
    """
    headers: dict[str, str] = {}
    games: dict[int, dict[str, str]] = {}
    places: dict[int, int] = {}  # the lines of the moves
    number = -1
    for at, line in iterate_lines(text, _MAX_PARTY_LINE_LENGTH):
        found, moves = _KEY.fullmatch(line), None
        if found is not None and found[1] is not None:
            number, said = int(found[1]), found[3]
            if found[2] != "GAMEPLAY" and _MOVES.search(said):  # the key of the moves is lost
                said, _, moves = said.partition("#")
            elif found[2] == "GAMEPLAY":
                moves = ""
            games.setdefault(number, {})[found[2]] = said.strip()
            if moves is not None:
                places[number] = at
        elif _MOVES.search(line):  # without their key, or of a line that was broken
            moves = line.rpartition("=")[2]
            places.setdefault(number, at)
        elif found is not None:
            headers[found[2]] = found[3].strip()
        if moves and number in games:
            games[number]["GAMEPLAY"] = games[number].get("GAMEPLAY", "") + moves
    if not games:
        raise FormatError("expected GAME_1_GAMEPLAY= with moves, got no game", field="party")
    begun, faults = read_headers("party", headers, {"length": ("MATCHLENGTH",)})
    builder = MatchBuilder(begun)
    builder.at = min(places.get(number, 0) for number in games)
    builder.note_rules(faults)
    score = 0, 0
    for number, keys in sorted(games.items()):
        builder.names = keys.get("PLAYER_1", ""), keys.get("PLAYER_2", "")
        builder.at = places.get(number, 0)
        score = _read_game(builder, number, keys, score)
    return (builder.build(),)


def _read_game(builder: MatchBuilder, number: int, keys: dict[str, str], before: Score) -> Score:
    """Read a game; return the score after it, which the file states."""
    builder.begin_game(number, before)
    for entry in keys.get("GAMEPLAY", "").split("#"):
        if entry.strip():
            _read_entry(builder, entry)
    first, second = (parse_number(keys.get(key, "")) for key in ("SCORE1", "SCORE2"))
    if first is not None and second is not None:
        won = first - before[0], second - before[1]
        if max(won) > 0:
            builder.state_result(int(won[1] > won[0]), max(won))
        return first, second
    for seat, points in enumerate((first, second)):
        if points is not None:
            message = f"expected the score of both players after the game, got that of player {seat + 1}"
            builder.add_issue(IssueKind.UNREADABLE, message)
            gain = points - before[seat]
            builder.state_result(seat if gain > 0 else 1 - seat, gain if gain > 0 else None)
    return builder.expect_score() or before


def _read_entry(builder: MatchBuilder, entry: str) -> None:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        builder.act_in_words(0, "", entry)
        return
    seat, word = int(found[1]) - 1, found[2].lower()
    if word == "rolls" and (rolled := _ROLL.fullmatch(found[3])):
        builder.play(seat, (int(rolled[1]), int(rolled[2])), rolled[3].strip())
    else:
        builder.act_in_words(seat, word, entry)


def parse_empire(text: str) -> tuple[RecordedMatch, ...]:
    """Parse the games of a file of GammonEmpire.

    Raises:
        FormatError: There is none.
    """
    builder, number, begun, before = MatchBuilder(RecordedMatch(format="empire")), 0, False, ""
    for at, line in iterate_lines(text, MAX_LINE_LENGTH):
        builder.at = at
        names = _NAMES.fullmatch(line)
        named = (names[1], names[2]) if names else ("", "")
        if won := _WIN.fullmatch(line):
            builder.state_result(builder.last_winner, int(won[1]))
            begun, before = False, ""
            continue
        is_row = _ROW.fullmatch(line) is not None
        if (not begun and (names or is_row)) or (number and named == builder.names):
            number, before = number + 1, ""
            if number == 1 and not is_row:
                builder.names = named
            begun = builder.begin_game(number)
            if not is_row:
                continue
            builder.add_issue(IssueKind.UNREADABLE, f"expected two names, got {quote_text(line)}")
        if begun and is_row and line == before:
            builder.add_issue(IssueKind.OUT_OF_TURN, "the row is there twice: read once")
        elif begun:
            try:
                read_cells(parse_row(line.expandtabs()).cells, builder)
            except FormatError as error:
                builder.fail(IssueKind.UNREADABLE, error.message)
            before = line
        else:
            builder.add_issue(IssueKind.UNREADABLE, f"expected two names, got {quote_text(line)}")
    if not number:
        raise FormatError("expected names, rows of moves and 'win 1', got no game", field="empire")
    return (builder.build(),)
