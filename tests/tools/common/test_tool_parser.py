"""Arguments of tools: errors that name what was meant, two spellings more; options for kept analyses."""

import argparse

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.store.options import NO_STORE, StoreOptions
from gammond.tools.common.command_options import add_options, read_options
from gammond.tools.common.store_options import StoreChoice
from gammond.tools.common.tool_parser import ToolParser
from tests.support.processes import run_gammond


def make_parser():
    parser = ToolParser(prog="gammond tool")
    parser.add_argument("position", nargs="*")
    parser.add_argument("--dice", type=int, nargs=2)
    return parser


def test_an_xgid_without_its_label_is_no_option():
    bare = "-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
    assert make_parser().parse_args([bare]).position == [f"XGID={bare}"]


@pytest.mark.parametrize("words", [["--dice", "31"], ["--dice", "3-1"], ["--dice=3,1"], ["--dice", "3", "1"]])
def test_dice_are_one_word_or_two(words):
    parsed = make_parser().parse_args([*words, "x"])
    assert (parsed.dice, parsed.position) == ([3, 1], ["x"])
    assert make_parser().parse_args(["31"]).position == ["31"]


QUESTION = "position startpos\neval plies=2\nquit\n"


def parse(*words):
    parser = argparse.ArgumentParser()
    add_options(parser, StoreChoice)
    return read_options(parser.parse_args(words), StoreChoice).read()


def test_the_options_of_a_tool_come_before_those_of_the_environment(monkeypatch):
    monkeypatch.setenv("GAMMOND_STORE", "megabytes=5")
    assert parse() == StoreOptions(megabytes=5)
    assert parse("--store", "file=/x") == StoreOptions(file="/x")
    assert parse("--store", "off") == NO_STORE
    assert parse("--no-store") == NO_STORE
    with pytest.raises(FormatError, match="expected an option of the store"):
        parse("--store", "where=/x")


@pytest.mark.slow
def test_the_command_without_a_tool_keeps_what_it_searches_unless_it_is_told_not_to(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_STORE", f"file={tmp_path / 'store.sqlite'},book=off")
    answers = [
        run_gammond(*words, input=QUESTION).stdout.splitlines()[-2] for words in ((), (), ("--no-store",))
    ]
    assert [answer.endswith(" stored=true") for answer in answers] == [False, True, False]
    assert answers[1] == f"{answers[0]} stored=true"
    shown = [
        run_gammond("eval", "startpos", "--plies", "2", *words).stdout for words in ((), ("--no-store",))
    ]
    assert ["as kept before" in text for text in shown] == [True, False]
