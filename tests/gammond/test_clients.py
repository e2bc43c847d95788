"""Both clients against the real server, over pipes and a socket, and against servers that misbehave."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import gammond
from gammond import AsyncClient, Client, MatchState, Position
from gammond.api import _links
from gammond.api._questions import Question, ask_command, ask_plays
from gammond.api._wire import Pending, Wire
from gammond.api.errors import make_server_error
from gammond.engine import errors
from gammond.protocol.commands.ubgi01 import UBGI01_ERROR_CODES
from gammond.protocol.core.errors import BusyError, CommandError
from tests.gammond.matches import ANALYSED_MATCH
from tests.support.machine_speed import measure_stretch
from tests.support.waiting import wait_until

ROOT = Path(__file__).parents[2]
START = Position.start()
MATCH = MatchState(length=5, score=(2, 1), on_roll=1)


@pytest.fixture(scope="module")
def spawned():
    with Client.spawn() as made:
        yield made


@pytest.fixture(params=["spawned", "connected"])
def client(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def connected(port):
    with Client.connect(port=port) as made:
        yield made


def test_the_progress_of_a_rollout_may_ask_on(connected):
    seen, cancel = [], threading.Event()

    def ask(done):
        seen.append(connected.evaluate(START).plies)
        if done:
            cancel.set()

    connected.rollout(START, trials=100_000, progress=ask, cancel=cancel)
    assert set(seen) == {0}


def test_an_error_of_a_server_is_of_all_classes_with_its_code():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    for kind in (*kinds, CommandError, BusyError):
        if issubclass(kind, gammond.GammondError):
            for code in (kind.code, UBGI01_ERROR_CODES.get(kind.code, kind.code)):
                error = make_server_error(code, "a message", "name")
                assert isinstance(error, kind if kind.__name__ in gammond.__all__ else kind.__base__)
                assert isinstance(error, gammond.ServerError)
                assert (error.code, error.message, error.field) == (code, "a message", "name")


class Listener:
    """A server that answers nothing, and notes the lines of its one client."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.lines = queue.SimpleQueue()
        self.was_asked = threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        with self._socket, self._socket.accept()[0] as connection, connection.makefile() as file:
            for line in file:
                self.lines.put(line)
                self.was_asked.set()

    def next_line(self):
        return self.lines.get(timeout=60).strip()

    def check_stopped(self):
        """Check that the client asks something, and then to stop that."""
        asked, stopped = self.next_line(), self.next_line()
        if asked.startswith("@"):
            assert stopped == f"stop {asked.split()[0]}"
        else:
            stop = json.loads(stopped)
            assert (stop["action"], stop["terminate_id"]) == ("terminate", json.loads(asked)["id"])


@pytest.fixture
def listener():
    return Listener()


QUESTIONS = {
    "evaluate": lambda client: client.evaluate(START, plies=4),
    "evaluate_many": lambda client: client.evaluate_many([START], plies=4),
    "rank": lambda client: client.rank(START, (3, 1), plies=4),
    "cube": lambda client: client.cube(START, plies=4),
    "command": lambda client: client.command("eval plies=4"),
    "rollout": lambda client: client.rollout(START),
    "analyse": lambda client: client.analyse(ANALYSED_MATCH),
}
TIMED = ("evaluate", "evaluate_many", "rank", "cube", "command")
"""Those to which the time limit applies."""


def limit(client, timeout_s):
    """Give a client, whichever, less time for an answer than it had to connect."""
    vars(vars(client).get("_client", client))["_timeout_s"] = timeout_s


@pytest.mark.parametrize("name", TIMED)
def test_the_server_is_told_to_stop_what_did_not_come_in_time(listener, open_client, name):
    with open_client("connect", port=listener.port, timeout_s=60) as client:
        limit(client, 0.1)
        with pytest.raises(gammond.ConnectionLost, match="within"):
            QUESTIONS[name](client)
        listener.check_stopped()


@pytest.mark.parametrize("name", ["evaluate_later", "rank_later", "cube_later", "command_later"])
def test_the_server_is_told_to_stop_what_is_cancelled(listener, name):
    arguments = {"rank_later": (START, (3, 1)), "command_later": ("eval",)}.get(name, (START,))
    with Client.connect(port=listener.port) as client:
        future = getattr(client, name)(*arguments)
        assert future.cancel()
        listener.check_stopped()
        assert future in concurrent.futures.wait([future], 60).done
        with pytest.raises(concurrent.futures.CancelledError):
            future.result()


@pytest.mark.skipif(os.name == "nt", reason="a thread cannot press Ctrl-C there")
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_server_is_told_to_stop_what_is_interrupted(listener, name):
    def interrupt():
        listener.was_asked.wait(60)
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    with Client.connect(port=listener.port) as client:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            QUESTIONS[name](client)
        listener.check_stopped()


@pytest.mark.parametrize("name", QUESTIONS)
async def test_the_server_is_told_to_stop_what_a_cancelled_task_has_asked(listener, name):
    async with await AsyncClient.connect(port=listener.port) as client:
        asked = asyncio.ensure_future(QUESTIONS[name](client))
        await asyncio.to_thread(listener.was_asked.wait, 60)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await asyncio.to_thread(listener.check_stopped)


def test_a_question_that_is_stopped_before_it_has_begun_is_cancelled_work(connected):
    ranked = [connected.rank_later(START, (3, 1), plies=4) for _ in range(8)]
    others = [connected.evaluate_later(START, plies=4), connected.cube_later(START, plies=4)]
    connected.command("stop")
    for future in others:
        assert isinstance(future.exception(60), gammond.CancelledWork)
    errors = [future.exception(60) for future in ranked]
    assert isinstance(errors[-1], gammond.CancelledWork)
    for future, error in zip(ranked, errors, strict=True):
        assert isinstance(error, gammond.CancelledWork) or not future.result().is_finished
    assert connected.evaluate(START).plies == 0


def test_a_search_that_is_stopped_says_how_far_it_came(connected):
    for wait_s in (0.1, 0.5, 2, 8):  # until it has begun
        waiting = connected.rank_later(START, (3, 1), plies=4)
        time.sleep(wait_s)
        connected.command("stop")
        if waiting.exception(60) is None:
            break
    ranked = waiting.result()
    assert not ranked.is_finished
    assert ranked.plies < 4


INTERRUPTED = """
import os, signal, gammond
start = gammond.Position.start()
with gammond.Client.spawn() as client:
    assert client.evaluate(start).plies == 0
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGINT))
    for wait in range(2):
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            client.rank(start, (3, 1), plies=4)
        except KeyboardInterrupt:
            print(client.rank(start, (3, 1)).best.play.text, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals for groups of processes")
def test_an_interrupt_at_the_terminal_ends_the_question_and_not_the_server():
    command = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, process_group=0) as program:
        assert program.communicate(timeout=120)[0].splitlines() == ["8/5 6/5"] * 2
    assert program.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
def test_a_program_that_ends_without_closing_its_client_leaves_no_server_at_work():
    program = (
        "import gammond, time; client = gammond.Client.spawn();"
        "client.rank_later(gammond.Position.start(), (3, 1), plies=4); print(client.command('stats'))"
    )
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=180, stdout=subprocess.PIPE)
    assert time.monotonic() - started < 30 * measure_stretch()  # which reads until the server has ended, too


def test_a_program_that_ends_without_closing_a_connection_says_nothing(port):
    program = f"import gammond; print(gammond.Client.connect(port={port}).command('quit'))"
    ran = subprocess.run(
        [sys.executable, "-W", "default", "-c", program], cwd=ROOT, capture_output=True, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.fixture(params=[True, False], ids=["any thread", "the loop"])
def writer(request, monkeypatch):
    """Who writes to a server: any thread what it takes at once, or the loop alone, as on Windows."""
    if request.param and not _links.HAS_DIRECT_WRITES:
        pytest.skip("here the loop alone writes")
    monkeypatch.setattr(_links, "HAS_DIRECT_WRITES", request.param)


@pytest.mark.parametrize("line", ["x" * 2_000_000, "eval"])
def test_a_client_of_a_process_that_does_not_read_can_be_closed(writer, monkeypatch, line):
    monkeypatch.setattr(_links, "EXIT_TIMEOUT_S", 0.2)
    deaf = [sys.executable, "-c", "import time; time.sleep(1000)"]
    client = Client.spawn(deaf, timeout_s=1)

    def ask():
        with contextlib.suppress(gammond.ConnectionLost):
            client.command(line)

    asked = threading.Thread(target=ask)
    asked.start()
    time.sleep(0.2)
    started = time.monotonic()
    client.close()
    asked.join(60)
    assert not asked.is_alive()
    assert time.monotonic() - started < 60


@pytest.mark.parametrize("line", ["x" * 20_000_000, "eval"])
def test_a_client_of_a_socket_that_is_not_read_can_be_closed(writer, monkeypatch, line):
    monkeypatch.setattr(_links, "EXIT_TIMEOUT_S", 0.2)

    async def ask(port):
        client = await AsyncClient.connect(port=port)
        asked = asyncio.ensure_future(client.command(line))
        await asyncio.sleep(0.1)
        await client.close()
        with pytest.raises(gammond.ConnectionLost, match="closed"):
            await asked

    with socket.create_server(("127.0.0.1", 0)) as server:
        asyncio.run(asyncio.wait_for(ask(server.getsockname()[1]), 60))


SLOW_READER = """
import sys, time
time.sleep(0.5)
for line in sys.stdin:
    if line.startswith("@"):
        print(line.split()[0], "ok", len(line), flush=True)
"""


PLACES = (0, 3, 1, 3, 0, 2)


def test_long_questions_wait_for_a_server_that_reads_slowly_and_stay_whole(writer):
    began = time.monotonic()
    with Client.spawn([sys.executable, "-c", SLOW_READER]) as client:
        futures = []
        for place in PLACES:
            futures.append(client.command_later("x" * (1000 * 7**place)))
            time.sleep(0.02)
        assert time.monotonic() - began > 0.3
        found = [int(future.result(60)[0].split()[1]) for future in futures]
        assert [length // 1000 for length in found] == [7**place for place in PLACES]


def test_threads_ask_at_the_same_time(writer):
    with Client.spawn([sys.executable, "-c", SLOW_READER]) as client, ThreadPoolExecutor(8) as pool:
        lengths = [10 + 1000 * (number % 50) for number in range(400)]
        found = list(pool.map(lambda length: client.command("x" * length), lengths))
        assert [int(lines[0].split()[1]) // 1000 for lines in found] == [length // 1000 for length in lengths]


def test_a_question_that_is_interrupted_while_it_is_written_ends_the_connection(listener, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    with Client.connect(port=listener.port) as client:
        with monkeypatch.context() as patched:
            patched.setattr(_links.os, "write", interrupt)
            with pytest.raises(KeyboardInterrupt):
                client.evaluate(START)
        with pytest.raises(gammond.ConnectionLost, match="interrupted"):
            client.evaluate(START)


def test_a_callback_of_an_answer_may_close_the_client(port):
    client, closed = Client.connect(port=port), threading.Event()

    def close(_):
        client.close()
        with pytest.raises(gammond.ConnectionLost):
            client.evaluate(START)
        closed.set()

    client.command_later("position startpos").add_done_callback(close)
    assert closed.wait(60)
    client.close()


def test_a_client_that_is_not_opened_leaves_no_thread(port):
    before = threading.active_count()
    with pytest.raises(gammond.ConnectionLost):
        Client.connect(port=1)
    for _ in range(3):
        Client.connect(port=port).close()
    wait_until(lambda: threading.active_count() <= before)


def test_a_callback_of_an_answer_may_ask_on(connected):
    second = []
    first = connected.command_later("position startpos")
    first.add_done_callback(lambda _: second.append(connected.command_later("dice 3 1")))
    first.result(60)
    connected.command("board")
    assert second[0].result(60) == ["ok dice die1=3 die2=1"]


def test_questions_overlap_and_each_gets_its_answer(client):
    rolls = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    futures = [client.rank_later(START, roll) for roll in rolls]
    for roll, future in zip(rolls, futures, strict=True):
        assert future.result(60).best.play in START.legal_plays(roll)


def test_a_command_returns_its_lines_and_an_error_is_typed(client):
    client.command("position startpos")
    client.command("dice 3 1")
    lines = client.command("moves 2")
    assert [line.split()[0] for line in lines] == ["move", "move", "moves"]
    with pytest.raises(gammond.ServerError) as caught:
        client.command("dice 7 1")
    assert (caught.value.code, caught.value.field) == ("bad_value", "dice")
    with pytest.raises(gammond.ServerError) as caught:
        client.evaluate(START, plies=9)
    assert (caught.value.code, caught.value.field) == ("bad_value", "plies")
    with pytest.raises(ValueError, match="one command"):
        client.command("eval\nquit")


def test_closing_fails_what_is_under_way_and_does_not_wait_for_it():
    client = Client.spawn()
    client.command("position startpos")
    waiting = client.command_later("rollout trials=100000")
    client.close()
    with pytest.raises(gammond.ConnectionLost, match="closed"):
        waiting.result(0)
    with pytest.raises(gammond.ConnectionLost, match="closed"):
        client.evaluate(START)


def test_a_server_that_has_quit_answers_nothing_more(connected):
    connected.command("quit")
    with pytest.raises(gammond.ConnectionLost):
        connected.evaluate(START)


@pytest.mark.parametrize(
    ("program", "words"),
    [("sys.stdin.readline(); sys.exit(7)", "status 7"), ("sys.stdin.read()", r"within 0\.5 seconds")],
    ids=["dies", "is silent"],
)
def test_a_process_that_does_not_answer_is_an_error_that_says_why(open_client, program, words):
    silence = {"timeout_s": 0.5} if "within" in words else {}
    with (
        open_client("spawn", [sys.executable, "-c", f"import sys; {program}"], **silence) as client,
        pytest.raises(gammond.ConnectionLost, match=words),
    ):
        client.evaluate(START)


@pytest.mark.parametrize(
    ("how", "whom", "words"),
    [
        ("connect", {"port": 1}, "no server answers"),
        ("spawn", {"command": ["/no/such/program"]}, "cannot be started"),
    ],
)
def test_nobody_there_is_an_error_at_once(open_client, how, whom, words):
    with pytest.raises(gammond.ConnectionLost, match=words), open_client(how, **whom):
        pass


def test_a_process_that_does_not_read_is_an_error_after_the_timeout(writer, monkeypatch):
    monkeypatch.setattr(_links, "EXIT_TIMEOUT_S", 0.2)
    deaf = [sys.executable, "-c", "import time; time.sleep(1000)"]
    with Client.spawn(deaf, timeout_s=0.5) as client:
        for line in ("x" * 2_000_000, "eval"):
            with pytest.raises(gammond.ConnectionLost, match=r"within 0\.5 seconds"):
                client.command(line)


def test_the_time_that_a_server_takes_to_read_is_time_of_the_answer():
    slow = [sys.executable, "-c", "import sys, time; time.sleep(1); sys.stdin.buffer.read()"]
    with Client.spawn(slow, timeout_s=1.5) as client:
        began_s = time.monotonic()
        with pytest.raises(gammond.ConnectionLost, match=r"within 1\.5 seconds"):
            client.command("x" * 2_000_000)
        assert 1.5 <= time.monotonic() - began_s < 2.4


@pytest.mark.skipif(sys.platform != "linux", reason="others refuse what is too much for a listener")
def test_a_connection_that_nobody_takes_is_an_error_after_the_timeout():
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server, contextlib.ExitStack() as waiting:
        address = server.getsockname()
        for _ in range(4):
            each = waiting.enter_context(socket.socket())
            each.setblocking(False)
            each.connect_ex(address)
        with pytest.raises(gammond.ConnectionLost, match=r"no server answers at .*timed out"):
            Client.connect(*address, timeout_s=0.3)


async def test_asyncio_asks_many_things_at_once(port):
    for client in (await AsyncClient.spawn(), await AsyncClient.connect(port=port)):
        async with client:
            plays, cube, value, many, lines = await asyncio.gather(
                client.rank(START, (3, 1)),
                client.cube(START),
                client.evaluate(START, MATCH),
                client.evaluate_many([START] * 10),
                client.command("position startpos"),
            )
            with pytest.raises(gammond.ServerError):
                await client.command("nonsense")
        with pytest.raises(gammond.ConnectionLost):
            await client.evaluate(START)
        assert (plays.best.play.text, cube.should_double, len(many)) == ("8/5 6/5", False, 10)
        assert value.mwc is not None
        assert lines[-1].startswith("ok")


async def test_asyncio_goes_on_after_a_task_that_was_cancelled(port):
    async with await AsyncClient.connect(port=port) as client:
        for work in (client.rollout(START, trials=100_000), client.analyse(ANALYSED_MATCH, 4)):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(work, 0.2)
        assert (await client.rollout(START, trials=1, truncation=1)).trials == 1


def test_bytes_may_come_in_any_pieces_and_nonsense_is_skipped():
    wire, future = Wire(), Future()
    line = wire.begin(Pending(ask_command("eval"), future))
    tag = line.split()[0].decode()
    answer = f"{{broken\n@other ok\nstray\n{tag} info depth 1\n{tag} eval win=0.5\r\n"
    for byte in answer.encode():
        wire.receive(bytes([byte]))
    assert future.result(0) == ["info depth 1", "eval win=0.5"]


def test_a_long_answer_takes_time_in_proportion_to_its_length():
    wire, future = Wire(), Future()
    question = Question.of_fields({"want": ["eval"]}, lambda answer: len(answer["text"]))
    query = json.loads(wire.begin(Pending(question, future)))
    answer = json.dumps({"id": query["id"], "final": True, "text": "x" * 40_000_000}).encode() + b"\n"
    began = time.process_time()
    for start in range(0, len(answer), 1 << 14):
        wire.receive(answer[start : start + (1 << 14)])
    assert future.result(0) == 40_000_000
    assert time.process_time() - began < 5  # where each piece copied all before it, 50 gigabytes


def test_many_answers_take_time_in_proportion_to_their_number():
    wire, futures = Wire(), [Future() for _ in range(20_000)]
    lines = [wire.begin(Pending(ask_command("eval"), future)) for future in futures]
    began = time.process_time()
    for line in lines:
        wire.receive(line.split()[0] + b" eval win=0.5\n")
    assert all(future.result(0) == ["eval win=0.5"] for future in futures)
    assert time.process_time() - began < 5


def test_lines_of_answers_in_json_end_a_command_as_words_do(connected):
    assert json.loads(connected.command("set engine.format json")[-1])["final"]
    connected.command("position startpos")
    connected.command("dice 3 1")
    answers = [json.loads(line)["answer"] for line in connected.command("moves 2")]
    assert answers == ["move", "move", "moves"]
    with pytest.raises(gammond.ServerError) as caught:
        connected.command("dice 7 1")
    assert (caught.value.code, caught.value.field) == ("bad_value", "dice")
    about = {"positions": [START.id] * 2, "dice": [3, 1], "want": ["moves"]}
    query = json.dumps({"id": "mine", **about, "progress_every": 1})
    assert [json.loads(line)["final"] for line in connected.command(query)] == [False, True]
    connected.command("set engine.format text")
    assert [json.loads(line)["final"] for line in connected.command(query)] == [False, True]


@pytest.mark.parametrize("answer", [b"null", b"[]", b'{"results": 1}', b'{"results": [{"moves": []}]}'])
def test_an_answer_that_makes_no_sense_is_an_error_and_others_still_come(answer):
    wire, futures = Wire(), [Future(), Future()]
    for future in futures:
        wire.begin(Pending(ask_plays(START, (3, 1), None, 0, True, "normal", 5), future))
    text = answer.replace(b"{", b'{"id": "c1", "final": true, ', 1)
    wire.receive(text + b"\n" + b'{"id": "c2", "final": true, "error": {"code": "a", "message": ""}}\n')
    assert futures[1].exception(0).code == "a"
    if answer.startswith(b"{"):
        assert futures[0].exception(0).code == "bad_answer"
