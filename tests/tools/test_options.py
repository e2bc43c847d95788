"""Options of all tools: one meaning, one name."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from gammond.tools.common.output_options import written_path
from gammond.tools.completion import build_parser
from tests.attacks import outputs

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
    "--judge-plies": "--reference-plies",
    "--roll": "--dice",
    "--number": "--games",
}
"""A name that an option could have -> the name that options of this meaning have."""

TYPES = {"--plies": int, "--threads": int, "--seed": int, "--games": int, "--trials": int, "--decisions": int}
"""Options of numbers -> their type; those of trainers are checked as settings."""

FLAGS = ("--json", "--force", "--resume", "--cubeless", "--quiet")


def list_options(prog, parser):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from list_options(f"{prog} {name}", each)
        else:
            for option in action.option_strings:
                yield prog, option, action


def list_actions(prog="gammond", parser=None):
    for action in (parser or build_parser())._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, each in action.choices.items():
                yield from list_actions(f"{prog} {name}", each)
        else:
            yield prog, action.option_strings, action


OPTIONS = list(list_options("gammond", build_parser()))


@pytest.mark.parametrize(("other", "name"), OTHER_NAMES.items())
def test_no_tool_has_another_name_for_an_option(other, name):
    assert [prog for prog, option, _ in OPTIONS if option == other] == []
    assert any(option == name for _, option, _ in OPTIONS)


def test_an_option_takes_the_same_in_every_tool():
    for prog, option, action in OPTIONS:
        if option in FLAGS:
            assert action.nargs == 0, f"{prog} {option}"
        if option in TYPES and action.type is not None:
            assert action.type is TYPES[option], f"{prog} {option}"


READ = ("config", "files", "file", "runs", "set", "run", "sources", "lessons")
"""What `Path`s name that are only read, by the name of the argument."""

READ_AS_TEXT = ("file", "files", "source", "gnubg", "subjects", "config", "archive")
"""Arguments for files that are only read, as text; and one that `list_options` of the attack finds."""


def test_every_option_that_names_a_file_says_whether_it_is_written_and_is_attacked():
    """Who adds one decides: `written_path` for what is written, which has a row among the attacks."""
    named = [(prog, action) for prog, _, action in list_actions()]
    assert named
    for prog, action in named:
        if action.type is Path:
            assert action.dest in READ, (
                f"{prog} {action.dest}: expected the type written_path, or a place in READ"
            )
        elif action.type is not written_path and any(
            word in str(action.metavar) for word in ("FILE", "FOLDER", "PATH")
        ):
            assert action.dest in READ_AS_TEXT, f"{prog} {action.dest}"
    written = list(outputs.list_options())
    assert len(written) > 60
    for command, action, _ in written:
        assert outputs.find_output(command, action), f"{command} {action.dest}: add it to OUTPUTS"
    known = {outputs.name_option(command, action) for command, action, _ in written}
    assert known >= outputs.OUTPUTS.keys()


def test_force_is_one_option():
    forced = [(prog, action.help) for prog, option, action in OPTIONS if option == "--force"]
    assert len(forced) > 10
    for prog, text in forced:
        assert text.startswith("overwrite files that exist, though never those that are read"), prog


def test_every_option_is_explained():
    assert [f"{prog} {option}" for prog, option, action in OPTIONS if not action.help] == []
