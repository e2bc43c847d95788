"""Read ``.gam`` files of GammonEmpire: names, rows of moves, and what was won.

They state neither the length nor the score of a match: games count as money play, one after the other.

*Source:* GNU Backgammon 1.07, which imports them.
"""

from __future__ import annotations

import re

from engine.errors import FormatError
from engine.match_files.builder import MatchBuilder
from engine.match_files.mat.lines import MAX_LINE_LENGTH, parse_row
from engine.match_files.mat.reader import read_row
from engine.match_files.model import IssueKind, RecordedMatch
from engine.match_files.text_lines import iterate_lines, quote_text

EMPIRE_SIGN = re.compile(r"^[ \t]*win[ \t]+[0-9]", re.MULTILINE | re.IGNORECASE)

_ROW = re.compile(r"\s*[0-9]{1,6}\).*")
_WIN = re.compile(r"\s*wins?\s+([0-9]{1,6}).*", re.IGNORECASE)
_NAMES = re.compile(r"\s*(\S+(?: \S+)*?)\s+(\S+(?: \S+)*)\s*")


def parse_empire(text: str) -> tuple[RecordedMatch, ...]:
    """Parse the games of a file.

    Raises:
        FormatError: There is none.
    """
    builder, number, begun = MatchBuilder("empire"), 0, False
    for at, line in iterate_lines(text, MAX_LINE_LENGTH):
        if _ROW.fullmatch(line) and begun:
            _read_row(builder, at, line)
        elif won := _WIN.fullmatch(line):
            _state_winner(builder, at, int(won[1]))
            begun = False
        elif (names := _NAMES.fullmatch(line)) and not begun:
            number += 1
            score = builder.expected_score or (0, 0)
            builder.names = names[1], names[2]
            begun = builder.begin_game(at, number, score)
        else:
            builder.add_issue(at, IssueKind.UNREADABLE, f"expected a row of moves, got {quote_text(line)}")
    if not number:
        raise FormatError("expected names, rows of moves and 'win 1', got no game", field="empire")
    return (builder.build(),)


def _read_row(builder: MatchBuilder, at: int, line: str) -> None:
    try:
        read_row(parse_row(line.expandtabs()), builder, at)
    except FormatError as error:
        builder.fail(at, IssueKind.UNREADABLE, error.message)


def _state_winner(builder: MatchBuilder, at: int, points: int) -> None:
    """State a result without a winner: by the rules, or else the player who acted last."""
    situation = builder.situation
    if situation is None:
        return
    winner = 1 - situation.match.to_act if situation.result is None else situation.result.winner
    builder.state_result(at, winner, points)
