"""The pages of docs/lab/history.md name commands, options and players that there are."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from pathlib import Path

import msgspec
import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.nets.catalogue import collect_net_hashes
from gammond.tools import cli
from gammond.tools.heritage.astros.command import AscendSettings
from gammond.tools.heritage.computational_backgammon.settings import ClassicSettings
from gammond.tools.heritage.gengammon.settings import MimicSettings
from gammond.tools.heritage.heuristic_engine.study import ClimbStudySettings
from gammond.tools.heritage.heuristic_engine.trials import ClimbSettings
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from gammond.tools.train.runs.settings import settings_from_args

DOCS = Path(__file__).parents[2] / "docs" / "lab"
PAGES = {file.name: file.read_text("utf-8") for file in sorted((DOCS / "history").glob("*.md"))}
COMMANDS = [
    pytest.param(command, id=f"{name[0]}: {command}")
    for name, page in PAGES.items()
    for command in re.findall(r"^    gammond (.+)$", page, re.MULTILINE)
]
NAMED = sorted(
    {
        (name[0], " ".join(named.split()))
        for name, page in PAGES.items()
        for named in re.findall(r"`gammond\s([^`]+)`", page)
    }
)
SETTINGS: dict[str, type[msgspec.Struct]] = {
    "ascend": AscendSettings,
    "classic": ClassicSettings,
    "climb": ClimbSettings,
    "climb-study": ClimbStudySettings,
    "heuristic-net": HeuristicNetSettings,
    "mimic": MimicSettings,
}


def parsed(command: str) -> argparse.Namespace:
    """Read a command as the program does, without running it."""
    tool, *words = shlex.split(command)
    module = importlib.import_module(cli.TOOLS[tool])
    parser = argparse.ArgumentParser(exit_on_error=False)
    module.add_arguments(parser)
    return parser.parse_args(words)


def players_of(args: argparse.Namespace) -> list[str]:
    """The players that a command names, runs aside."""
    named = (getattr(args, "opponents", None) or "").split(",")
    named += [getattr(args, name, None) or "" for name in ("reference", "expert")]
    if isinstance(getattr(args, "players", None), list):
        named += args.players
    if getattr(args, "report", None) == "start":
        named += args.subjects
    return [each for each in named if each and not each.startswith("run:") and each != "start"]


def test_there_is_a_page_for_each_document_and_commands_on_each():
    assert [name[0] for name in PAGES] == ["1", "2", "3", "4", "5"]
    listed = (DOCS / "history.md").read_text("utf-8")
    assert all(f"history/{name}" in listed for name in PAGES)
    assert {each.id[0] for each in COMMANDS} == {number for number, _ in NAMED} == set("12345")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_options_settings_and_players_that_there_are(command):
    args = parsed(command)
    trainer = getattr(args, "trainer", None) or getattr(args, "subcommand", None)
    if trainer in SETTINGS:
        settings_from_args(args, SETTINGS[trainer])
    for player in players_of(args):
        if player != "gnubg":
            collect_net_hashes(player)


@pytest.mark.parametrize(("page", "named"), NAMED)
def test_a_command_that_the_text_names_has_its_options(page, named, capsys):
    words = named.split()
    tool = words[:2] if words[0] in ("train", "heritage", "measure") else words[:1]
    assert cli.main([*tool, "--help"]) == 0
    known = capsys.readouterr().out
    assert [word for word in words if word.startswith("--") and f"{word} " not in known] == []


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("tournament heuristic:konfig=author pubeval --games 4", FormatError),
        ("tournament heuristics pubeval --games 4", ValueRangeError),
        ("heritage climb runs/climb --test often", ValueRangeError),
    ],
)
def test_the_check_of_commands_can_fail(command, error):
    with pytest.raises(error):
        test_a_command_has_options_settings_and_players_that_there_are(command)
