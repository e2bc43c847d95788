"""Benchmarks of GNU Backgammon's dialect: `gammond serve --gnubg`, and gnubg's own server beside it."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.formats.fibs_board import FibsDialect, encode_fibs_board
from gammond.engine.play.decider import Decider
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_moves_plain
from gammond.engine.rules.position import Board, Position
from gammond.tools.bench.load_client import LineChannel, find_free_port, open_channel
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer
from gammond.tools.bench.process import LOOPBACK, gammond_server
from gammond.tools.bench.wire import check_answers_close, compute_expected_values, time_best_run
from gammond.tools.gnubg import find_gnubg

EVALUATIONS = 1500
PLAYS = 300

MAX_GNUBG_LINE_BYTES = 255
"""A longer line crashes gnubg's server."""

_RUNS = 3
_MATCH = MatchState(on_roll=1, jacoby=False)
_MAX_MEAN_DIFFERENCE = 0.05
_GNUBG_SETTINGS = (
    "set threads 1",
    "set evaluation chequerplay evaluation plies 0",
    "set evaluation cubedecision evaluation plies 0",
)
_EVALUATION_WHAT = "evaluations of FIBS boards"
_PLAY_WHAT = "plays of FIBS boards"
_ONE_AT_A_TIME = "1 client, one at a time"


def bench_external(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure evaluations and plays of FIBS boards at 0-ply, by gammond and by gnubg."""
    boards = np.unique(subject.boards, axis=0)
    boards = boards[np.random.Generator(np.random.PCG64(3)).permutation(len(boards))]
    evaluated, played = boards[:EVALUATIONS], boards[-PLAYS:]
    questions, plays = _make_evaluation_lines(evaluated), _make_play_lines(played)
    expected = compute_expected_values(subject, evaluated)[:, :-1]
    with (
        gammond_server("--gnubg", f"{LOOPBACK}:0", "--no-jacoby", "--net", subject.net) as port,
        open_channel(LOOPBACK, port) as channel,
    ):
        for line in (questions[0], plays[0]):
            channel.ask(line)
        rate, answers = _ask_in_parts(channel, questions)
        check_answers_close(_parse_numbers(answers), expected)
        yield Measurement(f"{_EVALUATION_WHAT}, {_ONE_AT_A_TIME}", rate, "lines/s")
        took_s, answers = time_best_run(partial(channel.ask_all, questions))
        check_answers_close(_parse_numbers(answers), expected)
        yield Measurement(f"{_EVALUATION_WHAT}, pipelined", len(questions) / took_s, "lines/s")
        rate, answers = _ask_in_parts(channel, plays)
        _check_plays(subject, played, answers)
        yield Measurement(f"{_PLAY_WHAT}, {_ONE_AT_A_TIME}", rate, "lines/s")
    yield from _bench_gnubg(questions, plays, expected)


def _make_evaluation_lines(boards: Board) -> list[str]:
    fibs = (encode_fibs_board(Position(board), _MATCH, dialect=FibsDialect.GNUBG) for board in boards)
    return [f"evaluation fibsboard {line} plies 0 cube off jacobyrule off" for line in fibs]


def _make_play_lines(boards: Board) -> list[str]:
    return [
        encode_fibs_board(Position(board), _roll(place), dialect=FibsDialect.GNUBG)
        for place, board in enumerate(boards)
    ]


def _roll(place: int) -> MatchState:
    return MatchState(on_roll=_MATCH.on_roll, jacoby=_MATCH.jacoby, roll=ROLLS[place % len(ROLLS)])


def _ask_in_parts(channel: LineChannel, lines: Sequence[str]) -> tuple[float, list[str]]:
    """Ask each line once, in parts, because gnubg remembers evaluations; return the best rate of a part."""
    best, answers = 0.0, list[str]()
    for part in np.array_split(np.arange(len(lines)), _RUNS):
        asked = [lines[place] for place in part]
        started_s = time.perf_counter()
        answers += [channel.ask(line) for line in asked]
        best = max(best, len(asked) / (time.perf_counter() - started_s))
    return best, answers


def _parse_numbers(answers: Sequence[str]) -> list[list[float]]:
    for answer in answers:
        check_answer(len(answer.split()) == 6, f"an evaluation answered {answer[:80]!r}")
    return [[float(number) for number in answer.split()] for answer in answers]


def _check_plays(subject: BenchmarkSubject, boards: Board, answers: Sequence[str]) -> None:
    decider = Decider(subject.engine, EvalSettings(0))
    for place, (board, answer) in enumerate(zip(boards, answers, strict=True)):
        match = _roll(place)
        assert match.roll is not None
        play = decider.choose_play(Position(board), match.roll, match).play
        expected = "" if play.is_no_move else format_moves_plain(play)
        check_answer(answer == expected, f"the play is {answer!r}, the engine's {expected!r}")


def _bench_gnubg(
    questions: Sequence[str], plays: Sequence[str], expected: NDArray[np.float64]
) -> Iterator[Measurement]:
    whats = [f"gnubg's own server, {what}" for what in (_EVALUATION_WHAT, _PLAY_WHAT)]
    program = find_gnubg()
    if program is None:
        for what in whats:
            yield Measurement(what, None, "lines/s", "skipped: gnubg is not installed")
        return
    longest = max(map(len, (*questions, *plays)))
    check_answer(longest <= MAX_GNUBG_LINE_BYTES, f"a line of {longest} bytes is too long for gnubg")
    with gnubg_server(program) as channel:
        rate, answers = _ask_in_parts(channel, questions)
        difference = float(np.abs(np.array(_parse_numbers(answers))[:, 0] - expected[:, 0]).mean())
        check_answer(difference < _MAX_MEAN_DIFFERENCE, f"gnubg's wins differ by {difference:.3f} on average")
        yield Measurement(whats[0], rate, "lines/s", "one at a time; it takes no pipelined lines")
        rate, answers = _ask_in_parts(channel, plays)
        check_answer(not any("Error" in answer for answer in answers), "gnubg answered a play by an error")
        yield Measurement(whats[1], rate, "lines/s", "one at a time")


@contextmanager
def gnubg_server(program: str) -> Iterator[LineChannel]:
    """Run gnubg as a server at 0-ply with its own settings, and connect to it.

    Raises:
        StateError: It does not listen.
    """
    port = find_free_port(LOOPBACK)
    commands = (*_GNUBG_SETTINGS, f"external localhost:{port}")
    with (
        tempfile.TemporaryDirectory(prefix="gammond-bench-") as home,
        subprocess.Popen(
            [program, "-t", "-q"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": home},
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        try:
            process.stdin.write("".join(f"{command}\n" for command in commands))
            process.stdin.flush()
            with open_channel(LOOPBACK, port) as channel:
                yield channel
        finally:
            process.kill()
