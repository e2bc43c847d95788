"""How soon a search ends after its cancel flag is set.

Run by hand for the figures: ``python -m tests.protocol.transports.stopping [THREADS [OTHERS]]``, with so many
threads for one answer while so many other clients search without end.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import threading
import time

from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Phase, Position
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.protocol.transports.workers import WorkerPool
from tests.protocol.talking import hear
from tests.support.boards import played_boards, random_boards

REQUESTS = (
    "eval plies={}",
    "moves plies={}",
    "moves plies={} filter=huge",
    "go chequer plies {} filter large",
    "cube plies={}",
)
ROLLS = ("1 1", "2 2", "2 1", "4 3")


class Client:
    """A client with a pool that runs its work, one request at a time."""

    def __init__(self, service, pool, clock=time.perf_counter):
        self._clock = clock
        self.connection = connect(Session(service, 1))
        self._pool = pool
        self._result = threading.Event()
        self._ended_s = 0.0

    def send_command(self, board, roll, request, wait_s):
        """Ask about a position and stop the answer after some time.

        Returns:
            Seconds of the clock from the stop to the end of the work, None if it ended before; and the final
            line.
        """
        position = encode_position_id(Position(board))
        hear(self.connection, f"position gnubgid {position}\ndice {roll}\n{request}\n".encode())
        self._result.clear()
        self._pool.submit(self, self.connection.next_job(), self.connection.receive_progress, self._take)
        took_s = None
        if not self._result.wait(wait_s):
            stopped_s = self._clock()
            self.connection.stop_all()
            self._result.wait()
            took_s = self._ended_s - stopped_s
        return took_s, self.connection.data_to_send().decode().splitlines()[-1]

    def _take(self, job, result):
        self._ended_s = self._clock()
        self.connection.receive_result(job, result)
        self._pool.release(self, job)
        self._result.set()


def hard_boards(evaluator, each):
    """Contact positions: of games, and such with hundreds of plays, such as backgames."""

    def most_plays(board):
        return max(len(legal_plays(Position(board), roll)) for roll in ((1, 1), (2, 2), (3, 3)))

    crowded = sorted(random_boards(40 * each, 11), key=most_plays, reverse=True)[:each]
    usual = [b for b in played_boards(evaluator, 100 * each, 3) if Position(b).phase is Phase.CONTACT]
    return [*crowded, *usual[:each]]


@contextlib.contextmanager
def others_at_work(service, pool, boards, count):
    """Make other clients search without end."""
    has_ended = threading.Event()

    def work(seed):
        client, choose = Client(service, pool), random.Random(seed)
        while not has_ended.is_set():
            client.send_command(choose.choice(boards), choose.choice(ROLLS), "moves plies=4 filter=huge", 0.5)

    threads = [threading.Thread(target=work, args=(seed,), daemon=True) for seed in range(count)]
    for thread in threads:
        thread.start()
    yield
    has_ended.set()
    for thread in threads:
        thread.join()


def stop_times(service, boards, requests, others=0, seed=1, longest_s=0.5, clock=time.perf_counter):
    """Stop searches at random moments, up to some seconds after they began.

    Returns:
        Seconds of the clock from the stop to the end, the request and the final line, for each that had to be
        stopped.
    """
    pool, choose, found = WorkerPool(clock=service.clock), random.Random(seed), []
    with others_at_work(service, pool, boards, others):
        client = Client(service, pool, clock)
        for board in boards:
            for request in requests:
                roll, wait_s = choose.choice(ROLLS), choose.uniform(0.01, longest_s)
                took_s, final = client.send_command(board, roll, request, wait_s)
                if took_s is not None:
                    found.append((took_s, request, final))
    pool.close()
    return found


def main():
    """Measure with the shipped nets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("threads", type=int, nargs="?", default=1)
    parser.add_argument("others", type=int, nargs="?", default=0)
    args = parser.parse_args()
    service = Service(make_shipped_catalogue(), threads=args.threads)
    boards = hard_boards(service.get_engine("default").evaluator, 8)
    requests = [request.format(plies) for request in REQUESTS for plies in (2, 3, 4)]
    times_ms = sorted(1000 * took_s for took_s, _, _ in stop_times(service, boards, requests, args.others))
    count = len(times_ms)
    sys.stdout.write(
        f"{count} stops, {args.threads} threads, {args.others} others: median {times_ms[count // 2]:.0f} ms, "
        f"99 % {times_ms[count * 99 // 100]:.0f} ms, most {times_ms[-1]:.0f} ms\n"
    )


if __name__ == "__main__":
    main()
