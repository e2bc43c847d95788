"""A search that is told to stop ends soon, with the best answer that it has."""

from __future__ import annotations

import pytest

from protocol.service import Service, shipped_judges
from tests.protocol.transports.stopping import hard_boards, stop_times

BOUND_S = 1.0
"""Ten times what is promised: these tests run beside others, on machines of any kind."""


@pytest.mark.parametrize(("threads", "others"), [(1, 0), (2, 0), (1, 2), (2, 2)])
def test_a_stop_ends_any_search_with_the_best_answer_so_far(threads, others):
    service = Service(shipped_judges(), threads=threads)
    boards = hard_boards(service.analyst("default").evaluator, 2)
    requests = ("eval plies=4", "moves plies=4 filter=huge", "go chequer plies 4 filter huge")
    found = stop_times(service, boards, requests, others)
    assert len(found) >= len(requests)
    for took_s, request, final in found:
        assert took_s < BOUND_S, request
        assert final.startswith((request.split()[0], "bestmove"))
        has_ended_first = " plies=4 " in final
        assert final.startswith("bestmove") or has_ended_first or final.endswith(" stopped=true")
