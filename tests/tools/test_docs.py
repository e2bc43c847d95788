"""Commands in the docs: the guide's print what it shows, apart from the net's numbers; all can be typed."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest

from gammond.engine.errors import GammondError
from gammond.engine.runtime.files import data_folder
from gammond.nets.player_specs import OPTION_FIELDS
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.terminal.prompt_loop import PROMPT
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.tools import cli
from gammond.tools.batch.evaluation import CUBE_COLUMNS, DECISION_COLUMNS, PLAY_COLUMNS
from gammond.tools.batch.lines import MAX_LINE_BYTES
from gammond.tools.bench.command import BENCHMARKS
from gammond.tools.tournament.backgammon import (
    DEEP_GAMES_PER_RANGE,
    GAMES_PER_RANGE,
    SEQUENTIAL_GAMES_PER_RANGE,
)

OPTION_NAMES = tuple(field.name for field in OPTION_FIELDS)
DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guide" / "tools.md").read_text("utf-8")
SHELL = (DOCS / "guide" / "shell.md").read_text("utf-8")
MEASUREMENTS = (DOCS / "lab" / "measurements.md").read_text("utf-8")
OWN_NETS = (DOCS / "guide" / "own-nets.md").read_text("utf-8")

ROW_CODES = sorted({error.row_code for error in (GammondError, *GammondError.__subclasses__())})
_NUMBER = r"[-+]?[0-9]+\.[0-9]+"


def commands(page):
    """Commands of a page with what they write, in order."""
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def without_numbers(text: str) -> str:
    """Blank the numbers of a net, and the width of columns."""
    return re.sub(r" +", " ", re.sub(r"\b(strong|fast|racing)\b", "NET", re.sub(_NUMBER, "NUMBER", text)))


def matches(expected: str, got: str) -> bool:
    """Whether an output is the expected one, in which ``...`` is anything."""
    pattern = re.escape(without_numbers(expected)).replace(r"\.\.\.", ".*")
    return bool(re.fullmatch(pattern, without_numbers(got), re.DOTALL))


@pytest.mark.slow
def test_the_commands_of_the_page_write_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "gammond.tools.tournament.command.count_usable_cores", lambda: 1
    )  # starts no processes
    monkeypatch.setattr("gammond.tools.config.get_config_file", lambda: tmp_path / "config.toml")
    ran = []
    for command, expected in commands(PAGE):
        name, *arguments = shlex.split(command)
        if name == "cat":
            Path(arguments[0]).write_text(expected)
            continue
        assert cli.main(arguments) in (0, 1), command
        out = capsys.readouterr().out
        assert matches(expected, out), out
        ran.append(arguments[0])
    assert set(ran) >= {"batch", "rollout", "players", "tournament"}


def test_the_commands_of_the_shell_page_write_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gammond.tools.ask.question.get_config_file", lambda: tmp_path / "config.toml")
    ran = set()
    for command, expected in commands(SHELL):
        name, *arguments = shlex.split(command)
        if name == "cat":
            Path(arguments[0]).write_text(expected)
            continue
        status = cli.main(arguments)
        said = capsys.readouterr()
        assert status == (2 if not said.out else 1 if "line " in said.err else 0), command
        assert matches(expected, said.out + said.err), said
        ran.add(arguments[0])
    assert ran >= {"eval", "hint", "cube", "matrix", "board", "convert"}


@pytest.mark.slow
def test_the_page_of_own_nets_shows_what_training_exporting_and_using_them_write(
    tmp_path, monkeypatch, capsys
):
    pytest.importorskip("onnx")
    for file in data_folder().glob("*.bearoff"):
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    ran = []
    for kind, block in re.findall(r"```(console|transcript)\n(.*?)```", OWN_NETS, re.DOTALL):
        if kind == "transcript":
            check_terminal(block)
            continue
        for command, expected in commands(f"```console\n{block}```"):
            words = shlex.split(command)
            assert cli.main(words[1:]) == 0, command
            said = capsys.readouterr()
            out = said.err + said.out if words[1] == "train" else said.out
            assert matches(expected, out) or expected == "...\n", out
            ran.append(words[1])
    assert ran == ["train", "export", "nets", "nets", "tournament", "rollout", "nets"]


def check_terminal(transcript: str) -> None:
    """Type the lines of a transcript at a new table, and compare the answers."""
    talk = LineInterpreter(Session(Service(make_shipped_catalogue()), 1))
    for part in transcript.split(PROMPT)[1:]:
        line, _, expected = part.partition("\n")
        got = "\n".join(talk.answer(line)) + "\n"
        assert matches(expected, got), got


def test_the_comparison_can_fail():
    assert matches("8/5 +0.1 ± 0.2\n...", "8/5   -0.3 ± 0.4\nmore\n")
    assert not matches("8/5 +0.1", "6/5 +0.1")


def indented_commands():
    """The arguments of each indented command of all pages, as a shell reads them."""
    for page in [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]:
        for command in re.findall(r"^    gammond (.+)$", page.read_text("utf-8"), re.MULTILINE):
            if words := shlex.split(command.partition(" > ")[0], comments=True):
                yield pytest.param(words, id=f"{page.stem}-{'-'.join(words[:2])}")


@pytest.mark.parametrize("words", list(indented_commands()))
def test_indented_commands_can_be_typed_as_they_stand(words):
    parser = argparse.ArgumentParser()
    importlib.import_module(cli.TOOLS[words[0]]).add_arguments(parser)
    parser.parse_args(words[1:])


@pytest.mark.parametrize(
    "word",
    [
        *ROW_CODES,
        *(field.name for field in OPTION_FIELDS),
        *CUBE_COLUMNS,
        *PLAY_COLUMNS[:4],
        *DECISION_COLUMNS,
        "id",
        "trials",
    ],
)
def test_error_codes_columns_and_options_of_players_have_a_row_in_a_table(word):
    assert re.search(rf"^\| `{word}` \| .", PAGE, re.MULTILINE)


def test_limits_are_those_of_the_program():
    text = " ".join(PAGE.split())
    assert f"has more than {MAX_LINE_BYTES:,} bytes" in text
    assert f"ranges of {GAMES_PER_RANGE:,} games, or of {DEEP_GAMES_PER_RANGE} with the cube or where" in text
    assert f"otherwise of {SEQUENTIAL_GAMES_PER_RANGE:,} with `--sprt`" in text


def test_the_page_of_measurements_has_a_row_for_each_benchmark():
    section = MEASUREMENTS.split("## The speed of a machine")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(BENCHMARKS)
