"""Where and how analyses are kept: the options of the store of a process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from engine.options import convert, list_fields, parse_options

DEFAULT_MEGABYTES = 256

STORE_VARIABLE = "GAMMOND_STORE"
"""The variable of the environment with the options of all processes that are not told otherwise."""

STORE_FILE = "analyses.sqlite"
"""Its name in the data folder."""

_SWITCHES = ("on", "off")


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
        if self.file:
            file = Path(self.file).expanduser()
        else:
            from engine.bearoff.databases import data_folder  # takes 50 ms, and most clients need no store

            file = data_folder() / STORE_FILE
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
