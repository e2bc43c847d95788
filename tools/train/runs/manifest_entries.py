"""Entries of manifests and provenance files, as text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from engine.runtime.output_files import check_output
from nets.contact_classes import CONTACT_CLASSES
from nets.manifest import MANIFEST_FILE, check_name
from nets.provenance import StrengthRecord
from tools.train.runs.run_folder import Provenance

MANIFEST_HEADING = "# for nets/manifest.toml\n"
"""Before entries of the manifest."""

PROVENANCE_HEADING = "# for nets/provenance.toml\n"
"""Before entries of the provenance file."""


class EncodedNet(Protocol):
    """A net of any kind, as far as its entry describes it."""

    @property
    def encoder_id(self) -> str:
        """The encoder of its inputs; see `nets.encoders`."""
        ...

    @property
    def hidden(self) -> tuple[int, ...]:
        """Sizes of its hidden layers."""
        ...


def format_training_entry(name: str, nets: Sequence[str], provenance: Provenance, export_command: str) -> str:
    """Format a ``[[training]]`` entry of the provenance file.

    Args:
        name: Its name.
        nets: The names of the nets.
        provenance: How they were made.
        export_command: The command that wrote their files.
    """
    commands = [_quote(command) for command in (*(step.command for step in provenance), export_command)]
    lines = [
        f"name = {_quote(name)}",
        f"nets = {json.dumps(list(nets))}",
        "commands = [",
        *(f"    {command}," for command in commands),
        "]",
        f"games = {sum(step.games for step in provenance)}",
        f"hours = {sum(step.hours for step in provenance):.2f}",
    ]
    if positions := sum(step.positions for step in provenance):
        lines.append(f"positions = {positions}")
    return _format_entry("training", lines)


def format_net_entry(
    name: str, file: Path, phase: str, net: EncodedNet, content: bytes, home: Path = MANIFEST_FILE.parent
) -> str:
    """Format the ``[[net]]`` entry of a file.

    Args:
        name: Of the net.
        file: Where it is; relative to the folder of the manifest if it is below it, absolute otherwise.
        phase: The phase or contact class that it was trained on.
        net: Its weights.
        content: Its bytes.
        home: The folder of the manifest.
    """
    lines = [
        *_format_name_and_file(name, file, home),
        f"phase = {_quote(phase)}",
        f"encoder = {_quote(net.encoder_id)}",
        f"hidden = {list(net.hidden)}",
        'outputs = "cumulative5"',
        _format_hash(content),
    ]
    return _format_entry("net", lines)


def format_scorer_entry(
    name: str,
    file: Path,
    activation: str,
    content: bytes,
    home: Path = MANIFEST_FILE.parent,
    *,
    player: str | None = None,
) -> str:
    """Format the ``[[scorer]]`` entry of a file.

    Args:
        name: Of the net.
        file: Where it is; as in `format_net_entry`.
        activation: Activation of its hidden units.
        content: Its bytes.
        home: The folder of the manifest.
        player: The player kind that plays it, for a net of one's own.
    """
    lines = [*_format_name_and_file(name, file, home), f"activation = {_quote(activation)}"]
    lines += [] if player is None else [f"player = {_quote(player)}"]
    return _format_entry("scorer", [*lines, _format_hash(content)])


def format_evaluator_entry(name: str, nets: Mapping[str, str]) -> str:
    """Format the ``[[evaluator]]`` entry of a set of nets.

    Args:
        name: Of the evaluator.
        nets: Their names by what they were trained on.
    """
    classes = [f"{each} = {_quote(nets[each])}" for each in CONTACT_CLASSES if each in nets]
    lines = [f"name = {_quote(name)}", *([f"plans = {{{', '.join(classes)}}}"] if classes else [])]
    lines += [f"{phase} = {_quote(nets[phase])}" for phase in ("contact", "crashed", "race") if phase in nets]
    return _format_entry("evaluator", lines)


def format_strength_entry(evaluator: str, strength: StrengthRecord) -> str:
    """Format a ``[[strength]]`` entry of the provenance file."""
    lines = [
        f"evaluator = {_quote(evaluator)}",
        f"opponent = {_quote(strength.opponent)}",
        f"points_per_game = {strength.points_per_game}",
        f"standard_error = {strength.standard_error}",
        f"games = {strength.games}",
    ]
    return _format_entry("strength", lines)


def _format_entry(kind: str, lines: Sequence[str]) -> str:
    return "\n".join([f"[[{kind}]]", *lines, "", ""])


def _format_name_and_file(name: str, file: Path, home: Path) -> list[str]:
    place, home = file.resolve(), home.resolve()
    shown = place.relative_to(home) if place.is_relative_to(home) else place
    return [f"name = {_quote(name)}", f"file = {_quote(shown.as_posix())}"]


def _format_hash(content: bytes) -> str:
    return f'sha256 = "{hashlib.sha256(content).hexdigest()}"'


def _quote(value: str) -> str:
    """Write a text; JSON's form is TOML's too."""
    return json.dumps(value, ensure_ascii=False)


def check_net_file(folder: Path, name: str, suffix: str, *, force: bool) -> Path:
    """Find where a net of a name is to lie.

    Args:
        folder: Of the nets.
        name: What the manifest is to call it.
        suffix: Of the file.
        force: Whether a file that exists may be replaced.

    Raises:
        ValueRangeError: The manifest would refuse the name.
        StateError: The file exists and is not to be replaced.
        DataFileError: It is a folder.
    """
    check_name(name)
    file = folder / f"{name}{suffix}"
    check_output(file, force=force, field="name", instead="choose another --name", new_folder=folder)
    return file
