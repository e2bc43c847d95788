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

from pathlib import Path
from typing import Annotated

from gammond.engine.runtime.files import check_output, identify_files
from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.command_options import Force, Json, ToolCommand, option, read_file, written_file
from gammond.tools.store.book import BOOK_SUMMARY, BookOptions, build_book
from gammond.tools.store.deepening import DeepenOptions, deepen_entries
from gammond.tools.store.exchange import export_entries, import_entries
from gammond.tools.store.files import StoreFile, open_analyses
from gammond.tools.store.status import show_status
from gammond.tools.store.verification import verify_entries

SUMMARY = "describe, export, import, check and deepen kept analyses"

DEFAULT_SAMPLE = 100


class _StatusOptions(StoreFile, frozen=True, kw_only=True):
    """Which store is described, and how it is written."""

    json: Json = False


class _ExportOptions(StoreFile, frozen=True, kw_only=True):
    """Which store is exported, and where to."""

    output: Annotated[Path, written_file("the file (default standard output)")] | None = None
    force: Force = False


class _ImportOptions(StoreFile, frozen=True, kw_only=True):
    """What a store takes in."""

    files: Annotated[tuple[Path, ...], read_file("an exported file", count="+")]


class _VerifyOptions(StoreFile, frozen=True, kw_only=True):
    """How a store is checked."""

    sample: Annotated[int, option("entries to search again; 0 for none", "N", ge=0)] = DEFAULT_SAMPLE
    seed: Annotated[int, option("chooses them", "N", ge=0)] = 0
    repair: Annotated[bool, option("remove what is not as it should be")] = False


def _export(options: _ExportOptions) -> int:
    if options.output is not None:
        check_output(options.output, identify_files([options.find()]), force=options.force)
    with open_analyses(options) as database:
        return export_entries(database, options.output)


def _verify(options: _VerifyOptions) -> int:
    with open_analyses(options) as database:
        return verify_entries(database, options.sample, options.seed, options.repair)


def _deepen(options: DeepenOptions) -> int:
    with open_analyses(options):
        return deepen_entries(options)


COMMAND = CommandGroup(
    {
        "status": ToolCommand(
            _StatusOptions,
            lambda options: show_status(options.find(), options.json),
            "describe what is kept, by net, kind and depth",
        ),
        "export": ToolCommand(_ExportOptions, _export, "write all entries, one JSON object a line"),
        "import": ToolCommand(
            _ImportOptions,
            lambda options: import_entries(options.find(), options.files),
            "take entries of exported files",
        ),
        "verify": ToolCommand(_VerifyOptions, _verify, "check all entries, and search some of them again"),
        "book": ToolCommand(BookOptions, build_book, BOOK_SUMMARY),
        "deepen": ToolCommand(DeepenOptions, _deepen, "search deeper what is asked often"),
    },
    "ACTION",
)
