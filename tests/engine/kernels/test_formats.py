"""The compiled position ID codec against a slow twin written from the manual's description."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from gammond.engine.errors import PositionError
from gammond.engine.kernels import formats as kernel_formats
from gammond.engine.rules.position import Position
from tests.support import boards


def encoded_slowly(board) -> str:
    """Append a 1 for each checker and a 0 for each point, the side not on roll first; pack little-endian."""
    bits = ""
    for row in (board[1], board[0]):
        for point in range(1, 26):
            bits += "1" * int(row[point]) + "0"
    key = int(bits.ljust(80, "0")[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(key).decode().rstrip("=")


def decoded_slowly(text: str):
    """``int8[2, 26]`` of an ID, or None if it is not one of a possible position."""
    key = base64.b64decode(text + "==")
    if base64.b64encode(key).decode().rstrip("=") != text:
        return None
    bits = bin(int.from_bytes(key, "little") | 1 << 80)[:2:-1]
    runs = bits.split("0")
    if len(runs) < 51 or any(runs[50:]):
        return None
    board = np.zeros((2, 26), np.int64)
    for place, run in enumerate(runs[:50]):
        board[1 - place // 25, place % 25 + 1] = len(run)
    board[:, 0] = 15 - board.sum(axis=1)
    try:
        return Position(board).board
    except PositionError:
        return None


def as_characters(ids):
    return np.frombuffer("".join(ids).encode(), np.uint8).reshape(-1, kernel_formats.ID_LENGTH)


@pytest.mark.nojit
def test_encoding_agrees_with_the_slow_twin():
    sample = boards.random_boards(500, seed=3)
    ids = np.empty((len(sample), kernel_formats.ID_LENGTH), np.uint8)
    kernel_formats.encode_ids(sample, ids)
    assert [row.tobytes().decode() for row in ids] == [encoded_slowly(board) for board in sample]


@pytest.mark.nojit
def test_decoding_undoes_encoding():
    sample = boards.random_boards(500, seed=4)
    found = np.empty_like(sample)
    codes = np.full(len(sample), 99, np.uint8)
    kernel_formats.decode_ids(as_characters([encoded_slowly(board) for board in sample]), found, codes)
    assert (codes == kernel_formats.OK).all()
    assert (found == sample).all()


def test_ids_with_one_character_changed_are_read_as_the_slow_twin_reads_them():
    generator = np.random.default_rng(5)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    ids = []
    for board in boards.random_boards(2000, seed=6):
        text = list(encoded_slowly(board))
        text[generator.integers(0, 14)] = alphabet[generator.integers(0, 64)]
        ids.append("".join(text))
    found = np.empty((len(ids), 2, 26), np.int8)
    codes = np.empty(len(ids), np.uint8)
    kernel_formats.decode_ids(as_characters(ids), found, codes)
    expected = [decoded_slowly(text) for text in ids]
    assert [board is not None for board in expected] == (codes == kernel_formats.OK).tolist()
    assert all((found[i] == board).all() for i, board in enumerate(expected) if board is not None)
    assert set(codes.tolist()) >= {
        kernel_formats.OK,
        kernel_formats.TOO_MANY_CHECKERS,
        kernel_formats.SHARED_POINT,
    }


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("4HPwATDgc/ABMA", kernel_formats.OK),
        ("4HPwATDgc/AB!A", kernel_formats.BAD_CHARACTER),
        ("4HPwATDgc/ABM\xff", kernel_formats.BAD_CHARACTER),
        ("//////////////", kernel_formats.TOO_MANY_CHECKERS),
        ("4HPwATDgc/ABMB", kernel_formats.TRAILING_BITS),
        ("AAAAAAAAAAAAgA", kernel_formats.TRAILING_BITS),
        ("AAAAAAAAAAAAAA", kernel_formats.BOTH_FINISHED),
    ],
)
def test_each_fault_has_its_code(text, code):
    found = np.empty((1, 2, 26), np.int8)
    codes = np.empty(1, np.uint8)
    kernel_formats.decode_ids(np.frombuffer(text.encode("latin-1"), np.uint8).reshape(1, -1), found, codes)
    assert codes[0] == code


@pytest.mark.nojit
def test_shared_points_and_two_closed_boards_are_found():
    shared = np.zeros((2, 26), np.int8)
    shared[0, 10] = shared[1, 15] = 15
    shut_out = np.zeros((2, 26), np.int8)
    shut_out[:, 1:7] = 2
    shut_out[:, 25] = 3
    found = np.empty((2, 2, 26), np.int8)
    codes = np.empty(2, np.uint8)
    kernel_formats.decode_ids(as_characters([encoded_slowly(shared), encoded_slowly(shut_out)]), found, codes)
    assert codes.tolist() == [kernel_formats.SHARED_POINT, kernel_formats.BOTH_SHUT_OUT]
