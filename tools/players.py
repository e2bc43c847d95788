"""`gammond players`: list the players and their options.

Tools that take a player, and `set engine.player` on the wire, take these names, with options after a colon:
`NAME:OPTION=VALUE,OPTION=VALUE`. Each option has its default, its meaning and its values. Players that name
files or other engines are only for tools.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from engine.options import Field
from nets.catalogue import DEFAULT_EVALUATOR, list_evaluator_names
from nets.player_kinds import load_player_kinds
from nets.player_specs import OPTION_FIELDS
from protocol.state.player_registry import SESSION_PLAYERS

SUMMARY = "list the players and their options"

_TOOL_PLAYERS = {
    "run:FOLDER": "the nets of a training run, or of a file: run:FILE.npz",
    "gnubg": "GNU Backgammon's nets, with the package gnubg-nn; gnubg:plies=1 looks ahead",
    "wildbg:FOLDER": "wildbg's nets, contact.onnx and race.onnx in the folder",
}


@dataclass(frozen=True)
class PlayerListing:
    """A player: its names, a summary, and its options described."""

    names: tuple[str, ...]
    summary: str
    options: tuple[dict[str, str], ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of text")


def main(args: argparse.Namespace) -> int:
    """List the players.

    Returns:
        0.

    Raises:
        DataFileError: The manifest is faulty.
    """
    sections = {
        "everywhere": _list_general_players(),
        "tools": _make_listings(_TOOL_PLAYERS),
        "sessions": _make_listings(SESSION_PLAYERS),
    }
    if args.json:
        rows = {name: [asdict(row) for row in section] for name, section in sections.items()}
        sys.stdout.write(json.dumps(rows) + "\n")
        return 0
    lines = _format_listings(sections["everywhere"])
    lines += ["only in tools:", *_format_listings(sections["tools"], "  ")]
    lines += ["only in sessions (set engine.player):", *_format_listings(sections["sessions"], "  ")]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _list_general_players() -> list[PlayerListing]:
    evaluators = PlayerListing(
        (DEFAULT_EVALUATOR, *list_evaluator_names()),
        "evaluators: nets by name, shipped and your own",
        _describe_options(OPTION_FIELDS),
    )
    kinds = [
        PlayerListing((kind.name,), kind.summary, _describe_options(kind.fields))
        for kind in load_player_kinds()
    ]
    return [evaluators, *kinds]


def _make_listings(table: dict[str, str]) -> list[PlayerListing]:
    return [PlayerListing((name,), summary, ()) for name, summary in table.items()]


def _describe_options(parameters: Sequence[Field]) -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "name": each.name,
            "default": each.default_text,
            "values": each.allowed_values,
            "meaning": each.meaning,
        }
        for each in parameters
    )


def _format_listings(rows: Sequence[PlayerListing], indent: str = "") -> list[str]:
    lines = []
    for row in rows:
        lines.append(f"{indent}{', '.join(row.names)}: {row.summary}")
        for option in row.options:
            default = f"{option['name']}={option['default']}"
            lines.append(f"    {default:<14} {option['meaning']} ({option['values'] or 'any'})")
    return lines
