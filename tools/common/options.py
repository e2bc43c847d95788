"""Options that commands share: what a tool writes, whether it may overwrite, numbers, kept analyses.

Which options name what is written the program says by their type, so that a check of all of them forgets
none.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gammond.engine.errors import ValueRangeError
from gammond.engine.options import list_fields
from gammond.engine.store.options import (
    NO_STORE,
    STORE_VARIABLE,
    StoreOptions,
    read_store_options,
)


def written_path(text: str) -> Path:
    """Return a path that an option names to be written; `type` of each such option."""
    return Path(text)


def add_force_option(parser: argparse._ActionsContainer, also: str = "") -> None:
    """Declare ``--force``.

    Args:
        parser: Of the tool, or a group of its options.
        also: What else it does.
    """
    text = "overwrite files that exist, though never those that are read"
    parser.add_argument("--force", action="store_true", help=f"{text}{also and f'; {also}'}")


def check_number(option: str, number: float | None, least: float, most: float | None = None) -> None:
    """Check the number of an option.

    Args:
        option: Its name, without the dashes before it.
        number: What was given; None for nothing.
        least: The least that it may be.
        most: The greatest; None for no limit.

    Raises:
        ValueRangeError: It is out of range.
    """
    if number is not None and (number < least or (most is not None and not number <= most)):
        expected = f"{least} or more" if most is None else f"{least} to {most:,}"
        raise ValueRangeError(
            f"--{option}: expected {expected}, got {number}", field=option.replace("-", "_")
        )


def add_store_arguments(parser: argparse._ActionsContainer) -> None:
    """Declare ``--no-store`` and ``--store``.

    Args:
        parser: Of the tool, or a group of its help.
    """
    parser.add_argument("--no-store", action="store_true", help="neither look up kept analyses nor keep any")
    store = parser.add_argument(
        "--store",
        metavar="OPTIONS",
        help="where analyses are kept, as file=PATH,megabytes=N (default what the environment variable "
        f"{STORE_VARIABLE} says, or 256 megabytes in the data folder)",
    )
    store.fields = list_fields(StoreOptions)  # type: ignore[attr-defined]  # for configuration files


def read_store_arguments(args: argparse.Namespace) -> StoreOptions:
    """Return the options of the store.

    Args:
        args: Parsed arguments of `add_store_arguments`.

    Raises:
        FormatError: They cannot be parsed.
        ValueRangeError: A number is out of range.
    """
    if args.no_store:
        return NO_STORE
    return read_store_options() if args.store is None else StoreOptions.parse(args.store)
