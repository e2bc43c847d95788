"""OGID: position and match state on one line, as OpenGammon writes them.

``white:black:cube:dice:colour:state:score:score:length:move:checkers``. White moves from point 1 to point 24,
is seat 0, and has the first of the two scores; its bar is 0, that of Black 25. A checker is one character.

*Source:* the description of OGID in HedgeHog's public documents (docs/OGID.md) as far as readers of it quote
them, and the IDs that programs exchange. The colour is that of the player who reached the position: the other
one is on roll, except while a double is pending, which is the doubler's. Some programs write the player on
roll there; `describe_reading` says how an ID was read.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from engine.errors import FormatError, UnsupportedError, ValueRangeError
from engine.rules.dice import Roll
from engine.rules.match import MAX_CUBE, MatchState
from engine.rules.moves import generate_plays
from engine.rules.position import BAR, CHECKERS, Board, Position, fill_borne_off, swap_sides

WHITE = 0
"""The seat that moves from point 1 to point 24."""

_PREFIX = "OGID="
_PLACES = "0123456789abcdefghijklmnopq"
"""The character of each place: White's bar, the points, Black's bar, and borne off."""
_OFF = _PLACES.index("q")
_SEATS = {"W": WHITE, "B": 1 - WHITE}
_COLOURS = {WHITE: "White", 1 - WHITE: "Black"}
_OFFERED, _NORMAL, _PASSED = "O", "N", "P"
_DOUBLED_STATE, _ROLLED_STATE = "D", "R"
_MIN_FIELDS, _MAX_FIELDS = 3, 11
_SHAPE = re.compile(
    rf"(?:{_PREFIX})?[0-9a-q]{{0,{CHECKERS}}}:[0-9a-q]{{0,{CHECKERS}}}:[WBN][0-9]", re.IGNORECASE
)


def is_ogid(text: str) -> bool:
    """Return whether a text is to be read as an OGID, right or wrong."""
    return text[: len(_PREFIX)].upper() == _PREFIX or _SHAPE.match(text) is not None


def encode_ogid(position: Position, match: MatchState) -> str:
    """Return an OGID.

    Raises:
        UnsupportedError: A resignation or a beaver is pending, for which an OGID has no place.
    """
    if match.resigned or match.beavered:
        name, offer = ("resigned", "resignation") if match.resigned else ("beavered", "beaver")
        raise UnsupportedError(f"no OGID can be written while a {offer} is pending", field=name)
    board = position.board if match.on_roll == WHITE else swap_sides(position.board)
    letters = {seat: letter for letter, seat in _SEATS.items()}
    owner = "N" if match.cube_owner is None else letters[match.cube_owner]
    state = _DOUBLED_STATE if match.doubled else _ROLLED_STATE if match.roll else "C"
    reached_by = match.on_roll if match.doubled else 1 - match.on_roll
    fields: tuple[object, ...] = (
        "".join(_PLACES[BAR - point] * int(board[0, point]) for point in range(BAR, 0, -1)),
        "".join(_PLACES[point] * int(board[1, point]) for point in range(1, BAR + 1)),
        f"{owner}{match.cube.bit_length() - 1}{_OFFERED if match.doubled else _NORMAL}",
        "{}{}".format(*match.roll) if match.roll else "",
        letters[reached_by],
        state,
        match.score[WHITE],
        match.score[1 - WHITE],
        f"{match.length}{'C' * match.crawford}",
        0,
    )
    if position.checkers != CHECKERS:
        fields = (*fields, position.checkers)
    return ":".join(map(str, fields))


def decode_ogid(text: str) -> tuple[Position, MatchState]:
    """Parse an OGID, with or without ``OGID=`` in front.

    All fields after the cube may be missing: then White is on roll, before its roll, in money play. The
    number of the move and the limit of games are ignored. Where the state does not say that the dice are
    rolled, and the side on roll cannot play them but the other one can, the colour is read as that of the
    player on roll.

    Returns:
        The position as the player on roll sees it, and the match state.

    Raises:
        FormatError: A field cannot be parsed; the message says which.
        ValueRangeError: A field is out of range.
        PositionError: The position or match state is impossible.
        UnsupportedError: A double was passed: the game is over.
    """
    fields = _split_fields(text)
    checkers = _parse_number(fields, 11, "checkers", CHECKERS)
    if not 1 <= checkers <= CHECKERS:
        raise ValueRangeError(
            f"OGID field 11 (checkers) is 1 to {CHECKERS}, not {checkers}", field="checkers"
        )
    match = _parse_match_state(fields)
    white_view = _parse_board(fields[0].lower(), fields[1].lower(), checkers)
    views = {WHITE: Position(white_view, checkers), 1 - WHITE: Position(swap_sides(white_view), checkers)}
    on_roll = match.on_roll
    if match.roll and fields[4] and fields[5][:1].upper() != _ROLLED_STATE:
        can_play = {seat: _can_play(position, match.roll) for seat, position in views.items()}
        if can_play[1 - on_roll] and not can_play[on_roll]:
            match = replace(match, on_roll=1 - on_roll)
    return views[match.on_roll], match


def describe_reading(text: str) -> str:
    """Say which convention a valid OGID was read by; empty where its colour means the same by all of them."""
    colour, match = _split_fields(text)[4].upper(), decode_ogid(text)[1]
    if not colour or match.doubled:
        return ""
    is_read = f"the colour {colour} of this OGID is read as that of the player"
    on_roll = _COLOURS[match.on_roll]
    if match.on_roll == _SEATS[colour]:
        return f"{is_read} on roll, {on_roll}: the other side cannot play the dice"
    return f"{is_read} who reached the position: {on_roll} is on roll (some programs write who is on roll)"


def _can_play(position: Position, roll: Roll) -> bool:
    return not position.is_over and not generate_plays(position, roll)[0].is_no_move


def _split_fields(text: str) -> list[str]:
    """Return all fields, empty ones for those that are missing."""
    bare = text.strip()
    if bare[: len(_PREFIX)].upper() == _PREFIX:
        bare = bare[len(_PREFIX) :]
    fields = bare.split(":")
    if not _MIN_FIELDS <= len(fields) <= _MAX_FIELDS:
        raise FormatError(
            f"an OGID has {_MIN_FIELDS} to {_MAX_FIELDS} fields between colons, "
            f"{text[:60]!r} has {len(fields)}",
            field="position",
        )
    return fields + [""] * (_MAX_FIELDS - len(fields))


def _parse_board(white: str, black: str, checkers: int) -> Board:
    board = np.zeros((2, 26), np.int8)
    for row, (name, letters) in enumerate((("white", white), ("black", black))):
        unknown = next((letter for letter in letters if letter not in _PLACES), None)
        if unknown is not None:
            raise FormatError(
                f"OGID field {row + 1} ({name}) has a character 0-9 or a-q for each checker, not {unknown!r}",
                field="position",
            )
        if len(letters) > CHECKERS:
            raise FormatError(
                f"OGID field {row + 1} ({name}) has up to {CHECKERS} checkers, not {len(letters)}",
                field="position",
            )
        for place, count in Counter(map(_PLACES.index, letters)).items():
            own = BAR - place if row == 0 else place
            if place == _OFF:
                continue
            if own == 0:
                raise FormatError(
                    f"OGID field {row + 1} ({name}): {_PLACES[place]!r} is the bar of the other side",
                    field="position",
                )
            board[row, own] = count
    fill_borne_off(board, ("White", "Black"), checkers)
    return board


def _parse_match_state(fields: list[str]) -> MatchState:
    owner, cube, is_offered = _parse_cube(fields[2].upper())
    is_doubled = is_offered or fields[5][:1].upper() == _DOUBLED_STATE
    length = re.fullmatch(r"([0-9]{0,6})(|C|L|G[0-9]{0,6})", fields[8].upper())
    if length is None:
        raise FormatError(
            f"OGID field 9 (length) is a number, then C in the Crawford game, not {fields[8][:40]!r}",
            field="length",
        )
    points = int(length[1] or 0)
    return MatchState(
        length=points,
        score=(_parse_number(fields, 7, "score"), _parse_number(fields, 8, "score")),
        crawford=bool(points) and length[2] == "C",
        cube=cube,
        cube_owner=owner,
        on_roll=_parse_on_roll(fields[4].upper(), is_doubled),
        roll=_parse_dice(fields[3]),
        doubled=is_doubled,
    )


def _parse_cube(text: str) -> tuple[int | None, int, bool]:
    """Return the owner, the value, and whether it is offered."""
    found = re.fullmatch(r"([WBN])([0-9]{1,2})([NOPT]?)", text)
    if found is None:
        raise FormatError(
            f"OGID field 3 (cube) is W, B or N, a number and N, O, P or T, as in N0N, not {text[:40]!r}",
            field="cube",
        )
    if int(found[2]) >= MAX_CUBE.bit_length():
        raise ValueRangeError(
            f"OGID field 3 (cube): the number is 0 to {MAX_CUBE.bit_length() - 1}, not {found[2]}",
            field="cube",
        )
    if found[3] == _PASSED:
        raise UnsupportedError(
            "OGID field 3 (cube): the double was passed, so the game is over: there is nothing to decide",
            field="cube",
        )
    return _SEATS.get(found[1]), 1 << int(found[2]), found[3] == _OFFERED


def _parse_on_roll(colour: str, is_doubled: bool) -> int:
    if not colour:
        return WHITE
    if colour not in _SEATS:
        raise FormatError(f"OGID field 5 (colour) is W or B, not {colour[:40]!r}", field="on_roll")
    return _SEATS[colour] if is_doubled else 1 - _SEATS[colour]


def _parse_dice(text: str) -> Roll | None:
    if text in ("", "00"):
        return None
    if not re.fullmatch("[1-6][1-6]", text):
        kind = ValueRangeError if re.fullmatch("[0-9][0-9]", text) else FormatError
        raise kind(f"OGID field 4 (dice) is empty or two digits 1 to 6, not {text[:40]!r}", field="dice")
    return int(text[0]), int(text[1])


def _parse_number(fields: list[str], number: int, name: str, default: int = 0) -> int:
    text = fields[number - 1]
    if not text:
        return default
    if not re.fullmatch("[0-9]{1,6}", text):
        raise FormatError(f"OGID field {number} ({name}) is a number, not {text[:40]!r}", field=name)
    return int(text)
