"""Benchmarks of Barca's rules and search."""

from __future__ import annotations

import time
from collections.abc import Iterator

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import perft
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.barca.search import SearchLimits, search
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer, measure_seconds_per_call

_DEPTH = 4
_SEARCH_DEPTH = 5
_SEARCHED = (116_484, 39)
"""The positions that a search reaches, and its score."""

_COUNTS = (1, 38, 1_404, 66_286, 3_046_014)


def bench_barca(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure listing legal moves and making them, in all sequences of four moves, and searching."""
    start = BarcaPosition.start()
    counts = tuple(perft(start, depth) for depth in range(_DEPTH + 1))
    check_answer(counts == _COUNTS, f"{counts} sequences of 0 to {_DEPTH} moves, not {_COUNTS}")
    each_s = measure_seconds_per_call(lambda: perft(start, _DEPTH), clock=time.process_time)
    listed = sum(counts[:-1])
    yield Measurement(
        "all legal moves of a position that a move led to",
        listed / each_s,
        "positions/s",
        f"{sum(counts[1:]) / listed:.1f} moves each",
    )
    yield Measurement("sequences of four moves", counts[-1] / each_s, "sequences/s")
    game, limits = BarcaGame.start(), SearchLimits(_SEARCH_DEPTH)
    found = search(game, limits)
    answer = found.nodes, found.score
    check_answer(answer == _SEARCHED, f"{answer} nodes and score of depth {_SEARCH_DEPTH}, not {_SEARCHED}")
    each_s = measure_seconds_per_call(lambda: search(game, limits), clock=time.process_time)
    yield Measurement(f"search from the start to depth {_SEARCH_DEPTH}", found.nodes / each_s, "positions/s")
