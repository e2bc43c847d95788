"""Rows that the command tables of all games have."""

from __future__ import annotations

from gammond.protocol.commands import general
from gammond.protocol.commands.command import Command
from gammond.protocol.core.arguments import parse_tag, rest_argument, word_argument

UBGI_ROW = Command(
    "ubgi",
    "identify the server and list its settings",
    general.handle_ubgi,
    "ubgiok",
    data_lines=("id name NAME", "id author AUTHOR", "proto 0.2", "key ...", "option ..."),
    example=("ubgi",),
    standard="UBGI 0.2",
)
"""The first row of every table."""


READY_ROW = Command(
    "isready",
    "load and compile everything that a session can ask for, then answer",
    general.handle_isready,
    "readyok",
    data_lines=("info ready N of N time_ms T",),
    example=("isready",),
    standard="UBGI 0.2",
)
"""The second."""


def make_session_rows(*, setting: str, command: str) -> tuple[Command, ...]:
    """Return the rows about the session and the server.

    Args:
        setting: A setting of the game with a value, for examples.
        command: A command of the game, likewise.
    """
    return (
        Command(
            "set",
            "change a setting",
            general.handle_set,
            "ok set KEY=VALUE",
            arguments=(
                word_argument("key", "KEY", "see 'keys'"),
                rest_argument("value", "VALUE", "the new value"),
            ),
            example=(f"set {setting}",),
            standard="UBGI 0.2",
            help_group="prefer",
        ),
        Command(
            "get",
            "show a setting",
            general.handle_get,
            "value KEY VALUE",
            arguments=(word_argument("key", "KEY", "see 'keys'"),),
            example=(f"get {setting.split()[0]}",),
            standard="UBGI 0.2",
            help_group="prefer",
        ),
        Command(
            "keys",
            "list the settings",
            general.handle_keys,
            "keysok",
            data_lines=("key NAME TYPE VALUES DEFAULT [!] MEANING",),
            example=("keys",),
            standard="UBGI 0.2",
            help_group="prefer",
        ),
        Command(
            "stop",
            "stop the request with a tag, or all of this client; they answer with the best result so far",
            general.handle_stop,
            "ok stop stopped=N",
            arguments=(
                word_argument(
                    "tag", "@TAG", "the tag of the request to stop", is_required=False, parse=parse_tag
                ),
            ),
            example=("stop",),
            standard="UBGI 0.1, tags gammond",
        ),
        Command(
            "stats",
            "show counters of this client and the server",
            general.handle_stats,
            "stats uptime_s=S clients=N requests=N errors=N all_requests=N all_errors=N",
            example=("stats",),
        ),
        Command(
            "describe",
            "describe the server in one JSON line: levels, nets with hashes, limits, conventions, commands",
            general.handle_describe,
            '{"action":"describe",...}',
            example=("describe",),
        ),
        Command(
            "help",
            "explain the commands, or one of them",
            general.handle_help,
            "helpok",
            arguments=(word_argument("command", "COMMAND", "the command to explain", is_required=False),),
            data_lines=("help TEXT",),
            example=(f"help {command}",),
            other_names=("h", "?"),
        ),
        Command(
            "quit",
            "end the session after all earlier requests are answered",
            general.handle_quit,
            "ok quit",
            example=("quit",),
            standard="UBGI 0.2",
            help_group="prefer",
            other_names=("exit", "q"),
        ),
    )
