"""The compiled position ID codec against a slow twin written from the manual's description."""

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


def decode(ids):
    """Return the positions of texts, and the code of each."""
    texts = [text.encode("latin-1") if isinstance(text, str) else bytes(text) for text in ids]
    found, codes = np.empty((len(ids), 2, 26), np.int8), np.full(len(ids), 99, np.uint8)
    characters = np.frombuffer(b"".join(texts), np.uint8).reshape(-1, kernel_formats.ID_LENGTH)
    kernel_formats.decode_ids(characters, found, codes)
    return found, codes


@pytest.mark.nojit
def test_encoding_agrees_with_the_slow_twin_and_decoding_undoes_it():
    sample = boards.random_boards(500, seed=3)
    ids = np.empty((len(sample), kernel_formats.ID_LENGTH), np.uint8)
    kernel_formats.encode_ids(sample, ids)
    assert [row.tobytes().decode() for row in ids] == [encoded_slowly(board) for board in sample]
    found, codes = decode(ids)
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
    found, codes = decode(ids)
    expected = [decoded_slowly(text) for text in ids]
    assert [board is not None for board in expected] == (codes == kernel_formats.OK).tolist()
    assert all((found[i] == board).all() for i, board in enumerate(expected) if board is not None)
    assert set(codes.tolist()) >= {
        kernel_formats.OK,
        kernel_formats.TOO_MANY_CHECKERS,
        kernel_formats.SHARED_POINT,
    }


def make_board(*places):
    """Return ``int8[2, 26]`` with (side, point, count), not checked."""
    board = np.zeros((2, 26), np.int8)
    for side, point, count in places:
        board[side, point] = count
    return board


CLOSED = [(side, point, 2) for side in range(2) for point in range(1, 7)]


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
        (encoded_slowly(make_board((0, 10, 15), (1, 15, 15))), kernel_formats.SHARED_POINT),
        (encoded_slowly(make_board(*CLOSED, (0, 25, 3), (1, 25, 3))), kernel_formats.BOTH_SHUT_OUT),
    ],
)
def test_each_fault_has_its_code(text, code):
    _, codes = decode([text])
    assert codes.tolist() == [code]
