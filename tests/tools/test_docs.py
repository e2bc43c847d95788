"""Commands in the docs: the guide's print what it shows, apart from the net's numbers; all can be typed."""

import argparse
import importlib.util
import json
import re
import shlex
from pathlib import Path

import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.nets.catalogue import collect_net_hashes
from gammond.protocol.repl.dialogue.commands import REPL_COMMANDS
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.terminal.prompt_loop import PROMPT
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.tools import cli
from gammond.tools.common.command_group import find_command
from gammond.tools.common.command_options import read_options
from gammond.tools.common.tool_parser import ToolParser
from tests.support.data_folders import link_databases
from tests.tools.test_all_commands import list_parsers

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guide" / "tools.md").read_text("utf-8")
PROOFS = DOCS.parent / "tests" / "protocol" / "transcripts"
"""Where pages of the tests are, with what no reader asks for."""

SHELL = (DOCS / "guide" / "shell.md").read_text("utf-8")
OWN_NETS = (DOCS / "guide" / "own-nets.md").read_text("utf-8")

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
    monkeypatch.setattr("gammond.tools.config.get_config_file", lambda: tmp_path / "config.toml")
    ran = []
    for command, expected in commands(PAGE + (PROOFS / "shell.md").read_text("utf-8")):
        name, *arguments = shlex.split(command)
        if name == "cat":
            Path(arguments[0]).write_text(expected)
            continue
        in_this_process = ["--threads", "1"] if arguments[0] == "tournament" else []
        assert cli.main([*arguments, *in_this_process]) in (0, 1), command
        out = capsys.readouterr().out
        assert matches(expected, out), out
        ran.append(arguments[0])
    assert set(ran) >= {"batch", "rollout", "players", "tournament"}


def test_the_commands_of_the_shell_page_write_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gammond.tools.ask.question.get_config_file", lambda: tmp_path / "config.toml")
    ran = set()
    for command, expected in commands(SHELL + (PROOFS / "questions.md").read_text("utf-8")):
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
    link_databases(tmp_path)
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


def list_typed():
    """The words of each command of all pages, of the unit of the service and of its image."""
    deploy = DOCS.parent / "deploy"
    for page in [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md")), deploy / "gammond.service"]:
        text = page.read_text("utf-8")
        commands = re.findall(r"^    gammond (.+)$", text, re.MULTILINE)
        commands += re.findall(r"/opt/gammond/bin/gammond ([^&\n]+)", text)
        commands += re.findall(r"`(serve --[^`]*)`", text)
        for command in commands:
            if words := shlex.split(command.partition(" > ")[0], comments=True):
                yield page.relative_to(DOCS.parent).as_posix(), words
    image = (deploy / "Dockerfile").read_text("utf-8").replace("\\\n", "")
    yield "deploy/Dockerfile", json.loads(re.search(r"^CMD (\[.*?\])$", image, re.MULTILINE)[1])


TYPED = list(list_typed())


def list_players(args):
    """The players that a command names, runs and those of the reader aside."""
    named = (getattr(args, "opponents", None) or "").split(",")
    named += [getattr(args, name, None) or "" for name in ("reference", "expert")]
    if isinstance(getattr(args, "players", None), list):
        named += args.players
    if getattr(args, "report", None) == "start":
        named += args.subjects
    return {each for each in named if each and not each.startswith("run:")} - {"start", "gnubg"}


@pytest.mark.parametrize(
    ("page", "words"), TYPED, ids=[f"{page}: {' '.join(words)}" for page, words in TYPED]
)
def test_a_command_of_a_page_has_options_settings_and_players_that_there_are(page, words):
    parser, command = ToolParser(), find_command(cli.TOOLS[words[0]])
    command.add_arguments(parser)
    args = parser.parse_args(words[1:])
    read_options(args, getattr(args, "subcommand", command).options)
    for player in list_players(args) if "history/" in page else ():
        collect_net_hashes(player)


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("tournament heuristic:konfig=author pubeval --games 4", FormatError),
        ("tournament heuristics pubeval --games 4", ValueRangeError),
        ("heritage climb runs/climb --test often", SystemExit),
    ],
)
def test_the_check_of_commands_can_fail(command, error):
    with pytest.raises(error):
        test_a_command_of_a_page_has_options_settings_and_players_that_there_are("history/", command.split())


def test_a_command_that_a_text_names_and_its_options_are_there():
    for page in [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]:
        for named in re.findall(r"`gammond\s([^`]+)`", page.read_text("utf-8")):
            words = named.split()
            if words[0] in ("TOOL", "help") or words[0].startswith("-"):
                continue
            commands = [" ".join(words[:count]) for count in range(len(words), 0, -1)]
            parser = next((list_parsers()[name] for name in commands if name in list_parsers()), None)
            assert parser is not None, f"{page}: {named}"
            known = {option for action in parser._actions for option in action.option_strings}
            given = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert given <= known, f"{page}: {named}"


def test_the_site_has_a_page_for_each_command_with_its_options_and_one_for_the_terminal(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "hooks")
    spec = importlib.util.spec_from_file_location("command_pages", DOCS / "hooks" / "command_pages.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    pages = hook.make_pages()
    assert set(pages) == {hook.TERMINAL, *(f"{hook.FOLDER}/{name}.md" for name in cli.TOOLS)}
    for name, parser in list_parsers().items():
        section = pages[f"{hook.FOLDER}/{name.partition(' ')[0]}.md"].partition(f"# gammond {name}\n")[2]
        shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
        options = {option for action in shown for option in action.option_strings} - {"-h", "--help"}
        assert [option for option in options if f"`{option}" not in section] == [], name
    assert all(f"| `{command.name}" in pages[hook.TERMINAL] for command in REPL_COMMANDS.values())


def test_there_is_a_page_for_each_document_with_commands():
    pages = sorted((DOCS / "lab" / "history").glob("*.md"))
    assert [page.name[0] for page in pages] == ["1", "2", "3", "4", "5"]
    listed = (DOCS / "lab" / "history.md").read_text("utf-8")
    for page in pages:
        assert f"history/{page.name}" in listed
        assert any(name.endswith(page.name) for name, _ in TYPED)
