"""Requests that are answered in batches get the answers that they would get alone."""

from __future__ import annotations

import asyncio
import json

import pytest

from engine.errors import DataFileError
from engine.formats.match_id import encode_match_id
from engine.formats.position_id import encode_position_id
from engine.rules.match import MatchState
from engine.rules.position import Position
from protocol.core.connection import run_batch
from protocol.transports.client_jobs import MAX_SINGLES, BatchRound, ClientJobs
from tests.boards import RacingEvaluator, position, random_boards
from tests.protocol.talking import make_connection, talk
from tests.protocol.transports.test_tcp import running_count

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


class Counting(RacingEvaluator):
    def __init__(self):
        self.sizes = []

    def evaluate(self, boards):
        self.sizes.append(len(boards))
        return super().evaluate(boards)


def make_quick_connection(evaluator=None, **limits):
    """Make a connection whose engine is known to be quick."""
    connection = make_connection(evaluator, **limits)
    service = connection.handler.session.service
    engine = service.get_engine("default", connection.handler.session.engine_settings.threads)
    rankings = [("plays", is_money, is_cubeful) for is_money in (True, False) for is_cubeful in (True, False)]
    service._quick_work.update((engine, kind) for kind in (None, *rankings))
    return connection


def take_jobs(connection):
    jobs = []
    while job := connection.next_job():
        jobs.append(job)
    return jobs


def answer_in_batches(connection, text):
    """Send lines; answer what can be in batches, nothing else may be left."""
    connection.receive_data(text.encode())
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
    evaluator = Counting()
    batched = answer_in_batches(make_quick_connection(evaluator), text)
    assert len(evaluator.sizes) == 2 * len(MATCHES)
    assert sum(evaluator.sizes) == 2 * len(POSITIONS)
    assert sorted(batched) == sorted(talk(text.removesuffix("\n")))
    assert sum(line.startswith("eval ") for line in batched) == len(POSITIONS)
    assert any(" mwc=" in line for line in batched)


def test_queries_in_a_batch_get_the_answers_that_they_would_get_alone_and_each_its_own_error():
    queries = [{"id": i, "position": f"{position}:{MATCHES[i % 4]}"} for i, position in enumerate(POSITIONS)]
    queries.insert(3, {"id": "bad", "position": "nonsense"})
    queries.insert(5, {"id": "list", "positions": [POSITIONS[0], POSITIONS[1], "4HPwATDgc/ABM"]})
    queries.insert(9, {"id": "two", "positions": POSITIONS[:2], "cubeful": False})
    text = "".join(json.dumps(query) + "\n" for query in queries)
    evaluator, connection = Counting(), make_quick_connection
    connection = make_quick_connection(evaluator)
    batched = answer_in_batches(connection, text)
    assert batched == talk(text.removesuffix("\n"))
    answers = {answer["id"]: answer for answer in map(json.loads, batched)}
    assert answers["bad"]["error"]["field"] == "position"
    assert answers["list"]["error"]["field"] == "positions[2]"
    assert len(answers["two"]["results"]) == 2
    assert connection.handler.session.error_count == 2
    assert len(evaluator.sizes) <= 2 * len(MATCHES)


def test_a_batch_that_fails_as_a_whole_is_answered_one_by_one():
    class Moody(RacingEvaluator):
        def evaluate(self, boards):
            if len(boards) > 1:
                raise DataFileError("too many at once")
            return super().evaluate(boards)

    text = "newgame\neval\neval\n"
    assert answer_in_batches(make_quick_connection(Moody()), text) == talk(text.removesuffix("\n"))


def test_only_a_quick_engine_is_asked_without_a_thread_and_for_nothing_deeper():
    connection = make_connection()
    connection.receive_data(b"newgame\neval\n")
    (first,) = take_jobs(connection)
    assert first.work.batch_item is None
    connection.receive_result(first, first.run(lambda _: None))
    query = '{"id":1,"position":"4HPwATDgc/ABMA"}'
    deep, cube = (
        query.replace("}", ',"plies":1}'),
        query.replace("}", ',"want":["cube"]}').replace("1", "2", 1),
    )
    connection.receive_data(f"eval\neval plies=1\n{query}\n@d dice 3 1\nmoves\n{cube}\n".encode())
    connection.receive_data(deep.replace('"id":1', '"id":3').encode() + b"\n")
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


def test_a_client_that_must_read_first_is_left_to_the_pool():
    for cap, in_batch, in_pool in ((100_000, 1, 0), (100, 0, 1)):
        rounds, pool, connection = [], Pool(), make_quick_connection(unsent_bytes=cap)
        jobs = ClientJobs(
            connection, pool, BatchRound(rounds.append), lambda act, *values: None, lambda: None
        )
        connection.receive_data(b"newgame\n")
        connection.data_to_send()
        connection.receive_data(b"@a eval\n@b help dice\n")
        jobs.hand_out()
        assert (len(rounds), len(pool.submitted)) == (in_batch, in_pool)


def test_plays_at_0_ply_are_ranked_without_a_thread_where_they_are_few_and_few_in_a_round():
    asked = "newgame\ndice 3 1\nmoves 3\ngo chequer\nmoves plies=1\ngo chequer plies 1\ngo turn\n"
    connection = make_quick_connection()
    connection.receive_data(asked.encode())
    jobs = take_jobs(connection)
    assert [job.work.is_quick for job in jobs] == [True, True, False, False, False]
    for job, result in zip(jobs, run_batch(jobs), strict=True):
        connection.receive_result(job, result)
    alone = talk(asked.removesuffix("\n"))
    assert connection.data_to_send().decode().splitlines()[:6] == alone[:6]
    spread = encode_position_id(position(dict.fromkeys(range(1, 16), 1), {24: 15}))
    connection.receive_data(f"@a position gnubgid {spread}\n@b dice 1 1\n@c moves\n".encode())
    assert [job.work.is_quick for job in take_jobs(connection)] == [False]


def test_a_ranking_is_quick_once_one_of_its_kind_was(monkeypatch):
    monkeypatch.setattr("protocol.state.service.QUICK_EVALUATION_S", 60.0)
    connection = make_connection()
    connection.receive_data(b"newgame\ndice 3 1\n@a go chequer\n")
    (first,) = take_jobs(connection)
    assert not first.work.is_quick
    first.run(lambda _: None)
    connection.receive_data(b"@b go chequer\n@c moves\n@d moves cubeful=false\n")
    assert [job.work.is_quick for job in take_jobs(connection)] == [True, True, False]


def test_quick_rankings_beyond_those_of_a_round_go_to_the_pool():
    rounds, pool, connection = [], Pool(), make_quick_connection()
    jobs = ClientJobs(connection, pool, BatchRound(rounds.append), lambda act, *values: None, lambda: None)
    connection.receive_data(b"newgame\ndice 3 1\n" + b"go chequer\n" * (MAX_SINGLES + 2) + b"eval\n")
    jobs.hand_out()
    assert (len(rounds), len(pool.submitted)) == (1, 2)
    rounds.pop()()
    connection.receive_data(b"go chequer\n")
    jobs.hand_out()
    assert (len(rounds), len(pool.submitted)) == (1, 2)


@pytest.mark.parametrize("clients", [1, 20])
def test_clients_are_answered_in_order_over_tcp_whatever_is_batched(clients):
    async def talk_alone(place, number):
        reader, writer = await asyncio.open_connection(*place)
        order = POSITIONS[number:] + POSITIONS[:number]
        writer.write(b"newgame\neval\n")
        await reader.readline()
        await reader.readline()
        writer.write("".join(f"position gnubgid {text}\neval\n" for text in order).encode())
        writer.write_eof()
        lines = (await asyncio.wait_for(reader.read(), 20)).decode().splitlines()
        writer.close()
        return dict(zip(order, zip(lines[::2], lines[1::2], strict=True), strict=True))

    async def scenario():
        async with running_count() as (place, _, _):
            return await asyncio.gather(*(talk_alone(place, number) for number in range(clients)))

    answers = asyncio.run(asyncio.wait_for(scenario(), 60))
    expected = talk("".join(f"position gnubgid {text}\neval\n" for text in POSITIONS).removesuffix("\n"))
    assert all(
        answer[text] == (expected[2 * i], expected[2 * i + 1])
        for answer in answers
        for i, text in enumerate(POSITIONS)
    )
