"""GNU position IDs in bulk: 14 base64 characters to a board and back.

The 80 bits of an ID are two runs of 25 counts in unary (a 1 for each checker, then a 0): the side not on roll
first, each from its ace point to its bar. Bits fill bytes from the least significant end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel

ID_LENGTH = 14

OK, BAD_CHARACTER, TOO_MANY_CHECKERS, TRAILING_BITS, SHARED_POINT, BOTH_FINISHED, BOTH_SHUT_OUT = range(7)
"""What is wrong with an ID; the first that applies."""

_ALPHABET = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8
).copy()
_NO_DIGIT = 64
_DIGITS = np.full(256, _NO_DIGIT, np.uint8)
_DIGITS[_ALPHABET] = np.arange(64)


@kernel
def _unpack(text: NDArray[np.uint8], key: NDArray[np.uint8]) -> bool:
    """Write the 10 bytes of an ID and its 4 spare bits; return False for a foreign character."""
    held = 0
    bits = 0
    at = 0
    for i in range(ID_LENGTH):
        digit = int(_DIGITS[text[i]])
        if digit == _NO_DIGIT:
            return False
        held = (held << 6) | digit
        bits += 6
        if bits >= 8:
            bits -= 8
            key[at] = (held >> bits) & 255
            held &= (1 << bits) - 1
            at += 1
    key[10] = held
    return True


@kernel
def _read_counts(key: NDArray[np.uint8], board: NDArray[np.int8]) -> int:
    """Write the counts of both sides, borne off included."""
    bit = 0
    for side in range(2):
        row = 1 - side
        total = 0
        for point in range(1, 26):
            count = 0
            while bit < 80 and (int(key[bit >> 3]) >> (bit & 7)) & 1:
                count += 1
                bit += 1
            bit += 1
            total += count
            if total > 15:
                return TOO_MANY_CHECKERS
            board[row, point] = count
        board[row, 0] = 15 - total
    while bit < 80:
        if (int(key[bit >> 3]) >> (bit & 7)) & 1:
            return TRAILING_BITS
        bit += 1
    return OK if key[10] == 0 else TRAILING_BITS


@kernel
def check_board(board: NDArray[np.int8]) -> int:
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
def decode(ids: NDArray[np.uint8], boards: NDArray[np.int8], codes: NDArray[np.uint8]) -> None:
    """Decode IDs and check them as `engine.rules.position.Position` does.

    Args:
        ids: ``uint8[n, 14]`` of ASCII codes.
        boards: out, ``int8[n, 2, 26]``; rows with an error are undefined.
        codes: out, ``uint8[n]`` of `OK` or the error.
    """
    key = np.zeros(11, np.uint8)
    for i in range(ids.shape[0]):
        if not _unpack(ids[i], key):
            codes[i] = BAD_CHARACTER
            continue
        code = _read_counts(key, boards[i])
        codes[i] = code if code != OK else check_board(boards[i])


@kernel
def encode(boards: NDArray[np.int8], ids: NDArray[np.uint8]) -> None:
    """Encode positions.

    Args:
        boards: ``int8[n, 2, 26]``, valid positions.
        ids: out, ``uint8[n, 14]`` of ASCII codes.
    """
    key = np.zeros(11, np.uint8)
    for i in range(boards.shape[0]):
        for j in range(11):
            key[j] = 0
        bit = 0
        for row in range(1, -1, -1):
            for point in range(1, 26):
                for _ in range(boards[i, row, point]):
                    key[bit >> 3] |= np.uint8(1 << (bit & 7))
                    bit += 1
                bit += 1
        held = 0
        bits = 0
        at = 0
        for j in range(11):
            held = (held << 8) | int(key[j])
            bits += 8
            while bits >= 6 and at < ID_LENGTH:
                bits -= 6
                ids[i, at] = _ALPHABET[(held >> bits) & 63]
                held &= (1 << bits) - 1
                at += 1
