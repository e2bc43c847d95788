from __future__ import annotations

import pytest

from gammond.engine.errors import FormatError, LimitError
from gammond.protocol.core.framing import LineSplitter


def split(*pieces, max_bytes=100, close=True):
    splitter = LineSplitter(max_bytes)
    lines = []
    for piece in pieces:
        splitter.feed(piece)
        while (line := splitter.next_line()) is not None:
            lines.append(line)
    if close:
        splitter.close()
        while (line := splitter.next_line()) is not None:
            lines.append(line)
    return lines


def texts(*pieces, **options):
    return [line.text if line.error is None else type(line.error) for line in split(*pieces, **options)]


def test_lines_end_with_lf_or_cr_lf_and_blank_ones_are_empty():
    assert texts(b"one\r\ntwo\n\n \t \r\nthree\n") == ["one", "two", "", "", "three"]


def test_a_line_may_come_byte_by_byte():
    assert texts(*[bytes([b]) for b in "d\u00fcce 3 1\r\neval\n".encode()]) == ["d\u00fcce 3 1", "eval"]


def test_a_byte_order_mark_is_no_part_of_the_first_line_and_of_no_other():
    mark = b"\xef\xbb\xbf"
    assert texts(mark + b"ubgi\r\nisready\r\n") == ["ubgi", "isready"]
    assert texts(mark[:1], mark[1:], b"one", b"\ntwo") == ["one", "two"]
    assert texts(mark) == texts(mark + b"\n") == [""]
    assert texts(b"one\n" + mark + b"two\n") == ["one", "\ufefftwo"]
    assert texts(mark + b"x" * 100 + b"\n", max_bytes=100) == ["x" * 100]


def test_an_unfinished_line_waits_for_its_end_and_ends_with_the_stream():
    assert texts(b"one\ntw", close=False) == ["one"]
    assert texts(b"one\ntw", b"o") == ["one", "two"]


@pytest.mark.parametrize("byte", [b"\x00", b"\x01", b"\x1b", b"\x7f", b"a\rb"])
def test_a_control_byte_makes_one_faulty_line(byte):
    assert texts(b"one" + byte + b"\ntwo\n") == [FormatError, "two"]


def test_a_tab_is_a_blank():
    assert texts(b"dice\t3 1\n") == ["dice\t3 1"]


def test_a_message_says_where_the_bad_byte_is():
    (line,) = split(b"ab\xff\n")
    assert "0xff" in line.error.message
    assert "byte 3" in line.error.message


@pytest.mark.parametrize("size", [1, 7, 64, 5000])
def test_an_overlong_line_is_one_error_however_it_is_cut_and_the_next_line_is_served(size):
    data = b"x" * 1000 + b"\n" + b"next\n"
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    assert texts(*pieces) == [LimitError, "next"]


def test_the_longest_line_allowed_is_served_with_either_end():
    assert texts(b"x" * 100 + b"\n" + b"y" * 100 + b"\r\n" + b"z" * 101 + b"\n") == [
        "x" * 100,
        "y" * 100,
        LimitError,
    ]


def test_what_is_held_of_an_endless_line_is_bounded():
    splitter = LineSplitter(100)
    for _ in range(1000):
        splitter.feed(b"x" * 64)
        splitter.next_line()
        assert splitter.buffered_bytes <= 200
    assert splitter.has_partial_line


def test_what_is_taken_is_not_held_while_more_comes():
    splitter = LineSplitter(100)
    for _ in range(1000):
        splitter.feed(b"line\n" * 10)
        for _ in range(9):
            assert splitter.next_line().text == "line"
        splitter.feed(b"")
        assert len(splitter._buffer) == splitter.buffered_bytes
    assert splitter.buffered_bytes == 5000
