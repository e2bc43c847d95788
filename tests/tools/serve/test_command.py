from __future__ import annotations

import argparse
import http.client
import json
import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import StateError, UnsupportedError, ValueRangeError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.runtime.machine import count_usable_cores
from gammond.nets.catalogue import load_evaluator, load_player
from gammond.tools import cli
from gammond.tools.serve import command as serve
from gammond.tools.serve.options import parse_address
from tests.support.boards import played_boards
from tests.support.evaluators import RacingEvaluator

FIGURES = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:\+checkout)?")
"""Numbers, addresses and versions, of a checkout that is not installed too."""

DOCS_FOLDER = Path(__file__).parents[3] / "docs"
DOCS = (DOCS_FOLDER / "guide" / "tools.md").read_text("utf-8")
OPENING = (
    "board:O:X:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"
)


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    serve.add_arguments(parser)
    return parser.parse_args(arguments)


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


@pytest.mark.parametrize("dialect", ["--tcp", "--gnubg"])
def test_a_host_that_others_reach_needs_to_be_allowed(dialect):
    with pytest.raises(UnsupportedError, match="--allow-remote"):
        serve.main(parsed(dialect, "0.0.0.0:0"))


@pytest.mark.parametrize("dialect", ["--tcp", "--gnubg"])
@pytest.mark.parametrize(
    "option",
    [
        "--threads=0",
        "--threads=100000",
        "--clients=-1",
        "--idle-timeout=0",
        "--idle-timeout=0.5",
        "--idle-timeout=nan",
        "--idle-timeout=inf",
    ],
)
def test_a_cap_outside_its_range_is_refused_by_name(dialect, option):
    name, _, value = option.partition("=")
    with pytest.raises(
        ValueRangeError, match=rf"^{name}: expected a number from 1 to [0-9,]+, got {value}"
    ) as caught:
        serve.main(parsed(dialect, "0", option))
    assert caught.value.field == name.removeprefix("--").replace("-", "_")


@pytest.mark.parametrize(
    "option",
    [
        "--net=default",
        "--player=pubeval",
        "--no-jacoby",
        "--beavers",
        "--level=expert",
        "--plies=0",
        "--filter=tiny",
    ],
)
def test_an_option_of_the_other_dialect_is_refused(option):
    with pytest.raises(UnsupportedError, match=option.partition("=")[0]):
        serve.main(parsed("--tcp", "0", option))


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
    serve.main(parsed("--gnubg", "0", *options))
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
    assert served_by(monkeypatch)[0].name == "racing"
    with pytest.raises(ValueRangeError, match="got 'nobody'"):
        served_by(monkeypatch, "--player", "nobody")


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


@contextmanager
def ended_at_last(server):
    """Kill a server that a test which failed has not ended."""
    try:
        yield
    except BaseException:
        server.kill()
        raise


@pytest.mark.parametrize(("word", "status"), [("", 0), ("the net is damaged", 2)])
def test_a_server_for_gnubg_listens_while_it_loads_and_answers_then(word, status):
    command = [sys.executable, "-c", SLOW_START]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    expected = load_evaluator().evaluate(Position.start().board[None])[0, 0]
    with subprocess.Popen(command, cwd=DOCS_FOLDER.parent, **pipes) as server, ended_at_last(server):
        said = [next(line for line in server.stderr if " listens on " in line), next(server.stderr)]
        with socket.create_connection(("127.0.0.1", int(said[0].split()[-1])), timeout=20) as connection:
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
    assert server.returncode == status
    assert "strong at expert; at most 64 clients" in said[1]
    assert said[-1] == ("gammond: ended\n" if status == 0 else f"gammond: {word}\n")


@pytest.mark.parametrize("name", ["random", "run:mine:plies=1", "gnubg", "mine"])
def test_what_is_offered_names_files_and_has_no_options(name):
    with pytest.raises(
        ValueRangeError, match="expected run:FOLDER, wildbg:FOLDER or function:FILE"
    ) as caught:
        serve.check_options(parsed("--tcp", "0", "--offer", name))
    assert caught.value.field == "offer"
    with pytest.raises(UnsupportedError, match="--offer is only for --tcp and --web"):
        serve.check_options(parsed("--gnubg", "0", "--offer", "run:mine"))


def test_a_server_that_offers_what_cannot_play_says_so_before_it_listens(tmp_path, capsys):
    assert cli.main(["serve", "--tcp", "0", "--offer", f"run:{tmp_path}/none"]) != 0
    assert "cannot be read" in capsys.readouterr().err


def test_a_level_and_plies_exclude_each_other(monkeypatch):
    with pytest.raises(UnsupportedError, match="--level sets the plies"):
        serve.main(parsed("--gnubg", "0", "--level", "expert", "--plies", "1"))
    with pytest.raises(ValueRangeError, match="expected 0 to 4 plies"):
        serve.main(parsed("--gnubg", "0", "--plies", "9"))


def test_one_dialect_must_be_chosen():
    with pytest.raises(
        ValueRangeError, match=r"expected --web \[HOST:\]PORT .*--tcp \[HOST:\]PORT .* or --gnubg"
    ):
        serve.main(parsed())
    for other in ("--tcp", "--web"):
        with pytest.raises(
            UnsupportedError, match=f"^{other} and .*start two servers, each with its own port"
        ):
            serve.main(parsed(other, "0", "--gnubg", "0"))
    with pytest.raises(UnsupportedError, match=r"^--web-host is only for --web"):
        serve.main(parsed("--tcp", "0", "--web-host", "board.example"))
    with pytest.raises(UnsupportedError, match=r"^--cluster is only for --tcp and --web"):
        serve.main(parsed("--gnubg", "0", "--cluster", "local:1"))
    with pytest.raises(ValueRangeError, match=r"expected HOST:PORT .*, got 'nowhere'"):
        serve.main(parsed("--tcp", "0", "--cluster", "nowhere"))


def test_messages_about_numbers_say_what_to_give():
    with pytest.raises(ValueRangeError, match=r"got 0; 10000000 seconds are four months, as good as never$"):
        serve.main(parsed("--tcp", "0", "--idle-timeout", "0"))
    with pytest.raises(ValueRangeError, match="such as 4321 or localhost:4321, got 'localhost'"):
        serve.main(parsed("--tcp", "localhost"))
    with pytest.raises(UnsupportedError, match=r"^expected a host that only this machine can reach, such as"):
        serve.main(parsed("--tcp", "nosuchhost.invalid:4321"))


def test_the_exit_status_tells_what_may_go_away_from_what_will_not(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert cli.main(["serve", "--tcp", str(taken.getsockname()[1])]) == 1
        assert "another program listens there; end it, or choose another port" in capsys.readouterr().err
    assert cli.main(["serve", "--tcp", "192.0.2.7:0", "--allow-remote"]) == 1
    assert "no network of this machine has this address, or not yet" in capsys.readouterr().err
    assert cli.main(["serve", "--tcp", "nosuchhost.invalid:0", "--allow-remote"]) == 1
    assert "no address is known for this name" in capsys.readouterr().err
    assert cli.main(["serve", "--tcp", "localhost"]) == 2


def test_debug_output_of_gnubgs_dialect_goes_to_stderr():
    server = subprocess.Popen(
        [sys.executable, "-m", "gammond.tools.cli", "serve", "--gnubg", "0", "--log-level", "debug"],
        stderr=subprocess.PIPE,
        text=True,
    )
    said = next(line for line in server.stderr if " listens on " in line)
    with socket.create_connection(("127.0.0.1", int(said.split()[-1])), timeout=20) as connection:
        connection.sendall(b"help\nset debug on\nfly\n")
        answers = b""
        while answers.count(b"\n") < 3:
            answers += connection.recv(4096)
    server.terminate()
    _, logged = server.communicate(timeout=20)
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
    command = [sys.executable, "-m", "gammond.tools.cli", "serve", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        said = [next(line for line in server.stderr if " listens on " in line), next(server.stderr)]
        with socket.create_connection(("127.0.0.1", int(said[0].split()[-1])), timeout=20) as connection:
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
    command = [sys.executable, "-m", "gammond.tools.cli", "serve", "--tcp", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        said = next(line for line in server.stderr if " listens on " in line)
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", int(said.split()[-1])), timeout=20) as connection:
                connection.sendall(b"quit\n")
                while connection.recv(4096):
                    pass
        server.terminate()
        assert "connects" not in server.communicate(timeout=20)[1]


def test_only_a_failure_to_listen_is_reported_as_one(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for dialect in ("--tcp", "--gnubg"):
            with pytest.raises(StateError, match=f"cannot listen on 127.0.0.1 port {port}: "):
                serve.main(parsed(dialect, str(port)))

    async def fail_later(*_, **__):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(serve, "serve_tcp", fail_later)
    with pytest.raises(OSError, match="no space left"):
        serve.main(parsed("--tcp", "0"))


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_server_takes_as_many_clients_as_it_may_open_files_for():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 264));"
        "from gammond.tools.serve.command import fit_clients; print(fit_clients(90), fit_clients(90, 20));"
        "print(fit_clients(256));"
        "print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
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
    with subprocess.Popen([sys.executable, "-c", UNSTOPPABLE], stderr=subprocess.PIPE, text=True) as server:
        said = next(line for line in server.stderr if " listens on " in line)
        with socket.create_connection(("127.0.0.1", int(said.split()[-1])), timeout=20) as connection:
            connection.sendall(b"newgame\neval plies=2\n")
            assert any(line == "at work\n" for line in server.stderr)
        server.terminate()
        try:
            assert server.wait(60) == 0
        finally:
            server.kill()


def test_nothing_of_the_web_is_loaded_unless_it_is_asked_for():
    code = (
        "import sys, gammond.tools.serve.command, gammond.protocol.transports.tcp;"
        "print(sorted({'argon2', 'starlette', 'uvicorn', 'websockets'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_the_extra_for_the_web_is_named_where_it_is_missing():
    code = (
        "import sys; sys.modules['starlette'] = None; from gammond.tools.cli import main;"
        "sys.exit(main(['serve', '--web', '0', '--archive', 'off']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "--web needs the package starlette: pip install '.[web]' in the checkout, or where" in done.stderr


def test_the_log_of_a_server_can_be_json_from_the_first_line_to_the_last():
    options = ["--web", "0", "--archive", "off", "--no-store", "--log-format", "json", "--log-level", "debug"]
    command = [sys.executable, "-m", "gammond.tools.cli", "serve", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        lines = [next(server.stderr)]
        port = json.loads(lines[0])["port"]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
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
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "gammond.tools.cli", "serve", "--tcp", port, "--log-format", "json"]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    (record,) = map(json.loads, done.stderr.splitlines())
    assert done.returncode == 1
    assert (record["level"], record["event"], record["field"]) == ("error", "error", "port")
    assert "another program listens there" in record["message"]
