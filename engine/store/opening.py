"""The store of a process, opened when it is first asked for."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.runtime.output_files import check_folder
from engine.store.entries import EntryReader, StoreEntry
from engine.store.options import StoreOptions

if TYPE_CHECKING:
    from engine.store.analysis_store import AnalysisStore

StoreOpener: TypeAlias = "Callable[[], AnalysisStore]"
"""Returns a store, the same one each time."""

_LAST_WRITE_S = 1.0
"""How long a process that ends waits for what is still to be written."""

_opened: dict[tuple[StoreOptions, str], AnalysisStore] = {}
_opening = threading.Lock()


def make_store_opener(options: StoreOptions, book: Path) -> StoreOpener | None:
    """Make what returns the store of this process, the same one for the same options; None if it is off.

    Nobody waits for its file for long, and nothing is raised if it cannot be used.

    Args:
        options: The options of the store.
        book: The opening book, which may be missing.
    """
    return partial(_open, options, book) if options.on else None


def check_store_file(options: StoreOptions) -> None:
    """Check at the start of a process that a file which was named can be its store, or made.

    Raises:
        DataFileError: It is something else, or in a folder that is not there.
    """
    if options.on and options.file:
        from engine.store.database import APPLICATION_ID, STORE_NAME  # most stores are where nobody named
        from engine.store.sqlite_database import check_own_file

        check_folder(file := options.find_file())
        check_own_file(file, STORE_NAME, APPLICATION_ID)


def open_game_store(options: StoreOptions, game: str, read_entry: EntryReader) -> AnalysisStore:
    """Return the store of this process for another game than backgammon, as `make_store_opener` does.

    Args:
        options: The options of the store.
        game: The name of the game.
        read_entry: Reads its entries.
    """
    return _open(options, None, game, read_entry)


def _open(
    options: StoreOptions, book: Path | None, game: str = "", read_entry: EntryReader = StoreEntry.decode
) -> AnalysisStore:
    from engine.store.analysis_store import AnalysisStore  # takes 30 ms, and most clients need none

    with _opening:
        if (options, game) not in _opened:
            found = book if book is not None and options.book and book.exists() else None
            store = AnalysisStore(
                options.find_file(game), options.max_bytes, found, is_patient=False, read_entry=read_entry
            )
            atexit.register(store.close, _LAST_WRITE_S)
            _opened[options, game] = store
        return _opened[options, game]


def _renew_lock() -> None:
    """Let a process that was forked open stores, whoever did so at that moment."""
    global _opening
    _opening = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)
