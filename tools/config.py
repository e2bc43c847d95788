"""`gammond config`: show and set the preferences of the terminal.

Without arguments it lists them, with the file that they are in; with a name it shows one, with a name and a
value it sets it. At the prompt of the terminal `config` does the same, at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

from msgspec import Struct

from gammond.engine.errors import FormatError
from gammond.engine.options import format_value
from gammond.protocol.repl.game.preferences import (
    change_preference,
    find_preference,
    get_config_file,
    list_preferences,
    read_preferences,
)
from gammond.tools.common.command_options import ToolCommand, argument, option

SUMMARY = "show and set preferences of the terminal: colours, level, tutor"


class ConfigOptions(Struct, frozen=True, kw_only=True):
    """The preference that is shown or set."""

    name: Annotated[str, argument("NAME", "the preference; all are listed without it", count="?")] = ""
    value: (
        Annotated[str, argument("VALUE", "its new value; without it the present one is shown", count="?")]
        | None
    ) = None
    reset: Annotated[bool, option("go back to the default of the preference")] = False


def run(options: ConfigOptions) -> int:
    """Show or set preferences.

    Returns:
        0.

    Raises:
        GammondError: There is no such preference or value, or the file cannot be read or written.
    """
    file = get_config_file()
    if options.reset and (not options.name or options.value is not None):
        raise FormatError("expected --reset with the name of a preference alone", field="reset")
    if options.reset or options.value is not None:
        preferences = change_preference(file, options.name, options.value)
        sys.stdout.write(f"{options.name} = {format_value(getattr(preferences, options.name))}\n")
    elif options.name:
        field = find_preference(options.name)
        sys.stdout.write(f"{format_value(getattr(read_preferences(file), field.name))}\n")
    else:
        lines = [*list_preferences(read_preferences(file)), f"File: {file}"]
        sys.stdout.write("\n".join(lines) + "\n")
    return 0


COMMAND = ToolCommand(ConfigOptions, run)
