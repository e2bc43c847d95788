"""The checkers of XGIDs in bulk: 26 letters to a board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.position_ids import BAD_CHARACTER, OK, TOO_MANY_CHECKERS, check_board

LETTERS = 26

_DASH, _CAPITAL_A, _SMALL_A = ord("-"), ord("A"), ord("a")


@kernel
def _read_letters(letters: NDArray[np.uint8], at: int, bottom_row: int, boards: NDArray[np.int8]) -> int:
    for row in range(2):
        for point in range(26):
            boards[at, row, point] = 0
        boards[at, row, 0] = 15
    for place in range(LETTERS):
        letter = int(letters[at, place])
        if letter == _DASH:
            continue
        row = bottom_row
        point = place
        count = letter - _CAPITAL_A + 1
        if letter >= _SMALL_A:
            row = 1 - bottom_row
            point = 25 - place
            count = letter - _SMALL_A + 1
        if count < 1 or count > 15 or point == 0:
            return BAD_CHARACTER
        if count > boards[at, row, 0]:
            return TOO_MANY_CHECKERS
        boards[at, row, point] = count
        boards[at, row, 0] -= count
    return OK


@kernel
def decode(
    letters: NDArray[np.uint8],
    bottom_is_on_roll: NDArray[np.bool_],
    boards: NDArray[np.int8],
    codes: NDArray[np.uint8],
) -> None:
    """Decode the first fields of XGIDs and check them as `engine.rules.position.Position` does.

    Args:
        letters: ``uint8[n, 26]`` of ASCII codes.
        bottom_is_on_roll: ``bool[n]``, whether the bottom player is on roll.
        boards: out, ``int8[n, 2, 26]``; rows with an error are undefined.
        codes: out, ``uint8[n]`` of `OK` or the error, numbered as in `engine.kernels.position_ids`.
    """
    for i in range(letters.shape[0]):
        code = _read_letters(letters, i, 0 if bottom_is_on_roll[i] else 1, boards)
        codes[i] = code if code != OK else check_board(boards[i])
