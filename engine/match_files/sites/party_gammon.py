"""Read ``.gam`` files of PartyGammon: one line of keys and values for each game.

*Source:* GNU Backgammon 1.07, which imports them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.errors import FormatError
from engine.match_files.builder import MatchBuilder
from engine.match_files.model import IssueKind, RecordedMatch
from engine.match_files.text_lines import iterate_lines, quote_text
from engine.match_files.variants import read_length

PARTY_SIGN = re.compile(r"^GAME_[0-9]+_GAMEPLAY=", re.MULTILINE)

_MAX_LINE_LENGTH = 100_000
_KEY = re.compile(r"(?:GAME_([0-9]{1,6})_)?([A-Za-z0-9_]{1,40})=(.*)")
_ENTRY = re.compile(r"\s*([12])\s+(?:[0-9]{1,9}\s+)?([A-Za-z]+)\s*(.*)")
_ROLL = re.compile(r"([1-6])([1-6])\s*(.*)")
_NUMBER = re.compile(r"[0-9]{1,6}")


@dataclass
class _PartyGame:
    """The keys of one game, with the line of its moves."""

    at: int = 0
    keys: dict[str, str] = field(default_factory=dict)


def parse_party(text: str) -> tuple[RecordedMatch, ...]:
    """Parse the games of a file.

    Raises:
        FormatError: There is none.
    """
    headers: dict[str, str] = {}
    games: dict[int, _PartyGame] = {}
    for at, line in iterate_lines(text, _MAX_LINE_LENGTH):
        found = _KEY.fullmatch(line)
        if found is None:
            continue
        if found[1] is None:
            headers[found[2]] = found[3].strip()
            continue
        game = games.setdefault(int(found[1]), _PartyGame())
        game.keys[found[2]] = found[3]
        if found[2] == "GAMEPLAY":
            game.at = at
    if not games:
        raise FormatError("expected GAME_1_GAMEPLAY= with moves, got no game", field="party")
    issues: list[str] = []
    builder = MatchBuilder("party", length=read_length(headers, "MATCHLENGTH", issues))
    builder.note_rules(min(game.at for game in games.values()), issues)
    builder.headers = {word: said for word, said in headers.items() if word != "MATCHLENGTH"}
    score = 0, 0
    for number, game in sorted(games.items()):
        builder.names = game.keys.get("PLAYER_1", ""), game.keys.get("PLAYER_2", "")
        score = _read_game(builder, number, game, score)
    return (builder.build(),)


def _read_game(
    builder: MatchBuilder, number: int, game: _PartyGame, before: tuple[int, int]
) -> tuple[int, int]:
    """Read a game; return the score after it, which the file states."""
    after = _read_score(game, "SCORE1"), _read_score(game, "SCORE2")
    builder.begin_game(game.at, number, before)
    for entry in game.keys.get("GAMEPLAY", "").split("#"):
        if entry.strip():
            _read_entry(builder, game.at, entry)
    if after[0] is None or after[1] is None:
        return builder.expected_score or before
    won = after[0] - before[0], after[1] - before[1]
    if max(won) > 0:
        builder.state_result(game.at, int(won[1] > won[0]), max(won))
    return after[0], after[1]


def _read_score(game: _PartyGame, key: str) -> int | None:
    found = _NUMBER.fullmatch(game.keys.get(key, "").strip())
    return int(found[0]) if found else None


def _read_entry(builder: MatchBuilder, at: int, entry: str) -> None:
    found = _ENTRY.fullmatch(entry)
    word = found[2].lower() if found else ""
    seat, words = (int(found[1]) - 1, found[3]) if found else (0, "")
    match word:
        case "rolls" if rolled := _ROLL.fullmatch(words):
            builder.play(at, seat, (int(rolled[1]), int(rolled[2])), rolled[3].strip())
        case "double" | "doubles" | "redouble" | "beaver":
            builder.double(at, seat)
        case "take" | "takes" | "accept":
            builder.respond(at, seat, is_take=True)
        case "drop" | "drops" | "pass" | "reject":
            builder.respond(at, seat, is_take=False)
        case "resign" | "resigns":
            pass  # the score says how much
        case _:
            builder.fail(
                at, IssueKind.UNREADABLE, f"expected a roll or a cube action, got {quote_text(entry)}"
            )
