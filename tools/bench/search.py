"""Benchmarks of looking ahead: choices of plays and values of positions at 2 plies."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from engine.analyst import Analyst
from engine.cores import usable_cores
from engine.dice import ROLLS, Roll
from engine.formats.position_id import encode_position_id
from engine.levels import Depth
from engine.match import MatchState
from engine.position import CHECKERS, OFF, Position
from nets.manifest import read_manifest
from tools.bench.gnubg_timing import NOTE, mean_rate, time_gnubg
from tools.bench.measure import Measurement, Subject, check

BUDGET_S = 2.0
"""About how long each figure is sampled."""

PAIRED_VALUES = 192
PEER_DECISIONS = 24
PEER_VALUES = 48

_MONEY = MatchState()
_WITH_CUBE = Depth(2)
_CUBELESS = Depth(2, is_cubeful=False)
_LEAST = 16
_WARM_UP = 2
_PAIRED_RUNS = 3

Decision = tuple[Position, Roll]
_Item = TypeVar("_Item")


def bench_search(subject: Subject) -> Iterator[Measurement]:
    """2-ply choices and values with the net and with the fast one, threads, and gnubg beside them."""
    decisions = _decisions(subject)
    check_search(subject.analyst, subject.another_analyst(subject.net).with_threads(2), decisions)
    for name in dict.fromkeys((subject.net, read_manifest().finder or subject.net)):
        for depth, how in ((_CUBELESS, "cubeless"), (_WITH_CUBE, "with the cube")):
            analyst = subject.another_analyst(name)
            rate = _rate(partial(_choose, analyst, depth), decisions)
            what = f"2-ply move, normal filter, {how}"
            yield Measurement("search", what, rate, "decisions/s", analyst.name)
    values = partial(_value, subject.another_analyst(subject.net))
    positions = [position for position, _ in decisions]
    yield Measurement("search", "2-ply value", _rate(values, positions), "positions/s", subject.analyst.name)
    yield _threads(subject, decisions)
    yield from _gnubg(decisions)


def check_search(analyst: Analyst, sharing: Analyst, decisions: Sequence[Decision]) -> None:
    """Make sure that a search sees a won game, and that threads change nothing.

    Args:
        analyst: Works alone.
        sharing: The same with two threads and a cache of its own, so that no answer is the other's.
        decisions: What both decide, the first few.

    Raises:
        WrongAnswerError: It does not, or they do.
    """
    last = np.zeros((2, 26), np.int8)
    last[0, 1], last[1, 6] = 2, 5
    last[:, OFF] = CHECKERS - last.sum(axis=1)
    equity = analyst.judge(Position(last), _MONEY, _CUBELESS).equity
    check(equity == 1.0, f"a game that is won by any roll is worth {equity} at 2 plies")
    for position, roll in decisions[:3]:
        alone, shared = (
            each.rank_plays(position, roll, _MONEY, _WITH_CUBE).plays for each in (analyst, sharing)
        )
        check(alone == shared, "two threads rank plays otherwise than one")


def _decisions(subject: Subject) -> list[Decision]:
    """Positions of the net's games, each with a roll, all of them different."""
    boards = subject.boards[(subject.boards[:, :, OFF] < CHECKERS).all(axis=1)]
    different = np.unique(boards, axis=0)
    order = np.random.Generator(np.random.PCG64(7)).permutation(len(different))
    return [(Position(different[i]), ROLLS[place % len(ROLLS)]) for place, i in enumerate(order)]


def _choose(analyst: Analyst, depth: Depth, decision: Decision) -> None:
    analyst.rank_plays(*decision, _MONEY, depth, stop_when_decided=True)


def _value(analyst: Analyst, position: Position) -> None:
    analyst.looking_ahead(2).evaluate(position.board[None])


def _rate(work: Callable[[_Item], object], items: Sequence[_Item]) -> float:
    """How many items a second, each of them once: what a cache holds of one helps the next as in a game."""
    for item in items[:_WARM_UP]:
        work(item)
    started_s = time.perf_counter()
    done = 0
    for item in items[_WARM_UP:]:
        work(item)
        done += 1
        if done >= _LEAST and time.perf_counter() - started_s > BUDGET_S:
            break
    return done / (time.perf_counter() - started_s)


def _threads(subject: Subject, decisions: Sequence[Decision]) -> Measurement:
    """The same values on one thread and on two, by turns; the best of each counts."""
    what = f"2-ply values of {PAIRED_VALUES} positions, two threads against one"
    if usable_cores() < 2:
        return Measurement("search", what, None, "times", "skipped: there is one core")
    boards = np.stack([position.board for position, _ in decisions[:PAIRED_VALUES]])
    best_s = {1: math.inf, 2: math.inf}
    for _ in range(_PAIRED_RUNS):
        for threads in best_s:
            analyst = subject.another_analyst(subject.net).with_threads(threads)
            analyst.judge_boards(boards[:_LEAST], _MONEY, _CUBELESS)
            started_s = time.perf_counter()
            analyst.judge_boards(boards, _MONEY, _CUBELESS)
            best_s[threads] = min(best_s[threads], time.perf_counter() - started_s)
    return Measurement("search", what, best_s[1] / best_s[2], "times", "cubeless")


def _gnubg(decisions: Sequence[Decision]) -> Iterator[Measurement]:
    plays = tuple((encode_position_id(position), roll) for position, roll in decisions[:PEER_DECISIONS])
    values = tuple(encode_position_id(position) for position, _ in decisions[:PEER_VALUES])
    found = time_gnubg(plays=plays, values=values)
    rows = (("gnubg, 2-ply move, its normal filter", "decisions/s"), ("gnubg, 2-ply value", "positions/s"))
    if isinstance(found, str):
        for what, unit in rows:
            yield Measurement("search", what, None, unit, found)
        return
    for (what, unit), times_s in zip(rows, (found.plays_s, found.values_s), strict=True):
        yield Measurement("search", what, mean_rate(times_s), unit, f"{NOTE}, {len(times_s)} positions")
