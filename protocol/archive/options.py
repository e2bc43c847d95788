"""Where games are kept: the option ``--archive``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from gammond.engine.options import convert, list_fields, parse_options
from gammond.engine.runtime.files import data_folder

DEFAULT_MEGABYTES = 1024

_LOGS_SHARE = 8

ARCHIVE_FILE = "games.sqlite"
"""Its name in the data folder."""

ACCOUNTS_FILE = "accounts.sqlite"
"""The name of the file of accounts, beside the archive."""


class ArchiveOptions(Struct, frozen=True):
    """The options of the archive."""

    on: Annotated[bool, Meta(description="whether games are kept")] = True
    file: Annotated[str, Meta(description="the file; games.sqlite in the data folder if empty")] = ""
    megabytes: Annotated[int, Meta(ge=1, le=1_000_000, description="how much of the file may be in use")] = (
        DEFAULT_MEGABYTES
    )

    @classmethod
    def parse(cls, text: str) -> ArchiveOptions:
        """Parse ``off``, a path, or ``file=PATH,megabytes=N``.

        Raises:
            FormatError: An option is none of these.
            ValueRangeError: A number is out of range.
        """
        if text == "off":
            return cls(on=False)
        if not text.startswith(("file=", "megabytes=")):
            return cls(file=text)
        return convert(parse_options(text, list_fields(cls), "the archive", error_field="archive"), cls)

    def find_file(self) -> Path:
        """Return the file, by default in the data folder: ``GAMMOND_DATA``, or the system's for user data."""
        return Path(self.file).expanduser() if self.file else data_folder() / ARCHIVE_FILE

    def find_accounts_file(self) -> Path:
        """Return the file of accounts: beside the archive, or in the data folder where there is none."""
        return self.find_file().with_name(ACCOUNTS_FILE)

    @property
    def max_bytes(self) -> int:
        """How much of the file may be in use."""
        return self.megabytes << 20

    @property
    def max_log_bytes(self) -> int:
        """How much of that is for running tables, which make no room for matches, nor these for them."""
        return self.max_bytes // _LOGS_SHARE
