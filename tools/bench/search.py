"""Benchmarks of look-ahead: choices of plays and values of positions at 2-ply."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import numpy as np

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.dice import ROLLS, Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import CHECKERS, OFF, Position
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.machine import count_usable_cores
from gammond.nets.manifest import read_manifest
from gammond.tools.bench.gnubg_timing import GNUBG_TIME_NOTE, time_gnubg
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer

BUDGET_S = 2.0
"""About how many seconds each figure is sampled."""

PAIRED_EVALUATIONS = 192
PAIRED_DECISIONS = 96
GNUBG_DECISIONS = 192
GNUBG_EVALUATIONS = 384

_MONEY = MatchState()
_CUBEFUL = EvalSettings(2)
_CUBELESS = EvalSettings(2, is_cubeful=False)
_MIN_ITEMS = 16
_WARM_UP = 2
_PAIRED_RUNS = 3

Decision = tuple[Position, Roll]
_Item = TypeVar("_Item")


def bench_search(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure 2-ply choices and values with the net and with the fast one, threads, and gnubg."""
    decisions = _draw_decisions(subject)
    check_search(subject.engine, subject.load_engine(subject.net).with_threads(2), decisions)
    for name in dict.fromkeys((subject.net, read_manifest().pruner or subject.net)):
        for depth, how in ((_CUBELESS, "cubeless"), (_CUBEFUL, "with the cube")):
            engine = subject.load_engine(name)
            rate = _measure_rate(partial(_rank_plays, engine, depth), decisions)
            what = f"2-ply move, normal filter, {how}"
            yield Measurement(what, rate, "decisions/s", engine.name)
    values = partial(_evaluate_position, subject.load_engine(subject.net))
    positions = [position for position, _ in decisions]
    yield Measurement("2-ply value", _measure_rate(values, positions), "positions/s", subject.engine.name)
    yield from _bench_threads(subject, decisions)
    yield from _bench_gnubg(decisions)


def check_search(engine: Engine, threaded_engine: Engine, decisions: Sequence[Decision]) -> None:
    """Check that a search sees a won game, and that threads change nothing.

    Args:
        engine: With one thread.
        threaded_engine: The same with two threads and a cache of its own, so that they share no answers.
        decisions: Both make the first few.

    Raises:
        WrongAnswerError: It does not, or threads change an answer.
    """
    last = np.zeros((2, 26), np.int8)
    last[0, 1], last[1, 6] = 2, 5
    last[:, OFF] = CHECKERS - last.sum(axis=1)
    equity = engine.evaluate(Position(last), _MONEY, _CUBELESS).equity
    check_answer(equity == 1.0, f"a game that is won by any roll is worth {equity} at 2 plies")
    for position, roll in decisions[:3]:
        alone, shared = (
            each.rank_plays(position, roll, _MONEY, _CUBEFUL) for each in (engine, threaded_engine)
        )
        check_answer(alone == shared, "two threads rank plays otherwise than one")


def _draw_decisions(subject: BenchmarkSubject) -> list[Decision]:
    """Draw distinct positions of the net's games, each with a roll."""
    boards = subject.boards[(subject.boards[:, :, OFF] < CHECKERS).all(axis=1)]
    different = np.unique(boards, axis=0)
    order = np.random.Generator(np.random.PCG64(7)).permutation(len(different))
    return [(Position(different[i]), ROLLS[place % len(ROLLS)]) for place, i in enumerate(order)]


def _rank_plays(engine: Engine, settings: EvalSettings, decision: Decision) -> object:
    return engine.rank_plays(*decision, _MONEY, settings, stop_when_decided=True)


def _evaluate_position(engine: Engine, position: Position) -> None:
    engine.make_n_ply_evaluator(2).evaluate(position.board[None])


def _measure_rate(work: Callable[[_Item], object], items: Sequence[_Item]) -> float:
    """Measure items per second, each used once: the cache helps from one to the next as in a game."""
    for item in items[:_WARM_UP]:
        work(item)
    started_s = time.perf_counter()
    done = 0
    for item in items[_WARM_UP:]:
        work(item)
        done += 1
        if done >= _MIN_ITEMS and time.perf_counter() - started_s > BUDGET_S:
            break
    return done / (time.perf_counter() - started_s)


def _bench_threads(subject: BenchmarkSubject, decisions: Sequence[Decision]) -> Iterator[Measurement]:
    """Measure two threads against one, on values, on each play, and on plays two at a time."""
    boards = np.stack([position.board for position, _ in decisions[:PAIRED_EVALUATIONS]])
    plays = decisions[:PAIRED_DECISIONS]

    def evaluate(engine: Engine) -> object:
        return engine.evaluate_boards(boards, _MONEY, _CUBELESS).outcomes.tolist()

    def rank(engine: Engine) -> object:
        return [_rank_plays(engine, _CUBEFUL, decision) for decision in plays]

    def rank_two_at_a_time(engine: Engine) -> object:
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(partial(_rank_plays, engine, _CUBEFUL), plays))

    for what, note, alone, together, threads in (
        (f"2-ply values of {len(boards)} positions", "cubeless", evaluate, evaluate, 2),
        (f"{len(plays)} 2-ply moves one after the other", "with the cube", rank, rank, 2),
        (f"{len(plays)} 2-ply moves, one thread each", "with the cube", rank, rank_two_at_a_time, 1),
    ):
        what += ", two threads against one"
        if count_usable_cores() < 2:
            yield Measurement(what, None, "times", "skipped: there is one core")
            continue
        alone_s, together_s, are_equal = _time_pair(subject, alone, together, threads)
        check_answer(are_equal, f"{what}: two threads answer otherwise than one")
        yield Measurement(what, alone_s / together_s, "times", note)


def _time_pair(
    subject: BenchmarkSubject,
    alone: Callable[[Engine], object],
    together: Callable[[Engine], object],
    threads: int,
) -> tuple[float, float, bool]:
    """Time work on one thread and on two, alternating, each time with an empty cache.

    Args:
        subject: Loads engines.
        alone: The work on one thread.
        together: The work on two.
        threads: Those of the engine for the latter.

    Returns:
        The best seconds of each, and whether all gave the same.
    """
    best_s = [math.inf, math.inf]
    results = []
    for _ in range(_PAIRED_RUNS):
        for place, (work, count) in enumerate(((alone, 1), (together, threads))):
            engine = subject.load_engine(subject.net).with_threads(count)
            engine.evaluate(STANDARD_RULES.starting_position, _MONEY, _CUBEFUL)  # loads what is loaded once
            started_s = time.perf_counter()
            results.append(work(engine))
            best_s[place] = min(best_s[place], time.perf_counter() - started_s)
    return best_s[0], best_s[1], all(each == results[0] for each in results)


def _bench_gnubg(decisions: Sequence[Decision]) -> Iterator[Measurement]:
    plays = tuple((encode_position_id(position), roll) for position, roll in decisions[:GNUBG_DECISIONS])
    values = tuple(encode_position_id(position) for position, _ in decisions[:GNUBG_EVALUATIONS])
    found = time_gnubg(plays=plays, values=values)
    rows = (("gnubg, 2-ply move, its normal filter", "decisions/s"), ("gnubg, 2-ply value", "positions/s"))
    if isinstance(found, str):
        for what, unit in rows:
            yield Measurement(what, None, unit, found)
        return
    for (what, unit), times_s in zip(rows, (found["plays"], found["values"]), strict=True):
        yield Measurement(
            what, len(times_s) / max(sum(times_s), 1e-9), unit, f"{GNUBG_TIME_NOTE}, {len(times_s)} positions"
        )
