"""The options for kept analyses."""

from __future__ import annotations

import argparse

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.store.options import NO_STORE, StoreOptions
from gammond.tools.common.options import add_store_arguments, read_store_arguments
from tests.support.processes import run_gammond

QUESTION = "position startpos\neval plies=2\nquit\n"


def parse(*words):
    parser = argparse.ArgumentParser()
    add_store_arguments(parser)
    return parser.parse_args(words)


def test_the_options_of_a_tool_come_before_those_of_the_environment(monkeypatch):
    monkeypatch.setenv("GAMMOND_STORE", "megabytes=5")
    assert read_store_arguments(parse()) == StoreOptions(megabytes=5)
    assert read_store_arguments(parse("--store", "file=/x")) == StoreOptions(file="/x")
    assert read_store_arguments(parse("--store", "off")) == NO_STORE
    assert read_store_arguments(parse("--no-store")) == NO_STORE
    with pytest.raises(FormatError, match="expected an option of the store"):
        read_store_arguments(parse("--store", "where=/x"))


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
