"""Benchmark of fairness: a polite client of a server beside greedy ones, who ask for more than it can do."""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import Connection

from gammond.engine.errors import StateError
from gammond.engine.formats.position_id import encode_position_ids
from gammond.tools.bench.load_client import LineChannel, open_channel
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer, report_latencies
from gammond.tools.bench.process import LOOPBACK, gammond_server
from gammond.tools.bench.wire import ask_evals, check_evals, compute_expected_values, warm_up

GREEDY_CLIENTS = 50
PILING_CLIENTS = 10
EVALS = 200
STOPS = 10

_DEEP_POSITIONS = 16
_PILE_QUERIES, _PILE_POSITIONS = 16, 64
_SEARCH_S = 0.05
_TIMEOUT_S = 120.0


def bench_crowd(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure `eval` and `stop` of one client while others have searches, rollouts and piles of queries."""
    boards = subject.boards[:EVALS]
    ids, expected = encode_position_ids(boards), compute_expected_values(subject, boards)
    with gammond_server("--tcp", f"{LOOPBACK}:0") as port, open_channel(LOOPBACK, port, _TIMEOUT_S) as polite:
        warm_up(polite, subject, ids[0])
        with _greedy_clients(port, subject.net, ids):
            answers, latencies_s = ask_evals(polite, ids, len(ids))
            check_evals(answers, expected)
            stops_s = [_time_stop(polite) for _ in range(STOPS)]
    who = f"1 client beside {GREEDY_CLIENTS} greedy ones"
    yield from report_latencies(f"{who}, eval", latencies_s)
    yield Measurement(f"{who}, stop of a search", 1000 * max(stops_s), "ms", f"slowest of {STOPS}")


def _time_stop(channel: LineChannel) -> float:
    """Start a search that takes long, and return the seconds from its stop to its answer."""
    channel.send(["@deep eval plies=4"])
    time.sleep(_SEARCH_S)
    started_s = time.perf_counter()
    channel.send(["stop @deep"])
    answers = [channel.read_line()]
    while not any(line.startswith("@deep eval ") for line in answers) or "ok stop stopped=1" not in answers:
        answers.append(channel.read_line())
    return time.perf_counter() - started_s


@contextmanager
def _greedy_clients(port: int, net: str, ids: Sequence[str]) -> Iterator[None]:
    """Keep greedy clients connected, in a process of their own."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_be_greedy, args=(port, net, list(ids), theirs), daemon=True
    )
    process.start()
    theirs.close()
    ours.recv()  # they have asked
    yield
    ours.send(None)
    check_answer(ours.recv(), "a greedy client got no answer to its queries")
    process.join(_TIMEOUT_S)


def _be_greedy(port: int, net: str, ids: Sequence[str], starter: Connection) -> None:
    """Be clients that ask for hours of work; some of them for piles of 0-ply queries besides.

    Args:
        port: The server's.
        net: The evaluator.
        ids: Positions.
        starter: Gets a message once all have asked, and sends one to end it; then gets whether all piles had
            answers.
    """
    stop, piles = threading.Event(), [0] * PILING_CLIENTS
    with ExitStack() as stack:
        channels = [
            stack.enter_context(open_channel(LOOPBACK, port, _TIMEOUT_S)) for _ in range(GREEDY_CLIENTS)
        ]
        for channel in channels:
            channel.ask(f"set engine.net {net}")
            channel.send(_list_long_requests(ids))
        threads = [
            threading.Thread(target=_send_piles, args=(channel, ids, stop, piles, number), daemon=True)
            for number, channel in enumerate(channels[:PILING_CLIENTS])
        ]
        for thread in threads:
            thread.start()
        starter.send(None)
        starter.recv()
        stop.set()
        for channel in channels:
            channel.send(["quit"])
        for thread in threads:
            thread.join(_TIMEOUT_S)
    starter.send(all(piles))


def _list_long_requests(ids: Sequence[str]) -> list[str]:
    positions = [ids[place % len(ids)] for place in range(_DEEP_POSITIONS)]
    return [
        f"position gnubgid {positions[0]}",
        *(f"@roll{number} rollout trials=1296" for number in range(4)),
        *(json.dumps({"id": f"deep{number}", "positions": positions, "plies": 3}) for number in range(8)),
    ]


def _send_piles(
    channel: LineChannel, ids: Sequence[str], stop: threading.Event, piles: list[int], number: int
) -> None:
    """Send piles of queries, each when the one before is answered, and count the answers."""
    positions = [ids[place % len(ids)] for place in range(_PILE_POSITIONS)]
    queries = [json.dumps({"id": f"pile{place}", "positions": positions}) for place in range(_PILE_QUERIES)]
    with suppress(StateError, OSError):  # the server closes the connection at its end
        while not stop.is_set():
            channel.send(queries)
            answered = 0
            while answered < _PILE_QUERIES and not stop.is_set():
                answered += channel.read_line().startswith('{"id":"pile')
            piles[number] += answered
