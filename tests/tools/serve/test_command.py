import http.client
import json
import re
import socket
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import StateError, ValueRangeError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.runtime.machine import count_usable_cores
from gammond.nets.catalogue import load_evaluator, load_player
from gammond.tools import cli
from gammond.tools.serve import command as serve
from gammond.tools.serve.options import parse_address
from tests.support.boards import played_boards
from tests.support.commands import run_tool
from tests.support.evaluators import RacingEvaluator
from tests.support.processes import ROOT, run_gammond, run_python, serving

FIGURES = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:\+checkout)?")
"""Numbers, addresses and versions, of a checkout that is not installed too."""

DOCS = (ROOT / "docs" / "guide" / "service.md").read_text("utf-8")
OPENING = (
    "board:O:X:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"
)


run_serve = partial(run_tool, serve)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("4000", ("127.0.0.1", 4000)),
        ("localhost:4000", ("localhost", 4000)),
        ("[::1]:4000", ("::1", 4000)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
    ],
)
def test_an_address_is_a_port_with_or_without_a_host(text, address):
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "x", ":4000", "host:", "70000", "-1", "host:port", "\u0664\u0660"])
def test_a_bad_address_is_refused(text):
    with pytest.raises(ValueRangeError, match="PORT"):
        parse_address(text)


def served_by(monkeypatch, *options):
    """Return the player for gnubg with these options, its loading arguments, and the answers at a time."""
    loaded, served = [], []

    def load_racer(net, threads=1, store=None):
        loaded.append((net, threads))
        return Engine(RacingEvaluator())

    async def serve_nobody(loading, options, rules):
        served.append((loading.result(), options))

    monkeypatch.setattr("gammond.tools.common.opponents.load_net_engine", load_racer)
    monkeypatch.setattr("gammond.protocol.transports.gnubg.serve_gnubg", serve_nobody)
    monkeypatch.setattr(serve, "end_process", lambda status: None)
    run_serve("--gnubg", "0", *options)
    (decider, options), (how,) = *served, loaded
    return decider, how, options.threads


def test_gnubg_is_played_at_the_strength_that_is_asked_for(monkeypatch):
    decider, how, _ = served_by(monkeypatch)
    assert (decider.settings, how) == (EvalSettings(0, "normal"), ("default", count_usable_cores()))
    decider, _, _ = served_by(monkeypatch, "--level", "grandmaster")
    assert decider.settings == EvalSettings(2, "large")
    decider, how, answers = served_by(monkeypatch, "--plies", "1", "--filter", "tiny", "--threads", "3")
    assert (decider.settings, how, answers) == (EvalSettings(1, "tiny"), ("default", 3), 3)


def test_another_player_chooses_the_plays_and_the_net_keeps_the_cube(monkeypatch):
    decider, how, _ = served_by(monkeypatch, "--player", "pubeval", "--plies", "1")
    assert (decider.name, decider.engine.name) == ("pubeval", "racing")
    assert (decider.settings, how) == (EvalSettings(1, "normal"), ("default", count_usable_cores()))
    board = load_player("pubeval").choose(Position.start().board[None].copy(), np.array([[6, 2]], np.int8))[0]
    chosen = decider.choose_play(Position.start(), (6, 2), MatchState(roll=(6, 2))).play
    assert np.array_equal(chosen.result.board, board)


def test_a_weak_level_errs_and_a_strong_one_does_not(monkeypatch):
    boards = played_boards(RacingEvaluator(), 4000, seed=1)[:60]
    match = MatchState(roll=(6, 2))

    def plays(*options):
        decider, _, _ = served_by(monkeypatch, *options)
        return [
            decider.choose_play(Position(board), (6, 2), match).chosen.evaluation.equity for board in boards
        ]

    assert plays("--level", "expert") == plays()
    assert sum(plays("--level", "beginner")) < sum(plays())


SLOW_START = """
import sys, threading
from gammond.engine.errors import DataFileError
from gammond.tools import cli
from gammond.tools.serve import command as serve
from gammond.tools.serve.options import parse_address
wait_for_a_line = sys.stdin.readline
def load(*arguments, **options):
    word = wait_for_a_line().strip()
    if word:
        raise DataFileError(word)
    return load_decider(*arguments, **options)
load_decider, serve.load_decider = serve.load_decider, load
serve._QUICK_S = 0.01
sys.exit(cli.main(["serve", "--gnubg", "0"]))
"""


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=60)


@pytest.mark.parametrize(("word", "status"), [("", 0), ("the net is damaged", 2)])
def test_a_server_for_gnubg_listens_while_it_loads_and_answers_then(word, status):
    expected = load_evaluator().evaluate(Position.start().board[None])[0, 0]
    with serving(command=("-c", SLOW_START), stdin=subprocess.PIPE) as (server, listens, port):
        said = [listens, next(server.stderr)]
        with connect(port) as connection:
            connection.sendall(f"help\nversion\nevaluation fibsboard {OPENING}\n".encode())
            answers = connection.makefile()
            assert next(answers).startswith("\tboard:")
            server.stdin.write(f"{word}\n")
            server.stdin.flush()
            first = next(answers)
            assert first == ("Interface: 2\n" if status == 0 else f"Error: {word}\n")
            if status == 0:
                *words, win = (next(answers).split()[0] for _ in range(4))
                assert words == ["RFBF:", "Engine:", "Software:"]
                assert float(win) == pytest.approx(float(expected), abs=1e-6)
                server.terminate()
        said += list(server.stderr)
        server.wait()
    assert server.returncode == status
    assert "strong at expert; at most 64 clients" in said[1]
    assert said[-1] == ("gammond: ended\n" if status == 0 else f"gammond: {word}\n")


def test_the_exit_status_tells_what_may_go_away_from_what_will_not(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert cli.main(["serve", "--tcp", str(taken.getsockname()[1])]) == 1
        assert "another program listens there; end it, or choose another port" in capsys.readouterr().err
    assert cli.main(["serve", "--tcp", "192.0.2.7:0", "--allow-remote"]) == 1
    assert "no network of this machine has this address, or not yet" in capsys.readouterr().err
    assert cli.main(["serve", "--tcp", "nosuchhost.invalid:0", "--allow-remote"]) == 1
    assert "no address is known for this name" in capsys.readouterr().err


def test_debug_output_of_gnubgs_dialect_goes_to_stderr():
    with serving("--gnubg", "0", "--log-level", "debug") as (server, _, port):
        with connect(port) as connection:
            connection.sendall(b"help\nset debug on\nfly\n")
            answers = b""
            while answers.count(b"\n") < 3:
                answers += connection.recv(4096)
        server.terminate()
        logged = server.stderr.read()
    assert b"Debug output ON" in answers
    assert "'fly' -> \"Error: expected a board: line" in logged
    assert "'help'" not in logged


@pytest.mark.parametrize(
    ("options", "plays"),
    [
        (["--tcp", "0"], "the line protocol, by strong unless a client sets engine.net; at most 256 clients"),
        (["--gnubg", "0"], "external player for GNU Backgammon, strong at expert; at most 64 clients"),
        (["--gnubg", "0", "--net", "fast", "--level", "casual"], ", fast at casual; at most 64 clients"),
    ],
)
def test_a_server_says_where_it_listens_what_it_plays_and_who_connects(options, plays):
    with serving(*options) as (server, listens, port):
        said = [listens, next(server.stderr)]
        with connect(port) as connection:
            own_port = connection.getsockname()[1]
            said.append(next(server.stderr))
        said.append(next(server.stderr))
        server.terminate()
        said += list(server.stderr)
    assert plays in said[1]
    assert said[2] == f"gammond: 127.0.0.1 port {own_port} connects (1 client)\n"
    shown = re.findall(r"```text\n([^`]* listens on [^`]*)```", DOCS)[0].splitlines(keepends=True)
    assert [FIGURES.sub("N", line) for line in said[3:]] == [FIGURES.sub("N", line) for line in shown[3:]]
    if options == ["--gnubg", "0"]:
        assert [FIGURES.sub("N", line) for line in said] == [FIGURES.sub("N", line) for line in shown]


def test_a_quiet_server_says_only_where_it_listens():
    with serving("--tcp", "0", "--quiet") as (server, _, port):
        for _ in range(3):
            with connect(port) as connection:
                connection.sendall(b"quit\n")
                while connection.recv(4096):
                    pass
        server.terminate()
        assert "connects" not in server.stderr.read()


def test_only_a_failure_to_listen_is_reported_as_one(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for dialect in ("--tcp", "--gnubg"):
            with pytest.raises(StateError, match=f"cannot listen on 127.0.0.1 port {port}: "):
                run_serve(dialect, port)

    async def fail_later(*_, **__):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(serve, "serve_tcp", fail_later)
    with pytest.raises(OSError, match="no space left"):
        run_serve("--tcp", "0")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_server_takes_as_many_clients_as_it_may_open_files_for():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 264));"
        "from gammond.tools.serve.command import fit_clients; print(fit_clients(90), fit_clients(90, 20));"
        "print(fit_clients(256));"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    done = run_python(code)
    assert done.stdout.split() == ["90", "90", "100", "264"]
    assert "the system allows 264 open files, so 100 clients, not 256" in done.stderr
    assert "raise the limit with 'ulimit -n', or LimitNOFILE= in a unit of systemd" in done.stderr


UNSTOPPABLE = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from gammond.protocol.core.jobs import Job
from gammond.tools.cli import main

threads = ThreadPoolExecutor(1)

def run(job, report):
    sys.stderr.write("at work\\n")
    return threads.submit(time.sleep, 600).result()

Job.run = run
sys.exit(main(["serve", "--tcp", "0", "--quiet"]))
"""
"""A server whose work cannot be stopped, as while a kernel is compiled in a thread of a pool."""


def test_a_server_ends_whatever_its_threads_are_at():
    with serving(command=("-c", UNSTOPPABLE)) as (server, _, port):
        with connect(port) as connection:
            connection.sendall(b"newgame\neval plies=2\n")
            assert any(line == "at work\n" for line in server.stderr)
        server.terminate()
        try:
            assert server.wait(60) == 0
        finally:
            server.kill()


def test_the_extra_for_the_web_is_named_where_it_is_missing():
    code = (
        "import sys; sys.modules['starlette'] = None; from gammond.tools.cli import main;"
        "sys.exit(main(['serve', '--web', '0', '--archive', 'off']))"
    )
    done = run_python(code)
    assert done.returncode != 0
    assert "--web needs the package starlette: pip install '.[web]' in the checkout, or where" in done.stderr


def test_the_log_of_a_server_can_be_json_from_the_first_line_to_the_last():
    options = ["--web", "0", "--archive", "off", "--no-store", "--log-format", "json", "--log-level", "debug"]
    command = [sys.executable, "-m", "gammond.tools.cli", "serve", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        lines = [next(server.stderr)]
        port = json.loads(lines[0])["port"]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for path in ("/healthz", "/no%0asuch%1b[31mpath"):
            connection.request("GET", path)
            connection.getresponse().read()
        connection.close()
        server.terminate()
        lines += list(server.stderr)
    records = [json.loads(line) for line in lines]
    assert [record["event"] for record in records] == [
        *("listening", "message", "http_request", "http_request", "ending", "ended")
    ]
    found, missing = records[2:4]
    assert (found["path"], found["status"], found["method"], found["client"]) == ("/healthz", 200, "GET", 1)
    assert (missing["path"], missing["status"]) == ("/no\nsuch\x1b[31mpath", 404)
    assert 0 < found["seconds"] < 20


def test_an_error_is_a_record_too_where_the_log_is_json():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run_gammond("serve", "--tcp", taken.getsockname()[1], "--log-format", "json")
    (record,) = map(json.loads, done.stderr.splitlines())
    assert done.returncode == 1
    assert (record["level"], record["event"], record["field"]) == ("error", "error", "port")
    assert "another program listens there" in record["message"]
