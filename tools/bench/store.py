"""Benchmarks of kept analyses: how long an answer takes that an earlier process has searched."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gammond.engine.formats.position_id import encode_position_ids
from gammond.tools.bench.load_client import LineChannel, compute_percentile, open_channel
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer, report_latencies
from gammond.tools.bench.process import LOOPBACK, gammond_on_pipes, gammond_server

POSITIONS = 20
ROUNDS = 10

_READ_AHEAD_S = 0.5
"""How long a process may read what is kept into memory; it takes milliseconds."""

_DICE = "dice 3 1"
_COMMANDS = ("eval plies=2", "cube plies=2", "moves 1 plies=2", "moves plies=2")
_QUERY = '{{"id":1,"position":"{}","plies":2}}'
_MARK = re.compile(r' stored=true|,"stored":true')

_Answers = Mapping[tuple[str, str], str]


def bench_store(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure requests one at a time: by a process that searches, and by later ones that need not."""
    ids = encode_position_ids(subject.boards[:POSITIONS])
    with tempfile.TemporaryDirectory(prefix="gammond-bench-") as folder:
        store = f"file={Path(folder, 'store.sqlite')},book=off"
        with gammond_on_pipes(store) as channel:
            _begin(channel, subject.net)
            answers = list(_ask_all(channel, ids))
        searched = {asked: _MARK.sub("", answer) for asked, answer, _ in answers}
        taken_s = [took_s for (_, line), _, took_s in answers if line == _COMMANDS[0]]
        value = 1000 * compute_percentile(taken_s, 50)
        yield Measurement(f"{_COMMANDS[0]}, searched, on standard input, p50", value, "ms")
        with gammond_on_pipes(store) as channel:
            yield from _measure_kept("standard input", channel, subject.net, ids, searched)
        with (
            gammond_server("--tcp", f"{LOOPBACK}:0", store=store) as port,
            open_channel(LOOPBACK, port) as channel,
        ):
            yield from _measure_kept("TCP", channel, subject.net, ids, searched)


def _measure_kept(
    where: str, channel: LineChannel, net: str, ids: Sequence[str], searched: _Answers
) -> Iterator[Measurement]:
    """Measure answers that are kept, for the first time in a process and again.

    Each must be the one that was searched. The process has read the file by then.
    """
    _begin(channel, net)
    channel.ask("eval plies=2")
    time.sleep(_READ_AHEAD_S)
    latencies_s: dict[tuple[str, str], list[float]] = {}
    for number in range(1 + ROUNDS):
        times = "again" if number else "for the first time"
        for (text, line), answer, took_s in _ask_all(channel, ids):
            kept, marks = _MARK.subn("", answer)
            check_answer(marks == 1 and kept == searched[text, line], f"{line!r} was answered by {answer!r}")
            what = "a JSON query of one position" if text in line else line
            latencies_s.setdefault((what, times), []).append(took_s)
    for (what, times), taken_s in latencies_s.items():
        yield from report_latencies(f"{what}, kept, {times}, one at a time on {where}", taken_s)


def _begin(channel: LineChannel, net: str) -> None:
    for line in (f"set engine.net {net}", "set engine.filter tiny", "newgame", _DICE, "moves", "cube"):
        channel.ask(line)


def _ask_all(channel: LineChannel, ids: Sequence[str]) -> Iterator[tuple[tuple[str, str], str, float]]:
    """Ask about each position; yield what was asked, the last line of the answer, and the seconds it took."""
    for text in ids:
        channel.ask(f"position gnubgid {text}")
        channel.ask(_DICE)
        for line in (*_COMMANDS, _QUERY.format(text)):
            yield (text, line), *channel.time_answer(line)
