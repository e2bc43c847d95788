"""Read ``.mat`` text: matches and money games as backgammon programs and sites write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.errors import FormatError
from engine.match_files.builder import MatchBuilder
from engine.match_files.mat_lines import (
    GameLines,
    MatCell,
    MatchLines,
    parse_cells,
    parse_score_line,
    quote_text,
    split_matches,
)
from engine.match_files.model import IssueKind, MatchRules, RecordedMatch
from engine.rules.rules import STANDARD_RULES, VARIANTS, Rules

_NUMBER = re.compile(r"[0-9]{1,9}")
_TRUE = frozenset(("on", "yes", "true", "1"))


def parse_mat(text: str, strict: bool = False) -> tuple[RecordedMatch, ...]:
    """Parse all matches of a text.

    The header ``Variation`` names the variant; one that is not known is an issue, and is read as backgammon.
    The headers ``Crawford``, ``Jacoby`` and ``Beavers``, each ``On`` or ``Off``, set the rules. A text
    without a match length is money play. A truncated text gives the games before its end.

    Args:
        text: The text of a file, with any line ends, tabs and blanks.
        strict: Whether the first fault raises an error.

    Returns:
        At least one match.

    Raises:
        FormatError: There is no game; or, if strict, there is a fault.
    """
    matches = tuple(_parse_match(lines, strict) for lines in split_matches(text))
    if not matches:
        raise FormatError(
            f"expected a .mat file with 'Game 1' and rows of moves, got {quote_text(text)}", field="mat"
        )
    return matches


def _parse_match(lines: MatchLines, strict: bool) -> RecordedMatch:
    variation = lines.headers.get("Variation", STANDARD_RULES.variant.name)
    variant = VARIANTS.get(variation.strip().lower())
    rules = MatchRules(
        STANDARD_RULES if variant is None else Rules(variant),
        crawford=_read_flag(lines.headers, "Crawford", default=True),
        jacoby=_read_flag(lines.headers, "Jacoby", default=False),
        beavers=_read_flag(lines.headers, "Beavers", default=True),
    )
    builder = MatchBuilder("mat", length=lines.length, rules=rules, strict=strict)
    builder.headers = lines.headers
    for line, text in lines.unrecognised_lines:
        message = f"expected a header or 'Game 1', got {quote_text(text)}"
        builder.add_issue(line, IssueKind.UNREADABLE, message)
    if variant is None:
        known = ", ".join(VARIANTS)
        message = f"expected a Variation of {known}, got {quote_text(variation)}: read as backgammon"
        builder.add_issue(lines.games[0].line_number, IssueKind.UNSUPPORTED, message)
    for game in lines.games:
        _read_game(game, builder)
    return builder.build()


def _read_game(game: GameLines, builder: MatchBuilder) -> None:
    builder.end_game()
    at, head = game.lines[0] if game.lines else (game.line_number, "")
    try:
        builder.names, score = parse_score_line(head)
    except FormatError as error:
        builder.add_issue(at, IssueKind.UNREADABLE, f"game {game.number}: {error.message}")
        return
    if not builder.begin_game(at, game.number, score):
        return
    for at, text in game.lines[1:]:
        try:
            for cell in parse_cells(text):
                _read_cell(cell, builder, at)
        except FormatError as error:
            builder.fail(at, IssueKind.UNREADABLE, error.message)


def _read_cell(cell: MatCell, builder: MatchBuilder, at: int) -> None:
    match cell.keyword:
        case "":
            play = None if cell.argument.startswith("?") else cell.argument
            builder.play(at, cell.seat, (int(cell.dice[0]), int(cell.dice[1])), play)
        case "takes" | "drops":
            builder.respond(at, cell.seat, is_take=cell.keyword == "takes")
        case "doubles" | "beavers":
            builder.double(at, cell.seat, _parse_number(cell) if cell.argument else None)
        case _:
            builder.state_result(at, cell.seat ^ (cell.keyword == "losses"), _parse_number(cell))


def _read_flag(headers: Mapping[str, str], word: str, *, default: bool) -> bool:
    value = headers.get(word)
    return default if value is None else value.strip().lower() in _TRUE


def _parse_number(cell: MatCell) -> int:
    found = _NUMBER.search(cell.argument)
    if found is None:
        raise FormatError(
            f"expected a number after {cell.keyword}, got {quote_text(cell.argument)}", field="mat"
        )
    return int(found[0])
