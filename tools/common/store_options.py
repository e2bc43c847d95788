"""The options for kept analyses, for tools that answer from them."""

from __future__ import annotations

import argparse

from gammond.engine.options import list_fields
from gammond.engine.store.options import (
    NO_STORE,
    STORE_VARIABLE,
    StoreOptions,
    read_store_options,
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
