"""The page for administrators: its unit, commands, health check and limits are those of the program."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.transports.gnubg import GNUBG_LIMITS
from protocol.transports.tcp_limits import TcpLimits
from tools import cli

PAGE = (Path(__file__).parents[3] / "docs" / "guide" / "service.md").read_text("utf-8")
(UNIT,) = re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL)
(CHECK,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PROGRAM = "/opt/gammond/bin/gammond"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
def test_systemd_accepts_the_unit(tmp_path):
    unit = tmp_path / "gammond.service"
    unit.write_text(UNIT.replace(PROGRAM, sys.executable))
    done = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_of_the_unit_and_of_the_page_can_be_typed():
    inline = re.findall(r"`(serve --[^`]*)`", PAGE)
    commands = re.findall(rf"{PROGRAM} (.+)$", PAGE, re.MULTILINE) + inline
    assert [command.split()[0] for command in commands].count("serve") == 4
    for command in commands:
        tool, *arguments = shlex.split(command)
        parser = argparse.ArgumentParser()
        importlib.import_module(cli.TOOLS[tool]).add_arguments(parser)
        parser.parse_args(arguments)


def run_check(port):
    return subprocess.run([sys.executable, "-c", CHECK, str(port)], stderr=subprocess.DEVNULL, timeout=60)


def test_the_health_check_succeeds_beside_a_server_and_fails_without_one():
    command = [sys.executable, "-m", "tools.cli", "serve", "--tcp", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        port = int(next(line for line in server.stderr if " listens on " in line).split()[-1])
        with socket.create_connection(("127.0.0.1", port)) as warm:  # loads the net
            warm.sendall(b"position startpos\neval\nquit\n")
            assert "eval win=" in warm.makefile().read()
        assert run_check(port).returncode == 0
        server.terminate()
    assert run_check(port).returncode == 1


def test_limits_are_those_of_the_program():
    defaults = TcpLimits()
    assert f"| {defaults.clients}, with `--gnubg` {GNUBG_LIMITS.clients} |" in PAGE
    assert (defaults.idle_s, GNUBG_LIMITS.idle_s) == (3600, 24 * 3600)
    assert f"| {defaults.client_bytes >> 20} MiB, {defaults.held_bytes >> 20} MiB |" in PAGE
    assert f"work gets {defaults.grace_s:g} seconds" in PAGE
