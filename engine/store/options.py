"""Where and how analyses are kept: the options of the store of a process, and its opening at first use."""

from __future__ import annotations

import atexit
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from gammond.engine.options import convert, list_fields, parse_options
from gammond.engine.runtime.files import check_folder, data_folder

if TYPE_CHECKING:
    from gammond.engine.store.entries import EntryReader
    from gammond.engine.store.store import AnalysisStore  # takes 30 ms, and most clients need none

DEFAULT_MEGABYTES = 256

STORE_VARIABLE = "GAMMOND_STORE"
"""The variable of the environment with the options of all processes that are not told otherwise."""

STORE_FILE = "analyses.sqlite"
"""Its name in the data folder."""

_SWITCHES = ("on", "off")

_LAST_WRITE_S = 1.0
"""How long a process that ends waits for what is still to be written."""

_opened: dict[tuple[StoreOptions, str], AnalysisStore] = {}


class StoreOptions(Struct, frozen=True):
    """The options of a store."""

    on: Annotated[bool, Meta(description="whether analyses are looked up and kept")] = True
    file: Annotated[str, Meta(description="the file; analyses.sqlite in the data folder if empty")] = ""
    megabytes: Annotated[int, Meta(ge=1, le=1_000_000, description="how much of the file may be in use")] = (
        DEFAULT_MEGABYTES
    )
    book: Annotated[bool, Meta(description="whether the opening book answers too")] = True
    deepen: Annotated[
        bool, Meta(description="whether a server searches deeper what is asked often while no client asks")
    ] = True
    idle: Annotated[
        float, Meta(ge=0.0, le=86_400.0, description="seconds without a request until it does")
    ] = 3.0
    tiers: Annotated[
        str, Meta(description="how deep, as VISITS:PLIES/...; those of `gammond store deepen` if empty")
    ] = ""

    @classmethod
    def parse(cls, text: str) -> StoreOptions:
        """Parse ``on``, ``off``, or ``NAME=VALUE,...``.

        Raises:
            FormatError: It is nothing of this.
            ValueRangeError: A number is out of range.
        """
        if not text:
            return cls()
        pairs = f"on={text}" if text in _SWITCHES else text
        return convert(parse_options(pairs, list_fields(cls), "the store", error_field="store"), cls)

    def find_file(self, game: str = "") -> Path:
        """Return the file, by default in the data folder: ``GAMMOND_DATA``, or the system's for user data.

        Args:
            game: The name of another game than backgammon, which has a file of its own beside that one.
        """
        file = Path(self.file).expanduser() if self.file else data_folder() / STORE_FILE
        return name_game_file(file, game) if game else file

    @property
    def max_bytes(self) -> int:
        """How much of the file may be in use."""
        return self.megabytes << 20


def name_game_file(file: Path, game: str) -> Path:
    """Return the file of another game beside that of backgammon."""
    return file.with_name(f"{file.stem}.{game}{file.suffix}")


NO_STORE = StoreOptions(on=False)
"""Nothing is looked up or kept."""


def read_store_options() -> StoreOptions:
    """Return the options that the environment gives.

    Raises:
        FormatError: As `StoreOptions.parse`.
        ValueRangeError: As `StoreOptions.parse`.
    """
    return StoreOptions.parse(os.environ.get(STORE_VARIABLE, ""))


def check_store_file(options: StoreOptions) -> None:
    """Check at the start of a process that a file which was named can be its store, or made.

    Raises:
        DataFileError: It is something else, or in a folder that is not there.
    """
    if options.on and options.file:
        from gammond.engine.runtime.sqlite_file import check_own_file  # most stores are where nobody named
        from gammond.engine.store.database import SCHEMA

        check_folder(file := options.find_file())
        check_own_file(file, SCHEMA)


def open_store(
    options: StoreOptions, book: Path | None, game: str = "", read_entry: EntryReader | None = None
) -> AnalysisStore:
    """Return the store of this process for a game, the same one for the same options.

    Nobody waits for its file for long, and nothing is raised if it cannot be used.

    Args:
        options: The options of the store.
        book: An opening book, which may be missing.
        game: The name of the game; empty for backgammon.
        read_entry: Reads the entries of another game.
    """
    from gammond.engine.store.entries import StoreEntry
    from gammond.engine.store.store import AnalysisStore

    if (found := _opened.get((options, game))) is not None:
        return found
    store = AnalysisStore(
        options.find_file(game),
        options.max_bytes,
        book if book is not None and options.book and book.exists() else None,
        is_patient=False,
        read_entry=read_entry or StoreEntry.decode,
    )
    # No lock, which a process that is forked could find held: of two threads one is first.
    first = _opened.setdefault((options, game), store)
    if first is store:
        atexit.register(store.close, _LAST_WRITE_S)
    else:
        store.close()
    return first
