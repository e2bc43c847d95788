"""The order of answers, against a list of what should come, and of the bytes that are sent."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gammond.protocol.core.answers import AnswerQueue, SendBuffer
from gammond.protocol.core.jobs import PendingRequest

CYCLE = bytes(range(251))
SIZES = st.one_of(st.integers(0, 40), st.integers(4000, 9000))


@pytest.mark.parametrize("seed", range(20))
def test_ordered_answers_come_whole_and_in_order_whenever_their_parts_come(seed):
    generator = random.Random(seed)
    queue, ordered, others, open_requests, sent = AnswerQueue(), [], [], {}, b""
    for number in range(300):
        is_ordered = generator.random() < 0.7
        text = b"o%d;" % number if is_ordered else b"u%d;" % number
        (ordered if is_ordered else others).append(text)
        if generator.random() < 0.5:
            queue.add_answer(text, is_ordered=is_ordered)
        else:
            request = PendingRequest("", is_ordered)
            queue.open(request)
            open_requests[number] = request, text
        while open_requests and (generator.random() < 0.5 or number == 299):
            request, rest = open_requests.pop(generator.choice(list(open_requests)))
            cut = generator.randrange(len(rest)) if request.is_ordered else 0
            queue.append(request, [rest[:cut]], is_last=False)
            queue.append(request, [rest[cut:]], is_last=True)
        sent += queue.take(generator.randrange(50))
    sent += queue.take()
    assert (queue.unsent_bytes, queue.held_bytes, queue.ordered_count) == (0, 0, 0)
    answers = [each + b";" for each in sent.split(b";")[:-1]]
    assert [each for each in answers if each.startswith(b"o")] == ordered
    assert sorted(each for each in answers if each.startswith(b"u")) == sorted(others)


def test_what_waits_for_earlier_answers_is_held_and_not_to_be_sent():
    queue, first, second = AnswerQueue(), PendingRequest("", True), PendingRequest("", True)
    queue.open(first)
    queue.open(second)
    queue.append(second, [b"later"], is_last=True)
    queue.add_answer(b"last", is_ordered=True)
    assert (queue.sendable_bytes, queue.held_bytes, queue.ordered_count) == (0, 9, 3)
    queue.append(first, [b"begins "], is_last=False)
    assert queue.take() == b"begins "
    queue.append(first, [b"ends "], is_last=True)
    assert queue.take() == b"ends laterlast"


@pytest.mark.parametrize(("taken", "rest"), [(3, b"\n"), (5, b""), (0, b"")])
def test_what_is_cleared_is_gone_but_for_the_end_of_a_line_that_was_begun(taken, rest):
    queue, request = AnswerQueue(), PendingRequest("", True)
    queue.add(b"line\nnext\n")
    queue.open(request)
    queue.take(taken)
    queue.clear()
    assert (queue.take(), queue.unsent_bytes, queue.ordered_count) == (rest, 0, 0)


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
