"""The page for administrators: its commands, tables, events and limits are those of the program."""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

from gammond.protocol.core.event_log import EVENTS
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.gnubg import GNUBG_LIMITS
from gammond.protocol.transports.listening import FIRST_REQUEST_S
from gammond.protocol.transports.tcp_limits import TcpLimits
from gammond.protocol.transports.web.limits import WebLimits
from gammond.tools import cli
from gammond.tools.serve.options import LOG_FORMATS, LOG_LEVELS, check_options
from tests.tools.serve.test_config_file import configured
from tests.tools.serve.unit_sandbox import DEPLOY, ROOT, read_unit

PAGE = (ROOT / "docs" / "guide" / "service.md").read_text("utf-8")
PROGRAM = "/opt/gammond/bin/gammond"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")


def list_commands():
    """Return the commands of the page, of the unit, and of the image, without the program."""
    unit = (DEPLOY / "gammond.service").read_text("utf-8")
    image = re.search(r"^CMD (\[.*?\])$", DOCKERFILE.replace("\\\n", ""), re.MULTILINE)[1]
    found = re.findall(rf"{PROGRAM} ([^&\n]+)", PAGE + unit) + re.findall(r"`(serve --[^`]*)`", PAGE)
    return [*map(shlex.split, found), json.loads(image)]


def test_commands_can_be_typed():
    commands = list_commands()
    assert [command[0] for command in commands].count("serve") >= 4
    for tool, *arguments in commands:
        parser = argparse.ArgumentParser()
        importlib.import_module(cli.TOOLS[tool]).add_arguments(parser)
        parser.parse_args(arguments)


def test_the_files_that_the_page_names_are_there_and_all_are_named():
    named = set(re.findall(r"`deploy/([\w.-]+)`", PAGE))
    assert named == {each.name for each in Path(DEPLOY).iterdir() if each.suffix != ".dockerignore"}


def test_the_configuration_of_the_page_is_right(tmp_path):
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    configuration = configured(tmp_path, text)
    assert configuration.faults == ()
    check_options(configuration.args)
    wrong = configured(tmp_path, text.replace("clients =", "client ="))
    shown = re.findall(r"```text\ngammond: /etc/gammond/gammond.toml(.*)\n```", PAGE)
    assert [f"{tmp_path / 'gammond.toml'}{each}" for each in shown] == list(wrong.faults)


def test_events_are_those_of_the_program():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    assert {name: rows.get(name) for name in EVENTS} == EVENTS
    (example,) = re.findall(r"```json\n(.*)\n```", PAGE)
    assert json.loads(example)["event"] in EVENTS
    for names in (LOG_FORMATS, LOG_LEVELS):
        assert all(f"`{name}`" in PAGE for name in names)


def run_check(port):
    command = [sys.executable, str(DEPLOY / "check.py"), str(port)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=60, check=False)


def test_the_health_check_succeeds_beside_a_server_and_fails_without_one():
    command = [sys.executable, "-m", "gammond.tools.cli", "serve", "--tcp", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        port = int(next(line for line in server.stderr if " listens on " in line).split()[-1])
        with socket.create_connection(("127.0.0.1", port)) as warm:  # loads the net
            warm.sendall(b"position startpos\neval\nquit\n")
            assert "eval win=" in warm.makefile().read()
        assert run_check(port).returncode == 0
        server.terminate()
    done = run_check(port)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith(f"no answer on port {port}: ")


def test_limits_are_those_of_the_program():
    tcp, web, client = TcpLimits(), WebLimits(), ClientLimits()
    assert (tcp.idle_s, web.idle_s, GNUBG_LIMITS.idle_s) == (3600, 3600, 24 * 3600)
    for row in (
        f"| clients at a time | {tcp.clients}, WebSockets {web.clients:,}, "
        f"with `--gnubg` {GNUBG_LIMITS.clients} |",
        f"| a line, from its first byte to its end | {tcp.half_line_s:g} s |",
        f"| a client that reads nothing of what waits for it | {tcp.stuck_writer_s:g} s |",
        f"| read at least, while something waits all the time | {tcp.least_read_bytes >> 10} KiB in "
        f"{tcp.read_window_s:g} s |",
        f"| held for one client, for all | {tcp.client_bytes >> 20} MiB, {tcp.held_bytes >> 20} MiB |",
        f"| a line or frame | {client.line_bytes >> 10} KiB |",
        f"| unanswered requests of a client | {client.queued_requests:,}, {client.queued_bytes >> 20} MiB |",
        f"| positions, match decisions and plays of a JSON query | {client.query_positions:,}, "
        f"{client.query_decisions:,}, {client.query_plays:,} |",
        f"| games of a rollout | {client.rollout_games:,} |",
        f"| connections of browsers beyond their WebSockets | {web.connections}, of an address "
        f"{web.address_connections} |",
        f"| requests over HTTP in a second (at once) | {web.rate:g} ({web.burst:,.0f}), of an address "
        f"{web.address_rate:g} ({web.address_burst:g}) |",
        f"| requests over HTTP with work under way | {web.works}, of an address {web.address_works} |",
        f"| requests at tables in a second (at once), of a WebSocket | {web.table_rate:g} "
        f"({web.table_burst:g}) |",
        f"| a request over HTTP, from its first byte to its last | {web.request_s:g} s |",
        f"| a connection without a request | {web.keep_alive_s:g} s |",
        f"| the head of a request | {web.header_bytes >> 10} KiB |",
    ):
        assert row in PAGE, row
    assert f"work gets {tcp.grace_s:g} seconds" in PAGE
    assert FIRST_REQUEST_S == 1


def test_the_image_and_the_unit_run_the_same_server():
    unit = read_unit()
    folders = dict(each.split("=") for each in unit["Environment"].split())
    for name, folder in folders.items():
        assert f"{name}={folder}" in DOCKERFILE
        assert f'"{folder}"' in re.search(r"^VOLUME (.*)$", DOCKERFILE, re.MULTILINE)[1]
    assert re.search(r"^USER [1-9]", DOCKERFILE, re.MULTILINE)
    ports = re.search(r"^EXPOSE (.*)$", DOCKERFILE, re.MULTILINE)[1].split()
    listen = tomllib.loads((DEPLOY / "gammond.toml").read_text("utf-8"))["listen"]
    assert ports == [str(listen["tcp"]), str(listen["web"])]
    for name, port in zip(("gammond.socket", "gammond-web.socket"), ports, strict=True):
        assert read_unit(name)["ListenStream"] == f"127.0.0.1:{port}"


def test_compose_starts_the_container_of_the_page_with_its_volumes():
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    container = re.search(r"--name (\w+)", PAGE)[1]
    assert f"container_name: {container}\n" in compose
    volumes = set(re.findall(r"--volume (gammond-(\w+)):(/[\w/]+)", PAGE))
    assert len(volumes) == 2
    for name, key, folder in volumes:
        assert f'"{key}:{folder}"' in compose
        assert f"  {key}: {{name: {name}}}\n" in compose
