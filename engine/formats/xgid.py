"""XGID: position and match state on one line, as eXtreme Gammon writes them.

``XGID=position:cube:owner:turn:dice:score:score:rules:length:max cube``, always as the player at the bottom
of the board sees it, whoever is on roll. That player is seat 1, as in GNU Backgammon.

Source: eXtreme Gammon 2 manual, "XGID"; the view, and who has doubled when the dice say D, checked against
gnubg's ``set xgid``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.errors import FormatError, GammondError, UnsupportedError, ValueRangeError
from engine.kernels import formats as kernel_formats
from engine.rules.dice import Roll
from engine.rules.match import MAX_CUBE, MatchState
from engine.rules.position import BAR, Board, Position, fill_borne_off, swap_sides

BOTTOM = 1
"""The seat at the bottom: capital letters, turn and cube owner 1, the first of the two scores."""

PREFIX = "XGID="
"""What an XGID begins with, where it stands by itself."""

_UNREADABLE = "?" * kernel_formats.XGID_LETTERS
_FIELD_NAMES = (
    "position",
    "cube",
    "cube_owner",
    "on_roll",
    "dice",
    "score",
    "score",
    "rules",
    "length",
    "max_cube",
)
_CAPITALS = np.frombuffer(b"-ABCDEFGHIJKLMNO", np.uint8)
_SMALL = np.frombuffer(b"-abcdefghijklmno", np.uint8)
_JACOBY, _BEAVERS = 1, 2
_DEFAULT_MAX_CUBE_LOG = 10
_SEATS = {1: BOTTOM, -1: 1 - BOTTOM}


def encode_xgid(position: Position, match: MatchState) -> str:
    """Return an XGID.

    Raises:
        UnsupportedError: As `encode_xgids`.
    """
    return encode_xgids(position.board[None], match)[0]


def encode_xgids(boards: Board, match: MatchState) -> list[str]:
    """Return the XGIDs of many positions of one match state.

    Args:
        boards: ``int8[n, 2, 26]``, valid positions, the checkers of the seat on roll first.
        match: The match state.

    Raises:
        UnsupportedError: A resignation is pending, for which an XGID has no place, or an unsupported beaver.
    """
    if match.resigned or match.beavered:
        name, offer = ("resigned", "resignation") if match.resigned else ("beavered", "beaver")
        raise UnsupportedError(f"no XGID can be written while a {offer} is pending", field=name)
    cube_log = match.cube.bit_length() - 1
    money_rules = _JACOBY * match.jacoby + _BEAVERS * match.beavers
    signs = {seat: sign for sign, seat in _SEATS.items()}
    fields = (
        cube_log,
        0 if match.cube_owner is None else signs[match.cube_owner],
        signs[match.on_roll],
        "D" if match.doubled else "{}{}".format(*(match.roll or (0, 0))),
        match.score[BOTTOM],
        match.score[1 - BOTTOM],
        money_rules if match.is_money else int(match.crawford),
        match.length,
        max(cube_log, _DEFAULT_MAX_CUBE_LOG),
    )
    tail = "".join(f":{field}" for field in fields)
    return [f"{PREFIX}{letters}{tail}" for letters in _list_letters(boards, match.on_roll == BOTTOM)]


def _list_letters(boards: Board, bottom_is_on_roll: bool) -> list[str]:
    """Return the letters of positions, `engine.kernels.formats.XGID_LETTERS` each."""
    rows = boards if bottom_is_on_roll else boards[:, ::-1]
    bottom, top = rows[:, 0].astype(np.intp), rows[:, 1, ::-1].astype(np.intp)
    bottom[:, 0] = top[:, BAR] = 0  # borne off
    text = np.where(bottom > 0, _CAPITALS[bottom], _SMALL[top]).tobytes().decode("ascii")
    size = kernel_formats.XGID_LETTERS
    return [text[start : start + size] for start in range(0, len(text), size)]


def decode_xgid(text: str) -> tuple[Position, MatchState]:
    """Parse an XGID, with or without ``XGID=`` in front and the highest cube at the end.

    The highest cube must be a number and is ignored. In a match beavers have their default.

    Returns:
        The position as the player on roll sees it, and the match state. With D for the dice the player
        on roll has doubled.

    Raises:
        FormatError: A field cannot be parsed; the message says which.
        ValueRangeError: A field is out of range.
        PositionError: The position or match state is impossible.
        UnsupportedError: The dice are B or R, a pending beaver or raccoon.
    """
    letters, fields = _split_fields(text)
    bottom_view = decode_xgid_board(letters)
    match = _parse_match_state(fields)
    return Position(bottom_view if match.on_roll == BOTTOM else swap_sides(bottom_view)), match


def decode_xgids(texts: Sequence[str]) -> tuple[Board, NDArray[np.bool_]]:
    """Parse the positions of many XGIDs; `decode_xgid` explains what is wrong with a bad one.

    Args:
        texts: n XGIDs, each as for `decode_xgid`.

    Returns:
        Boards ``int8[n, 2, 26]`` as the player on roll sees them, and which of them are good, ``bool[n]``.
        The board of a bad XGID is all zero.
    """
    boards = np.empty((len(texts), 2, 26), np.int8)
    codes = np.empty(len(texts), np.uint8)
    bottom_is_on_roll = np.zeros(len(texts), np.bool_)
    letters = []
    for i, text in enumerate(texts):
        position = _UNREADABLE
        try:
            first, fields = _split_fields(text)
            bottom_is_on_roll[i] = _parse_match_state(fields).on_roll == BOTTOM
            if len(first) == kernel_formats.XGID_LETTERS and first.isascii():
                position = first
        except GammondError:
            pass
        letters.append(position)
    characters = np.frombuffer("".join(letters).encode("ascii"), np.uint8)
    kernel_formats.decode_xgids(
        characters.reshape(len(texts), kernel_formats.XGID_LETTERS), bottom_is_on_roll, boards, codes
    )
    is_good = codes == kernel_formats.OK
    boards[~is_good] = 0
    return boards, is_good


@lru_cache(maxsize=4096)
def _parse_match_state(tail: str) -> MatchState:
    """Parse all fields but the position."""
    fields = ["", *tail.split(":")]
    cube_log = _parse_number(fields, 1, 0, MAX_CUBE.bit_length() - 1)
    owner = _parse_number(fields, 2, -1, 1)
    turn = _parse_number(fields, 3, -1, 1)
    if turn not in _SEATS:
        raise FormatError("XGID field 4 (on_roll) is 1 or -1, not 0", field="on_roll")
    roll, doubled = _parse_dice(fields[4])
    length = _parse_number(fields, 8, 0)
    rules = _parse_number(fields, 7, 0, 1 if length else _JACOBY | _BEAVERS)
    if len(fields) > 9:
        _parse_number(fields, 9, 0)
    scores = {BOTTOM: _parse_number(fields, 5, 0), 1 - BOTTOM: _parse_number(fields, 6, 0)}
    return MatchState(
        length=length,
        score=(scores[0], scores[1]),
        crawford=bool(length and rules),
        cube=1 << cube_log,
        cube_owner=_SEATS.get(owner),
        on_roll=_SEATS[turn],
        roll=roll,
        doubled=doubled,
        jacoby=bool(not length and rules & _JACOBY),
        beavers=bool(length or rules & _BEAVERS),
    )


def _split_fields(text: str) -> tuple[str, str]:
    """Return the first field and the text of all others."""
    bare = text.strip()
    if bare[: len(PREFIX)].upper() == PREFIX:
        bare = bare[len(PREFIX) :]
    colons = bare.count(":")
    if colons + 1 not in (len(_FIELD_NAMES) - 1, len(_FIELD_NAMES)):
        raise FormatError(
            f"an XGID has {len(_FIELD_NAMES)} fields between colons, {text[:60]!r} has {colons + 1}",
            field="position",
        )
    letters, _, tail = bare.partition(":")
    return letters, tail


def _parse_number(fields: list[str], place: int, lowest: int, highest: int | None = None) -> int:
    name, text = _FIELD_NAMES[place], fields[place]
    if not re.fullmatch(r"[+-]?[0-9]{1,6}", text):
        raise FormatError(f"XGID field {place + 1} ({name}) is a number, not {text[:40]!r}", field=name)
    value = int(text)
    if value < lowest or (highest is not None and value > highest):
        limits = f"{lowest} to {highest}" if highest is not None else f"{lowest} or more"
        raise ValueRangeError(f"XGID field {place + 1} ({name}) is {limits}, not {value}", field=name)
    return value


def decode_xgid_board(letters: str) -> Board:
    """Parse the first field of an XGID.

    Returns:
        ``int8[2, 26]``, row 0 the bottom player.

    Raises:
        FormatError: It is no such field.
        PositionError: A side has too many checkers.
    """
    if len(letters) != 26:
        raise FormatError(
            f"XGID field 1 (position) has 26 characters, {letters[:40]!r} has {len(letters)}",
            field="position",
        )
    board = np.zeros((2, 26), np.int8)
    for place, letter in enumerate(letters):
        if letter == "-":
            continue
        is_bottom = "A" <= letter <= "O"
        if not (is_bottom or "a" <= letter <= "o") or place == (0 if is_bottom else BAR):
            raise FormatError(
                f"XGID field 1 (position): character {place + 1} is {letter!r}, expected '-', A-O (bottom "
                "player, not on character 1) or a-o (top player, not on character 26)",
                field="position",
            )
        if is_bottom:
            board[0, place] = ord(letter) - ord("A") + 1
        else:
            board[1, BAR - place] = ord(letter) - ord("a") + 1
    fill_borne_off(board, ("the bottom player", "the top player"))
    return board


def _parse_dice(text: str) -> tuple[Roll | None, bool]:
    code = text.upper()
    if code in ("B", "R"):
        what = "beaver" if code == "B" else "raccoon"
        raise UnsupportedError(
            f"XGID field 5 (dice) is {text}, a {what} to be answered: not offered", field="dice"
        )
    if code == "D":
        return None, True
    if code == "00":
        return None, False
    if not re.fullmatch("[1-6][1-6]", code):
        kind = ValueRangeError if re.fullmatch("[0-9][0-9]", code) else FormatError
        raise kind(f"XGID field 5 (dice) is 00, D or two digits 1 to 6, not {text[:40]!r}", field="dice")
    return (int(code[0]), int(code[1])), False
