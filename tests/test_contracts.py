"""Every room has its place in the import contracts, every folder of tests in a run of tests."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import gammond
from tests.house import find_game_rooms

ROOT = Path(__file__).resolve().parent.parent
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
SOURCES = {
    file.relative_to(place): file.read_text("utf-8")
    for place in gammond.__path__
    for floor in ("engine", "nets", "protocol", "tools")
    for file in Path(place, floor).rglob("*.py")
}
GAME_ROOMS = find_game_rooms({"/".join(path.parts[:2]) for path in SOURCES if len(path.parts) > 2})
LABORATORY = ("tools/bench", "tools/measure")


def test_every_folder_of_rooms_has_a_place_in_the_layers():
    contracts = TOOLS["importlinter"]["contracts"]
    layers = {each["containers"][0]: each["layers"] for each in contracts if "containers" in each}
    assert layers.keys() >= {f"gammond.{name}" for name in ("engine", "nets", "protocol", "tools")}
    games = {room.split("/")[1] for room in GAME_ROOMS}
    for package, rooms in layers.items():
        placed = {room.strip() for line in rooms for room in line.split("|")} | games
        folders = [Path(place).joinpath(*package.split(".")[1:]) for place in gammond.__path__]
        found = {file.parent.name for each in folders for file in each.glob("[a-z]*/__init__.py")} - {package}
        missing = found - placed
        assert not missing, f"give {', '.join(missing)} a place in `layers` of {package} in pyproject.toml"


def test_a_game_is_imported_by_its_own_rooms_and_the_laboratory_alone():
    assert set(GAME_ROOMS) >= {"engine/barca", "protocol/barca", "tools/barca"}
    for path, text in SOURCES.items():
        room = "/".join(path.parts[:2])
        if room in LABORATORY:
            continue
        for floor, name in re.findall(r"^ *(?:from|import) gammond\.(\w+)\.(\w+)", text, re.MULTILINE):
            is_own = room in GAME_ROOMS and path.parts[1] == name
            is_other = f"{floor}/{name}" in GAME_ROOMS and not is_own
            assert not is_other, (
                f"{path} imports gammond.{floor}.{name}: let the game bring it, in its `entry.py`"
            )


@pytest.mark.parametrize("file", [".ci/run", ".github/workflows/checks.yml", "CONTRIBUTING.md"])
def test_what_a_run_of_all_tests_leaves_out_is_run_elsewhere(file):
    patterns = TOOLS["pytest"]["ini_options"]["norecursedirs"]
    left_out = {
        folder.relative_to(ROOT).as_posix()
        for folder in (ROOT / "tests").rglob("*")
        if folder.is_dir() and folder.name in patterns
    }
    (named,) = re.findall(r"pytest .*?((?:tests/\S+ )*tests/tools/train)\b", (ROOT / file).read_text("utf-8"))
    assert left_out == set(named.split())
