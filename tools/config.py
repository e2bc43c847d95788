"""`gammond config`: show and set the preferences of the terminal.

Without arguments it lists them, with the file that they are in; with a name it shows one, with a name and a
value it sets it. At the prompt of the terminal `config` does the same, at once.
"""

from __future__ import annotations

import argparse
import sys

from gammond.engine.errors import FormatError
from gammond.engine.options import format_value
from gammond.protocol.repl.game.preferences import (
    change_preference,
    find_preference,
    get_config_file,
    list_preferences,
    read_preferences,
)

SUMMARY = "show and set preferences of the terminal: colours, level, tutor"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", nargs="?", help="the preference; all are listed without it")
    parser.add_argument("value", nargs="?", help="its new value; without it the present one is shown")
    parser.add_argument("--reset", action="store_true", help="go back to the default of the preference")


def main(args: argparse.Namespace) -> int:
    """Show or set preferences.

    Returns:
        0.

    Raises:
        GammondError: There is no such preference or value, or the file cannot be read or written.
    """
    file = get_config_file()
    if args.reset and (args.name is None or args.value is not None):
        raise FormatError("expected --reset with the name of a preference alone", field="reset")
    if args.reset or args.value is not None:
        preferences = change_preference(file, args.name, args.value)
        sys.stdout.write(f"{args.name} = {format_value(getattr(preferences, args.name))}\n")
    elif args.name is not None:
        field = find_preference(args.name)
        sys.stdout.write(f"{format_value(getattr(read_preferences(file), field.name))}\n")
    else:
        lines = [*list_preferences(read_preferences(file)), f"File: {file}"]
        sys.stdout.write("\n".join(lines) + "\n")
    return 0
