"""Benchmark of Barca's rules."""

from __future__ import annotations

import time
from collections.abc import Iterator

from engine.barca.perft import perft
from engine.barca.position import BarcaPosition
from tools.bench.measure import BenchmarkSubject, Measurement, check_answer, measure_seconds_per_call

_DEPTH = 4
_COUNTS = (1, 38, 1_404, 66_286, 3_046_014)


def bench_barca(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure listing legal moves and making them, in all sequences of four moves from the start."""
    start = BarcaPosition.start()
    counts = tuple(perft(start, depth) for depth in range(_DEPTH + 1))
    check_answer(counts == _COUNTS, f"{counts} sequences of 0 to {_DEPTH} moves, not {_COUNTS}")
    each_s = measure_seconds_per_call(lambda: perft(start, _DEPTH), clock=time.process_time)
    listed = sum(counts[:-1])
    yield Measurement(
        "barca",
        "all legal moves of a position that a move led to",
        listed / each_s,
        "positions/s",
        f"{sum(counts[1:]) / listed:.1f} moves each",
    )
    yield Measurement("barca", "sequences of four moves", counts[-1] / each_s, "sequences/s")
