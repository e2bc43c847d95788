"""`gammond store`: look at kept analyses, take them elsewhere, check them, and search them deeper.

    gammond store status               what is kept, by net, kind and depth
    gammond store export > kept.jsonl  all entries, one JSON object a line
    gammond store import kept.jsonl    take entries in
    gammond store verify               check all, search some of them again
    gammond store deepen --for 10m     search deeper what is asked often
    gammond store book --output FILE   search the opening book that is shipped

The store is in the data folder (GAMMOND_DATA, or the system's folder for user data), unless --file names
another one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gammond.engine.runtime.files import check_output, identify_files
from gammond.engine.store.options import read_store_options
from gammond.tools.common.options import add_force_option, written_path
from gammond.tools.store.book import BOOK_SUMMARY, add_book_arguments, build_book
from gammond.tools.store.deepening import add_deepen_arguments, deepen_entries
from gammond.tools.store.exchange import export_entries, import_entries
from gammond.tools.store.files import check_game, make_missing_error, open_store
from gammond.tools.store.status import show_status
from gammond.tools.store.verification import verify_entries

SUMMARY = "describe, export, import, check and deepen kept analyses"

DEFAULT_SAMPLE = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    status = _add_action(actions, "status", "what is kept, by net, kind and depth")
    status.add_argument("--json", action="store_true", help="one JSON object instead of text")
    export = _add_action(actions, "export", "write all entries, one JSON object a line")
    export.add_argument(
        "--output", type=written_path, metavar="FILE", help="the file (default standard output)"
    )
    add_force_option(export)
    take = _add_action(actions, "import", "take entries of exported files")
    take.add_argument("files", nargs="+", type=Path, metavar="FILE", help="an exported file")
    verify = _add_action(actions, "verify", "check all entries, and search some of them again")
    verify.add_argument(
        "--sample",
        type=int,
        default=DEFAULT_SAMPLE,
        metavar="N",
        help=f"entries to search again; 0 for none (default {DEFAULT_SAMPLE})",
    )
    verify.add_argument("--seed", type=int, default=0, metavar="N", help="chooses them (default 0)")
    verify.add_argument("--repair", action="store_true", help="remove what is not as it should be")
    add_book_arguments(
        actions.add_parser("book", help=BOOK_SUMMARY, description=f"{BOOK_SUMMARY.capitalize()}.")
    )
    add_deepen_arguments(_add_action(actions, "deepen", "search deeper what is asked often"))


def _add_action(actions: argparse._SubParsersAction, name: str, meaning: str) -> argparse.ArgumentParser:  # type: ignore[type-arg]
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=meaning, description=f"{meaning[:1].upper()}{meaning[1:]}."
    )
    parser.add_argument(
        "--file", type=written_path, metavar="FILE", help="the store (default in the data folder)"
    )
    return parser


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0; 1 where something is not as it should be.

    Raises:
        GammondError: A file is missing, damaged or of another kind, or cannot be read or written.
    """
    if args.action == "book":
        return build_book(args)
    file = args.file or read_store_options().find_file()
    if args.action == "import":
        return import_entries(file, args.files)
    if args.action == "status":
        return show_status(file, args.json)
    if not file.exists():
        raise make_missing_error(file)
    if args.action == "export" and args.output is not None:
        check_output(args.output, identify_files([file]), force=args.force)
    with open_store(file) as database:
        check_game(database)
        if args.action == "deepen":
            return deepen_entries(file, args)
        if args.action == "export":
            return export_entries(database, args.output)
        return verify_entries(database, args.sample, args.seed, args.repair)
