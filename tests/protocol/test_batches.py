"""Requests that are answered in batches get the answers that they would get alone."""

from __future__ import annotations

import asyncio
import itertools
import json
import re

from gammond.engine.errors import DataFileError
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Doubles
from gammond.protocol.core.jobs import run_batch
from gammond.protocol.questions.question import EVALUATION
from gammond.protocol.transports.rounds import ROUND_SIZE, RoundClient, Rounds
from tests.protocol.talking import hear, make_connection, take_jobs, talk
from tests.protocol.transports.tcp_serving import running
from tests.support.boards import position, random_boards
from tests.support.evaluators import WatchedEvaluator

POSITIONS = [encode_position_id(Position(board)) for board in random_boards(40, seed=5)]
MATCHES = [
    encode_match_id(match)
    for match in (
        MatchState(),
        MatchState(jacoby=True, cube=2, cube_owner=1),
        MatchState(length=7, score=(2, 5), cube=2, cube_owner=0),
        MatchState(length=3, score=(2, 1), crawford=True, on_roll=1),
    )
]
UNOWNED = encode_match_id(MatchState(length=7, cube=4))
"""A match with a cube that cannot be: at 4 without an owner."""


def make_quick_connection(evaluator=None, **limits):
    """Make a connection whose engine is known to be quick."""
    connection = make_connection(evaluator, **limits)
    service = connection.handler.session.service
    engine = service.get_engine("default", connection.handler.session.engine_settings.threads)
    decisions = itertools.product(("plays", "cube", "turn"), (True, False), (True, False), (False,))
    for kind in (EVALUATION, *decisions):
        service.quick_work.add((engine, kind))
    service.quick_work.add(("legal", Doubles.FOUR))
    return connection


def answer_in_batches(connection, text):
    """Send lines; answer what can be in batches, nothing else may be left."""
    hear(connection, text.encode())
    jobs = take_jobs(connection)
    assert all(job.work.batch_item is not None for job in jobs)
    for job, result in zip(jobs, run_batch(jobs), strict=True):
        connection.receive_result(job, result)
    return connection.data_to_send().decode().splitlines()


def test_pipelined_evals_get_the_answers_that_they_would_get_alone_in_one_evaluation_for_each_match_state():
    text = "".join(
        f"position gnubgid {position}:{MATCHES[i % len(MATCHES)]}\n@t{i} eval\neval cubeful=false\n"
        for i, position in enumerate(POSITIONS)
    )
    sizes = []
    evaluator = WatchedEvaluator(lambda boards: sizes.append(len(boards)))
    batched = answer_in_batches(make_quick_connection(evaluator), text)
    assert len(sizes) == 2 * len(MATCHES)
    assert sum(sizes) == 2 * len(POSITIONS)
    assert sorted(batched) == sorted(talk(text.removesuffix("\n")))
    assert sum(line.startswith("eval ") for line in batched) == len(POSITIONS)
    assert any(" mwc=" in line for line in batched)


def test_queries_in_a_batch_get_the_answers_that_they_would_get_alone_and_each_its_own_error():
    queries = [{"id": i, "position": f"{position}:{MATCHES[i % 4]}"} for i, position in enumerate(POSITIONS)]
    queries.insert(3, {"id": "bad", "position": "nonsense"})
    queries.insert(5, {"id": "list", "positions": [POSITIONS[0], POSITIONS[1], "4HPwATDgc/ABM"]})
    queries.insert(7, {"id": "cube", "position": f"{POSITIONS[0]}:{UNOWNED}"})
    queries.insert(9, {"id": "two", "positions": POSITIONS[:2], "cubeful": False})
    text = "".join(json.dumps(query) + "\n" for query in queries)
    sizes = []
    connection = make_quick_connection(WatchedEvaluator(lambda boards: sizes.append(len(boards))))
    batched = answer_in_batches(connection, text)
    assert batched == talk(text.removesuffix("\n"))
    answers = {answer["id"]: answer for answer in map(json.loads, batched)}
    assert answers["bad"]["error"]["field"] == "position"
    assert answers["cube"]["error"]["field"] == "position"
    assert answers["list"]["error"]["field"] == "positions[2]"
    assert len(answers["two"]["results"]) == 2
    assert connection.handler.session.error_count == 3
    assert len(sizes) <= 2 * len(MATCHES)


def test_a_batch_that_fails_as_a_whole_is_answered_one_by_one():
    def refuse_many(boards):
        if len(boards) > 1:
            raise DataFileError("too many at once")

    text = "newgame\neval\neval\n"
    connection = make_quick_connection(WatchedEvaluator(refuse_many))
    assert answer_in_batches(connection, text) == talk(text.removesuffix("\n"))


def test_only_a_quick_engine_is_asked_without_a_thread_and_for_nothing_deeper(monkeypatch):
    monkeypatch.setattr("gammond.protocol.state.readiness.QUICK_S", 60.0)
    connection = make_connection()
    hear(connection, b"newgame\neval\n")
    (first,) = take_jobs(connection)
    assert first.work.batch_item is None
    connection.receive_result(first, first.run(lambda _: None))
    query = '{"id":1,"position":"4HPwATDgc/ABMA"}'
    deep, cube = (
        query.replace("}", ',"plies":1}'),
        query.replace("}", ',"want":["cube"]}').replace("1", "2", 1),
    )
    hear(connection, f"eval\neval plies=1\n{query}\n@d dice 3 1\nmoves\n{cube}\n".encode())
    hear(connection, deep.replace('"id":1', '"id":3').encode() + b"\n")
    in_batches = [job.work.batch_item is not None for job in take_jobs(connection)]
    assert in_batches == [True, False, True, False, False, False]


class Pool:
    """A worker pool that only takes."""

    def __init__(self):
        self.submitted = []

    def set_gate(self, client, gate):
        pass

    def submit(self, client, job, on_progress, on_result):
        self.submitted.append(job)


LATE_S = 1e15


class Server:
    """Rounds, a pool, and the calls that wait; no time passes, and no turn of a connection ends by time."""

    def __init__(self):
        self.calls, self.pool = [], Pool()
        self.rounds = Rounds(self.calls.append, lambda: LATE_S)

    def serve(self, connection):
        """Serve a connection for as long as it has lines."""

        def pump():
            if connection.has_lines:
                self.rounds.add(client)

        client = RoundClient(connection, self.pool, lambda act, *values: None, pump)
        pump()

    def run_round(self):
        (call,) = self.calls
        self.calls.clear()
        call()


def test_a_request_is_left_to_the_pool_if_its_client_must_read_first():
    for cap, in_pool in ((100_000, 0), (100, 1)):
        server, connection = Server(), make_quick_connection(unsent_bytes=cap)
        hear(connection, b"newgame\n")
        connection.data_to_send()
        connection.receive_data(b"@a eval\n@b help dice\n")
        server.serve(connection)
        server.run_round()
        assert len(server.pool.submitted) == in_pool
        assert connection.data_to_send().count(b"@a eval ") == (not in_pool)


def test_decisions_at_0_ply_are_made_without_a_thread_where_plays_are_few():
    asked = (
        "newgame\ngo cube\ncube\ntake\nresign\ndice 3 1\nmoves 3\ngo chequer\ngo turn\nlegal\n"
        "moves plies=1\ngo chequer plies 1\ngo cube plies 1\ncube plies=1\n"
    )
    connection = make_quick_connection()
    hear(connection, asked.encode())
    jobs = take_jobs(connection)
    assert [job.work.is_quick for job in jobs] == [True] * 8 + [False] * 4
    for job, result in zip(jobs, run_batch(jobs), strict=True):
        connection.receive_result(job, result)
    answers, alone = connection.data_to_send().decode().splitlines(), talk(asked.removesuffix("\n"))
    assert [re.sub(r"time_ms \d+", "", line) for line in answers if not line.startswith("info nodes")] == [
        re.sub(r"time_ms \d+", "", line) for line in alone if not line.startswith("info nodes")
    ]
    assert sum(line.startswith("info depth 1 ") for line in answers) == 6
    spread = encode_position_id(position(dict.fromkeys(range(1, 16), 1), {24: 15}))
    hear(connection, f"@a position gnubgid {spread}\n@b dice 1 1\n@c moves\n@d legal\n".encode())
    assert [job.work.is_quick for job in take_jobs(connection)] == [False, False]


def test_a_search_is_not_timed_as_a_ranking(monkeypatch):
    monkeypatch.setattr("gammond.protocol.state.readiness.QUICK_S", 60.0)
    connection = make_connection()
    talk("newgame\ndice 3 1\nmoves plies=1\ngo chequer plies 1\ncube plies=1", connection)
    hear(connection, b"@b go chequer\n@c moves\n@d cube\n")
    assert [job.work.is_quick for job in take_jobs(connection)] == [False, False, False]


def test_a_ranking_is_quick_once_one_of_its_kind_was(monkeypatch):
    monkeypatch.setattr("gammond.protocol.state.readiness.QUICK_S", 60.0)
    connection = make_connection()
    hear(connection, b"newgame\ndice 3 1\n@a go chequer\n")
    (first,) = take_jobs(connection)
    assert not first.work.is_quick
    first.run(lambda _: None)
    hear(connection, b"@b go chequer\n@c moves\n@d moves cubeful=false\n")
    assert [job.work.is_quick for job in take_jobs(connection)] == [True, True, False]


def take_in_rounds(connections):
    """Answer all that waits; return for each round which of the connections it answered, and how often."""
    server, order = Server(), []
    for connection in connections:
        server.serve(connection)
    while server.calls:
        before = [connection.answered for connection in connections]
        server.run_round()
        counts = [connection.answered - old for connection, old in zip(connections, before, strict=True)]
        order.append({number: count for number, count in enumerate(counts) if count})
    assert not server.pool.submitted
    return order


def ask(text, **limits):
    """Return a connection that counts its results, with requests that wait in it."""
    connection = make_quick_connection(**limits)
    hear(connection, b"newgame\n")
    connection.data_to_send()
    connection.answered = 0
    receive_result = connection.receive_result

    def count(job, result):
        connection.answered += 1
        receive_result(job, result)

    connection.receive_result = count
    connection.receive_data(text.encode())
    return connection


def test_a_round_has_a_bounded_size_and_whoever_asks_little_comes_after_one_turn_of_each_pile():
    query = {"positions": (POSITIONS * 2)[:64], "cubeful": False}
    piles = ["".join(json.dumps({"id": i, **query}) + "\n" for i in range(20)) for _ in range(9)]
    in_round = ROUND_SIZE // 64
    rounds = take_in_rounds([*map(ask, piles), ask("eval\n"), ask("eval\neval\n")])
    assert all(sum(size for number, size in each.items() if number < 9) <= in_round for each in rounds)
    first = [sum(each.get(number, 0) for each in rounds[: len(piles) + 1]) for number in range(11)]
    assert first[9:] == [1, 2]
    assert max(first[:9]) - min(first[:9]) <= in_round
    assert sum(sum(each.values()) for each in rounds) == 9 * 20 + 3


def test_many_clients_share_a_round_and_one_has_it_to_itself():
    crowd = take_in_rounds([ask("eval\n" * ROUND_SIZE) for _ in range(8)])
    assert crowd[0] == dict.fromkeys(range(8), ROUND_SIZE // 8)
    alone = take_in_rounds([ask("eval\n" * (ROUND_SIZE + 1))])
    assert alone == [{0: ROUND_SIZE}, {0: 1}]


def make_pile():
    return "".join(f'{{"id":{i},"positions":{json.dumps(POSITIONS[:32])}}}\n' for i in range(64))


def test_a_client_that_comes_later_is_answered_before_the_rest_of_a_pile():
    server, greedy, polite = Server(), ask(make_pile()), ask("eval\n")
    server.serve(greedy)
    server.run_round()
    server.serve(polite)
    server.run_round()
    server.run_round()
    assert polite.answered == 1
    assert greedy.answered < 64


def test_the_rest_of_a_pile_waits_until_the_client_has_read():
    server, connection = Server(), ask(make_pile(), unsent_bytes=20_000)
    answers = []
    while not answers or answers[-1]:
        server.serve(connection)
        while server.calls:
            server.run_round()
        answers.append(connection.data_to_send().count(b"\n"))
    assert not server.pool.submitted
    assert sum(answers) == connection.answered == 64
    assert max(answers) <= ROUND_SIZE // 32, "no more than a round brings beyond what may wait"


def test_a_query_that_was_stopped_in_a_pile_is_answered_with_what_it_has():
    connection = make_quick_connection()
    hear(connection, f'{{"id":1,"positions":{json.dumps(POSITIONS[:3])}}}\n@s stop\n'.encode())
    jobs = take_jobs(connection)
    (result,) = run_batch(jobs)
    document = json.loads(result)
    assert document["stopped"]
    assert document["results"] == []


async def test_clients_are_answered_in_order_over_tcp_whatever_is_batched():
    async def talk_alone(server, number):
        order = POSITIONS[number:] + POSITIONS[:number]
        lines = await server.send(
            b"newgame\neval\n" + "".join(f"position gnubgid {text}\neval\n" for text in order).encode()
        )
        return dict(zip(order, zip(lines[2::2], lines[3::2], strict=True), strict=True))

    async with running() as server:
        answers = await asyncio.gather(*(talk_alone(server, number) for number in range(10)))
    expected = talk("".join(f"position gnubgid {text}\neval\n" for text in POSITIONS).removesuffix("\n"))
    assert all(
        answer[text] == (expected[2 * i], expected[2 * i + 1])
        for answer in answers
        for i, text in enumerate(POSITIONS)
    )
