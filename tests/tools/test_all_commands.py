"""What every command of the program's own table does: help, options of one name and meaning, summaries."""

import argparse
import functools
import importlib
from functools import cache
from pathlib import Path

import pytest

from gammond.tools import cli
from gammond.tools.common.command_group import format_description, read_summary
from gammond.tools.common.command_options import written_path
from gammond.tools.completion import SHELLS, build_parser
from gammond.tools.heritage.command import COMMANDS as HERITAGE
from gammond.tools.measure.command import COMMANDS as MEASURE
from gammond.tools.train.command import COMMANDS as TRAIN
from tests.attacks import outputs

GROUPS = {"train": TRAIN, "heritage": HERITAGE, "measure": MEASURE}
MODULES = {
    **{name: module for name, module in cli.TOOLS.items()},
    **{f"{group} {name}": module for group, commands in GROUPS.items() for name, module in commands.items()},
}
"""Commands with a module of their own -> its name."""


@cache
@functools.cache
def list_parsers():
    """All commands, and the parser of each: those of sub-commands too."""

    def walk(command, parser):
        yield command, parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for name, each in action.choices.items():
                    yield from walk(f"{command} {name}".strip(), each)

    parsers = dict(walk("", build_parser()))
    return {name: parser for name, parser in parsers.items() if name not in ("", "help")}


COMMANDS = list(list_parsers())
ACTIONS = [(command, action) for command, parser in list_parsers().items() for action in parser._actions]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_fits_80_columns_and_explains_all_in_one_style(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main([*command.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: gammond {command} ")
    assert max(map(len, shown.splitlines())) <= 80
    assert "default:" not in " ".join(shown.split())
    assert cli.main(["help", *command.split()]) == 0
    assert capsys.readouterr().out == shown
    if command in MODULES:
        module = importlib.import_module(MODULES[command])
        summary = read_summary(MODULES[command])
        assert summary == module.SUMMARY != ""
        assert summary[0].islower()
        assert not summary.endswith(".")
        assert f" {summary[0].upper()}{summary[1:]}. " in f"{' '.join(shown.split())} "
        assert format_description(summary, module.__doc__ or "") in shown
    for action in list_parsers()[command]._actions:
        assert action.help or isinstance(action, argparse._SubParsersAction)
        assert action.help == argparse.SUPPRESS or all(option in shown for option in action.option_strings)


@pytest.mark.parametrize(("group", "commands"), [("", cli.TOOLS), *GROUPS.items()])
def test_the_help_of_a_group_lists_every_command_with_its_summary(group, commands, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main([*group.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    listed = " ".join(shown.split())
    assert all(f" {name} {read_summary(module)}" in listed for name, module in commands.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_that_a_command_does_not_have_is_one_line_and_status_2(command, capsys):
    assert cli.main([*command.split(), "--nonsense"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.endswith(f"see 'gammond {command} --help'\n")


CHECKED_WITH_OTHERS = {
    *("match", "score", "cube_value", "dice", "window", "points", "checkers"),
    *("rollout_plies", "leaf_plies", "candidates", "trials", "seed", "truncate"),
    *("stop_error", "stop_jsd", "min_trials", "low", "high", "alpha", "beta", "outputs"),
}
"""Options whose numbers are checked with other options, or with the position: `test_mistakes.py` has them."""


@pytest.mark.parametrize("command", [each for each in COMMANDS if not each.startswith("train vary")])
def test_a_number_that_is_too_small_is_refused_by_the_name_of_its_option(
    command, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    parser = list_parsers()[command]
    words = [
        word
        for action in parser._actions
        if action.required and not isinstance(action, argparse._SubParsersAction)
        for word in (*action.option_strings[-1:], *(action.choices or ["1"])[:1])
    ]
    for action in parser._actions:
        option = action.option_strings[-1] if action.option_strings else ""
        if option and action.type in (int, float) and action.dest not in CHECKED_WITH_OTHERS:
            assert cli.main([*command.split(), *words, f"{option}=-7777777"]) == 2
            said = capsys.readouterr()
            assert said.out == "", option
            assert f"{option}: expected " in said.err.splitlines()[-1] or command == "rollout"


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_completes_all_commands(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    said = capsys.readouterr().out
    assert [name for command in COMMANDS for name in command.split() if name not in said] == []


OTHER_NAMES = {
    "--out": "--output",
    "--outfile": "--output",
    "--workers": "--threads",
    "--processes": "--threads",
    "--jobs": "--threads",
    "--cores": "--threads",
    "--depth": "--plies",
    "--ply": "--plies",
    "--evaluator": "--net",
    "--random-seed": "--seed",
    "--overwrite": "--force",
    "--silent": "--quiet",
    "--roll": "--dice",
    "--number": "--games",
}
"""A name that an option could have -> the name that options of this meaning have."""

TYPES = {"--plies": int, "--threads": int, "--seed": int, "--games": int, "--trials": int, "--decisions": int}
"""Options of numbers -> their type; those of trainers are checked as settings."""

FLAGS = ("--json", "--force", "--resume", "--cubeless", "--quiet")


def test_one_meaning_has_one_name_and_takes_the_same_in_every_command():
    names = {option for _, action in ACTIONS for option in action.option_strings}
    assert names & OTHER_NAMES.keys() == set()
    assert names >= {*OTHER_NAMES.values(), *TYPES, *FLAGS}
    for command, action in ACTIONS:
        for option in action.option_strings:
            assert option not in FLAGS or action.nargs == 0, f"{command} {option}"
            if option in TYPES and action.type is not None:
                assert action.type is TYPES[option], f"{command} {option}"
            if option == "--force":
                assert action.help.startswith("overwrite files that exist, though never those that are read")


READ = ("config", "files", "file", "runs", "set", "run", "sources", "lessons")
"""What `Path`s name that are only read, by the name of the argument."""

READ_AS_TEXT = ("file", "files", "source", "gnubg", "subjects", "config", "archive")
"""Arguments for files that are only read, as text; and one that `list_options` of the attack finds."""


def test_every_option_that_names_a_file_says_whether_it_is_written_and_is_attacked():
    """Who adds one decides: `written_path` for what is written, which has a row among the attacks."""
    for command, action in ACTIONS:
        if action.type is Path:
            assert action.dest in READ, (
                f"{command} {action.dest}: expected the type written_path, or a place in READ"
            )
        elif action.type is not written_path and any(
            word in str(action.metavar) for word in ("FILE", "FOLDER", "PATH")
        ):
            assert action.dest in READ_AS_TEXT, f"{command} {action.dest}"
    written = list(outputs.list_options())
    assert len(written) > 60
    for command, action, _ in written:
        assert outputs.find_output(command, action), (
            f"{command} {action.dest}: add it to OUTPUTS of attacks/outputs.py"
        )
    known = {outputs.name_option(command, action) for command, action, _ in written}
    assert known >= outputs.OUTPUTS.keys()
