"""Read ``.mat`` text: matches and money games as backgammon programs and sites write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from gammond.engine.errors import FormatError
from gammond.engine.formats.snowie import decode_snowie_board, get_snowie_name
from gammond.engine.formats.xgid import decode_xgid_board
from gammond.engine.match_files.builder import MatchBuilder, Score
from gammond.engine.match_files.conventions import MAT_HEADERS, NumberedLine, quote_text, read_headers
from gammond.engine.match_files.game_builder import GameBuilder
from gammond.engine.match_files.mat.lines import (
    GameLines,
    Heading,
    MatCell,
    MatchLines,
    MatRow,
    parse_heading,
    parse_remark,
    parse_row,
    parse_set_position,
    split_matches,
)
from gammond.engine.match_files.model import NO_NOTES, IssueKind, RecordedMatch
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON
from gammond.engine.wording import format_count

_RESULT_WORDS = frozenset(("wins", "losses"))
_END = re.compile(r"\bwins\b.*\bmatch\b", re.IGNORECASE)
Entry = tuple[int, str, MatRow | FormatError | None]
"""A line of a game: its number, its text, and the row that it is; what is wrong with it if it is no row, None
for a remark."""


def parse_mat(text: str) -> tuple[RecordedMatch, ...]:
    """Parse all matches of a text.

    The header ``Variation`` names the variant; one that is not known is an issue, and is read as backgammon.
    The headers ``Crawford``, ``Jacoby`` and ``Beaver``, each ``On`` or ``Off``, and ``CubeLimit`` set the
    rules. A text without a match length is money play. A truncated text gives the games before its end.

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
    length = lines.length if lines.length is not None else _find_length(lines)
    begun, faults = read_headers("mat", lines.headers, MAT_HEADERS, length=length)
    if lines.length is None and length:
        faults.append(f"expected the points of the match, got none: read as a match to {length}, by its end")
    builder = MatchBuilder(begun)
    for remark in lines.remarks:
        builder.add_comment(remark)
    if lines.unrecognised_lines:
        (builder.at, text), *others = lines.unrecognised_lines
        got = quote_text(text) + (f" and {format_count(len(others), 'more line')}" if others else "")
        builder.add_issue(IssueKind.UNREADABLE, f"expected a header or 'Game 1', got {got}")
    builder.at = lines.games[0].line_number
    builder.note_rules(faults, lines.headers.get(MAT_HEADERS["variant"][0], BACKGAMMON.name))
    for game, following in zip(lines.games, [*lines.games[1:], None], strict=True):
        _read_game(game, following, builder)
    return builder.build()


def _find_length(lines: MatchLines) -> int:
    """Return the length of a match whose file does not state it, by the game that ends it; 0 if none does."""
    for game in lines.games:
        for _, text in game.lines:
            if not _END.search(text):
                continue
            try:
                score = parse_heading(game.heading_line[1]).score
                win = next(cell for cell in parse_row(text).cells if cell.keyword == "wins")
            except (FormatError, StopIteration):
                continue
            return score[win.seat] + (win.points or 0)
    return 0


def _read_game(game: GameLines, following: GameLines | None, builder: MatchBuilder) -> None:
    builder.end_game()
    builder.at, head = game.heading_line
    is_swapped, score, note = False, None, ""
    try:
        heading = parse_heading(head)
    except FormatError as error:
        builder.add_issue(IssueKind.UNREADABLE, f"game {game.number}: {error.message}")
        entries = _parse_entries(game.lines, builder.names)
    else:
        entries = _parse_entries([line for line in game.lines if line != (builder.at, head)], heading.names)
        is_swapped, score, note = _find_owners(game, following, heading, entries, builder)
    if not builder.begin_game(game.number, score):
        return
    if note:
        builder.add_issue(IssueKind.PLAYERS_SWAPPED, note)
    _read_entries(entries, builder, is_swapped=is_swapped)


def _read_entries(entries: Sequence[Entry], builder: MatchBuilder, *, is_swapped: bool) -> None:
    """Tell a builder what the lines of a game say behind its heading."""
    rows = _list_rows(entries)
    jumps, lacks_columns = _find_jumps(rows), _lacks_columns(rows)
    begins_on_the_right = len(rows) > 1 and _begins_on_the_right(rows[0], rows[1])
    before, is_over = MatRow("", ()), False
    for at, text, entry in entries:
        builder.at = at
        match entry:
            case None:
                _read_remark(text, builder)
            case FormatError() if is_over:
                builder.add_comment(text)
            case FormatError():
                builder.fail(IssueKind.UNREADABLE, entry.message)
            case MatRow(number) if number and entry == before:
                builder.add_issue(IssueKind.OUT_OF_TURN, f"row {number} is there twice: read once")
            case MatRow(number, cells):
                if number and int(number) in jumps:
                    expected = int(before.number or 0) + 1
                    builder.fail(IssueKind.UNREADABLE, f"expected row {expected}, got row {number}")
                is_over = is_over or any(cell.keyword in _RESULT_WORDS for cell in cells)
                before = entry
                if is_over and lacks_columns and entry.blanks in ((0,), (1,)):  # its column does not show
                    builder.state_result(None, cells[0].points)
                    continue
                if entry is rows[0] and begins_on_the_right:
                    cells = (replace(cells[0], seat=1),)
                if is_swapped:
                    cells = tuple(replace(cell, seat=1 - cell.seat) for cell in cells)
                read_cells(cells, builder)


def _find_jumps(rows: list[MatRow]) -> set[int]:
    """Return the numbers of rows before which others are missing."""
    numbers = [int(row.number) for row in rows if row.number]
    return {
        number
        for last, number, following in zip([0, *numbers], numbers, [*numbers[1:], None], strict=False)
        if number > last + 1 and following in (None, number + 1)
    }


def _find_owners(
    game: GameLines,
    following: GameLines | None,
    heading: Heading,
    entries: Sequence[Entry],
    builder: MatchBuilder,
) -> tuple[bool, Score, str]:
    """Find out whose the columns of a game are, and tell the builder who plays.

    Where the heading has the players the other way round, names count, unless the scores contradict them.

    Returns:
        Whether the left column is that of seat 1, the score, and what is to be said about it.
    """
    ratings, names = heading.ratings, builder.names
    if not heading.swaps(names):
        builder.names = heading.names
        builder.ratings = ratings[0] or builder.ratings[0], ratings[1] or builder.ratings[1]
        return False, heading.score, ""
    builder.ratings = ratings[1] or builder.ratings[0], ratings[0] or builder.ratings[1]
    left, right = heading.names
    told = f"expected {names[0]} on the left, got {left}"
    score = heading.score_of(names)
    if builder.expect_score() == heading.score != score:
        return False, heading.score, f"{told}: only the names are swapped, as the score shows"
    winner = _find_winning_column(_list_rows(entries))
    if following is not None and following.number == game.number + 1 and winner is not None:
        with suppress(FormatError):
            after = parse_heading(following.heading_line[1]).score_of(names)
            if after[winner] > score[winner] and after[1 - winner] == score[1 - winner]:
                note = f"{told}: only the heading is swapped, as the score after the game shows"
                return False, score, note
    return True, score, f"{told}: the columns are those of {left} and of {right}"


def _find_winning_column(rows: Sequence[MatRow]) -> int | None:
    """Return the column of the player who won by the last cell of a game; None if that is not known."""
    cells = [cell for row in rows for cell in row.cells]
    if not cells:
        return None
    last = cells[-1]
    return 1 - last.seat if last.keyword in ("drops", "losses", "doubles") else last.seat


def _parse_entries(lines: Sequence[NumberedLine], names: tuple[str, str]) -> list[Entry]:
    """Parse the lines of a game but its heading: remarks, rows, and other lines."""
    entries: list[Entry] = []
    for at, text in lines:
        if (remark := parse_remark(text)) is not None:
            entries.append((at, remark, None))
            continue
        try:
            entries.append((at, text, parse_row(text, names)))
        except FormatError as error:
            entries.append((at, text, error))
    return entries


def _list_rows(entries: Sequence[Entry]) -> list[MatRow]:
    return [entry for _, _, entry in entries if isinstance(entry, MatRow)]


def _lacks_columns(rows: Sequence[MatRow]) -> bool:
    """Return whether the blanks between the columns of a game are lost."""
    gaps = [row.blanks[1] for row in rows if row.number and len(row.blanks) > 1]
    return bool(gaps) and max(gaps) <= 1


def _begins_on_the_right(first: MatRow, second: MatRow) -> bool:
    """Return whether the only roll of the first row is the second player's, as the second row shows."""
    rolls = [cell.dice for cell in (*first.cells, *second.cells)]
    return len(first.cells) == 1 and len(second.cells) == 2 and all(rolls)


def read_cells(cells: Sequence[MatCell], builder: MatchBuilder) -> None:
    """Tell a builder what the cells of a row say; its columns may be the wrong way round."""
    if len(cells) == 2 and all(cell.is_play for cell in cells):
        left, right = cells
        swapped = replace(right, seat=left.seat), replace(left, seat=right.seat)
        if builder.attempt(partial(_play_cells, cells), left.seat):
            return
        if builder.attempt(partial(_play_cells, swapped), left.seat):
            message = "expected the first player's play on the left, got the second's: read as played so"
            builder.add_issue(IssueKind.OUT_OF_TURN, message)
            return
    is_drop = False
    for cell in cells:
        ruled = builder.situation.result if builder.situation is not None and is_drop else None
        if ruled is not None and cell.keyword == "wins":  # behind a drop, in whatever column
            builder.state_result(ruled.winner, cell.points)
        else:
            read_cell(cell, builder)
        is_drop = cell.keyword == "drops"


def _play_cells(cells: Sequence[MatCell], game: GameBuilder) -> None:
    """Play two rolls."""
    for cell in cells:
        game.play(cell.seat, cell.roll, cell.argument, NO_NOTES)


def _read_remark(remark: str, builder: MatchBuilder) -> None:
    """Read a comment line of a game, which may set its position."""
    found = parse_set_position(remark)
    situation = builder.last_situation
    if found is None or situation is None:
        builder.add_comment(remark)
        return
    letters, cube = found
    owner = None if not cube else int(cube > 0)
    with builder.reporting(IssueKind.IMPOSSIBLE_POSITION):
        position = builder.variant.adopt_position(Position(decode_xgid_board(letters)))
        match = replace(situation.match, on_roll=0, cube=1 << abs(cube), cube_owner=owner)
        builder.set_table(position, match, first_seat_open=True)


def read_cell(cell: MatCell, builder: MatchBuilder) -> None:
    """Tell a builder what a cell says."""
    match cell.keyword:
        case "":
            _read_roll(cell, builder)
        case "takes" | "drops":
            situation = builder.situation
            is_open = situation is not None and situation.match.doubled and situation.result is None
            seat = situation.match.to_act if situation is not None and is_open else cell.seat
            builder.respond(seat, is_take=cell.keyword == "takes")
        case "doubles":
            builder.double(cell.seat, cell.points)
        case _:
            if cell.keyword == "resigns":
                builder.note_resignation()
            builder.state_result(cell.seat ^ (cell.keyword != "wins"), cell.points)


def _read_roll(cell: MatCell, builder: MatchBuilder) -> None:
    """Read a roll and its play; a position in the place of a play follows an illegal one."""
    if cell.dice == "00":
        builder.note_resignation()  # nothing was rolled: the player resigned before
        return
    is_played = not (cell.illegal_result or cell.argument.startswith("?"))
    builder.play(cell.seat, cell.roll, cell.argument if is_played else None)
    if cell.illegal_result:
        _set_illegal_result(cell, builder)


def _set_illegal_result(cell: MatCell, builder: MatchBuilder) -> None:
    """Set the position after an illegal play, as the player sees it whom its line names first."""
    before = builder.last_situation
    if before is None:
        return
    with builder.reporting(IssueKind.UNREADABLE):
        seen = builder.variant.adopt_position(decode_snowie_board(cell.illegal_result))
        builder.add_issue(IssueKind.ILLEGAL_PLAY, f"expected a legal play of {cell.dice}, got a position")
        own, other = builder.names[cell.seat], builder.names[1 - cell.seat]
        is_of_other = get_snowie_name(cell.illegal_result) == other != own
        match = replace(before.match.before_roll(), on_roll=1 - cell.seat)
        builder.set_table(seen if is_of_other else seen.swap_sides(), match)
