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

from gammond.engine.errors import FormatError, UnsupportedError, ValueRangeError
from gammond.engine.formats.fields import Fields, check_no_offer
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.moves import can_move
from gammond.engine.rules.position import BAR, CHECKERS, Board, Position, fill_borne_off, swap_sides

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
_NAMES = ["white", "black", "cube", "dice", "colour", "state", "score", "score", "length", "move", "checkers"]
_MIN_FIELDS, _MAX_FIELDS = 3, len(_NAMES)
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
    check_no_offer(match, ("resigned", "beavered"), "no OGID can be written while a {} is pending")
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
    checkers = fields.parse_number(10, 1, CHECKERS) if fields.texts[10] else CHECKERS
    match = _parse_match_state(fields)
    white_view = _parse_board(fields, checkers)
    views = {WHITE: Position(white_view, checkers), 1 - WHITE: Position(swap_sides(white_view), checkers)}
    on_roll = match.on_roll
    if match.roll and fields.texts[4] and fields.texts[5][:1].upper() != _ROLLED_STATE:
        can_play = {seat: can_move(position, match.roll) for seat, position in views.items()}
        if can_play[1 - on_roll] and not can_play[on_roll]:
            match = replace(match, on_roll=1 - on_roll)
    return views[match.on_roll], match


def describe_reading(text: str) -> str:
    """Say which convention a valid OGID was read by; empty where its colour means the same by all of them."""
    colour, match = _split_fields(text).texts[4].upper(), decode_ogid(text)[1]
    if not colour or match.doubled:
        return ""
    is_read = f"the colour {colour} of this OGID is read as that of the player"
    on_roll = _COLOURS[match.on_roll]
    if match.on_roll == _SEATS[colour]:
        return f"{is_read} on roll, {on_roll}: the other side cannot play the dice"
    return f"{is_read} who reached the position: {on_roll} is on roll (some programs write who is on roll)"


def _split_fields(text: str) -> Fields:
    """Return all fields, empty ones for those that are missing."""
    bare = text.strip()
    if bare[: len(_PREFIX)].upper() == _PREFIX:
        bare = bare[len(_PREFIX) :]
    texts = bare.split(":")
    if not _MIN_FIELDS <= len(texts) <= _MAX_FIELDS:
        raise FormatError(
            f"an OGID has {_MIN_FIELDS} to {_MAX_FIELDS} fields between colons, "
            f"{text[:60]!r} has {len(texts)}",
            field="position",
        )
    return Fields("OGID", _NAMES, texts + [""] * (_MAX_FIELDS - len(texts)))


def _parse_board(fields: Fields, checkers: int) -> Board:
    board = np.zeros((2, 26), np.int8)
    for row in (0, 1):
        name, letters = _NAMES[row], fields.texts[row].lower()
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


def _parse_match_state(fields: Fields) -> MatchState:
    owner, cube, is_offered = _parse_cube(fields)
    is_doubled = is_offered or fields.texts[5][:1].upper() == _DOUBLED_STATE
    length = re.fullmatch(r"([0-9]{0,6})(|C|L|G[0-9]{0,6})", fields.texts[8].upper())
    if length is None:
        raise fields.error(8, "is a number, then C in the Crawford game")
    has_roll = fields.texts[3] not in ("", "00")
    points = int(length[1] or 0)
    return MatchState(
        length=points,
        score=(_parse_score(fields, 6), _parse_score(fields, 7)),
        crawford=bool(points) and length[2] == "C",
        cube=cube,
        cube_owner=owner,
        on_roll=_parse_on_roll(fields, is_doubled),
        roll=fields.parse_roll(3, "is empty or two digits 1 to 6") if has_roll else None,
        doubled=is_doubled,
    )


def _parse_cube(fields: Fields) -> tuple[int | None, int, bool]:
    """Return the owner, the value, and whether it is offered."""
    found = re.fullmatch(r"([WBN])([0-9]{1,2})([NOPT]?)", fields.texts[2].upper())
    if found is None:
        raise fields.error(2, "is W, B or N, a number and N, O, P or T, as in N0N")
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


def _parse_on_roll(fields: Fields, is_doubled: bool) -> int:
    colour = fields.texts[4].upper()
    if not colour:
        return WHITE
    if colour not in _SEATS:
        raise fields.error(4, "is W or B").with_field("on_roll")
    return _SEATS[colour] if is_doubled else 1 - _SEATS[colour]


def _parse_score(fields: Fields, place: int) -> int:
    return fields.parse_number(place, 0) if fields.texts[place] else 0
