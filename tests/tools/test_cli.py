"""The `gammond` command: dispatch, exit statuses, and streams that are closed or full."""

import io
import logging
import os
import re
import subprocess
import sys
import types
from typing import Annotated

import pytest
from msgspec import Struct

from gammond.tools import cli
from gammond.tools.common.command_options import ToolCommand, option
from tests.support.processes import ROOT, run_python
from tests.support.terminals import Terminal


def fake_module(monkeypatch, name, **members):
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
    monkeypatch.setitem(sys.modules, name, module)


class FakeOptions(Struct, frozen=True, kw_only=True):
    times: Annotated[int, option("how often")] = 1


def fake_tool(monkeypatch, run):
    fake_module(monkeypatch, "fake_tool", SUMMARY="Do it.", COMMAND=ToolCommand(FakeOptions, run))
    monkeypatch.setitem(cli.TOOLS, "fake", "fake_tool")


def test_a_line_in_the_log_reads_like_all_others_of_a_tool(monkeypatch, capsys):
    def run(args):
        record = logging.makeLogRecord({"levelno": logging.WARNING, "levelname": "WARNING", "msg": "careful"})
        logging.lastResort.handle(record)
        return 0

    fake_tool(monkeypatch, run)
    monkeypatch.setattr(logging, "lastResort", logging._StderrHandler(logging.WARNING))
    assert cli.main(["fake"]) == 0
    assert capsys.readouterr().err == "gammond: WARNING: careful\n"


@pytest.mark.parametrize(
    ("stdin", "module"), [(io.StringIO, "transports.stdio"), (Terminal, "repl")], ids=["pipe", "terminal"]
)
def test_no_arguments_start_the_protocol_on_a_pipe_and_the_repl_at_a_terminal(monkeypatch, stdin, module):
    fake_module(monkeypatch, f"gammond.protocol.{module}", main=lambda make_file_players: 7)
    monkeypatch.setattr(sys, "stdin", stdin())
    assert cli.main([]) == 7


def test_a_tool_gets_its_parsed_arguments_and_gives_the_exit_status(monkeypatch):
    fake_tool(monkeypatch, lambda args: args.times)
    assert cli.main(["fake", "--times", "3"]) == 3


def test_words_that_people_try_first_lead_to_tools_there_are():
    assert set(cli.OTHER_WORDS.values()) <= {*cli.TOOLS, ""}
    assert cli.OTHER_WORDS.keys().isdisjoint(cli.TOOLS)


def test_version_names_the_program(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("gammond ")


def run_in_shell(command):
    words = ["bash", "-c", f"{sys.executable} -m gammond {command}"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_a_reader_that_goes_away_ends_the_command_quietly():
    ended = run_in_shell("--help | true; echo ${PIPESTATUS[0]}")
    assert ended.stderr == ""
    assert ended.stdout.strip() in ("0", "141")


def drop_pulse(said):
    """Return what a tool said beside that it works, which it does on a slow machine."""
    return re.sub(r"^gammond \w+: working, [0-9]+ s\n", "", said, flags=re.MULTILINE)


@pytest.mark.parametrize("streams", [">&-", "<&- >&-", "< /dev/null >&-"])
@pytest.mark.parametrize("tool", ["", "players"])
def test_a_closed_standard_output_is_one_line_on_stderr_and_exit_2(tool, streams):
    ended = run_in_shell(f"{tool} {streams}")
    assert ended.returncode == 2
    assert ended.stderr.startswith("gammond: expected an open standard output for the answers")
    assert ended.stderr.count("\n") == 1


def test_a_tool_that_answers_elsewhere_does_without_standard_output():
    ended = run_in_shell("serve --tcp 99999 >&-")
    assert drop_pulse(ended.stderr).startswith("gammond: expected [HOST:]PORT")


@pytest.mark.parametrize("tool", ["<<< hello", "--version"])
def test_a_closed_standard_error_is_no_error(tool):
    ended = run_in_shell(f"{tool} 2>&-")
    assert ended.returncode == 0
    assert ended.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("tool", ["<<< hello", "--version", "players"])
def test_a_full_disk_is_one_line_on_stderr_and_exit_2(tool):
    ended = run_in_shell(f"{tool} > /dev/full")
    assert ended.returncode == 2
    assert ended.stderr.endswith("No space left on device\n")
    assert drop_pulse(ended.stderr).count("\n") == 1


def test_the_help_of_train_says_where_to_begin(capsys):
    assert cli.main(["train", "--help"]) == 0
    said = capsys.readouterr().out
    assert "Which trainer?" in said
    assert said.index("begin here") < said.index("refine ")
    assert "gammond export FOLDER --name NAME" in " ".join(said.split())


INTERRUPTED_IMPORT = """
import os, signal, sys
from gammond.__main__ import main

class Interrupts:
    def find_spec(self, name, *rest):
        if name == "gammond.tools.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv = ["gammond", "--version"]
sys.exit(main())
"""


def test_ctrl_c_while_modules_are_imported_ends_the_command_quietly():
    ended = run_python(INTERRUPTED_IMPORT)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "gammond: interrupted\n")
