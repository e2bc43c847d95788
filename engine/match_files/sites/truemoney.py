"""Read ``.tmg`` files, the matches of TrueMoneyGames.

*Source:* GNU Backgammon 1.07, which imports them; it takes the second player for the first.
"""

from __future__ import annotations

import re

from gammond.engine.errors import FormatError
from gammond.engine.match_files.builder import MatchBuilder
from gammond.engine.match_files.conventions import (
    find_number,
    iterate_lines,
    quote_text,
    read_length,
    read_rules,
)
from gammond.engine.match_files.model import IssueKind, RecordedMatch

TMG_SIGN = re.compile(r"^(?:MatchID:|Game [0-9]+: ?[0-9]+-[0-9]+)", re.MULTILINE)

_MAX_LINE_LENGTH = 400
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9]{1,30}):\s*(.*)")
_GAME = re.compile(r"\s*Game ([0-9]{1,6}):\s*(?:([0-9]{1,6})-([0-9]{1,6})\s*)?(.*)")
_RECORD = re.compile(r"\s*(-?)[0-9]{1,6}\s+([0-9]{1,2})(?:\s+(.*))?")
_VARIANTS = {"1": "backgammon", "2": "nackgammon", "3": "hypergammon"}
_NO_MOVE = "0/0"
_RULES = {
    "crawford": ("Crawford",),
    "jacoby": ("Jacoby",),
    "beavers": ("Beavers",),
    "raccoons": ("Raccoons",),
    "cube_limit": ("Cube",),
}
_READ_HEADERS = {"Player1", "Player2", "Length", "Variant"}.union(*_RULES.values())


def parse_tmg(text: str) -> tuple[RecordedMatch, ...]:
    """Parse matches of TrueMoneyGames.

    Raises:
        FormatError: There is no game.
    """
    headers: dict[str, str] = {}
    builders: list[MatchBuilder] = []
    for at, line in iterate_lines(text, _MAX_LINE_LENGTH):
        if builders:
            builders[-1].at = at
        if game := _GAME.fullmatch(line):
            if headers or not builders:
                builders.append(_begin_match(at, headers))
                headers = {}
            stated = (int(game[2]), int(game[3])) if game[2] else None
            if game[4]:
                builders[-1].add_issue(IssueKind.UNREADABLE, f"expected a score, got {quote_text(line)}")
            builders[-1].begin_game(int(game[1]), stated)
        elif record := _RECORD.fullmatch(line):
            if builders:
                _read_record(builders[-1], record)
        elif header := _HEADER.fullmatch(line):
            if header[1] == "MatchID" or not builders or headers:
                headers[header[1]] = header[2].strip()
        elif builders:
            builders[-1].fail(IssueKind.UNREADABLE, f"expected a record, got {quote_text(line)}")
    if not builders:
        raise FormatError("expected 'Game 1: 0-0' and records, got neither", field="tmg")
    return tuple(builder.build() for builder in builders)


def _begin_match(at: int, headers: dict[str, str]) -> MatchBuilder:
    variant, issues = headers.get("Variant", "1"), list[str]()
    length = read_length(headers, "Length", issues)
    names = _read_name(headers.get("Player1", "")), _read_name(headers.get("Player2", ""))
    rules = read_rules(headers, _RULES, issues, length=length)
    builder = MatchBuilder("tmg", length=length, names=names, rules=rules)
    builder.headers = {word: said for word, said in headers.items() if word not in _READ_HEADERS}
    builder.headers["Site"] = "TrueMoneyGames"
    if "Startdate" in headers:
        builder.headers["EventDate"] = headers["Startdate"][:10].replace("-", ".")
    builder.at = at
    builder.note_rules(issues, _VARIANTS.get(variant, variant))
    return builder


def _read_name(text: str) -> str:
    """Return the name between a player's number and the balance."""
    words = text.split()
    return " ".join(words[1:-1]) if len(words) > 2 else text


def _read_record(builder: MatchBuilder, record: re.Match[str]) -> None:
    seat, kind, words = int(record[1] == "-"), int(record[2]), (record[3] or "").strip()
    number = find_number(words)
    match kind:
        case 1 if re.fullmatch("[1-6][1-6]:?", words):
            builder.play(seat, (int(words[0]), int(words[1])), None)
        case 1:
            builder.fail(IssueKind.UNREADABLE, f"expected a roll as 41:, got {quote_text(words)}")
        case 2:
            builder.double_automatically()
        case 4:
            builder.complete_roll(seat, () if words == _NO_MOVE else words)
        case 5 | 8 | 9:
            builder.double(seat, number)
        case 7 | 10:
            builder.respond(seat, is_take=kind == 7)
        case 14 | 15 | 16:
            builder.state_result(seat, number or 0)
        case 19:
            builder.fail(IssueKind.WRONG_RESULT, f"expected a result by the rules, got {quote_text(words)}")
        case _:
            builder.add_comment(words)
