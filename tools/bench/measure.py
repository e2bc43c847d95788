"""Timing for `gammond bench`, and the positions for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import GammondError
from gammond.engine.evaluation.evaluator import Evaluator, choose_best_children
from gammond.engine.formats.position_id import decode_position_ids
from gammond.engine.rules.position import Board, find_finished
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.tools.bench.load_client import compute_percentile
from gammond.tools.common.opponents import load_net_engine, load_net_evaluator

GAMES_AT_ONCE = 512

_SEED = 20
_POSITIONS_FILE = Path(__file__).with_name("positions.txt")
_MIN_SAMPLE_S = 0.02


class WrongAnswerError(GammondError):
    """A benchmark's work gave a wrong answer, so it was not timed."""


@dataclass(frozen=True)
class Measurement:
    """One figure.

    Attributes:
        what: What was done.
        value: The figure; None if it could not be measured.
        unit: Its unit.
        note: Why there is no figure, or a remark.
    """

    what: str
    value: float | None
    unit: str
    note: str = ""


def report_latencies(what: str, latencies_s: Sequence[float]) -> Iterator[Measurement]:
    """Yield the median and the 99th percentile of times in any order."""
    for percent in (50, 99):
        yield Measurement(f"{what}, p{percent}", 1000 * compute_percentile(latencies_s, percent), "ms")


def check_answer(is_right: bool, what: str) -> None:
    """Check an answer before timing the work.

    Args:
        is_right: Whether it is right.
        what: What is wrong otherwise.

    Raises:
        WrongAnswerError: It is wrong.
    """
    if not is_right:
        raise WrongAnswerError(f"wrong answer, nothing timed: {what}", field="bench")


def measure_seconds_per_call(
    work: Callable[[], object], budget_s: float = 0.4, clock: Callable[[], float] | None = None
) -> float:
    """Time a call: the best of several samples, because other programs only slow it down.

    Args:
        work: What to time; called once beforehand.
        budget_s: About how long to sample.
        clock: By default wall-clock time; `time.process_time` excludes other programs and includes all
            threads.
    """
    clock = clock or time.perf_counter
    work()
    calls = 1
    while (sample_s := _time_calls(work, calls, clock)) < _MIN_SAMPLE_S:
        calls = max(2 * calls, int(1.2 * calls * _MIN_SAMPLE_S / max(sample_s, 1e-7)))
    best_s = sample_s
    deadline_s = time.perf_counter() + budget_s
    while time.perf_counter() < deadline_s:
        best_s = min(best_s, _time_calls(work, calls, clock))
    return best_s / calls


def _time_calls(work: Callable[[], object], calls: int, clock: Callable[[], float]) -> float:
    started_s = clock()
    for _ in range(calls):
        work()
    return clock() - started_s


class SelfPlayGames:
    """Many games of an evaluator against itself, played at once; a finished one starts again.

    Args:
        evaluator: The player.
        games: How many.
        seed: Of the dice.

    Attributes:
        boards: ``int8[games, 2, 26]``, where they are.
        numbers: ``int64[games]``, of the games, each of which has its own.
    """

    def __init__(self, evaluator: Evaluator, games: int = GAMES_AT_ONCE, seed: int = _SEED) -> None:
        self._evaluator = evaluator
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._start = STANDARD_RULES.starting_position.board
        self.boards: Board = np.repeat(self._start[None], games, axis=0)
        self.numbers = np.arange(games)

    def step(self) -> None:
        """Play one roll in each game."""
        dice = self._generator.integers(1, 7, size=(len(self.boards), 2)).astype(np.int8)
        self.boards, _ = choose_best_children(self._evaluator, self.boards, dice)
        is_over = find_finished(self.boards)
        self.boards[is_over] = self._start
        self.numbers[is_over] = 1 + self.numbers.max() + np.arange(np.count_nonzero(is_over))


class BenchmarkSubject:
    """The subject of measurements: an evaluator, and positions, the same for all.

    Args:
        net: The evaluator's name.
    """

    def __init__(self, net: str = "default") -> None:
        self.net = net

    @cached_property
    def evaluator(self) -> Evaluator:
        """The evaluator, loaded on first use."""
        return load_net_evaluator(self.net)

    @cached_property
    def engine(self) -> Engine:
        """The engine with the evaluator's nets, loaded on first use."""
        return self.load_engine(self.net)

    def load_engine(self, net: str) -> Engine:
        """Load an engine with the nets of an evaluator and an empty cache of its own."""
        return load_net_engine(net)

    @cached_property
    def boards(self) -> Board:
        """Positions of all stages of games that `strong` played, shuffled, ``int8[4096, 2, 26]``."""
        boards, _ = decode_position_ids(_POSITIONS_FILE.read_text("ascii").split())
        return boards
