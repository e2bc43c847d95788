"""GNU position IDs: 14 characters for the checkers, seen by the player on roll.

Source: GNU Backgammon manual, "A technical description of the Position ID". The side *not* on roll comes
first in the 80 bits; some programs write the sides in the other order, which a reader cannot detect.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import FormatError, PositionError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import formats as kernel_formats
from gammond.engine.rules.position import Board, Position

ID_LENGTH = kernel_formats.ID_LENGTH

BASE64_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

_BITS_OF_COUNT = ["0" + count * "1" for count in range(16)]
"""What a number of checkers on a point is in the bits, the last bit first."""

_TRAILING_BITS = "bits are set after the last point, no program writes such an ID"
_TOO_MANY = "a side has more than 15 checkers"


def encode_position_id(position: Position) -> str:
    """Return the position ID: ``4HPwATDgc/ABMA`` for the opening position.

    For one position this is as fast as the compiled loop for many, and needs no compiler.
    """
    on_roll, other = position.board.tolist()
    bits = int("".join([_BITS_OF_COUNT[count] for count in on_roll[:0:-1] + other[:0:-1]]), 2)
    return b2a_base64(bits.to_bytes(10, "little"))[:ID_LENGTH].decode("ascii")


def decode_position_id(text: str) -> Position:
    """Parse a position ID; blanks around it and the base64 padding ``==`` are accepted.

    Raises:
        FormatError: Not 14 base64 characters, or meaningless bits are set.
        PositionError: The position is impossible.
    """
    digits = _strip_padding(text)
    boards, codes = _decode([digits])
    code = int(codes[0])
    if code == kernel_formats.OK:
        return Position.from_valid_board(boards[0])
    validate_base64(digits, ID_LENGTH, "a position ID", "position")
    if code == kernel_formats.TRAILING_BITS:
        raise FormatError(f"position ID {digits}: {_TRAILING_BITS}", field="position")
    if code == kernel_formats.TOO_MANY_CHECKERS:
        raise PositionError(f"position ID {digits}: {_TOO_MANY}", field="position")
    try:
        return Position(boards[0])
    except PositionError as error:
        raise PositionError(f"position ID {digits}: {error.message}", field="position") from None


def encode_position_ids(boards: Board) -> list[str]:
    """Return the position IDs of many valid positions, ``int8[n, 2, 26]``."""
    ids = np.empty((len(boards), ID_LENGTH), np.uint8)
    kernel_formats.encode_ids(as_kernel_array(boards, np.int8), ids)
    text = ids.tobytes().decode("ascii")
    return [text[i : i + ID_LENGTH] for i in range(0, len(text), ID_LENGTH)]


def decode_position_ids(texts: Sequence[str]) -> tuple[Board, NDArray[np.bool_]]:
    """Parse many position IDs; `decode_position_id` explains what is wrong with a bad one.

    Returns:
        Boards ``int8[n, 2, 26]`` and which of them are good, ``bool[n]``. The board of a bad ID is all zero.
    """
    boards, codes = _decode(texts)
    is_good = codes == kernel_formats.OK
    boards[~is_good] = 0
    return boards, is_good


def validate_base64(text: str, length: int, name: str, field: str) -> str:
    """Return a text of a number of base64 characters; an error calls it by its name, ``a position ID``.

    Raises:
        FormatError: Another length, or a character outside the alphabet; the message says which and where.
    """
    if len(text) != length:
        raise FormatError(f"{name} has {length} characters, {text[:40]!r} has {len(text)}", field=field)
    for place, character in enumerate(text, start=1):
        if character not in BASE64_ALPHABET:
            raise FormatError(
                f"{name} consists of A-Z a-z 0-9 + /, {text!r} has {character!r} as character {place}",
                field=field,
            )
    return text


def _decode(texts: Sequence[str]) -> tuple[Board, NDArray[np.uint8]]:
    if any(len(text) != ID_LENGTH for text in texts):
        texts = [bare if len(bare) == ID_LENGTH else "!" * ID_LENGTH for bare in map(_strip_padding, texts)]
    characters = "".join(texts).encode("ascii", "replace")
    ids = np.frombuffer(characters, np.uint8).reshape(len(texts), ID_LENGTH)
    boards = np.empty((len(texts), 2, 26), np.int8)
    codes = np.empty(len(texts), np.uint8)
    kernel_formats.decode_ids(ids, boards, codes)
    return boards, codes


def _strip_padding(text: str) -> str:
    digits = text.strip()
    return digits[:ID_LENGTH] if digits[ID_LENGTH:] == "==" else digits
