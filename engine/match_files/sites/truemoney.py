"""Read ``.tmg`` files, the matches of TrueMoneyGames.

*Source:* GNU Backgammon 1.07, which imports them; it takes the second player for the first.
"""

from __future__ import annotations

import re

from engine.errors import FormatError
from engine.match_files.builder import MatchBuilder
from engine.match_files.model import IssueKind, MatchRules, RecordedMatch
from engine.match_files.text_lines import iterate_lines, quote_text
from engine.match_files.variants import find_variant, read_flag, read_length
from engine.rules.match import MAX_CUBE
from engine.rules.rules import STANDARD_RULES

TMG_SIGN = re.compile(r"^(?:MatchID:|Game [0-9]+: ?[0-9]+-[0-9]+)", re.MULTILINE)

_MAX_LINE_LENGTH = 400
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9]{1,30}):\s*(.*)")
_GAME = re.compile(r"\s*Game ([0-9]{1,6}):\s*(?:([0-9]{1,6})-([0-9]{1,6})\s*)?(.*)")
_RECORD = re.compile(r"\s*(-?)[0-9]{1,6}\s+([0-9]{1,2})(?:\s+(.*))?")
_NUMBER = re.compile(r"[0-9]{1,6}")
_VARIANTS = {"1": "backgammon", "2": "nackgammon", "3": "hypergammon"}
_NO_MOVE = "0/0"
_USED_WORDS = ("Player1", "Player2", "Jacoby", "Beavers", "Raccoons", "Crawford", "Cube", "Length", "Variant")


def parse_tmg(text: str) -> tuple[RecordedMatch, ...]:
    """Parse matches of TrueMoneyGames.

    Raises:
        FormatError: There is no game.
    """
    headers: dict[str, str] = {}
    builders: list[MatchBuilder] = []
    for at, line in iterate_lines(text, _MAX_LINE_LENGTH):
        if game := _GAME.fullmatch(line):
            if headers or not builders:
                builders.append(_begin_match(at, headers))
                headers = {}
            stated = (int(game[2]), int(game[3])) if game[2] else None
            if game[4]:
                builders[-1].add_issue(at, IssueKind.UNREADABLE, f"expected a score, got {quote_text(line)}")
            builders[-1].begin_game(at, int(game[1]), stated or builders[-1].expected_score or (0, 0))
        elif record := _RECORD.fullmatch(line):
            if builders:
                _read_record(builders[-1], at, record)
        elif header := _HEADER.fullmatch(line):
            if header[1] == "MatchID" or not builders or headers:
                headers[header[1]] = header[2].strip()
        elif builders:
            builders[-1].fail(at, IssueKind.UNREADABLE, f"expected a record, got {quote_text(line)}")
    if not builders:
        raise FormatError("expected 'Game 1: 0-0' and records, got neither", field="tmg")
    return tuple(builder.build() for builder in builders)


def _begin_match(at: int, headers: dict[str, str]) -> MatchBuilder:
    variant = headers.get("Variant", "1")
    rules, issue = find_variant(_VARIANTS.get(variant, variant))
    issues = [issue] if issue else []
    length = read_length(headers, "Length", issues)
    match_rules = MatchRules(
        rules or STANDARD_RULES,
        crawford=read_flag(headers, ("Crawford",), True, issues),
        jacoby=read_flag(headers, ("Jacoby",), False, issues),
        beavers=read_flag(headers, ("Beavers",), True, issues) or length > 0,
        raccoons=read_flag(headers, ("Raccoons",), False, issues),
        cube_limit=MAX_CUBE if read_flag(headers, ("Cube",), True, issues) else 1,
    )
    names = _read_name(headers.get("Player1", "")), _read_name(headers.get("Player2", ""))
    builder = MatchBuilder("tmg", length=length, names=names, rules=match_rules)
    builder.headers = {word: said for word, said in headers.items() if word not in _USED_WORDS}
    builder.headers["Site"] = "TrueMoneyGames"
    if "Startdate" in headers:
        builder.headers["EventDate"] = headers["Startdate"][:10].replace("-", ".")
    builder.note_rules(at, issues, leaves_out_games=rules is None)
    return builder


def _read_name(text: str) -> str:
    """Return the name between a player's number and the balance."""
    words = text.split()
    return " ".join(words[1:-1]) if len(words) > 2 else text


def _read_record(builder: MatchBuilder, at: int, record: re.Match[str]) -> None:
    seat, kind, words = int(record[1] == "-"), int(record[2]), (record[3] or "").strip()
    stated = _NUMBER.search(words)
    number = int(stated[0]) if stated else None
    match kind:
        case 1:
            _read_roll(builder, at, seat, words)
        case 2:
            builder.double_automatically(at)
        case 4:
            builder.complete_roll(at, seat, () if words == _NO_MOVE else words)
        case 5 | 8 | 9:
            builder.double(at, seat, number)
        case 7 | 10:
            builder.respond(at, seat, is_take=kind == 7)
        case 14 | 15 | 16:
            builder.state_result(at, seat, number or 0)
        case 19:
            builder.fail(
                at, IssueKind.WRONG_RESULT, f"expected a result by the rules, got {quote_text(words)}"
            )
        case _:
            builder.add_comment(words)


def _read_roll(builder: MatchBuilder, at: int, seat: int, words: str) -> None:
    if not re.fullmatch("[1-6][1-6]:?", words):
        builder.fail(at, IssueKind.UNREADABLE, f"expected a roll as 41:, got {quote_text(words)}")
        return
    builder.play(at, seat, (int(words[0]), int(words[1])), None)
