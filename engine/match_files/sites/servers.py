"""Read the files of two game servers: ``.sgg`` of GamesGrid, and ``.tmg`` of TrueMoneyGames.

Both begin with headers, and have a line for each action.

*Source:* GNU Backgammon 1.07, which imports them; it takes the second player for the first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gammond.engine.errors import FormatError
from gammond.engine.match_files.builder import MatchBuilder
from gammond.engine.match_files.conventions import find_number, iterate_lines, quote_text, read_headers
from gammond.engine.match_files.model import IssueKind, RecordedMatch
from gammond.engine.rules.rules import BACKGAMMON

SGG_SIGN = re.compile(r"^Game [0-9]+\.[0-9]+\*?-[0-9]+", re.MULTILINE)
TMG_SIGN = re.compile(r"^(?:MatchID:|Game [0-9]+: ?[0-9]+-[0-9]+)", re.MULTILINE)

_MAX_LINE_LENGTH = 400
_RULE_WORDS = {
    "crawford": ("Crawford",),
    "jacoby": ("Jacoby",),
    "money_beavers": ("Beavers",),
    "raccoons": ("Raccoons",),
    "automatic_doubles": ("Automatic Doubles",),
    "variant": ("Variant",),
}

_SGG_PLAYERS = re.compile(r"(\S.*?)\s+vs\.\s+(.*\S)\s*")
_SGG_HEADER = re.compile(r"([A-Z][A-Za-z ]{1,30}):\s*(.*)")
_SGG_RATINGS = re.compile(
    r"ELO:\s*([0-9]{1,5}(?:\.[0-9]{1,4})?)\s+[0-9]+\s+([0-9]{1,5}(?:\.[0-9]{1,4})?)\s+[0-9]+.*"
)
_SGG_GAME = re.compile(r"Game ([0-9]{1,6})\.([0-9]{1,6})(\*?)-([0-9]{1,6})(\*?)(?:/([0-9]{1,5}))?.*")
_SGG_ACTION = re.compile(r"\s*[0-9]{1,6}\t(\t?)\s*(.*)")
_SGG_ROLL = re.compile(r"([1-6])([1-6]):\s*(.*)")
_SGG_AUTOMATIC_DOUBLE = re.compile(r"[1-6]{2}:\s*automatic double", re.IGNORECASE)
_SGG_WIN = re.compile(r"(\S.*) wins ([0-9]{1,6}) points?.*")
_SGG_NO_MOVE = ("o-o", "-")
_SGG_DATE = re.compile(r"\s*[A-Za-z]+day,?\s+([A-Za-z]{3})[a-z]*\s+([0-9]{1,2}),?\s+([0-9]{4}).*")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMES, _RATINGS = ("player 1", "player 2"), ("rating 1", "rating 2")
_SGG_WORDS = _RULE_WORDS | {
    "length": ("Match Length",),
    "cube": ("Doubling Cube",),
    "names": _NAMES,
    "ratings": _RATINGS,
}

_TMG_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9]{1,30}):\s*(.*)")
_TMG_GAME = re.compile(r"\s*Game ([0-9]{1,6}):\s*(?:([0-9]{1,6})-([0-9]{1,6})\s*)?(.*)")
_TMG_RECORD = re.compile(r"\s*(-?)[0-9]{1,6}\s+([0-9]{1,2})(?:\s+(.*))?")
_TMG_VARIANTS = {"1": "backgammon", "2": "nackgammon", "3": "hypergammon"}
_TMG_NO_MOVE = "0/0"
_TMG_NAMES = ("Player1", "Player2")
_TMG_WORDS = _RULE_WORDS | {"length": ("Length",), "cube": ("Cube",), "names": _TMG_NAMES}


def parse_sgg(text: str) -> tuple[RecordedMatch, ...]:
    """Parse matches of GamesGrid.

    Raises:
        FormatError: There is no game.
    """
    builders: list[MatchBuilder] = []
    headers: dict[str, str] | None = None  # of a match without a game so far
    last = "", ""
    for at, line in iterate_lines(text, _MAX_LINE_LENGTH):
        game = _SGG_GAME.fullmatch(line)
        if headers is None and (players := _SGG_PLAYERS.fullmatch(line)):
            headers = {_NAMES[0]: players[1], _NAMES[1]: players[2]}
        elif headers is not None and game is None:
            _read_sgg_header(line, headers)
        elif headers is not None or builders:
            if headers is not None and game is not None:
                length = int(game[6]) if game[6] else None
                builders.append(_begin_match("sgg", at, headers, _SGG_WORDS, length=length))
                headers = None
            builder = builders[-1]
            builder.at = at
            if game is not None:
                score, is_crawford = (int(game[2]), int(game[4])), bool(game[3] or game[5])
                builder.begin_game(int(game[1]), score, crawford=is_crawford if game[6] else None)
                last = "", ""
            elif (action := _SGG_ACTION.fullmatch(line)) is None:
                _read_sgg_remark(line, builder)
            elif (entry := (action[1], action[2].strip())) != last:  # entries may be there twice
                _read_sgg_action(builder, int(bool(action[1])), entry[1])
                last = entry
    if not builders:
        raise FormatError(
            "expected 'NAME vs. NAME', headers and 'Game 1.0-0', got something else", field="sgg"
        )
    return tuple(builder.build() for builder in builders)


def _begin_match(
    format_name: str,
    at: int,
    headers: Mapping[str, str],
    words: Mapping[str, Sequence[str]],
    *,
    length: int | None = None,
    variants: Mapping[str, str] | None = None,
) -> MatchBuilder:
    begun, faults = read_headers(format_name, headers, words, length=length)
    builder = MatchBuilder(begun)
    builder.at = at
    variant = headers.get("Variant", BACKGAMMON.name)
    builder.note_rules(faults, (variants or {}).get(variant, variant))
    return builder


def _read_sgg_header(line: str, headers: dict[str, str]) -> None:
    if ratings := _SGG_RATINGS.fullmatch(line):
        headers |= zip(_RATINGS, ratings.groups(), strict=True)
    elif header := _SGG_HEADER.fullmatch(line):
        headers[header[1]] = header[2].strip()
    elif date := _read_date(line):
        headers["EventDate"] = date
    else:
        headers.setdefault("Site", line.strip())


def _read_date(line: str) -> str:
    """Return the date of a line such as ``Saturday November 8, 2025`` as ``2025.11.08``; empty for others."""
    found = _SGG_DATE.fullmatch(line)
    if found is None or found[1].lower() not in _MONTHS:
        return ""
    return f"{found[3]}.{_MONTHS.index(found[1].lower()) + 1:02}.{int(found[2]):02}"


def _read_sgg_remark(line: str, builder: MatchBuilder) -> None:
    """Read a line of a game that is no action: who won, or a comment."""
    if (won := _SGG_WIN.fullmatch(line)) and won[1] in builder.names:
        builder.state_result(builder.names.index(won[1]), int(won[2]))
    else:
        builder.add_comment(line.strip())


def _read_sgg_action(builder: MatchBuilder, seat: int, words: str) -> None:
    if _SGG_AUTOMATIC_DOUBLE.fullmatch(words):
        builder.double_automatically()
    elif rolled := _SGG_ROLL.fullmatch(words):
        roll, play = (int(rolled[1]), int(rolled[2])), rolled[3].strip()
        builder.play(seat, roll, () if play.lower() in _SGG_NO_MOVE else play or None)
    else:
        builder.act_in_words(seat, words)


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
        if game := _TMG_GAME.fullmatch(line):
            if headers or not builders:
                builders.append(_begin_tmg_match(at, headers))
                headers = {}
            stated = (int(game[2]), int(game[3])) if game[2] else None
            if game[4]:
                builders[-1].add_issue(IssueKind.UNREADABLE, f"expected a score, got {quote_text(line)}")
            builders[-1].begin_game(int(game[1]), stated)
        elif record := _TMG_RECORD.fullmatch(line):
            if builders:
                _read_tmg_record(builders[-1], record)
        elif header := _TMG_HEADER.fullmatch(line):
            if header[1] == "MatchID" or not builders or headers:
                said = header[2].strip()
                headers[header[1]] = _read_tmg_name(said) if header[1] in _TMG_NAMES else said
        elif builders:
            builders[-1].fail(IssueKind.UNREADABLE, f"expected a record, got {quote_text(line)}")
    if not builders:
        raise FormatError("expected 'Game 1: 0-0' and records, got neither", field="tmg")
    return tuple(builder.build() for builder in builders)


def _begin_tmg_match(at: int, headers: dict[str, str]) -> MatchBuilder:
    headers["Site"] = "TrueMoneyGames"
    if "Startdate" in headers:
        headers["EventDate"] = headers["Startdate"][:10].replace("-", ".")
    return _begin_match("tmg", at, headers, _TMG_WORDS, variants=_TMG_VARIANTS)


def _read_tmg_name(text: str) -> str:
    """Return the name between a player's number and the balance."""
    words = text.split()
    return " ".join(words[1:-1]) if len(words) > 2 else text


def _read_tmg_record(builder: MatchBuilder, record: re.Match[str]) -> None:
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
            builder.complete_roll(seat, () if words == _TMG_NO_MOVE else words)
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
