"""The `gammond` command: dispatch, help, exit statuses, and what it does not import."""

from __future__ import annotations

import io
import logging
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from gammond.engine.errors import FormatError
from gammond.tools import cli
from gammond.tools.common.command_group import read_summary
from tests.support.terminals import Terminal

ROOT = Path(__file__).resolve().parents[2]


def fake_module(monkeypatch, name, **members):
    module = types.ModuleType(name)
    for key, value in members.items():
        setattr(module, key, value)
    monkeypatch.setitem(sys.modules, name, module)


def fake_tool(monkeypatch, run):
    def add_arguments(parser):
        parser.add_argument("--times", type=int, default=1)

    fake_module(monkeypatch, "fake_tool", SUMMARY="Do it.", add_arguments=add_arguments, main=run)
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


def test_no_arguments_and_a_pipe_on_stdin_start_the_protocol(monkeypatch):
    fake_module(monkeypatch, "gammond.protocol.transports.stdio", main=lambda make_file_players: 7)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert cli.main([]) == 7


def test_no_arguments_and_a_terminal_on_stdin_start_the_repl(monkeypatch):
    fake_module(monkeypatch, "gammond.protocol.repl", main=lambda make_file_players: 8)
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert cli.main([]) == 8


def test_a_tool_gets_its_parsed_arguments_and_gives_the_exit_status(monkeypatch):
    fake_tool(monkeypatch, lambda args: args.times)
    assert cli.main(["fake", "--times", "3"]) == 3


def test_help_lists_every_tool_with_its_summary(capsys):
    assert cli.main(["--help"]) == 0
    listed = capsys.readouterr().out
    for name in cli.TOOLS:
        assert f"\n  {name} " in listed
    assert all(f"\n{heading}:\n" in listed for heading in cli.TOOL_GROUPS)
    assert read_summary(cli.TOOLS["batch"]) in listed


def test_the_overview_fits_80_columns_and_has_all_tools_in_groups(capsys):
    assert cli.main(["help"]) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    assert list(cli.TOOL_GROUPS) == ["Use", "Set up", "Measure", "Train", "Heritage"]


@pytest.mark.parametrize("words", [["hint"], ["measure", "levels"]])
def test_help_with_a_tool_is_its_help(words, capsys):
    assert cli.main(["help", *words]) == 0
    said = capsys.readouterr().out
    assert cli.main([*words, "--help"]) == 0
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["help", "hnt"], "gammond: unknown tool 'hnt': did you mean 'hint'? (gammond --help)\n"),
        (["analyze"], "gammond: unknown tool 'analyze': did you mean 'analyse'? (gammond --help)\n"),
        (["EVAL"], "gammond: unknown tool 'EVAL': did you mean 'eval'? (gammond --help)\n"),
        (["play"], "gammond: no tool 'play': 'gammond' alone opens the terminal, "),
        (["--hlp"], "gammond: expected a tool, or --help or --version, got '--hlp' (gammond --help)\n"),
        (["4HPwATDgc/ABMA"], "gammond: expected a tool before the position: gammond hint 4HPwATDgc/ABMA\n"),
    ],
)
def test_what_is_no_tool_is_refused_with_what_was_meant(words, message, capsys):
    assert cli.main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith(message)
    assert said.count("\n") == 1


def test_words_that_people_try_first_lead_to_tools_there_are():
    assert set(cli.OTHER_WORDS.values()) <= {*cli.TOOLS, ""}
    assert cli.OTHER_WORDS.keys().isdisjoint(cli.TOOLS)


def test_the_summary_read_from_the_source_is_the_one_of_the_module():
    from gammond.tools.batch import command as batch

    assert read_summary(cli.TOOLS["batch"]) == batch.SUMMARY
    assert batch.SUMMARY


@pytest.mark.parametrize("name", cli.TOOLS)
def test_summaries_and_defaults_are_written_in_one_style(name, capsys):
    summary = read_summary(cli.TOOLS[name])
    assert summary[0].islower()
    assert not summary.endswith(".")
    ways = {
        "train": ["td"],
        "bearoff": ["make", "info"],
        "store": ["status", "verify", "deepen", "book"],
        "measure": ["cube"],
    }.get(name, [])
    for arguments in ([name], *([name, way] for way in ways)):
        assert cli.main([*arguments, "--help"]) == 0
        assert "default:" not in capsys.readouterr().out


@pytest.mark.parametrize("name", cli.TOOLS)
def test_the_help_of_every_tool_fits_80_columns(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main([name, "--help"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("name", cli.TOOLS)
def test_the_help_of_every_tool_begins_with_its_summary_as_a_sentence(name, capsys):
    assert cli.main([name, "--help"]) == 0
    summary = read_summary(cli.TOOLS[name])
    assert f"\n\n{summary[0].upper()}{summary[1:]}.\n" in capsys.readouterr().out


def test_the_help_of_a_tool_exits_0_and_names_the_whole_command(monkeypatch, capsys):
    fake_tool(monkeypatch, lambda args: 5)
    assert cli.main(["fake", "--help"]) == 0
    assert "gammond fake" in capsys.readouterr().out


def test_a_wrong_option_exits_2_without_running_the_tool(monkeypatch, capsys):
    fake_tool(monkeypatch, lambda args: 5)
    assert cli.main(["fake", "--tims", "many"]) == 2
    assert "--tims" in capsys.readouterr().err


def test_a_misspelt_tool_is_refused_with_the_one_that_was_meant(capsys):
    assert cli.main(["bacth"]) == 2
    error = capsys.readouterr().err
    assert "'bacth'" in error
    assert "'batch'" in error
    assert error.count("\n") == 1


def test_an_error_raised_on_purpose_is_one_line_on_stderr_and_exit_2(monkeypatch, capsys):
    def fail(args):
        raise FormatError("expected a position, got 'x'", field="position")

    fake_tool(monkeypatch, fail)
    assert cli.main(["fake"]) == 2
    assert capsys.readouterr().err == "gammond: expected a position, got 'x'\n"


def test_ctrl_c_exits_130(monkeypatch, capsys):
    def interrupt(args):
        raise KeyboardInterrupt

    fake_tool(monkeypatch, interrupt)
    assert cli.main(["fake"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_version_names_the_program(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("gammond ")


def test_help_and_version_import_neither_numba_nor_onnxruntime_nor_another_tool():
    check = (
        "import sys; from gammond.tools import cli; cli.main(['--help']); cli.main(['--version']); "
        "heavy = {'numba', 'onnxruntime', 'gammond.tools.batch.command', 'gammond.tools.serve.command'}; "
        "heavy &= set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr


def test_a_reader_that_goes_away_ends_the_command_quietly():
    command = f"{sys.executable} -m gammond.tools.cli --help | true; echo ${{PIPESTATUS[0]}}"
    ended = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stderr == ""
    assert ended.stdout.strip() in ("0", "141")


def run_in_shell(command):
    return subprocess.run(
        ["bash", "-c", f"{sys.executable} -m gammond {command}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def drop_pulse(said):
    """Return what a tool said beside that it works, which it does on a slow machine."""
    return re.sub(r"^gammond \w+: working, [0-9]+ s\n", "", said, flags=re.MULTILINE)


@pytest.mark.parametrize("streams", [">&-", "<&- >&-", "< /dev/null >&-"])
@pytest.mark.parametrize("tool", ["", "players", "--version"])
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
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "gammond: interrupted\n")
