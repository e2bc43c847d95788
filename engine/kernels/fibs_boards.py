"""FIBS board lines in bulk: 50 numbers between colons to a board, and to the numbers of a match state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.position_ids import BAD_CHARACTER, OK, TOO_MANY_CHECKERS, check_board

FIELDS = 52
"""Fields behind ``board:``; the first two are names."""

STATE_FIELDS = (2, 3, 4, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 50)
"""The fields that make the match state, counted from 0: length, scores, turn, dice, cube, who may double,
double, colour, post-Crawford flag."""

_FIRST_NUMBER, _FIRST_POINT = 2, 5
_TURN, _MAY_DOUBLE, _DOUBLED, _COLOUR, _DIRECTION, _POST_CRAWFORD = 31, 37, 39, 40, 41, 50
_MAX_DIGITS = 6
_COLON, _PLUS, _MINUS, _ZERO = ord(":"), ord("+"), ord("-"), ord("0")
_PREFIX = np.frombuffer(b"board:", np.uint8).copy()
_STATE_FIELDS = np.array(STATE_FIELDS, np.int64)


@kernel
def _read_numbers(text: NDArray[np.uint8], start: int, end: int, numbers: NDArray[np.int64]) -> bool:
    """Read the 50 numbers of a line; return False where it has other fields."""
    colons = 0
    for at in range(start, end):
        colons += text[at] == _COLON
    if colons == FIELDS and end - start > len(_PREFIX):
        for i in range(len(_PREFIX)):
            if text[start + i] != _PREFIX[i]:
                return False
        start += len(_PREFIX)
        colons -= 1
    if colons != FIELDS - 1:
        return False
    at = start
    for _ in range(_FIRST_NUMBER):
        while text[at] != _COLON:
            at += 1
        at += 1
    for field in range(_FIRST_NUMBER, FIELDS):
        sign = 1
        if at < end and (text[at] == _MINUS or text[at] == _PLUS):
            sign = -1 if text[at] == _MINUS else 1
            at += 1
        digits = 0
        number = 0
        while at < end and text[at] != _COLON:
            digit = int(text[at]) - _ZERO
            digits += 1
            if digit < 0 or digit > 9 or digits > _MAX_DIGITS:
                return False
            number = 10 * number + digit
            at += 1
        if digits == 0:
            return False
        numbers[field] = sign * number
        at += 1
    return True


@kernel
def _has_allowed_values(numbers: NDArray[np.int64]) -> bool:
    for field in (_TURN, _COLOUR, _DIRECTION):
        if numbers[field] != 1 and numbers[field] != -1:
            return False
    for field in (_MAY_DOUBLE, _MAY_DOUBLE + 1, _DOUBLED, _POST_CRAWFORD):
        if numbers[field] != 0 and numbers[field] != 1:
            return False
    return True


@kernel
def _place_checkers(numbers: NDArray[np.int64], board: NDArray[np.int8]) -> int:
    """Write a board with the player on roll in row 0."""
    viewer_row = 0 if numbers[_TURN] == numbers[_COLOUR] else 1
    for row in range(2):
        for point in range(26):
            board[row, point] = 0
        board[row, 0] = 15
    for place in range(26):
        count = numbers[_FIRST_POINT + place] * numbers[_COLOUR]
        if count == 0:
            continue
        row = viewer_row
        point = place if numbers[_DIRECTION] == -1 else 25 - place
        if count < 0:
            row = 1 - viewer_row
            point = 25 - point
            count = -count
        if point == 0:
            return BAD_CHARACTER
        if count > board[row, 0]:
            return TOO_MANY_CHECKERS
        board[row, point] = count
        board[row, 0] -= count
    return OK


@kernel
def decode(
    text: NDArray[np.uint8],
    ends: NDArray[np.int64],
    boards: NDArray[np.int8],
    states: NDArray[np.int32],
    codes: NDArray[np.uint8],
) -> None:
    """Decode lines and check their boards as `engine.rules.position.Position` does.

    Args:
        text: ``uint8[characters]``, n lines one behind the other, each with or without ``board:`` in front.
        ends: ``int64[n]``, where each ends.
        boards: out, ``int8[n, 2, 26]``, the player on roll in row 0; rows with an error are undefined.
        states: out, ``int32[n, 14]``, the fields of `STATE_FIELDS`, signs and flags checked.
        codes: out, ``uint8[n]`` of `OK` or the error, numbered as in `engine.kernels.position_ids`.
    """
    numbers = np.zeros(FIELDS, np.int64)
    start = 0
    for i in range(len(ends)):
        end = ends[i]
        codes[i] = BAD_CHARACTER
        if _read_numbers(text, start, end, numbers) and _has_allowed_values(numbers):
            for column in range(len(_STATE_FIELDS)):
                states[i, column] = numbers[_STATE_FIELDS[column]]
            code = _place_checkers(numbers, boards[i])
            codes[i] = code if code != OK else check_board(boards[i])
        start = end
