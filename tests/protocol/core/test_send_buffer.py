"""Output comes out as it went in, whatever the sizes of the pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gammond.protocol.core.send_buffer import SendBuffer

CYCLE = bytes(range(251))
SIZES = st.one_of(st.integers(0, 40), st.integers(4000, 9000))


@given(st.lists(st.tuples(st.sampled_from(["add", "take"]), SIZES), max_size=30))
def test_all_is_taken_once_and_in_order(steps):
    output, expected, taken = SendBuffer(), bytearray(), bytearray()
    for what, size in steps:
        if what == "add":
            begin = len(expected) % len(CYCLE)
            data = (CYCLE * (2 + size // len(CYCLE)))[begin : begin + size]
            output.add(data)
            expected += data
        else:
            part = output.take(size)
            assert isinstance(part, bytes)
            assert len(part) == min(size, len(expected) - len(taken))
            taken += part
        assert output.size == len(expected) - len(taken)
    assert taken + output.take() == expected
    assert output.size == 0
    assert output.take(5) == b""


def test_a_long_piece_is_handed_on_as_it_is():
    long, output = bytes(100_000), SendBuffer()
    for piece in (long, b"1", b"2"):
        output.add(piece)
    assert output.take(len(long)) is long
    assert output.take() == b"12"
