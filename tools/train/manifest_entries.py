"""Entries of the package's manifest, as text to paste: trainings, nets, and nets with one output."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from engine.errors import StateError
from nets.classic import ClassicNet
from nets.manifest import MANIFEST_FILE, check_name
from tools.train.layers import LayeredNet
from tools.train.stage import Pedigree


def training_entry(name: str, pedigree: Pedigree, last: str) -> str:
    """Write a ``[[training]]`` entry.

    Args:
        name: What nets call it.
        pedigree: How they came to be.
        last: The command that wrote their files.
    """
    commands = [_text(command) for command in (*(step.command for step in pedigree), last)]
    lines = [
        f"name = {_text(name)}",
        "commands = [",
        *(f"    {command}," for command in commands),
        "]",
        f"games = {sum(step.games for step in pedigree)}",
        f"hours = {sum(step.hours for step in pedigree):.2f}",
    ]
    if positions := sum(step.positions for step in pedigree):
        lines.append(f"positions = {positions}")
    return _entry("training", lines)


def net_entry(file: Path, phase: str, net: LayeredNet | ClassicNet, content: bytes, trained: str) -> str:
    """Write the ``[[net]]`` entry of a file.

    Args:
        file: Where the net lies; named from the folder of the manifest if it is below it, absolute otherwise.
        phase: What it was trained on.
        net: Its weights.
        content: Its bytes.
        trained: Name of the entry that says how it came to be.
    """
    lines = [
        *_named(file),
        f"phase = {_text(phase)}",
        f"encoder = {_text(net.encoder_id)}",
        f"hidden = {list(net.hidden)}",
        'outputs = "cumulative5"',
        *_made(content, trained),
    ]
    return _entry("net", lines)


def scorer_entry(file: Path, activation: str, content: bytes, trained: str) -> str:
    """Write the ``[[scorer]]`` entry of a file.

    Args:
        file: Where the net lies; named as `net_entry` does.
        activation: What its hidden units do.
        content: Its bytes.
        trained: Name of the entry that says how it came to be.
    """
    return _entry("scorer", [*_named(file), f"activation = {_text(activation)}", *_made(content, trained)])


def _entry(kind: str, lines: Sequence[str]) -> str:
    return "\n".join([f"[[{kind}]]", *lines, "", ""])


def _named(file: Path) -> list[str]:
    home, place = MANIFEST_FILE.parent, file.resolve()
    shown = place.relative_to(home) if place.is_relative_to(home) else place
    return [f"name = {_text(file.stem)}", f"file = {_text(shown.as_posix())}"]


def _made(content: bytes, trained: str) -> list[str]:
    return [f'sha256 = "{hashlib.sha256(content).hexdigest()}"', f"trained = {_text(trained)}"]


def _text(value: str) -> str:
    """Write a text; JSON's form is TOML's too."""
    return json.dumps(value, ensure_ascii=False)


def place_of(folder: Path, name: str, suffix: str, *, force: bool) -> Path:
    """Find where a net of a name is to lie.

    Args:
        folder: Of the nets.
        name: What the manifest is to call it.
        suffix: Of the file.
        force: Whether a file that exists may be replaced.

    Raises:
        ValueRangeError: The manifest would refuse the name.
        StateError: The file exists and is not to be replaced.
    """
    check_name(name)
    file = folder / f"{name}{suffix}"
    if file.exists() and not force:
        raise StateError(f"{file} exists; choose another --name, or replace it with --force", field="name")
    return file
