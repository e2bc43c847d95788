"""Both clients against the real server, over pipes and a socket, and against servers that misbehave."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

import gammond
from gammond import AsyncClient, Client, MatchState, Position, _links
from gammond._questions import ask_plays, parse_lines
from gammond._wire import INTERMEDIATE_WORDS, Pending, Wire
from protocol.commands.table import DATA_LINE_KEYWORDS

ROOT = Path(__file__).parents[2]
START = Position.start()
MATCH = MatchState(length=5, score=(2, 1), on_roll=1)
JUDGED_MATCH = gammond.read_match(
    b"""(;FF[4]GM[6]MI[length:5][game:0][ws:1][bs:2]PW[ann]PB[bob]RU[Crawford]RE[W+2R]C[a comment]
;B[31qtst]C[good]
;W[64xn]
;XJ[W1]
;B[double]
;W[take]
;B[65aggl])"""
)
"""With plays, a double, a resignation that was rejected and one that was accepted."""


@pytest.fixture(scope="module")
def spawned():
    with Client.spawn() as made:
        yield made


@pytest.fixture(params=["spawned", "connected"])
def client(request):
    return request.getfixturevalue(request.param)


@functools.cache
def roll_out_here(dice, match, **options):
    """Return the rollout of the engine in this process."""
    return gammond.Engine().rollout(START, dice, match, **options)


def test_answers_are_those_of_the_engine_in_this_process(client):
    engine = gammond.Engine()
    for match in (None, MATCH):
        there, here = client.evaluate(START, match, 1), engine.evaluate(START, match, 1)
        assert there.equity == pytest.approx(here.equity, abs=1e-5)
        assert there.mwc == pytest.approx(here.mwc, abs=1e-5)
        assert there.cubeful == pytest.approx(here.cubeful, abs=1e-5)
        for cubeful in (True, False):
            ranked = client.rank(START, (3, 1), match, cubeful=cubeful)
            expected = engine.rank(START, (3, 1), match, cubeful=cubeful)
            assert [each.play for each in ranked] == [each.play for each in expected]
            assert ranked[1].mwc == pytest.approx(expected[1].mwc, abs=1e-5)
            assert [each.loss for each in ranked] == pytest.approx([each.loss for each in expected], abs=2e-5)
        cube, decision = client.cube(START, match), engine.cube(START, match)
        assert (cube.action, cube.should_take) == (decision.action, decision.should_take)
        assert cube.double_take == pytest.approx(decision.double_take, abs=1e-5)
        assert cube.double_pass_mwc == pytest.approx(decision.double_pass_mwc, abs=1e-5)
    many = client.evaluate_many([START, START.play("8/5 6/5")])
    assert many.equities.tolist() == pytest.approx(
        engine.evaluate_many([START, START.play("8/5 6/5")]).equities.tolist(), abs=1e-5
    )


ROLLOUTS = [
    ((3, 1), MATCH, {"candidates": 3}),
    ((3, 1), MATCH, {"cubeful": False, "variance_reduction": False}),
    (None, None, {"plies": 1, "truncation": 2}),
    (None, MATCH, {"cubeful": False}),
    ((3, 1), None, {"kind": "position", "cubeful": False, "seed": 5}),
    (None, MATCH, {"kind": "cube"}),
    ((3, 1), None, {"trials": 144, "truncation": 2, "stop_jsd": 0.5, "min_trials": 36, "candidates": 4}),
    (None, None, {"trials": 216, "stop_error": 1.0, "min_trials": 36}),
]
"""What is rolled out; the last two end early."""


@pytest.fixture
def connected(port):
    with Client.connect(port=port) as made:
        yield made


def check_same_rollout(there, here):
    def near(value):
        return pytest.approx(value, abs=1e-4)

    def check(estimate, expected):
        assert (estimate is None) == (expected is None)
        if estimate is not None:
            assert estimate.trials == expected.trials
            assert estimate.equity == near(expected.equity)
            assert estimate.standard_error == near(expected.standard_error)
            assert estimate.outcome._as_row() == near(expected.outcome._as_row())

    assert there.trials == here.trials
    check(there.estimate, here.estimate)
    check(there.double_take, here.double_take)
    assert [each.play for each in there.plays] == [each.play for each in here.plays]
    for play, expected in zip(there.plays, here.plays, strict=True):
        check(play.estimate, expected.estimate)
        assert (play.loss, play.loss_error) == near((expected.loss, expected.loss_error))
    assert (there.cube is None) == (here.cube is None)
    if there.cube is not None:
        assert (there.cube.action, there.cube.should_beaver) == (here.cube.action, here.cube.should_beaver)
        assert there.cube.double_take_mwc == near(here.cube.double_take_mwc)


def test_rollouts_are_those_of_the_engine_in_this_process(spawned, connected):
    """By turns through a pipe and a socket, which know nothing of what a question is about."""
    for number, (dice, match, options) in enumerate(ROLLOUTS):
        options = {"trials": 12, "truncation": 4, **options}
        found = (spawned, connected)[number % 2].rollout(START, dice, match, **options)
        trials = [found.trials, *(play.estimate.trials for play in found.plays)]
        assert (min(trials) < options["trials"]) == ("min_trials" in options)
        check_same_rollout(found, roll_out_here(dice, match, **options))
    check_same_rollout(connected.rollout(START, (3, 1), trials=3), roll_out_here((3, 1), None, trials=3))


def test_a_rollout_reports_progress_and_ends_early_when_it_is_cancelled(connected):
    cancel, reports = threading.Event(), []

    def report(done):
        reports.append(done)
        assert connected.evaluate(START).plies == 0
        if done:
            cancel.set()

    rollout = connected.rollout(START, trials=100_000, progress=report, cancel=cancel)
    assert 0 < reports[-1] <= rollout.trials < 100_000
    assert connected.rollout(START, trials=1, truncation=1).trials == 1


def test_a_rollout_whose_progress_fails_is_stopped(connected):
    with pytest.raises(ZeroDivisionError):
        connected.rollout(START, trials=100_000, progress=lambda done: done // 0)
    assert connected.rollout(START, trials=1, truncation=1).trials == 1


def test_a_rollout_that_cannot_be_is_refused(connected):
    with pytest.raises(gammond.ServerError) as caught:
        connected.rollout(START, trials=0)
    assert (caught.value.code, caught.value.field) == ("bad_value", "trials")
    with pytest.raises(gammond.ServerError) as caught:
        connected.rollout(START, kind="plays")
    assert caught.value.code == "bad_state"
    with pytest.raises(gammond.ValueRangeError):
        connected.rollout(START, (7, 1))
    with pytest.raises(TypeError):
        connected.rollout(START, depth=3)
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(gammond.CancelledWork):
        connected.rollout(START, plies=4, cancel=cancelled)


def test_an_analysed_match_is_that_of_the_engine_in_this_process(client):
    here, there = (asked.analyse(JUDGED_MATCH, 1) for asked in (gammond.Engine(), client))
    assert there.to_dict()["method"] == here.to_dict()["method"]
    assert [game.comment for game in there.games] == ["a comment"]
    for action, expected in zip(there.games[0].actions, here.games[0].actions, strict=True):
        assert (action.text, action.comment) == (expected.text, expected.comment)
        plays, expected_plays = action.analysed_plays, expected.analysed_plays
        assert [each.play for each in plays] == [each.play for each in expected_plays]
        for each, other in zip(plays, expected_plays, strict=True):
            assert each.equity == pytest.approx(other.equity, abs=1e-6)
            assert each.outcome.win == pytest.approx(other.outcome.win, abs=1e-6)
        assert action.cube_equities == pytest.approx(expected.cube_equities, abs=1e-6)
        assert action.luck == pytest.approx(expected.luck, abs=1e-6)
    assert there.to_sgf().count("A[") == here.to_sgf().count("A[") > 0
    for name in ("decisions", "resignations", "rolls"):
        assert len(there.to_dict()[name]) == len(here.to_dict()[name]) > 0


ROLLOUT = {"trials": 6, "truncation": 3, "candidates": 2, "seed": 5}


def test_an_analysis_with_rollouts_is_that_of_the_engine_in_this_process(client):
    seen, engine = [], gammond.Engine()
    here = engine.analyse(JUDGED_MATCH, 0, rollout=ROLLOUT, progress=lambda *at: seen.append(at))
    there = client.analyse(JUDGED_MATCH, 0, rollout=ROLLOUT)
    found, expected = there.to_dict(), here.to_dict()
    assert found["method"] == expected["method"]
    assert "rolled out (6 trials, 3 plies, then 0-ply, 0-ply, seed 5)" in found["method"]
    errors = [
        [each["se"] for each in document["decisions"] if each.get("trials") == 6]
        for document in (found, expected)
    ]
    assert errors[0] == pytest.approx(errors[1], abs=1e-6)
    assert errors[1]
    assert seen[-1][0] == seen[-1][1]
    assert seen[-1][1] % 6 == 0


def test_an_option_that_there_is_not_is_refused(client):
    with pytest.raises(TypeError):
        gammond.Engine().analyse(JUDGED_MATCH, 0, rollout={"depth": 3})
    with pytest.raises(TypeError):
        client.analyse(JUDGED_MATCH, 0, depth=3)
    with pytest.raises(gammond.ServerError) as caught:
        client.analyse(JUDGED_MATCH, 0, rollout={"depth": 3})
    assert caught.value.field == "rollout.depth"


def test_an_analysis_reports_progress_and_ends_when_it_is_cancelled(connected):
    cancel, reports = threading.Event(), []

    def report(done, total):
        reports.append((done, total))
        cancel.set()

    with pytest.raises(gammond.CancelledWork):
        connected.analyse(JUDGED_MATCH, 3, deeper=0, progress=report, cancel=cancel)
    assert reports[0] == (1, 7)
    connected.analyse(JUDGED_MATCH, 0, progress=report)
    assert reports[-1] == (6, 7)


def test_an_analysis_that_cannot_be_is_refused(connected):
    with pytest.raises(gammond.ServerError) as caught:
        connected.analyse(JUDGED_MATCH, 5)
    assert (caught.value.code, caught.value.field) == ("bad_value", "plies")
    with pytest.raises(gammond.ServerError) as caught:
        connected.analyse(JUDGED_MATCH, move_filter="fine")
    assert (caught.value.code, caught.value.field) == ("bad_value", "filter")


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
    "analyse": lambda client: client.analyse(JUDGED_MATCH),
}
TIMED = ("evaluate", "evaluate_many", "rank", "cube", "command")
"""Those to which the time limit applies."""


@pytest.mark.parametrize("name", TIMED)
def test_the_server_is_told_to_stop_what_did_not_come_in_time(listener, name):
    with Client.connect(port=listener.port, timeout_s=0.1) as client:
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
def test_the_server_is_told_to_stop_what_a_cancelled_task_has_asked(listener, name):
    async def ask():
        async with await AsyncClient.connect(port=listener.port) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(QUESTIONS[name](client), 0.1)
            await asyncio.to_thread(listener.check_stopped)

    asyncio.run(ask())


@pytest.mark.parametrize("name", TIMED)
def test_the_server_is_told_to_stop_what_did_not_come_in_time_in_asyncio(listener, name):
    async def ask():
        async with await AsyncClient.connect(port=listener.port, timeout_s=0.1) as client:
            with pytest.raises(gammond.ConnectionLost, match="within"):
                await QUESTIONS[name](client)
            await asyncio.to_thread(listener.check_stopped)

    asyncio.run(ask())


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


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals for groups of processes")
def test_an_interrupt_at_the_terminal_ends_the_question_and_not_the_server():
    command = [sys.executable, "-c", INTERRUPTED]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, process_group=0) as program:
        assert program.communicate(timeout=120)[0].splitlines() == ["8/5 6/5"] * 2
    assert program.returncode == 0


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
def test_a_program_that_ends_without_closing_its_client_leaves_no_server_at_work():
    program = (
        "import gammond, time; client = gammond.Client.spawn();"
        "client.rank_later(gammond.Position.start(), (3, 1), plies=4); print(client.command('stats'))"
    )
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60, stdout=subprocess.PIPE)
    assert time.monotonic() - started < 30  # which reads until the server has ended, too


@pytest.mark.parametrize("line", ["x" * 2_000_000, "eval"])
def test_a_client_of_a_server_that_does_not_read_can_be_closed(monkeypatch, line):
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
    asked.join(30)
    assert not asked.is_alive()
    assert time.monotonic() - started < 30


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


def test_a_process_that_dies_is_reported_with_its_status():
    with (
        Client.spawn([sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit(7)"]) as client,
        pytest.raises(gammond.ConnectionLost, match="status 7"),
    ):
        client.evaluate(START)


def test_a_silent_server_is_an_error_after_the_timeout():
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with (
        Client.spawn(silent, timeout_s=0.5) as client,
        pytest.raises(gammond.ConnectionLost, match=r"within 0\.5 seconds"),
    ):
        client.evaluate(START)


def test_nobody_there_is_an_error_at_once():
    with pytest.raises(gammond.ConnectionLost, match="no server answers"):
        Client.connect(port=1)
    with pytest.raises(gammond.ConnectionLost, match="cannot be started"):
        Client.spawn(["/no/such/program"])


def test_a_closed_client_asks_nothing(port):
    client = Client.connect(port=port)
    client.close()
    with pytest.raises(gammond.ConnectionLost, match="closed"):
        client.evaluate(START)


def test_asyncio_asks_many_things_at_once(port):
    async def ask(client):
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
        return plays.best.play.text, cube.should_double, value.mwc is not None, len(many), lines[-1][:2]

    async def both():
        spawned = await ask(await AsyncClient.spawn())
        return spawned, await ask(await AsyncClient.connect(port=port))

    assert asyncio.run(both()) == (("8/5 6/5", False, True, 10, "ok"),) * 2


def test_asyncio_rolls_out(port):
    async def ask():
        async with await AsyncClient.connect(port=port) as client:
            cancel, reports = asyncio.Event(), []

            def report(done):
                reports.append(done)
                if done:
                    cancel.set()

            rollout = await client.rollout(START, trials=100_000, progress=report, cancel=cancel)
            assert 0 < reports[-1] <= rollout.trials < 100_000
            dice, match, options = ROLLOUTS[0]
            options = {"trials": 12, "truncation": 4, **options}
            there = await client.rollout(START, dice, match, **options)
            check_same_rollout(there, roll_out_here(dice, match, **options))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.rollout(START, trials=100_000), 0.2)
            assert (await client.rollout(START, trials=1, truncation=1)).trials == 1

    asyncio.run(ask())


def test_asyncio_analyses_a_match(port):
    async def ask():
        async with await AsyncClient.connect(port=port) as client:
            cancel, reports = asyncio.Event(), []

            def report(done, total):
                reports.append((done, total))
                cancel.set()

            judged = await client.analyse(JUDGED_MATCH, 0, progress=report)
            rolled = await client.analyse(JUDGED_MATCH, 0, rollout=ROLLOUT)
            assert "rolled out (6 trials" in rolled.to_dict()["method"]
            assert reports[-1] == (6, 7)
            assert judged.games[0].actions[0].analysed_plays[0].play.text == "8/5 6/5"
            with pytest.raises(gammond.CancelledWork):
                await client.analyse(JUDGED_MATCH, 4, progress=report, cancel=cancel)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.analyse(JUDGED_MATCH, 4), 0.2)
            assert (await client.evaluate(START)).plies == 0

    asyncio.run(ask())


def test_asyncio_reports_a_server_that_dies_and_one_that_is_silent():
    async def ask():
        async with await AsyncClient.spawn(
            [sys.executable, "-c", "import sys; sys.stdin.readline()"]
        ) as client:
            with pytest.raises(gammond.ConnectionLost, match="status 0"):
                await client.evaluate(START)
        silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
        async with await AsyncClient.spawn(silent, timeout_s=0.5) as client:
            with pytest.raises(gammond.ConnectionLost, match="within"):
                await client.evaluate(START)
        with pytest.raises(gammond.ConnectionLost):
            await AsyncClient.connect(port=1)

    asyncio.run(ask())


def test_bytes_may_come_in_any_pieces_and_nonsense_is_skipped():
    wire, future = Wire(), Future()
    line = wire.add_command("eval", Pending(parse_lines, future))
    tag = line.split()[0].decode()
    answer = f"{{broken\n@other ok\nstray\n{tag} info depth 1\n{tag} eval win=0.5\r\n"
    for byte in answer.encode():
        for finish in wire.receive(bytes([byte])):
            finish()
    assert future.result(0) == ["info depth 1", "eval win=0.5"]


def test_a_long_answer_takes_time_in_proportion_to_its_length():
    wire, future = Wire(), Future()
    query = json.loads(wire.add_query({}, Pending(lambda answer: len(answer["text"]), future)))
    answer = json.dumps({"id": query["id"], "final": True, "text": "x" * 40_000_000}).encode() + b"\n"
    began = time.process_time()
    for start in range(0, len(answer), 1 << 14):
        for finish in wire.receive(answer[start : start + (1 << 14)]):
            finish()
    assert future.result(0) == 40_000_000
    assert time.process_time() - began < 5  # where each piece copied all before it, 50 gigabytes


def test_many_answers_take_time_in_proportion_to_their_number():
    wire, futures = Wire(), [Future() for _ in range(20_000)]
    lines = [wire.add_command("eval", Pending(parse_lines, future)) for future in futures]
    began = time.process_time()
    for line in lines:
        for finish in wire.receive(line.split()[0] + b" eval win=0.5\n"):
            finish()
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
        question = ask_plays(START, (3, 1), None, 0, True, "normal", 5)
        wire.add_query(question.fields, Pending(question.parse, future))
    text = answer.replace(b"{", b'{"id": "c1", "final": true, ', 1)
    for finish in wire.receive(
        text + b"\n" + b'{"id": "c3", "final": true, "error": {"code": "a", "message": ""}}\n'
    ):
        finish()
    assert futures[1].exception(0).code == "a"
    if answer.startswith(b"{"):
        assert futures[0].exception(0).code == "bad_answer"


def test_clients_know_the_first_words_of_data_lines():
    assert INTERMEDIATE_WORDS == DATA_LINE_KEYWORDS
