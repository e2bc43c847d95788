"""Jobs: what becomes of their answers."""

from __future__ import annotations

import json
import tracemalloc

import msgspec

from gammond.protocol.core.jobs import LineJob, PendingRequest
from gammond.protocol.core.requests import JsonReply, Work

RESULTS, RESULT_BYTES = 50, 200_000


def make_long_answer(control):
    """Return an answer of 10 MB, as a query for many plays has it."""
    control.answer_bytes = RESULTS * RESULT_BYTES
    texts = [b'"' + bytes([ord("a") + number % 26]) * (RESULT_BYTES - 2) + b'"' for number in range(RESULTS)]
    return [JsonReply({"id": 1, "results": [msgspec.Raw(text) for text in texts], "net": "strong"})]


def test_a_long_answer_is_not_held_twice_while_it_is_encoded():
    tracemalloc.start()
    try:
        pieces = LineJob(work=Work(make_long_answer), request=PendingRequest("@a", is_ordered=False)).run(
            lambda reply: None
        )
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = sum(map(len, pieces))
    assert size > RESULTS * RESULT_BYTES
    assert held < 1.1 * size
    assert peak < 1.2 * size
    line = b"".join(pieces)
    assert line.startswith(b"@a {")
    answer = json.loads(line[3:])
    assert [text[0] for text in answer["results"][:3]] == ["a", "b", "c"]
    assert len(answer["results"]) == RESULTS
    assert answer["net"] == "strong"
