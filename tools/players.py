"""`gammond players`: list the players and their options.

Tools that take a player, and `set engine.player` on the wire, take these names, with options after a colon:
`NAME:OPTION=VALUE,OPTION=VALUE`. Each option has its default, its meaning and its values. Players that name
files play in tools and at the terminal, and on a server that offers them (`gammond serve --offer`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from msgspec import Struct

from gammond.engine.options import Field
from gammond.nets.catalogue import DEFAULT_EVALUATOR, SHIPPED
from gammond.nets.player_specs import FILE_WORDS, OPTION_FIELDS
from gammond.protocol.commands.session_game import SessionGame
from gammond.protocol.games import GAMES
from gammond.protocol.state.player_registry import SESSION_PLAYERS
from gammond.tools.common.command_options import Json, ToolCommand
from gammond.tools.common.opponents import PLAYERS

SUMMARY = "list the players and their options"


@dataclass(frozen=True)
class PlayerListing:
    """A player: its names, a summary, and its options described."""

    names: tuple[str, ...]
    summary: str
    options: tuple[dict[str, str], ...]


class PlayersOptions(Struct, frozen=True, kw_only=True):
    """How the players are listed."""

    json: Json = False


def run(options: PlayersOptions) -> int:
    """List the players.

    Returns:
        0.

    Raises:
        DataFileError: The manifest is faulty.
    """
    named = [PlayerListing((kind.name,), kind.summary, ()) for kind in PLAYERS.list_file_kinds()]
    sections = {
        "everywhere": _list_general_players(),
        "files": [each for each in named if each.names[0].partition(":")[0] in FILE_WORDS],
        "tools": [each for each in named if each.names[0].partition(":")[0] not in FILE_WORDS],
        "sessions": [PlayerListing((name,), summary, ()) for name, summary in SESSION_PLAYERS.items()],
    }
    games = _list_players_of_games()
    if options.json:
        rows: dict[str, object] = {name: _to_json(section) for name, section in sections.items()}
        rows["games"] = {name: _to_json(section) for name, section in games.items()}
        sys.stdout.write(json.dumps(rows) + "\n")
        return 0
    lines = _format_listings(sections["everywhere"])
    lines += [
        "in tools, at the terminal, and on servers with --offer:",
        *_format_listings(sections["files"], "  "),
    ]
    lines += ["only in tools:", *_format_listings(sections["tools"], "  ")]
    lines += ["only in sessions (set engine.player):", *_format_listings(sections["sessions"], "  ")]
    for name, section in games.items():
        lines += [
            f"in {name} (gammond tournament --variant {name}; set game.variant {name}):",
            *_format_listings(section, "  "),
        ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _to_json(section: Sequence[PlayerListing]) -> list[dict[str, object]]:
    return [asdict(row) for row in section]


def _list_players_of_games() -> dict[str, list[PlayerListing]]:
    """List the players of each game that has some of its own."""
    parts: list[SessionGame] = [entry.load_commands() for entry in GAMES.values()]
    return {
        game.name: [
            PlayerListing((each.name,), each.summary, _describe_options(each.fields)) for each in game.players
        ]
        for game in parts
        if game.players
    }


def _list_general_players() -> list[PlayerListing]:
    evaluators = PlayerListing(
        (DEFAULT_EVALUATOR, *SHIPPED.list_evaluators()),
        "evaluators: nets by name, shipped and your own",
        _describe_options(OPTION_FIELDS),
    )
    kinds = [
        PlayerListing((kind.name,), kind.summary, _describe_options(kind.list_options()))
        for kind in SHIPPED.list_kinds()
    ]
    return [evaluators, *kinds]


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
    lines, shown = [], dict[tuple[str, ...], PlayerListing]()
    for row in rows:
        lines.append(f"{indent}{', '.join(row.names)}: {row.summary}")
        names = tuple(option["name"] for option in row.options)
        if indent and names in shown:
            lines.append(f"    {_refer_to(shown[names], row)}")
            continue
        if len(names) > 1:
            shown[names] = row
        for option in row.options:
            default = f"{option['name']}={option['default']}"
            lines.append(f"    {default:<14} {option['meaning']} ({option['values'] or 'any'})")
    return lines


def _refer_to(shown: PlayerListing, row: PlayerListing) -> str:
    """Say that a player has the options of one that is shown, with other defaults."""
    pairs = zip(shown.options, row.options, strict=True)
    others = [f"{new['name']}={new['default']}" for old, new in pairs if new["default"] != old["default"]]
    return f"the options of {shown.names[0]}{', with ' if others else ''}{', '.join(others)}"


COMMAND = ToolCommand(PlayersOptions, run)
