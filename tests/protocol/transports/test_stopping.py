"""A cancelled search ends soon, with the best answer so far."""

from __future__ import annotations

import time

import pytest

from gammond.nets.catalogue import load_evaluator
from gammond.protocol.state.service import Service, make_shipped_catalogue
from tests.protocol.transports.stopping import hard_boards, stop_times

BOUND_S = 2.0
"""Twenty times the promised delay, of the processor and on all cores: other programs count for nothing."""


@pytest.fixture(scope="module")
def boards():
    return hard_boards(load_evaluator(), 1)


@pytest.mark.parametrize(("threads", "others"), [(1, 0), (2, 2)])
def test_a_stop_ends_any_search_with_the_best_answer_so_far(boards, threads, others):
    service = Service(make_shipped_catalogue(), threads=threads)
    requests = ("eval plies=4", "moves plies=4 filter=huge", "go chequer plies 4 filter huge")
    found = stop_times(service, boards, requests, others, longest_s=0.25, clock=time.process_time)
    assert len(found) >= len(requests)
    for took_s, request, final in found:
        assert took_s < BOUND_S, request
        assert final.startswith((request.split()[0], "bestmove"))
        has_ended_first = " plies=4 " in final
        assert final.startswith("bestmove") or has_ended_first or final.endswith(" stopped=true")
