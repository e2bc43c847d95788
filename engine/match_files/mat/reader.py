"""Read ``.mat`` text: matches and money games as backgammon programs and sites write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from engine.errors import FormatError, GammondError
from engine.formats.snowie import decode_snowie_board, get_snowie_name
from engine.formats.xgid import decode_xgid_board
from engine.match_files.builder import MatchBuilder
from engine.match_files.game_builder import GameBuilder
from engine.match_files.mat.lines import (
    GameLines,
    MatCell,
    MatchLines,
    MatRow,
    parse_remark,
    parse_row,
    parse_score_line,
    parse_set_position,
    split_matches,
    split_rating,
)
from engine.match_files.model import NO_NOTES, IssueKind, MatchRules, RecordedMatch
from engine.match_files.text_lines import quote_text
from engine.match_files.variants import find_variant, read_flag
from engine.rules.dice import Roll
from engine.rules.match import MAX_CUBE
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES

_NUMBER = re.compile(r"[0-9]{1,9}")
_END = re.compile(r"\bwins\b.*\bmatch\b", re.IGNORECASE)
_RATING = re.compile(r"\s*([0-9]{1,5}(?:\.[0-9]{1,6})?)")
_READ_HEADERS = frozenset(
    (
        *("Player 1", "Player 2", "Player 1 Elo", "Player 2 Elo"),
        *("Variation", "Crawford", "Jacoby", "Beaver", "Beavers", "CubeLimit"),
    )
)
"""Headers for which the model has a place of its own."""


def parse_mat(text: str) -> tuple[RecordedMatch, ...]:
    """Parse all matches of a text.

    The header ``Variation`` names the variant; one that is not known is an issue, and is read as backgammon.
    The headers ``Crawford``, ``Jacoby`` and ``Beaver``, each ``On`` or ``Off``, and ``CubeLimit`` set the
    rules. A text without a match length is money play. A truncated text gives the games before its end.

    Args:
        text: The text of a file, with any line ends, tabs and blanks.

    Returns:
        At least one match.

    Raises:
        FormatError: There is no game.
    """
    matches = tuple(_parse_match(lines) for lines in split_matches(text))
    if not matches:
        raise FormatError(
            f"expected a .mat file with 'Game 1' and rows of moves, got {quote_text(text)}", field="mat"
        )
    return matches


def _parse_match(lines: MatchLines) -> RecordedMatch:
    headers = lines.headers
    rules, issue = find_variant(headers.get("Variation", STANDARD_RULES.variant.name))
    issues = [issue] if issue else []
    match_rules = MatchRules(
        rules or STANDARD_RULES,
        crawford=read_flag(headers, ("Crawford",), True, issues),
        jacoby=read_flag(headers, ("Jacoby",), False, issues),
        beavers=read_flag(headers, ("Beaver", "Beavers"), True, issues),
        cube_limit=_read_cube_limit(headers, issues),
    )
    length = lines.length
    if length is None and (length := _find_length(lines)):
        issues.append(f"expected the points of the match, got none: read as a match to {length}, by its end")
    builder = MatchBuilder("mat", length=length or 0, rules=match_rules)
    builder.headers = {word: said for word, said in headers.items() if word not in _READ_HEADERS}
    builder.ratings = _read_rating(headers, "Player 1 Elo"), _read_rating(headers, "Player 2 Elo")
    for remark in lines.remarks:
        builder.add_comment(remark)
    for line, text in lines.unrecognised_lines:
        message = f"expected a header or 'Game 1', got {quote_text(text)}"
        builder.add_issue(line, IssueKind.UNREADABLE, message)
    builder.note_rules(lines.games[0].line_number, issues, leaves_out_games=rules is None)
    for game in lines.games:
        _read_game(game, builder)
    return builder.build()


def _find_length(lines: MatchLines) -> int:
    """Return the length of a match whose file does not state it, by the game that ends it; 0 if none does."""
    for game in lines.games:
        heads = [text for _, text in game.lines if parse_remark(text) is None]
        for _, text in game.lines:
            if not _END.search(text):
                continue
            try:
                _, score = parse_score_line(heads[0])
                win = next(cell for cell in parse_row(text).cells if cell.keyword == "wins")
            except (FormatError, StopIteration):
                continue
            return score[win.seat] + (_parse_number(win) or 0)
    return 0


def _read_game(game: GameLines, builder: MatchBuilder) -> None:
    builder.end_game()
    heads = [place for place, (_, text) in enumerate(game.lines) if parse_remark(text) is None][:1]
    at, head = game.lines[heads[0]] if heads else (game.line_number, "")
    try:
        names, score = parse_score_line(head)
    except FormatError as error:
        builder.add_issue(at, IssueKind.UNREADABLE, f"game {game.number}: {error.message}")
        heads, score = [], builder.expected_score or (0, 0)
    else:
        (left, left_rating), (right, right_rating) = map(split_rating, names)
        builder.names = left, right
        builder.ratings = left_rating or builder.ratings[0], right_rating or builder.ratings[1]
    if not builder.begin_game(at, game.number, score):
        return
    entries = _parse_entries(game, heads, builder.names)
    rows = [(place, entry) for place, (_, entry) in enumerate(entries) if isinstance(entry, MatRow)]
    numbers = [int(row.number) for _, row in rows if row.number]
    jumps = {
        number
        for last, number, following in zip([0, *numbers], numbers, [*numbers[1:], None], strict=False)
        if number > last + 1 and following in (None, number + 1)
    }
    if len(rows) > 1 and _begins_on_the_right(rows[0][1], rows[1][1]):
        place, first = rows[0]
        entries[place] = entries[place][0], replace(first, cells=(replace(first.cells[0], seat=1),))
    before = MatRow("", ())
    for at, entry in entries:
        match entry:
            case str():
                _read_remark(entry, builder, at)
            case FormatError():
                builder.fail(at, IssueKind.UNREADABLE, entry.message)
            case MatRow(number) if number and entry == before:
                builder.add_issue(at, IssueKind.OUT_OF_TURN, f"row {number} is there twice: read once")
            case MatRow(number):
                if number and int(number) in jumps:
                    expected = int(before.number or 0) + 1
                    builder.fail(at, IssueKind.UNREADABLE, f"expected row {expected}, got row {number}")
                before = entry
                read_row(entry, builder, at)


def _parse_entries(
    game: GameLines, heads: list[int], names: tuple[str, str]
) -> list[tuple[int, str | MatRow | FormatError]]:
    """Parse the lines of a game but its heading: remarks, rows, and what is wrong with other lines."""
    entries: list[tuple[int, str | MatRow | FormatError]] = []
    for place, (at, text) in enumerate(game.lines):
        remark = parse_remark(text)
        if remark is not None:
            entries.append((at, remark))
        elif place not in heads:
            try:
                entries.append((at, parse_row(text, names)))
            except FormatError as error:
                entries.append((at, error))
    return entries


def _begins_on_the_right(first: MatRow, second: MatRow) -> bool:
    """Return whether the only roll of the first row is the second player's, as the second row shows."""
    rolls = [cell.dice for cell in (*first.cells, *second.cells)]
    return len(first.cells) == 1 and len(second.cells) == 2 and all(rolls)


def read_row(row: MatRow, builder: MatchBuilder, at: int) -> None:
    """Tell a builder what a row says; its columns may be the wrong way round."""
    cells = row.cells
    if len(cells) == 2 and all(cell.is_play for cell in cells):
        swapped = replace(cells[1], seat=0), replace(cells[0], seat=1)
        if builder.attempt(at, partial(_play_cells, cells), 0):
            return
        if builder.attempt(at, partial(_play_cells, swapped), 0):
            message = "expected the first player's play on the left, got the second's: read as played so"
            builder.add_issue(at, IssueKind.OUT_OF_TURN, message)
            return
    is_drop = False
    for cell in cells:
        ruled = builder.situation.result if builder.situation is not None and is_drop else None
        if ruled is not None and cell.keyword == "wins":  # behind a drop, in whatever column
            builder.state_result(at, ruled.winner, _parse_number(cell))
        else:
            read_cell(cell, builder, at)
        is_drop = cell.keyword == "drops"


def _play_cells(cells: tuple[MatCell, MatCell], game: GameBuilder) -> None:
    """Play two rolls."""
    for cell in cells:
        game.play(cell.seat, _roll_of(cell), cell.argument, NO_NOTES)


def _read_remark(remark: str, builder: MatchBuilder, at: int) -> None:
    """Read a comment line of a game, which may set its position."""
    found = parse_set_position(remark)
    situation = builder.situation or builder.last_situation
    if found is None or situation is None:
        builder.add_comment(remark)
        return
    letters, cube = found
    owner = None if not cube else int(cube > 0)
    try:
        position = builder.variant.adopt_position(Position(decode_xgid_board(letters)))
        match = replace(situation.match, on_roll=0, cube=1 << abs(cube), cube_owner=owner)
    except GammondError as error:
        builder.add_issue(at, IssueKind.IMPOSSIBLE_POSITION, error.message)
        return
    builder.set_table(at, position, match, first_seat_open=True)


def read_cell(cell: MatCell, builder: MatchBuilder, at: int) -> None:
    """Tell a builder what a cell says."""
    match cell.keyword:
        case "":
            _read_roll(cell, builder, at)
        case "takes" | "drops":
            situation = builder.situation
            is_open = situation is not None and situation.match.doubled and situation.result is None
            seat = situation.match.to_act if situation is not None and is_open else cell.seat
            builder.respond(at, seat, is_take=cell.keyword == "takes")
        case "doubles":
            builder.double(at, cell.seat, _parse_number(cell))
        case _:
            builder.state_result(at, cell.seat ^ (cell.keyword == "losses"), _parse_number(cell))


def _read_roll(cell: MatCell, builder: MatchBuilder, at: int) -> None:
    """Read a roll and its play; a position in the place of a play follows an illegal one."""
    if cell.dice == "00":
        return  # nothing was rolled: the player resigned before
    is_played = not (cell.illegal_result or cell.argument.startswith("?"))
    builder.play(at, cell.seat, _roll_of(cell), cell.argument if is_played else None)
    if cell.illegal_result:
        _set_illegal_result(cell, builder, at)


def _set_illegal_result(cell: MatCell, builder: MatchBuilder, at: int) -> None:
    """Set the position after an illegal play, as the player sees it whom its line names first."""
    before = builder.situation or builder.last_situation
    if before is None:
        return
    try:
        seen = builder.variant.adopt_position(decode_snowie_board(cell.illegal_result))
    except GammondError as error:
        builder.add_issue(at, IssueKind.UNREADABLE, error.message)
        return
    builder.add_issue(at, IssueKind.ILLEGAL_PLAY, f"expected a legal play of {cell.dice}, got a position")
    is_of_other = (
        get_snowie_name(cell.illegal_result) == builder.names[1 - cell.seat] != builder.names[cell.seat]
    )
    match = replace(before.match.before_roll(), on_roll=1 - cell.seat)
    builder.set_table(at, seen if is_of_other else seen.swap_sides(), match)


def _roll_of(cell: MatCell) -> Roll:
    return int(cell.dice[0]), int(cell.dice[1])


def _read_cube_limit(headers: Mapping[str, str], issues: list[str]) -> int:
    text = headers.get("CubeLimit", "").strip()
    if text and not re.fullmatch("[0-9]{1,6}", text):
        issues.append(f"expected a number for CubeLimit, got {quote_text(text)}: read as no limit")
        return MAX_CUBE
    return int(text or MAX_CUBE)


def _read_rating(headers: Mapping[str, str], word: str) -> float | None:
    found = _RATING.match(headers.get(word, ""))
    return float(found[1]) if found else None


def _parse_number(cell: MatCell) -> int | None:
    found = _NUMBER.search(cell.argument)
    return int(found[0]) if found else None
