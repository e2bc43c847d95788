"""Positions as text in bulk: GNU position IDs to boards and back, XGIDs and FIBS boards to boards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel

OK, BAD_CHARACTER, TOO_MANY_CHECKERS, TRAILING_BITS, SHARED_POINT, BOTH_FINISHED, BOTH_SHUT_OUT = range(7)
"""What is wrong with a text; the first that applies."""

ID_LENGTH = 14
"""Characters of a position ID."""

XGID_LETTERS = 26
"""Characters of the first field of an XGID."""

FIBS_FIELDS = 52
"""Fields of a FIBS board behind ``board:``; the first two are names."""

FIBS_STATE_FIELDS = (2, 3, 4, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 50)
"""The fields that make the match state, counted from 0: length, scores, turn, dice, cube, who may double,
double, colour, post-Crawford flag."""

_ALPHABET = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8
).copy()
_NO_DIGIT = 64
_DIGITS = np.full(256, _NO_DIGIT, np.int64)
_DIGITS[_ALPHABET] = np.arange(64)

_ID_BITS = 80
_SPARE_BITS = 15
"""The lowest four bits of the last digit of a position ID, which have no meaning."""

# The bits of a position ID fill bytes from the lowest end, and bytes fill base64 digits from the highest.
_places = [8 * (bit // 8) + 7 - bit % 8 for bit in range(_ID_BITS)]
_DIGIT_OF_BIT = np.array([place // 6 for place in _places])
_VALUE_OF_BIT = np.array([32 >> place % 6 for place in _places])

_DASH, _CAPITAL_A, _SMALL_A = ord("-"), ord("A"), ord("a")

_FIRST_NUMBER, _FIRST_POINT = 2, 5
_TURN, _MAY_DOUBLE, _DOUBLED, _COLOUR, _DIRECTION, _POST_CRAWFORD = 31, 37, 39, 40, 41, 50
_MAX_DIGITS = 6
_COLON, _PLUS, _MINUS, _ZERO = ord(":"), ord("+"), ord("-"), ord("0")
_PREFIX = np.frombuffer(b"board:", np.uint8).copy()
_STATE_FIELDS = np.array(FIBS_STATE_FIELDS, np.int64)


@kernel
def _check_board(board: NDArray[np.int8]) -> int:
    """Return `OK`, or why a board of 15 checkers a side is impossible; see `Position`."""
    for point in range(1, 25):
        if board[0, point] > 0 and board[1, 25 - point] > 0:
            return SHARED_POINT
    if board[0, 0] == 15 and board[1, 0] == 15:
        return BOTH_FINISHED
    if board[0, 25] > 0 and board[1, 25] > 0:
        for point in range(1, 7):
            if board[0, point] < 2 or board[1, point] < 2:
                return OK
        return BOTH_SHUT_OUT
    return OK


@kernel
def _write_board(counts: NDArray[np.int64], row: int, board: NDArray[np.int8]) -> int:
    """Write a board and check it.

    Args:
        counts: ``int64[26]``: on the points of one player's view its checkers, and those of the other player
            with a minus; its bar is 25, the other's 0.
        row: The row of that player.
        board: out, ``int8[2, 26]``.

    Returns:
        `OK`, or what is wrong.
    """
    for side in range(2):
        for point in range(26):
            board[side, point] = 0
        board[side, 0] = 15
    for place in range(26):
        count = int(counts[place])
        side, point = row, place
        if count < 0:
            side, point, count = 1 - row, 25 - place, -count
        if count > 0 and point == 0:
            return BAD_CHARACTER
        if count > board[side, 0]:
            return TOO_MANY_CHECKERS
        if count > 0:
            board[side, point] = count
            board[side, 0] -= count
    return _check_board(board)


@kernel
def _read_id(digits: NDArray[np.int64], board: NDArray[np.int8]) -> int:
    """Write the board of the digits of a position ID and check it; return `OK`, or what is wrong.

    Its bits are two runs of 25 counts in unary (a 1 for each checker, then a 0): the side not on roll first,
    each from its ace point to its bar.
    """
    bit = 0
    for side in range(1, -1, -1):
        total = 0
        for point in range(1, 26):
            count = 0
            while bit < _ID_BITS and digits[_DIGIT_OF_BIT[bit]] & _VALUE_OF_BIT[bit]:
                count += 1
                bit += 1
            bit += 1
            total += count
            if total > 15:
                return TOO_MANY_CHECKERS
            board[side, point] = count
        board[side, 0] = 15 - total
    rest = digits[ID_LENGTH - 1] & _SPARE_BITS
    while bit < _ID_BITS:
        rest |= digits[_DIGIT_OF_BIT[bit]] & _VALUE_OF_BIT[bit]
        bit += 1
    return TRAILING_BITS if rest else _check_board(board)


@kernel
def decode_ids(ids: NDArray[np.uint8], boards: NDArray[np.int8], codes: NDArray[np.uint8]) -> None:
    """Decode position IDs and check them as `gammond.engine.rules.position.Position` does.

    Args:
        ids: ``uint8[n, 14]`` of ASCII codes.
        boards: out, ``int8[n, 2, 26]``; rows with an error are undefined.
        codes: out, ``uint8[n]`` of `OK` or the error.
    """
    digits = np.empty(ID_LENGTH, np.int64)
    for i in range(ids.shape[0]):
        has_foreign = False
        for place in range(ID_LENGTH):
            digits[place] = _DIGITS[ids[i, place]]
            has_foreign |= digits[place] == _NO_DIGIT
        codes[i] = BAD_CHARACTER if has_foreign else _read_id(digits, boards[i])


@kernel
def encode_ids(boards: NDArray[np.int8], ids: NDArray[np.uint8]) -> None:
    """Encode positions as position IDs.

    Args:
        boards: ``int8[n, 2, 26]``, valid positions.
        ids: out, ``uint8[n, 14]`` of ASCII codes.
    """
    digits = np.empty(ID_LENGTH, np.int64)
    for i in range(boards.shape[0]):
        for place in range(ID_LENGTH):
            digits[place] = 0
        bit = 0
        for side in range(1, -1, -1):
            for point in range(1, 26):
                for _ in range(boards[i, side, point]):
                    digits[_DIGIT_OF_BIT[bit]] |= _VALUE_OF_BIT[bit]
                    bit += 1
                bit += 1
        for place in range(ID_LENGTH):
            ids[i, place] = _ALPHABET[digits[place]]


@kernel
def _read_letters(letters: NDArray[np.uint8], at: int, counts: NDArray[np.int64]) -> bool:
    """Read the checkers of an XGID in the bottom player's view; return False for a foreign character."""
    for place in range(XGID_LETTERS):
        letter = int(letters[at, place])
        is_bottom = letter < _SMALL_A
        count = letter - (_CAPITAL_A if is_bottom else _SMALL_A) + 1
        if letter == _DASH:
            count = 0
        elif count < 1 or count > 15:
            return False
        counts[place] = count if is_bottom else -count
    return True


@kernel
def decode_xgids(
    letters: NDArray[np.uint8],
    bottom_is_on_roll: NDArray[np.bool_],
    boards: NDArray[np.int8],
    codes: NDArray[np.uint8],
) -> None:
    """Decode the first fields of XGIDs and check them as `gammond.engine.rules.position.Position` does.

    Args:
        letters: ``uint8[n, 26]`` of ASCII codes.
        bottom_is_on_roll: ``bool[n]``, whether the bottom player is on roll.
        boards: out, ``int8[n, 2, 26]``; rows with an error are undefined.
        codes: out, ``uint8[n]`` of `OK` or the error.
    """
    counts = np.empty(26, np.int64)
    for i in range(letters.shape[0]):
        codes[i] = BAD_CHARACTER
        if _read_letters(letters, i, counts):
            codes[i] = _write_board(counts, 0 if bottom_is_on_roll[i] else 1, boards[i])


@kernel
def _read_fibs_numbers(text: NDArray[np.uint8], start: int, end: int, numbers: NDArray[np.int64]) -> bool:
    """Read the 50 numbers of a FIBS board; return False where it has other fields."""
    colons = 0
    for at in range(start, end):
        colons += text[at] == _COLON
    if colons == FIBS_FIELDS and end - start > len(_PREFIX):
        for i in range(len(_PREFIX)):
            if text[start + i] != _PREFIX[i]:
                return False
        start += len(_PREFIX)
        colons -= 1
    if colons != FIBS_FIELDS - 1:
        return False
    at = start
    for _ in range(_FIRST_NUMBER):
        while text[at] != _COLON:
            at += 1
        at += 1
    for field in range(_FIRST_NUMBER, FIBS_FIELDS):
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
def _has_allowed_fibs_values(numbers: NDArray[np.int64]) -> bool:
    for field in (_TURN, _COLOUR, _DIRECTION):
        if numbers[field] != 1 and numbers[field] != -1:
            return False
    for field in (_MAY_DOUBLE, _MAY_DOUBLE + 1, _DOUBLED, _POST_CRAWFORD):
        if numbers[field] != 0 and numbers[field] != 1:
            return False
    return True


@kernel
def decode_fibs_boards(
    text: NDArray[np.uint8],
    ends: NDArray[np.int64],
    boards: NDArray[np.int8],
    states: NDArray[np.int32],
    codes: NDArray[np.uint8],
) -> None:
    """Decode FIBS boards and check them as `gammond.engine.rules.position.Position` does.

    Args:
        text: ``uint8[characters]``, n lines one behind the other, each with or without ``board:`` in front.
        ends: ``int64[n]``, where each ends.
        boards: out, ``int8[n, 2, 26]``, the player on roll in row 0; rows with an error are undefined.
        states: out, ``int32[n, 14]``, the fields of `FIBS_STATE_FIELDS`, signs and flags checked.
        codes: out, ``uint8[n]`` of `OK` or the error.
    """
    numbers, counts = np.zeros(FIBS_FIELDS, np.int64), np.empty(26, np.int64)
    start = 0
    for i in range(len(ends)):
        end = ends[i]
        codes[i] = BAD_CHARACTER
        if _read_fibs_numbers(text, start, end, numbers) and _has_allowed_fibs_values(numbers):
            for column in range(len(_STATE_FIELDS)):
                states[i, column] = numbers[_STATE_FIELDS[column]]
            for place in range(26):
                point = place if numbers[_DIRECTION] == -1 else 25 - place
                counts[point] = numbers[_FIRST_POINT + place] * numbers[_COLOUR]
            viewer_row = 0 if numbers[_TURN] == numbers[_COLOUR] else 1
            codes[i] = _write_board(counts, viewer_row, boards[i])
        start = end
