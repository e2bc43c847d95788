"""XGID: position and match state on one line, as eXtreme Gammon writes them.

``XGID=position:cube:owner:turn:dice:score:score:rules:length:max cube``, always as the player at the bottom
of the board sees it, whoever is on roll. That player is seat 1, as in GNU Backgammon.

Source: eXtreme Gammon 2 manual, "XGID"; the view, and who has doubled when the dice say D, checked against
gnubg's ``set xgid``. B and R, which gnubg refuses, have the cube before the double, as D has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from gammond.engine.errors import FormatError, GammondError, PositionError, StateError, ValueRangeError
from gammond.engine.formats.fields import Fields, check_no_offer
from gammond.engine.kernels import formats as kernel_formats
from gammond.engine.rules import cube_actions
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.position import BAR, Board, Position, fill_borne_off, swap_sides

BOTTOM = 1
"""The seat at the bottom: capital letters, turn and cube owner 1, the first of the two scores."""

PREFIX = "XGID="
"""What an XGID begins with, where it stands by itself."""

_UNREADABLE = "?" * kernel_formats.XGID_LETTERS
_FIELD_NAMES = [
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
]
_FIRST_FIELD = re.compile("[-A-Oa-o]{26}:")
_CAPITALS = np.frombuffer(b"-ABCDEFGHIJKLMNO", np.uint8)
_SMALL = np.frombuffer(b"-abcdefghijklmno", np.uint8)
_JACOBY, _BEAVERS = 1, 2
USUAL_MAX_CUBE_LOG = 10
"""The logarithm of the highest cube that XGIDs have."""
_DOUBLED, _BEAVERED, _RACCOONED = "D", "B", "R"
_SEATS = {1: BOTTOM, -1: 1 - BOTTOM}


def encode_xgid(position: Position, match: MatchState) -> str:
    """Return an XGID.

    Raises:
        UnsupportedError: As `encode_xgids`.
    """
    return encode_xgids(position.board[None], match)[0]


def encode_xgids(boards: Board, match: MatchState) -> list[str]:
    """Return the XGIDs of many valid positions ``int8[n, 2, 26]`` of one match state.

    Raises:
        UnsupportedError: A resignation is pending, for which an XGID has no place.
    """
    check_no_offer(match, ["resigned"], "no XGID can be written while a {} is pending")
    offer = _BEAVERED if match.beavered else _DOUBLED if match.doubled else ""
    cube_log, owner = match.cube.bit_length() - 1, match.cube_owner
    if match.beavered:  # the cube before the double, which a centred one of 1 precedes
        cube_log, owner = cube_log - 1, match.on_roll if match.cube > 2 else None
    money_rules = _JACOBY * match.jacoby + _BEAVERS * match.beavers
    signs = {seat: sign for sign, seat in _SEATS.items()}
    fields = (
        cube_log,
        0 if owner is None else signs[owner],
        signs[match.on_roll],
        offer or "{}{}".format(*(match.roll or (0, 0))),
        match.score[BOTTOM],
        match.score[1 - BOTTOM],
        money_rules if match.is_money else int(match.crawford),
        match.length,
        max(cube_log, USUAL_MAX_CUBE_LOG),
    )
    tail = "".join(f":{field}" for field in fields)
    return [f"{PREFIX}{letters}{tail}" for letters in _list_letters(boards, match.on_roll == BOTTOM)]


def _list_letters(boards: Board, bottom_is_on_roll: bool) -> list[str]:
    """Return the letters of positions, `gammond.engine.kernels.formats.XGID_LETTERS` each."""
    rows = boards if bottom_is_on_roll else boards[:, ::-1]
    bottom, top = rows[:, 0].astype(np.intp), rows[:, 1, ::-1].astype(np.intp)
    bottom[:, 0] = top[:, BAR] = 0  # borne off
    text = np.where(bottom > 0, _CAPITALS[bottom], _SMALL[top]).tobytes().decode("ascii")
    size = kernel_formats.XGID_LETTERS
    return [text[start : start + size] for start in range(0, len(text), size)]


def decode_xgid(text: str) -> tuple[Position, MatchState]:
    """Parse an XGID, with or without ``XGID=`` in front and the highest cube at the end.

    The highest cube must be a number and is not kept (`has_highest_cube`). In a match beavers have their
    default.

    Returns:
        The position as the player on roll sees it, and the match state. With D for the dice the player
        on roll has doubled, with B the other one has beavered that double; with R the beaver was turned
        again, which is taken at once (`describe_reading`).

    Raises:
        FormatError: A field cannot be parsed; the message says which.
        ValueRangeError: A field is out of range.
        PositionError: The position or match state is impossible.
    """
    letters, fields = _split_fields(text)
    bottom_view = decode_xgid_board(letters)
    match = _parse_match_state(fields)
    return Position(bottom_view if match.on_roll == BOTTOM else swap_sides(bottom_view)), match


def is_xgid(text: str) -> bool:
    """Return whether a text is to be read as an XGID, right or wrong: by its label, or its first field."""
    return _has_prefix(text) or _FIRST_FIELD.match(text) is not None


def describe_reading(text: str) -> str:
    """Say what was assumed of a valid XGID: how a raccoon was answered; empty for all others."""
    if ":R:" not in text and ":r:" not in text:
        return ""
    _, tail = _split_fields(text)
    return f"the raccoon of this XGID is read as taken: the cube is at {_parse_match_state(tail).cube}"


def has_highest_cube(text: str) -> bool:
    """Return whether a valid XGID has another highest cube than `encode_xgid` writes."""
    fields = _split_fields(text)[1].split(":")
    has_field = len(fields) == len(_FIELD_NAMES) - 1
    return has_field and int(fields[-1]) != max(int(fields[0]), USUAL_MAX_CUBE_LOG)


def decode_xgids(texts: Sequence[str]) -> tuple[Board, list[MatchState | None]]:
    """Parse many XGIDs; `decode_xgid` explains what is wrong with a bad one.

    Returns:
        Boards ``int8[n, 2, 26]`` as the player on roll sees them, and the n match states. The match state of
        a bad XGID is None, and its board has no meaning.
    """
    boards = np.empty((len(texts), 2, 26), np.int8)
    codes = np.empty(len(texts), np.uint8)
    bottom_is_on_roll = np.zeros(len(texts), np.bool_)
    letters, matches = [], []
    for i, text in enumerate(texts):
        position, match = _UNREADABLE, None
        try:
            first, fields = _split_fields(text)
            match = _parse_match_state(fields)
            bottom_is_on_roll[i] = match.on_roll == BOTTOM
            if len(first) == kernel_formats.XGID_LETTERS and first.isascii():
                position = first
        except GammondError:
            pass
        letters.append(position)
        matches.append(match)
    characters = np.frombuffer("".join(letters).encode("ascii"), np.uint8)
    kernel_formats.decode_xgids(
        characters.reshape(len(texts), kernel_formats.XGID_LETTERS), bottom_is_on_roll, boards, codes
    )
    are_good = (codes == kernel_formats.OK).tolist()
    return boards, [match if is_good else None for match, is_good in zip(matches, are_good, strict=True)]


@lru_cache(maxsize=4096)
def _parse_match_state(tail: str) -> MatchState:
    """Parse all fields but the position."""
    fields = Fields("XGID", _FIELD_NAMES, ["", *tail.split(":")])
    cube_log = fields.parse_number(1, 0, MAX_CUBE.bit_length() - 1)
    owner = fields.parse_number(2, -1, 1)
    turn = fields.parse_number(3, -1, 1)
    if turn not in _SEATS:
        raise FormatError("XGID field 4 (on_roll) is 1 or -1, not 0", field="on_roll")
    dice = fields.texts[4].upper()
    offer = dice if dice in (_DOUBLED, _BEAVERED, _RACCOONED) else ""
    has_roll = not offer and dice != "00"
    roll = fields.parse_roll(4, "is 00, two digits 1 to 6, D, B or R") if has_roll else None
    length = fields.parse_number(8, 0)
    rules = fields.parse_number(7, 0, 1 if length else _JACOBY | _BEAVERS)
    if len(fields.texts) > 9:
        fields.parse_number(9, 0)
    scores = {BOTTOM: fields.parse_number(5, 0), 1 - BOTTOM: fields.parse_number(6, 0)}
    match = MatchState(
        length=length,
        score=(scores[0], scores[1]),
        crawford=bool(length and rules) and set(scores.values()) != {length - 1},
        cube=1 << cube_log,
        cube_owner=_SEATS.get(owner),
        on_roll=_SEATS[turn],
        roll=roll,
        doubled=bool(offer),
        jacoby=bool(not length and rules & _JACOBY),
        beavers=bool(length or rules & _BEAVERS),
    )
    return match if offer in ("", _DOUBLED) else _turn_again(match, offer)


def _turn_again(match: MatchState, offer: str) -> MatchState:
    """Return the state of a double that was beavered, or that a raccoon, which is taken, turned again."""
    try:
        beavered = cube_actions.beaver(match)
        if offer == _BEAVERED:
            return beavered
        return cube_actions.raccoon(beavered)
    except (StateError, ValueRangeError) as error:
        raise PositionError(f"XGID field 5 (dice) is {offer}: {error.message}", field="dice") from None


def _has_prefix(text: str) -> bool:
    return text[: len(PREFIX)].upper() == PREFIX


def _split_fields(text: str) -> tuple[str, str]:
    """Return the first field and the text of all others."""
    bare = text.strip()
    if _has_prefix(bare):
        bare = bare[len(PREFIX) :]
    colons = bare.count(":")
    if colons + 1 not in (len(_FIELD_NAMES) - 1, len(_FIELD_NAMES)):
        raise FormatError(
            f"an XGID has {len(_FIELD_NAMES)} fields between colons, {text[:60]!r} has {colons + 1}",
            field="position",
        )
    letters, _, tail = bare.partition(":")
    return letters, tail


def decode_xgid_board(letters: str) -> Board:
    """Parse the first field of an XGID into ``int8[2, 26]``, row 0 the bottom player.

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
