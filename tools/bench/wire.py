"""Benchmarks of the line protocol on standard input and TCP: pipelined, one line at a time, many clients."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board
from gammond.tools.bench.load_client import LineChannel, LoadReport, measure_load, open_channel
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer, report_latencies
from gammond.tools.bench.process import LOOPBACK, echo_server, gammond_on_pipes, gammond_server

PIPELINED_POSITIONS = 4096
QUERY_POSITIONS = 10_000
PING_PONGS = 1000
CLIENTS = 200
LINES_PER_CLIENT = 50

ANSWER_TOLERANCE = 1e-5

_RUNS = 3
_SEED = 22
_PING_PONG = "1 client, eval, one at a time"
_OF_AN_ECHO = " to a server that only echoes"
_VALUE_KEYS = ("win", "win_g", "win_bg", "lose_g", "lose_bg", "equity", "cubeful")
_CUBEFUL = EvalSettings(0)
_RANKING = "moves 3"
_WARM_UP_LINES = ("eval", "eval", "dice 3 1", "legal", _RANKING)

_Result = TypeVar("_Result")


def bench_stdin(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure commands and JSON queries on the pipes of one client."""
    boards = subject.boards[:PIPELINED_POSITIONS]
    ids, expected = encode_position_ids(boards), compute_expected_values(subject, boards)
    with gammond_on_pipes() as channel:
        warm_up(channel, subject, ids[0])
        pairs = [line for text in ids for line in (f"position gnubgid {text}", "eval")]
        took_s, answers = time_best_run(partial(channel.ask_all, pairs))
        check_evals(answers[1::2], expected)
        yield Measurement("position and eval, pipelined", len(ids) / took_s, "pairs/s")
        yield from _measure_ping_pong(channel, ids, expected)

        queries = [f'{{"id":{number},"position":"{text}"}}' for number, text in enumerate(ids)]
        took_s, answers = time_best_run(partial(channel.ask_all, queries))
        documents = sorted((json.loads(line) for line in answers), key=lambda document: document["id"])
        _check_values([document["results"][0]["eval"] for document in documents], expected)
        yield Measurement("JSON queries of 1 position, pipelined", len(ids) / took_s, "queries/s")
        order = np.arange(QUERY_POSITIONS) % len(ids)
        for is_cubeful, how in ((False, "cubeless"), (True, "with the cube")):
            query = {"id": how, "positions": [ids[place] for place in order], "cubeful": is_cubeful}
            took_s, (answer,) = time_best_run(partial(channel.ask_all, [json.dumps(query)]))
            found = [result["eval"] for result in json.loads(answer)["results"]]
            _check_values(found, expected[order] if is_cubeful else expected[order, :-1])
            what = f"one JSON query of {QUERY_POSITIONS:,} positions, {how}"
            yield Measurement(what, QUERY_POSITIONS / took_s, "positions/s")


def bench_server(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure from a line to its final reply over TCP: one client, then many with mixed lines.

    Then the same of a server that only echoes.
    """
    boards = subject.boards[:PIPELINED_POSITIONS]
    ids, expected = encode_position_ids(boards), compute_expected_values(subject, boards)
    with gammond_server("--tcp", f"{LOOPBACK}:0") as port:
        with open_channel(LOOPBACK, port) as channel:
            warm_up(channel, subject, ids[0])
            yield from _measure_ping_pong(channel, ids, expected)
        scripts = draw_mixed_scripts(ids, subject.net)
        report = asyncio.run(measure_load(LOOPBACK, port, scripts))
    check_load(report, scripts, boards, expected)
    yield from _report_load(report, "")
    with echo_server() as port:
        with open_channel(LOOPBACK, port) as channel:
            _, latencies_s = ask_evals(channel, ids, PING_PONGS)
        yield from report_latencies(f"{_PING_PONG}{_OF_AN_ECHO}", latencies_s)
        yield from _report_load(asyncio.run(measure_load(LOOPBACK, port, scripts)), _OF_AN_ECHO)


def compute_expected_values(subject: BenchmarkSubject, boards: Board) -> NDArray[np.float64]:
    """Return the engine's values at 0-ply for money, ``float64[n, 7]``: outcome, equity, cubeful equity."""
    found = subject.engine.evaluate_boards(boards, MatchState(), _CUBEFUL)
    assert found.cubeful is not None
    return np.column_stack([found.outcomes, found.cubeless_equities, found.cubeful])


def time_best_run(work: Callable[[], _Result]) -> tuple[float, _Result]:
    """Return the seconds of the fastest of a few runs, and the result of the last."""
    best_s = float("inf")
    for _ in range(_RUNS):
        started_s = time.perf_counter()
        result = work()
        best_s = min(best_s, time.perf_counter() - started_s)
    return best_s, result


def warm_up(channel: LineChannel, subject: BenchmarkSubject, position: str) -> None:
    """Choose the net, and let all commands of these benchmarks load what they need."""
    for line in (f"set engine.net {subject.net}", f"position gnubgid {position}", *_WARM_UP_LINES):
        channel.ask(line)


def _measure_ping_pong(
    channel: LineChannel, ids: Sequence[str], expected: NDArray[np.float64]
) -> Iterator[Measurement]:
    """Measure single evaluations, each sent after the answer to the one before."""
    answers, latencies_s = ask_evals(channel, ids, PING_PONGS)
    check_evals(answers, expected[np.arange(PING_PONGS) % len(ids)])
    yield from report_latencies(_PING_PONG, latencies_s)


def ask_evals(channel: LineChannel, ids: Sequence[str], count: int) -> tuple[list[str], list[float]]:
    """Ask for evaluations, one after the other; return the answers, and the seconds of each."""
    found = []
    for place in range(count):
        channel.ask(f"position gnubgid {ids[place % len(ids)]}")
        found.append(channel.time_answer("eval"))
    return [answer for answer, _ in found], [seconds for _, seconds in found]


def draw_mixed_scripts(ids: Sequence[str], net: str = "default") -> list[list[str]]:
    """Draw the lines of many clients: mostly evaluations, with lists of plays and ranked plays among them."""
    return [_draw_script(random.Random(_SEED + number), ids, net) for number in range(CLIENTS)]


def _draw_script(rng: random.Random, ids: Sequence[str], net: str) -> list[str]:
    lines = [f"set engine.net {net}"]
    while len(lines) < LINES_PER_CLIENT:
        die, other = rng.choice(ROLLS)
        command = rng.choice(("", "", "", "legal", "legal", _RANKING))
        lines += [f"position gnubgid {rng.choice(ids)}", "eval"]
        lines += [f"dice {die} {other}", command] if command else []
    return lines[:LINES_PER_CLIENT]


def check_load(
    report: LoadReport, scripts: Sequence[Sequence[str]], boards: Board, expected: NDArray[np.float64]
) -> None:
    """Check every answer to `draw_mixed_scripts`.

    Raises:
        WrongAnswerError: One is missing or wrong.
    """
    missing = report.requests - report.answered
    check_answer(not missing, f"{missing} of {report.requests} lines got no final line")
    check_answer(not report.errors, f"{report.errors} of {report.requests} lines got errors")
    places = {text: place for place, text in enumerate(encode_position_ids(boards))}
    place, dice = 0, (0, 0)
    evaluated, found = [], []
    rolled: list[tuple[int, tuple[int, int], str]] = []
    for script, answers in zip(scripts, report.final_lines, strict=True):
        for line, answer in zip(script, answers, strict=True):
            word, *arguments = line.split()
            if word == "position":
                place = places[arguments[-1]]
            elif word == "dice":
                dice = int(arguments[0]), int(arguments[1])
            elif word == "eval":
                evaluated.append(place)
                found.append(_parse_eval(answer))
            elif word in ("legal", "moves"):
                rolled.append((place, dice, answer))
    _check_values(found, expected[evaluated])
    if rolled:
        rolled_boards = boards[[place for place, _, _ in rolled]]
        _, _, offsets = expand_rolls(rolled_boards, np.array([dice for _, dice, _ in rolled], np.int8))
        counts = [int(answer.split("count=")[1].split()[0]) for _, _, answer in rolled]
        check_answer(counts == np.diff(offsets).tolist(), "a client got another number of plays")


def _report_load(report: LoadReport, of: str) -> Iterator[Measurement]:
    who = f"{report.clients} clients, mixed lines{of}"
    yield Measurement(f"{who}, p99", report.p99_ms, "ms", f"p50 {report.p50_ms:.3g} ms")
    yield Measurement(f"{who}, all together", report.requests / report.seconds, "lines/s")


def _parse_eval(line: str) -> dict[str, float]:
    """Parse the numbers of a reply to `eval`."""
    word, *pairs = line.split()
    check_answer(word == "eval", f"an eval answered {line[:80]!r}")
    values = (pair.partition("=") for pair in pairs)
    return {key: float(value) for key, _, value in values if key in _VALUE_KEYS}


def check_evals(answers: Sequence[str], expected: NDArray[np.float64]) -> None:
    """Check replies to `eval` against the engine's own values, ``float64[n, 7]``.

    Raises:
        WrongAnswerError: One of them is another.
    """
    _check_values([_parse_eval(line) for line in answers], expected)


def _check_values(found: Sequence[Mapping[str, float]], expected: NDArray[np.float64]) -> None:
    """Check answers against the engine's own values, which have a column less without the cube."""
    keys = _VALUE_KEYS[: expected.shape[1]]
    check_answers_close([[values[key] for key in keys] for values in found], expected)


def check_answers_close(found: Sequence[Sequence[float]], expected: NDArray[np.float64]) -> None:
    """Check answers against the engine's own values.

    Raises:
        WrongAnswerError: They differ by more than `ANSWER_TOLERANCE`, or there are more or fewer.
    """
    check_answer(len(found) == len(expected), f"{len(found)} answers to {len(expected)} positions")
    difference = float(np.abs(np.array(found) - expected).max())
    check_answer(difference <= ANSWER_TOLERANCE, f"answers differ from the engine's by {difference:.6f}")
