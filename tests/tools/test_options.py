"""Options of all tools: one meaning, one name."""

from __future__ import annotations

import argparse

import pytest

from tools.completion import build_parser

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


def test_every_option_is_explained():
    assert [f"{prog} {option}" for prog, option, action in OPTIONS if not action.help] == []
