"""Import contracts: every room has its place in them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import gammond

ROOT = Path(__file__).resolve().parent.parent


def test_every_folder_of_rooms_has_a_place_in_the_layers():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = {each["containers"][0]: each["layers"] for each in contracts if "containers" in each}
    assert layers.keys() >= {f"gammond.{name}" for name in ("engine", "nets", "protocol", "tools")}
    for package, rooms in layers.items():
        placed = {room.strip() for line in rooms for room in line.split("|")}
        folders = [Path(place).joinpath(*package.split(".")[1:]) for place in gammond.__path__]
        found = {file.parent.name for each in folders for file in each.glob("[a-z]*/__init__.py")} - {package}
        assert found <= placed, f"{package}: rooms without a place in `layers` of pyproject.toml"
